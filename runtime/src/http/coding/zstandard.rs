//! The content coding `zstd` (RFC 8878), of the feature `zstd`.

use std::{
    cell::RefCell,
    io::{self, Read},
};

use zstd::{bulk::Compressor, stream::read::Decoder, stream::write::Encoder};

/// The compression level of zstd, measured like [`GZIP_LEVEL`](super::GZIP_LEVEL).
///
/// | level | 8,261 bytes become | in µs | 102,454 bytes become | in µs |
/// |---|---|---|---|---|
/// | -1 | 2,515 | 13 | 25,001 | 97 |
/// | **1** | 1,812 | 16 | 18,500 | 102 |
/// | 3 | 1,873 | 19 | 18,620 | 128 |
/// | 5 | 1,759 | 41 | 18,627 | 382 |
///
/// At this level zstd is smaller and faster than gzip and brotli at any level of similar speed.
const ZSTD_LEVEL: i32 = 1;

/// The maximum size of a window in bits. Every HTTP decoder must support this size, and no content
/// may need more (RFC 9659).
const WINDOW_BITS_MAX: u32 = 23;

thread_local! {
    // Reused like the compressor of gzip.
    static COMPRESSOR: RefCell<Compressor<'static>> =
        RefCell::new(Compressor::new(ZSTD_LEVEL).expect("the level is valid for zstd"));
}

/// Compresses content.
pub(super) fn encode(content: &[u8]) -> Vec<u8> {
    COMPRESSOR
        .with_borrow_mut(|state| state.compress(content))
        .expect("the output buffer of zstd has room for content that does not shrink")
}

/// Decompresses content while it is read.
///
/// # Errors
///
/// Memory is exhausted.
pub(super) fn decoder(coded: impl Read) -> io::Result<impl Read> {
    let mut decoder = Decoder::new(coded)?;
    decoder.window_log_max(WINDOW_BITS_MAX)?;
    Ok(decoder)
}

/// Creates a compressor for one stream of content.
pub(super) fn encoder() -> Encoder<'static, Vec<u8>> {
    Encoder::new(vec![], ZSTD_LEVEL).expect("the level is valid for zstd")
}
