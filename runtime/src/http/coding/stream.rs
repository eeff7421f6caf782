//! Compression of streams, for content that does not fit into memory.

use std::io::{self, Write};

use flate2::{Compression, write::GzEncoder};

use super::GZIP_LEVEL;
use crate::http::negotiate::Coding;

/// A compressor for one stream of content. Each call compresses a piece and appends the available
/// output to a buffer of the caller.
pub(crate) struct Encoder(Compressor);

enum Compressor {
    Identity,
    Gzip(Box<GzEncoder<Vec<u8>>>),
    #[cfg(feature = "brotli")]
    Br(Box<brotli::CompressorWriter<Vec<u8>>>),
    #[cfg(feature = "zstd")]
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
}

impl Encoder {
    /// Creates a compressor for one stream of content.
    pub(crate) fn new(coding: Coding) -> Self {
        Self(match coding {
            Coding::Identity => Compressor::Identity,
            Coding::Gzip => {
                let level = Compression::new(GZIP_LEVEL);
                Compressor::Gzip(Box::new(GzEncoder::new(vec![], level)))
            }
            #[cfg(feature = "brotli")]
            Coding::Br => Compressor::Br(Box::new(super::br::encoder())),
            #[cfg(feature = "zstd")]
            Coding::Zstd => Compressor::Zstd(super::zstandard::encoder()),
        })
    }

    /// Compresses a piece of the content, and appends the available output to `to`.
    pub(crate) fn write(&mut self, piece: &[u8], to: &mut Vec<u8>) {
        match &mut self.0 {
            Compressor::Identity => to.extend_from_slice(piece),
            Compressor::Gzip(encoder) => {
                take_ready(encoder.write_all(piece), encoder.get_mut(), to);
            }
            #[cfg(feature = "brotli")]
            Compressor::Br(encoder) => take_ready(encoder.write_all(piece), encoder.get_mut(), to),
            #[cfg(feature = "zstd")]
            Compressor::Zstd(encoder) => {
                take_ready(encoder.write_all(piece), encoder.get_mut(), to);
            }
        }
    }

    /// Appends the end of the compressed content to `to`. Without this end, clients detect that the
    /// content is truncated.
    pub(crate) fn finish(self, to: &mut Vec<u8>) {
        let mut rest = match self.0 {
            Compressor::Identity => return,
            Compressor::Gzip(encoder) => encoder.finish().expect(MEMORY),
            #[cfg(feature = "brotli")]
            Compressor::Br(encoder) => encoder.into_inner(),
            #[cfg(feature = "zstd")]
            Compressor::Zstd(encoder) => encoder.finish().expect(MEMORY),
        };
        to.append(&mut rest);
    }
}

const MEMORY: &str = "writing to memory never fails";

fn take_ready(written: io::Result<()>, ready: &mut Vec<u8>, to: &mut Vec<u8>) {
    written.expect(MEMORY);
    to.append(ready);
}
