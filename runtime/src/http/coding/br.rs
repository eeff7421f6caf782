//! The content coding `br` (RFC 7932), of the feature `brotli`.

use std::io::Read;

use brotli::{CompressorWriter, Decompressor, enc::BrotliEncoderParams};

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

/// Compresses content.
pub(super) fn encode(content: &[u8]) -> Vec<u8> {
    let mut coded = Vec::with_capacity(content.len() / 4 + 64);
    let parameters = parameters(Some(content.len()));
    brotli::BrotliCompress(&mut &*content, &mut coded, &parameters)
        .expect("reading and writing of memory never fails");
    coded
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

/// Decompresses content while it is read.
pub(super) fn decoder(coded: &[u8]) -> impl Read {
    Decompressor::new(coded, BUFFER_BYTES)
}

/// Creates a compressor for one stream of content.
pub(super) fn encoder() -> CompressorWriter<Vec<u8>> {
    CompressorWriter::with_params(vec![], BUFFER_BYTES, &parameters(None))
}
