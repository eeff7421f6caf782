//! The memory that one request can make the program take, whatever its body is. The program is a
//! process of its own, whose peak the system records.

use std::{
    fs,
    io::{self, Read as _},
};

use super::{Serving, ZOO};

const MIB: u64 = 1 << 20;

/// Bodies that decompress to 160 MiB: many times the limit of a body, and as much as the largest
/// window that an attacker could ask for here. The content is spaces. What made them:
/// `brotli -q 2 -w 24`, `brotli -q 5 --large_window=30`, `zstd -1 --zstd=wlog=23`, and
/// `zstd -1 --long=27`.
const BR: &[u8] = include_bytes!("bodies/window-24.br");
const BR_LARGE: &[u8] = include_bytes!("bodies/window-30.br");
const ZSTD: &[u8] = include_bytes!("bodies/window-23.zst");
const ZSTD_LARGE: &[u8] = include_bytes!("bodies/window-27.zst");

/// A gzip stream of so many members, each with this many spaces. A window has 32 KiB.
fn gzip(bytes: u64, members: usize) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    io::copy(&mut io::repeat(b' ').take(bytes), &mut encoder).unwrap();
    encoder.finish().unwrap().repeat(members)
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
        ("gzip", "gzip", &*gzip(16 * MIB, 1), 413, 8 * MIB),
        ("gzip of many members", "gzip", &gzip(MIB / 16, 1000), 413, 8 * MIB),
        ("br", "br", BR, 413, 32 * MIB),
        ("br with a large window", "br", BR_LARGE, 400, 4 * MIB),
        ("zstd", "zstd", ZSTD, 413, 16 * MIB),
        ("zstd with a large window", "zstd", ZSTD_LARGE, 400, 4 * MIB),
    ] {
        let mut client = serving.client();
        forget_peak(process);
        let before = memory(process, "VmRSS:");
        let answer = client.request("POST", "/zoos", &[("content-encoding", coding)], Some(body));
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
    let body = gzip(MIB / 16, 1000);
    for lists in [&["br, br"][..], &["br", "br"], &["identity, br"], &["gzip,br,zstd"]] {
        let fields: Vec<_> = lists.iter().map(|list| ("content-encoding", *list)).collect();
        let answer = serving.client().request("POST", "/zoos", &fields, Some(&body));
        assert_eq!(answer.status(), 415, "{lists:?}");
    }
}
