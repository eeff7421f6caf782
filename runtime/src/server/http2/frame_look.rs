//! [`FrameLook`]: finds the header blocks in the bytes that a client sends (RFC 9113 §4, §6.2,
//! §6.10).

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use super::header_blocks::{BlockFault, BrokenBlock, HeaderBlocks};

/// The number of bytes with which a client begins a connection (RFC 9113 §3.4).
const PREFACE_BYTES: usize = 24;

/// The number of bytes at the head of a frame.
const HEAD_BYTES: usize = 9;

const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;

const END_HEADERS: u8 = 0x4;
const PADDED: u8 = 0x8;
const PRIORITY: u8 = 0x20;

/// The number of streams with a fault that nobody has asked for yet. A client that sends more is
/// none.
const FAULTS_MAX: usize = 1024;

/// The value of [`StreamFaults::count`] if the blocks of the connection are not known any more.
const LOST: usize = usize::MAX;

/// The faults of the streams of a connection, until they are handled.
#[derive(Debug, Default)]
pub(super) struct StreamFaults {
    all: Mutex<Vec<(u32, BlockFault)>>,
    /// The number of faults. Usually there is none, and nothing is locked.
    count: AtomicUsize,
}

/// Follows the frames of a connection.
#[derive(Debug)]
pub(super) struct FrameLook {
    /// The number of bytes to skip.
    skipped: usize,
    /// The bytes of a frame that has not come whole.
    begun: Vec<u8>,
    /// The block that goes on in the next frame.
    block: Vec<u8>,
    /// The largest size of a block. The library refuses larger ones.
    block_bytes_max: usize,
    blocks: HeaderBlocks,
    /// The last stream that a client has opened.
    last: u32,
}

/// The head of a frame.
#[derive(Clone, Copy)]
struct FrameHead {
    length: usize,
    kind: u8,
    flags: u8,
    stream: u32,
}

impl StreamFaults {
    /// Takes the fault of a stream. After a broken block, each stream has one.
    #[inline]
    pub(super) fn take(&self, stream: u32) -> Option<BlockFault> {
        match self.count.load(Ordering::Relaxed) {
            0 => None,
            LOST => Some(BlockFault::PseudoField),
            _ => self.find(stream),
        }
    }

    #[cold]
    fn find(&self, stream: u32) -> Option<BlockFault> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|(of, _)| *of == stream)?;
        let (_, fault) = all.swap_remove(at);
        self.count.store(all.len(), Ordering::Relaxed);
        Some(fault)
    }

    fn note(&self, stream: u32, fault: BlockFault) -> Result<(), BrokenBlock> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= FAULTS_MAX {
            return Err(BrokenBlock);
        }
        all.push((stream, fault));
        self.count.store(all.len(), Ordering::Relaxed);
        Ok(())
    }

    /// Records that the blocks of the connection are not known any more.
    pub(super) fn lose(&self) {
        self.count.store(LOST, Ordering::Relaxed);
    }

    pub(super) fn is_lost(&self) -> bool {
        self.count.load(Ordering::Relaxed) == LOST
    }
}

impl FrameHead {
    fn of(bytes: &[u8]) -> Option<Self> {
        let [a, b, c, kind, flags, stream @ ..] = *bytes.first_chunk::<HEAD_BYTES>()?;
        let length = u32::from_be_bytes([0, a, b, c]) as usize;
        Some(Self { length, kind, flags, stream: u32::from_be_bytes(stream) & 0x7fff_ffff })
    }

    const fn has_fields(self) -> bool {
        matches!(self.kind, HEADERS | CONTINUATION)
    }
}

impl FrameLook {
    pub(super) fn new(block_bytes_max: usize) -> Self {
        Self {
            skipped: PREFACE_BYTES,
            begun: vec![],
            block: vec![],
            block_bytes_max,
            blocks: HeaderBlocks::new(),
            last: 0,
        }
    }

    /// Looks at bytes that have come.
    ///
    /// # Errors
    /// If a block is broken or too large. Usually the library ends the connection, too.
    pub(super) fn look(
        &mut self,
        mut bytes: &[u8],
        faults: &StreamFaults,
    ) -> Result<(), BrokenBlock> {
        loop {
            let skipped = self.skipped.min(bytes.len());
            (self.skipped, bytes) = (self.skipped - skipped, &bytes[skipped..]);
            if bytes.is_empty() {
                return Ok(());
            }
            // Usually a frame comes whole, and is not copied.
            if self.begun.is_empty()
                && let Some(head) = FrameHead::of(bytes)
            {
                if !head.has_fields() {
                    self.skipped = HEAD_BYTES + head.length;
                    continue;
                }
                if let Some(payload) = bytes.get(HEAD_BYTES..HEAD_BYTES + head.length) {
                    self.frame(head, payload, faults)?;
                    bytes = &bytes[HEAD_BYTES + head.length..];
                    continue;
                }
            }
            bytes = self.collect(bytes, faults)?;
        }
    }

