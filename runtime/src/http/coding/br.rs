//! The content coding `br` (RFC 7932), of the feature `brotli`.

use std::io::{self, Read};

use brotli::{CompressorWriter, Decompressor, enc::BrotliEncoderParams};

use crate::base::work_time;

/// The compression level of brotli, measured like [`GZIP_LEVEL`](super::GZIP_LEVEL).
///
/// | quality | 8,261 bytes become | in µs | 102,454 bytes become | in µs |
/// |---|---|---|---|---|
/// | 1 | 2,503 | 43 | 30,424 | 482 |
/// | **2** | 1,840 | 56 | 18,964 | 520 |
/// | 4 | 1,752 | 61 | 17,500 | 758 |
/// | 5 | 1,608 | 3,537 | 15,888 | 1,533 |
///
/// From quality 2 on, brotli output is smaller than gzip output. Quality 5 creates a table that
/// costs more time than the compression of short content.
const BROTLI_QUALITY: u8 = 2;

/// The number of bytes that an encoder or a decoder buffers.
const BUFFER_BYTES: usize = 4096;

/// The minimum size of brotli's window in bits, as the format defines it.
const WINDOW_BITS_MIN: u32 = 10;

/// The maximum size of brotli's window in bits: 1 MiB. In longer content, equal parts are usually
/// closer together than this.
const WINDOW_BITS_MAX: u32 = 20;

/// Compresses content. Returns `None` if the time of the work on this thread is over.
pub(super) fn encode(content: &[u8]) -> Option<Vec<u8>> {
    let mut coded = Vec::with_capacity(content.len() / 4 + 64);
    let parameters = parameters(Some(content.len()));
    brotli::BrotliCompress(&mut InTime(content), &mut coded, &parameters).ok()?;
    Some(coded)
}

/// Content that cannot be read any more when the time of the work on this thread is over.
struct InTime<'content>(&'content [u8]);

impl Read for InTime<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match work_time::is_over() {
            true => Err(io::ErrorKind::TimedOut.into()),
            false => self.0.read(buffer),
        }
    }
}

/// The brotli parameters for content of this length; `None` means an unknown length.
fn parameters(length: Option<usize>) -> BrotliEncoderParams {
    let bits = length.map_or(WINDOW_BITS_MAX, |length| usize::BITS - length.leading_zeros());
    BrotliEncoderParams {
        quality: BROTLI_QUALITY.into(),
        lgwin: bits.clamp(WINDOW_BITS_MIN, WINDOW_BITS_MAX).cast_signed(),
        size_hint: length.unwrap_or(0),
        ..BrotliEncoderParams::default()
    }
}

/// The first seven bits of a stream whose window may have more than 24 bits. RFC 7932 §9.1 has no
/// such streams. The library would read them, and would reserve up to 1 GiB for their window before
/// it returns a byte.
const LARGE_WINDOW: u8 = 0b001_0001;

/// Whether a stream has a larger window than RFC 7932 allows.
pub(super) const fn has_large_window(coded: &[u8]) -> bool {
    matches!(coded, [first, ..] if *first & 0x7f == LARGE_WINDOW)
}

/// Decompresses content while it is read. The content must not have a large window.
pub(super) fn decoder(coded: impl Read) -> impl Read {
    Decompressor::new(coded, BUFFER_BYTES)
}

/// Creates a compressor for one stream of content.
pub(super) fn encoder() -> CompressorWriter<Vec<u8>> {
    CompressorWriter::with_params(vec![], BUFFER_BYTES, &parameters(None))
}
