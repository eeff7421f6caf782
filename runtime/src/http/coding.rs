//! Compression of content and of streams, and decompression (content codings, RFC 9110 §8.4).

#[cfg(feature = "brotli")]
mod br;
mod decode;
mod stream;
#[cfg(feature = "zstd")]
mod zstandard;

use std::cell::RefCell;

use flate2::{Compress, Compression, FlushCompress, Status};

pub(crate) use self::decode::{DecodeError, decode};
pub(crate) use self::stream::Encoder;
use crate::{base::work_time, http::negotiate::Coding};

/// The compression level of gzip. It was measured with lists of 8 KB and of 100 KB, on one core,
/// with a reused compressor:
///
/// | level | 8,261 bytes become | in µs | 102,454 bytes become | in µs |
/// |---|---|---|---|---|
/// | 1 | 2,907 | 12 | 30,392 | 134 |
/// | **2** | 2,149 | 22 | 22,344 | 228 |
/// | 3 | 2,034 | 28 | 20,982 | 384 |
/// | 6 | 1,874 | 38 | 18,751 | 744 |
///
/// Output of level 2 is a quarter smaller than output of level 1. Each higher level costs more time
/// than its smaller output saves. A new compressor for each content would cost another 6 µs.
const GZIP_LEVEL: u32 = 2;

/// The size of gzip's window in bits. It is the maximum, so that one compressor can be reused for
/// content of any length.
const GZIP_WINDOW_BITS: u8 = 15;

thread_local! {
    // The creation of a compressor costs up to half as much time as its use, so compressors are
    // reused.
    static GZIP: RefCell<Compress> =
        RefCell::new(Compress::new_gzip(Compression::new(GZIP_LEVEL), GZIP_WINDOW_BITS));
}

/// The number of bytes that a compressor reads before it looks at the time. That takes some ten
/// milliseconds. Zstd needs less for the largest response, so it looks once.
const PIECE_BYTES: usize = 1024 * 1024;

/// Compresses content. The same content always results in the same bytes. Returns `None` if the
/// time of the work on this thread is over.
pub(crate) fn encode(coding: Coding, content: &[u8]) -> Option<Vec<u8>> {
    if work_time::is_over() {
        return None;
    }
    match coding {
        Coding::Identity => Some(content.to_vec()),
        Coding::Gzip => GZIP.with_borrow_mut(|state| gzip(state, content)),
        #[cfg(feature = "brotli")]
        Coding::Br => br::encode(content),
        #[cfg(feature = "zstd")]
        Coding::Zstd => Some(zstandard::encode(content)),
    }
}