    /// Collects the bytes of a frame that comes in parts. Returns what follows it.
    fn collect<'b>(
        &mut self,
        bytes: &'b [u8],
        faults: &StreamFaults,
    ) -> Result<&'b [u8], BrokenBlock> {
        let wanted = match FrameHead::of(&self.begun) {
            None => HEAD_BYTES - self.begun.len(),
            Some(head) => HEAD_BYTES + head.length - self.begun.len(),
        };
        let (part, rest) = bytes.split_at(wanted.min(bytes.len()));
        self.begun.extend_from_slice(part);
        let Some(head) = FrameHead::of(&self.begun) else { return Ok(rest) };
        if !head.has_fields() {
            self.begun.clear();
            self.skipped = head.length;
        } else if head.length > self.block_bytes_max {
            return Err(BrokenBlock);
        } else if self.begun.len() == HEAD_BYTES + head.length {
            let whole = std::mem::take(&mut self.begun);
            self.frame(head, &whole[HEAD_BYTES..], faults)?;
        }
        Ok(rest)
    }

    /// Handles a whole frame that has a part of a block.
    fn frame(
        &mut self,
        head: FrameHead,
        mut payload: &[u8],
        faults: &StreamFaults,
    ) -> Result<(), BrokenBlock> {
        if head.kind == HEADERS {
            if head.flags & PADDED != 0 {
                let (padding, rest) = payload.split_first().ok_or(BrokenBlock)?;
                let end = rest.len().checked_sub((*padding).into()).ok_or(BrokenBlock)?;
                payload = &rest[..end];
            }
            if head.flags & PRIORITY != 0 {
                payload = payload.get(5..).ok_or(BrokenBlock)?;
            }
        }
        let is_end = head.flags & END_HEADERS != 0;
        if is_end && self.block.is_empty() {
            return self.finish(head.stream, payload, faults);
        }
        if self.block.len() + payload.len() > self.block_bytes_max {
            return Err(BrokenBlock);
        }
        self.block.extend_from_slice(payload);
        if !is_end {
            return Ok(());
        }
        let block = std::mem::take(&mut self.block);
        self.finish(head.stream, &block, faults)
    }

    /// Looks at a whole block. A second one of a stream has its trailers.
    fn finish(
        &mut self,
        stream: u32,
        block: &[u8],
        faults: &StreamFaults,
    ) -> Result<(), BrokenBlock> {
        let is_trailers = stream <= self.last;
        self.last = self.last.max(stream);
        match self.blocks.look(block, is_trailers)? {
            Some(fault) => faults.note(stream, fault),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
    }

    const FRAGMENT: &[u8] = &[0x82, 0x04, 2, b'/', b'#'];

    /// A request with a fragment, in each form of its frames, and one with a pseudo-field in its
    /// trailers. However the bytes are divided, the same is found.
    #[test]
    fn faults_are_found_however_the_bytes_come() {
        let padded = [&[2][..], FRAGMENT, &[0, 0]].concat();
        let priority = [&[0; 5][..], FRAGMENT].concat();
        let all = [
            vec![b'x'; PREFACE_BYTES],
            frame(4, 0, 0, &[0; 6]),
            frame(HEADERS, END_HEADERS, 1, FRAGMENT),
            frame(HEADERS, END_HEADERS | PADDED, 3, &padded),
            frame(HEADERS, END_HEADERS | PRIORITY, 5, &priority),
            frame(HEADERS, 0, 7, &FRAGMENT[..2]),
            frame(CONTINUATION, 0, 7, &[]),
            frame(CONTINUATION, END_HEADERS, 7, &FRAGMENT[2..]),
            frame(HEADERS, END_HEADERS, 9, &[0x82, 0x84]),
            frame(0, 0, 9, FRAGMENT),
            frame(HEADERS, END_HEADERS, 9, &[0x82]),
            frame(HEADERS, END_HEADERS, 11, &[0x82, 0x84]),
            frame(HEADERS, END_HEADERS, 11, &[0x8f]),
        ]
        .concat();
        for size in 1..all.len() {
            let (mut look, faults) = (FrameLook::new(1000), StreamFaults::default());
            for part in all.chunks(size) {
                look.look(part, &faults).unwrap();
            }
            let found = |stream| faults.take(stream);
            for stream in [1, 3, 5, 7] {
                assert_eq!(found(stream), Some(BlockFault::Fragment), "{stream} {size}");
            }
            assert_eq!(found(9), Some(BlockFault::PseudoField), "{size}");
            assert_eq!((found(9), found(11)), (None, None), "{size}");
        }
    }

    #[test]
    fn what_is_kept_has_a_limit() {
        let begin = || (FrameLook::new(100), StreamFaults::default());
        let preface = vec![b'x'; PREFACE_BYTES];
        let (mut look, faults) = begin();
        let long = [&*preface, &frame(HEADERS, 0, 1, &[0; 101])[..20]].concat();
        assert_eq!(look.look(&long, &faults), Err(BrokenBlock));
        let (mut look, faults) = begin();
        look.look(&preface, &faults).unwrap();
        look.look(&frame(HEADERS, 0, 1, &[0; 60]), &faults).unwrap();
        assert_eq!(look.look(&frame(CONTINUATION, 0, 1, &[0; 60]), &faults), Err(BrokenBlock));
        let (mut look, faults) = begin();
        look.look(&preface, &faults).unwrap();
        let broken = (0..=FAULTS_MAX as u32)
            .map(|at| look.look(&frame(HEADERS, END_HEADERS, 2 * at + 1, FRAGMENT), &faults));
        assert_eq!(broken.filter(Result::is_err).count(), 1);
    }
}
