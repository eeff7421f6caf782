//! The memory that one request can make the program take, whatever its body is. The program is a
//! process of its own, whose peak the system records.

use std::{
    fs,
    io::{self, Read, Write as _},
};

use brotli::enc::BrotliEncoderParams;

use super::{Serving, ZOO};

/// The number of bytes that each body decompresses to. It is many times the limit of a body, and
/// the size of the largest window that an attacker could ask for here.
const BYTES: u64 = 160 << 20;

const MIB: u64 = 1 << 20;

fn content() -> impl Read {
    io::repeat(b' ').take(BYTES)
}

fn gzip() -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    io::copy(&mut content(), &mut encoder).unwrap();
    encoder.finish().unwrap()
}

/// A gzip stream of many members, each with the same content.
fn gzip_members() -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    encoder.write_all(&[b' '; 64 << 10]).unwrap();
    encoder.finish().unwrap().repeat(1000)
}

fn br(large_window: bool, lgwin: i32) -> Vec<u8> {
    let parameters =
        BrotliEncoderParams { quality: 2, large_window, lgwin, ..BrotliEncoderParams::default() };
    let mut coded = vec![];
    brotli::BrotliCompress(&mut content(), &mut coded, &parameters).unwrap();
    coded
}

fn zstd(window: u32) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(vec![], 1).unwrap();
    encoder.window_log(window).unwrap();
    io::copy(&mut content(), &mut encoder).unwrap();
    encoder.finish().unwrap()
}

/// The bytes of a process in memory: the most since [`forget_peak`], or those now.
fn memory(process: u32, row: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(row)).unwrap();
    1024 * line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
}

fn forget_peak(process: u32) {
    fs::write(format!("/proc/{process}/clear_refs"), "5").unwrap();
}

/// The table of docs/limits.md. A decoder holds the largest window of its coding, and the body as
/// far as its limit allows. A larger window is refused before memory is taken.
#[cfg(target_os = "linux")]
#[test]
fn a_compressed_body_takes_no_more_than_its_coding_allows() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO]);
    let process = serving.child.id();
    for (what, coding, body, status, most) in [
        ("gzip", "gzip", gzip(), 413, 8 * MIB),
        ("gzip of many members", "gzip", gzip_members(), 413, 8 * MIB),
        ("br", "br", br(false, 24), 413, 32 * MIB),
        ("br with a large window", "br", br(true, 30), 400, 4 * MIB),
        ("zstd", "zstd", zstd(23), 413, 16 * MIB),
        ("zstd with a large window", "zstd", zstd(27), 400, 4 * MIB),
    ] {
        let mut client = serving.client();
        forget_peak(process);
        let before = memory(process, "VmRSS:");
        let answer = client.request("POST", "/zoos", &[("content-encoding", coding)], Some(&body));
        let taken = memory(process, "VmHWM:").saturating_sub(before);
        assert_eq!(answer.status(), status, "{what}: {answer:?}");
        assert!(taken <= most, "{what}: {taken} bytes for {} sent", body.len());
    }
}

/// Bodies of several codings are refused before they are read, however the list is written.
#[test]
fn one_body_has_one_coding() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO]);
    let body = gzip_members();
    for lists in [&["br, br"][..], &["br", "br"], &["identity, br"], &["gzip,br,zstd"]] {
        let fields: Vec<_> = lists.iter().map(|list| ("content-encoding", *list)).collect();
        let answer = serving.client().request("POST", "/zoos", &fields, Some(&body));
        assert_eq!(answer.status(), 415, "{lists:?}");
    }
}
