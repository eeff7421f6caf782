//! The decompression of request content, up to a maximum size.

use std::io::Read;

use crate::http::negotiate::Coding;

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
        #[cfg(feature = "brotli")]
        Coding::Br => read(super::br::decoder(coded), at_most),
        #[cfg(feature = "zstd")]
        Coding::Zstd => {
            read(super::zstandard::decoder(coded).map_err(|_| DecodeError::Broken)?, at_most)
        }
    }
}

fn read(from: impl Read, at_most: usize) -> Result<Vec<u8>, DecodeError> {
    let mut content = vec![];
    let one_more = (at_most as u64).saturating_add(1);
    from.take(one_more).read_to_end(&mut content).map_err(|_| DecodeError::Broken)?;
    if content.len() > at_most { Err(DecodeError::TooLarge) } else { Ok(content) }
}