fn gzip(state: &mut Compress, content: &[u8]) -> Option<Vec<u8>> {
    state.reset();
    let mut coded = Vec::with_capacity(content.len() / 4 + 64);
    loop {
        let read = usize::try_from(state.total_in())
            .expect("the number of read bytes is at most the length of the content");
        let (piece, flush) = match content[read..].split_at_checked(PIECE_BYTES) {
            Some((piece, rest)) if !rest.is_empty() => (piece, FlushCompress::None),
            _ => (&content[read..], FlushCompress::Finish),
        };
        let status = state.compress_vec(piece, &mut coded, flush);
        if status.expect("gzip can compress any content") == Status::StreamEnd {
            return Some(coded);
        }
        if work_time::is_over() {
            return None;
        }
        if coded.len() == coded.capacity() {
            coded.reserve(coded.capacity());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use proptest::prelude::*;

    use super::*;

    /// The limit of decompressed bytes in these tests.
    const AT_MOST: usize = 1 << 20;

    fn compressing() -> impl Iterator<Item = Coding> {
        Coding::ALL.iter().copied().filter(|coding| *coding != Coding::Identity)
    }

    /// A JSON array that resembles the list of a collection.
    fn list(members: usize) -> Vec<u8> {
        let member = |at: usize| {
            format!(
                "{{\"id\":{at},\"name\":\"Zoo {}\",\"open\":{}}}",
                at * 7919 % 1009,
                at.is_multiple_of(3)
            )
        };
        (0..members).map(member).collect::<Vec<_>>().join(",").into_bytes()
    }

    /// Conformance 96: compressed content is smaller. The same content has the same bytes in every
    /// response, even if its compressor was used before.
    #[test]
    fn the_same_content_is_always_the_same_bytes() {
        for coding in compressing() {
            let content = list(1000);
            let coded = encode(coding, &content).unwrap();
            assert!(coded.len() < content.len() / 3, "{coding:?}");
            encode(coding, b"something else").unwrap();
            assert_eq!(encode(coding, &content).unwrap(), coded, "{coding:?}");
            assert_eq!(decode(coding, &coded, AT_MOST).unwrap(), content, "{coding:?}");
        }
        assert_eq!(
            encode(Coding::Gzip, b"a").unwrap()[4..8],
            [0; 4],
            "the modification time in a gzip header is 0"
        );
        assert_eq!(encode(Coding::Identity, b"a").unwrap(), b"a");
    }

    /// Conformance 101: content that decompresses to more than the limit is refused. The server
    /// never holds more than the limit in memory.
    #[test]
    fn what_is_too_large_is_not_decoded() {
        let content = vec![b'a'; 100_000];
        for &coding in Coding::ALL {
            let coded = encode(coding, &content).unwrap();
            assert_eq!(decode(coding, &coded, content.len()).unwrap(), content, "{coding:?}");
            assert_eq!(
                decode(coding, &coded, content.len() - 1),
                Err(DecodeError::TooLarge),
                "{coding:?}"
            );
        }
    }

    /// Conformance 101: content that is truncated or not valid in its coding is refused.
    #[test]
    fn what_is_broken_is_not_decoded() {
        for coding in compressing() {
            let coded = encode(coding, &list(100)).unwrap();
            for broken in
                [&coded[..coded.len() / 2], &coded[..coded.len() - 1], b"\xff\xfe{}{}{}{}", b""]
            {
                assert_eq!(
                    decode(coding, broken, AT_MOST),
                    Err(DecodeError::Broken),
                    "{coding:?} {broken:?}"
                );
            }
        }
    }

    /// RFC 7932 §9.1 and RFC 9659 §3 limit the windows. Content that needs a larger one is refused
    /// before it is read.
    #[cfg(all(feature = "brotli", feature = "zstd"))]
    #[test]
    fn what_needs_a_larger_window_is_not_decoded() {
        use std::io::Write as _;
        let content = vec![b'a'; 10_000];
        let brotli = |large_window, lgwin| {
            let parameters = brotli::enc::BrotliEncoderParams {
                large_window,
                lgwin,
                ..brotli::enc::BrotliEncoderParams::default()
            };
            let mut coded = vec![];
            brotli::BrotliCompress(&mut &*content, &mut coded, &parameters).unwrap();
            coded
        };
        let zstd = |window| {
            let mut encoder = zstd::Encoder::new(vec![], 1).unwrap();
            encoder.window_log(window).unwrap();
            encoder.write_all(&content).unwrap();
            encoder.finish().unwrap()
        };
        for allowed in 10..=24 {
            let coded = brotli(false, allowed);
            assert_eq!(decode(Coding::Br, &coded, AT_MOST).as_ref(), Ok(&content), "{allowed}");
        }
        for refused in [10, 24, 25, 30] {
            let coded = brotli(true, refused);
            assert_eq!(decode(Coding::Br, &coded, AT_MOST), Err(DecodeError::Broken), "{refused}");
        }
        assert_eq!(decode(Coding::Zstd, &zstd(23), AT_MOST).as_ref(), Ok(&content));
        assert_eq!(decode(Coding::Zstd, &zstd(24), AT_MOST), Err(DecodeError::Broken));
    }

    #[test]
    fn work_ends_when_its_time_is_over() {
        let (content, now) = (list(50_000), Instant::now());
        for &coding in Coding::ALL {
            let coded = encode(coding, &content).unwrap();
            assert_eq!(decode(coding, &coded, usize::MAX).as_ref(), Ok(&content), "{coding:?}");
            let (decoded, again) = work_time::until(now, || {
                (decode(coding, &coded, usize::MAX), encode(coding, &content))
            });
            assert_eq!((decoded, again), (Err(DecodeError::TooSlow), None), "{coding:?}");
        }
    }

    /// Content that costs much to read, and has no bytes, is read in pieces, too.
    #[test]
    fn empty_members_are_read_until_the_time_is_over() {
        let empty = encode(Coding::Gzip, b"").unwrap().repeat(100_000);
        assert_eq!(decode(Coding::Gzip, &empty, 10), Ok(vec![]));
        let over = decode::decode_until(Coding::Gzip, &empty, 10, Instant::now());
        assert_eq!(over, Err(DecodeError::TooSlow));
    }

    #[test]
    fn a_stream_is_decoded_as_one() {
        for &coding in Coding::ALL {
            let (mut encoder, mut coded) = (Encoder::new(coding), vec![]);
            let content = list(5000);
            for piece in content.chunks(1000) {
                encoder.write(piece, &mut coded);
            }
            encoder.finish(&mut coded);
            assert_eq!(decode(coding, &coded, AT_MOST).unwrap(), content, "{coding:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_coded_comes_back(content in prop::collection::vec(any::<u8>(), 0..2000)) {
            for &coding in Coding::ALL {
                let coded = encode(coding, &content).unwrap();
                prop_assert_eq!(&decode(coding, &coded, AT_MOST).unwrap(), &content);
            }
        }

        #[test]
        fn any_bytes_are_content_or_not(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            for &coding in Coding::ALL {
                prop_assert!(decode(coding, &bytes, 1000).is_ok_and(|content| content.len() <= 1000)
                    || decode(coding, &bytes, 1000).is_err());
            }
        }
    }
}
