//! Compression of streams, for content that is too long for memory.

use std::io::{self, Write};

use brotli::CompressorWriter;
use flate2::{Compression, write::GzEncoder};

use super::{GZIP_LEVEL, ZSTD_LEVEL, brotli_parameters};
use crate::http::negotiate::Coding;

/// Bytes that brotli collects before it passes them on.
const BROTLI_BUFFER_BYTES: usize = 4096;

/// A compressor of one content, piece by piece. It appends what is ready after each piece to a
/// buffer of the caller.
pub(crate) struct Encoder(Compressor);

enum Compressor {
    Identity,
    Gzip(GzEncoder<Vec<u8>>),
    Br(Box<CompressorWriter<Vec<u8>>>),
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
}

impl Encoder {
    /// Creates an encoder for one content.
    pub(crate) fn new(coding: Coding) -> Self {
        Self(match coding {
            Coding::Identity => Compressor::Identity,
            Coding::Gzip => Compressor::Gzip(GzEncoder::new(vec![], Compression::new(GZIP_LEVEL))),
            Coding::Br => {
                let parameters = brotli_parameters(None);
                Compressor::Br(Box::new(CompressorWriter::with_params(
                    vec![],
                    BROTLI_BUFFER_BYTES,
                    &parameters,
                )))
            }
            Coding::Zstd => {
                let encoder = zstd::stream::write::Encoder::new(vec![], ZSTD_LEVEL);
                Compressor::Zstd(encoder.expect("the level is one of zstd"))
            }
        })
    }

    /// Compresses a piece.
    pub(crate) fn write(&mut self, piece: &[u8], to: &mut Vec<u8>) {
        match &mut self.0 {
            Compressor::Identity => to.extend_from_slice(piece),
            Compressor::Gzip(encoder) => {
                take_ready(encoder.write_all(piece), encoder.get_mut(), to);
            }
            Compressor::Br(encoder) => take_ready(encoder.write_all(piece), encoder.get_mut(), to),
            Compressor::Zstd(encoder) => {
                take_ready(encoder.write_all(piece), encoder.get_mut(), to);
            }
        }
    }

    /// Ends the content. Without it, no client takes the content for complete.
    pub(crate) fn finish(self, to: &mut Vec<u8>) {
        let mut rest = match self.0 {
            Compressor::Identity => return,
            Compressor::Gzip(encoder) => encoder.finish().expect(MEMORY),
            Compressor::Br(encoder) => encoder.into_inner(),
            Compressor::Zstd(encoder) => encoder.finish().expect(MEMORY),
        };
        to.append(&mut rest);
    }
}

const MEMORY: &str = "memory can always be written";

fn take_ready(written: io::Result<()>, ready: &mut Vec<u8>, to: &mut Vec<u8>) {
    written.expect(MEMORY);
    to.append(ready);
}
