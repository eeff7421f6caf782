//! The decompression of request content, up to a maximum size.

use std::io::{self, Read};

use crate::http::negotiate::Coding;

/// The maximum size of a zstd window in bits. Every HTTP decoder must support this size, and no
/// content may need more (RFC 9659).
const ZSTD_WINDOW_BITS_MAX: u32 = 23;

/// The size of the input buffer of the brotli decoder, in bytes.
const BROTLI_BUFFER_BYTES: usize = 4096;

/// The reason why content cannot be decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecodeError {
    /// The content decompresses to more bytes than the limit.
    TooLarge,
    /// The content is truncated, or is not valid in the coding.
    Broken,
}

/// Decompresses content to at most `at_most` bytes. The output buffer never holds more.
///
/// # Errors
///
/// The content decompresses to more bytes than `at_most`, or is not valid.
pub(crate) fn decode(coding: Coding, coded: &[u8], at_most: usize) -> Result<Vec<u8>, DecodeError> {
    match coding {
        Coding::Identity => read(coded, at_most),
        Coding::Gzip => read(flate2::read::MultiGzDecoder::new(coded), at_most),
        Coding::Br => read(brotli::Decompressor::new(coded, BROTLI_BUFFER_BYTES), at_most),
        Coding::Zstd => read(zstd_decoder(coded).map_err(|_| DecodeError::Broken)?, at_most),
    }
}

fn zstd_decoder(coded: &[u8]) -> io::Result<impl Read> {
    // Empty content is not a valid zstd frame, but the decoder accepts it as zero frames.
    if coded.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut decoder = zstd::stream::read::Decoder::with_buffer(coded)?;
    decoder.window_log_max(ZSTD_WINDOW_BITS_MAX)?;
    Ok(decoder)
}

fn read(from: impl Read, at_most: usize) -> Result<Vec<u8>, DecodeError> {
    let mut content = vec![];
    let one_more = (at_most as u64).saturating_add(1);
    from.take(one_more).read_to_end(&mut content).map_err(|_| DecodeError::Broken)?;
    if content.len() > at_most { Err(DecodeError::TooLarge) } else { Ok(content) }
}
