//! The memory that large responses occupy until their clients have read them. All workers of a
//! service share its limit.
//!
//! A response reserves its bytes when it is made. The bytes are released when the body is dropped:
//! after the connection has written the body, or has ended. Small responses are not counted, since
//! each is sent with one write. Over HTTP/2, those from 4 KiB count, and all that wait for the
//! window of their client.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use bytes::Bytes;

use crate::base::limits;

/// The limit on the memory for large responses, and the number of bytes that are reserved.
#[derive(Debug)]
pub(crate) struct ResponseMemory {
    bytes_max: usize,
    taken: AtomicUsize,
    /// The limit that this one is a share of.
    whole: Option<Arc<Self>>,
}

/// The content of a response, together with its reservation.
struct CountedContent {
    content: Bytes,
    bytes: usize,
    memory: Arc<ResponseMemory>,
}

impl ResponseMemory {
    /// Creates a limit of `bytes_max` bytes, of which none are reserved.
    pub(crate) const fn new(bytes_max: usize) -> Self {
        Self { bytes_max, taken: AtomicUsize::new(0), whole: None }
    }

    /// Creates the share of a network of clients.
    pub(crate) fn share(self: &Arc<Self>) -> Arc<Self> {
        let bytes_max = self.bytes_max / limits::RESPONSE_SHARES;
        Arc::new(Self { bytes_max, taken: AtomicUsize::new(0), whole: Some(Arc::clone(self)) })
    }

    /// Whether a content is large enough that it must reserve memory.
    pub(crate) const fn counts(content: &Bytes) -> bool {
        content.len() > limits::LARGE_BODY_BYTES
    }

    /// Reserves memory for a content. Returns `None` if the limit would be exceeded. A content of
    /// any size fits if nothing else is reserved.
    pub(crate) fn hold(self: &Arc<Self>, content: Bytes) -> Option<Bytes> {
        let bytes = content.len();
        self.hold_as(content, bytes)
    }

    /// Reserves memory for a content whose response takes this many bytes. Returns `None` if the
    /// limit would be exceeded.
    pub(crate) fn hold_as(self: &Arc<Self>, content: Bytes, bytes: usize) -> Option<Bytes> {
        let held = self.count(content, bytes);
        let taken = self.taken.load(Ordering::Relaxed);
        (taken <= self.bytes_max || taken == bytes).then_some(held)
    }

    /// Reserves memory like [`hold_as`](Self::hold_as), also in the limit that this one is a share
    /// of.
    pub(crate) fn hold_in_whole(self: &Arc<Self>, content: Bytes, bytes: usize) -> Option<Bytes> {
        let content = match &self.whole {
            Some(whole) => whole.hold_as(content, bytes)?,
            None => content,
        };
        self.hold_as(content, bytes)
    }

    /// Reserves memory for a content, even if the limit is exceeded.
    pub(crate) fn hold_anyway(self: &Arc<Self>, content: Bytes) -> Bytes {
        let bytes = content.len();
        self.count(content, bytes)
    }

    fn count(self: &Arc<Self>, content: Bytes, bytes: usize) -> Bytes {
        self.taken.fetch_add(bytes, Ordering::Relaxed);
        Bytes::from_owner(CountedContent { content, bytes, memory: Arc::clone(self) })
    }

    /// The number of bytes that are reserved.
    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    /// Whether more than half of the limit, or of the whole, is reserved. In this case clients that
    /// read slowly are disconnected earlier, so that new responses need not be refused.
    pub(crate) fn is_scarce(&self) -> bool {
        self.taken.load(Ordering::Relaxed) > self.bytes_max / 2
            || self.whole.as_ref().is_some_and(|whole| whole.is_scarce())
    }
}

impl AsRef<[u8]> for CountedContent {
    fn as_ref(&self) -> &[u8] {
        &self.content
    }
}

impl Drop for CountedContent {
    fn drop(&mut self) {
        self.memory.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(bytes: usize) -> Bytes {
        vec![b'a'; bytes].into()
    }

    #[test]
    fn memory_is_taken_until_the_last_piece_of_a_content_is_dropped() {
        let memory = Arc::new(ResponseMemory::new(100));
        let one = memory.hold(content(50)).unwrap();
        assert!(!memory.is_scarce());
        let two = memory.hold(content(50)).unwrap();
        assert!(memory.is_scarce());
        assert!(memory.hold(content(1)).is_none(), "no memory is left for a further content");
        let piece = two.slice(10..20);
        drop(two);
        assert!(memory.hold(content(1)).is_none());
        drop(piece);
        assert!(!memory.is_scarce());
        assert_eq!(memory.hold(content(50)).unwrap(), one);
    }

    #[test]
    fn a_response_may_take_more_than_its_content() {
        let memory = Arc::new(ResponseMemory::new(100));
        let held = memory.hold_as(content(1), 60).unwrap();
        assert!(memory.is_scarce() && memory.hold_as(content(1), 60).is_none());
        drop(held);
        assert!(!memory.is_scarce());
    }

    #[test]
    fn what_cannot_be_refused_is_counted_beyond_the_bound() {
        let memory = Arc::new(ResponseMemory::new(100));
        let done = memory.hold_anyway(content(500));
        assert!(memory.is_scarce() && memory.hold(content(1)).is_none());
        drop(done);
        assert!(
            memory.hold(content(500)).is_some(),
            "a content of any size fits if nothing else is reserved"
        );
    }
}
