//! The decompression of request content, up to a maximum size and a maximum time.
//!
//! A decoder holds the window of its coding, and little more: 32 KiB for gzip, 16 MiB for br and 8
//! MiB for zstd. A stream that needs a larger window is refused before any memory is reserved.

use std::{
    io::{self, Read},
    time::Instant,
};

use crate::{
    base::{limits, work_time},
    http::negotiate::Coding,
};

/// The reason why content cannot be decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecodeError {
    /// The content decompresses to more bytes than the limit.
    TooLarge,
    /// The content is truncated, or is not valid in the coding.
    Broken,
    /// The decompression takes too long.
    TooSlow,
}

/// Decompresses content to at most `at_most` bytes. The output buffer never holds more.
///
/// # Errors
///
/// The content decompresses to more bytes than `at_most`, takes too long, or is not valid.
pub(crate) fn decode(coding: Coding, coded: &[u8], at_most: usize) -> Result<Vec<u8>, DecodeError> {
    let end = Instant::now() + limits::DECODE_TIME_MAX;
    decode_until(coding, coded, at_most, work_time::end().map_or(end, |until| until.min(end)))
}

/// Decompresses content like [`decode`], but not longer than until `end`.
pub(super) fn decode_until(
    coding: Coding,
    coded: &[u8],
    at_most: usize,
    end: Instant,
) -> Result<Vec<u8>, DecodeError> {
    // A decoder may read much without returning a byte, and may return much without reading one.
    let input = Timed { from: coded, end };
    let output = |from: &mut dyn Read| read(from, end, at_most);
    match coding {
        Coding::Identity => output(&mut { input }),
        Coding::Gzip => output(&mut flate2::read::MultiGzDecoder::new(input)),
        #[cfg(feature = "brotli")]
        Coding::Br if super::br::has_large_window(coded) => Err(DecodeError::Broken),
        #[cfg(feature = "brotli")]
        Coding::Br => output(&mut super::br::decoder(input)),
        // Empty content is not a valid frame, but the decoder accepts it as zero frames.
        #[cfg(feature = "zstd")]
        Coding::Zstd if coded.is_empty() => Err(DecodeError::Broken),
        #[cfg(feature = "zstd")]
        Coding::Zstd => {
            output(&mut super::zstandard::decoder(input).map_err(|_| DecodeError::Broken)?)
        }
    }
}

fn read(from: &mut dyn Read, end: Instant, at_most: usize) -> Result<Vec<u8>, DecodeError> {
    let mut content = vec![];
    let one_more = (at_most as u64).saturating_add(1);
    let read = Timed { from, end }.take(one_more).read_to_end(&mut content);
    match read {
        Ok(_) if content.len() > at_most => Err(DecodeError::TooLarge),
        Ok(_) => Ok(content),
        Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(DecodeError::TooSlow),
        Err(_) => Err(DecodeError::Broken),
    }
}

/// A reader that fails at a time. Each piece that is read takes far less than a second.
struct Timed<R> {
    from: R,
    end: Instant,
}

impl<R: Read> Read for Timed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if Instant::now() >= self.end {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.from.read(buffer)
    }
}
