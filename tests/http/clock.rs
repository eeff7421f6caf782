//! Snapshots do not depend on the time at which they are taken. The tests run a program whose clock
//! they control.

use std::{fs, path::Path, process::Command};

use nouns::{Model, codegen::read_yaml, interpret::api_def, snapshot::Recorder};

/// A library that replaces the system clock (`CLOCK_REALTIME`) of a program. Each call of the clock
/// adds `CLOCK_STEP` to the time, which begins with `CLOCK_START`; both are in nanoseconds.
const CLOCK: &str = r#"
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_llong calls;

static long long now(void) {
    const char *start = getenv("CLOCK_START"), *step = getenv("CLOCK_STEP");
    long long count = atomic_fetch_add(&calls, 1);
    return atoll(start ? start : "0") + count * atoll(step ? step : "0");
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
        return syscall(SYS_clock_gettime, clock, time);
    long long at = now();
    time->tv_sec = at / 1000000000;
    time->tv_nsec = at % 1000000000;
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    long long at = now();
    time->tv_sec = at / 1000000000;
    time->tv_usec = at % 1000000000 / 1000;
    return 0;
}

time_t time(time_t *into) {
    time_t at = now() / 1000000000;
    if (into) *into = at;
    return at;
}
"#;

/// The line before and after the text that [`prints`] prints.
const EDGE: &str = "=====";

/// Compiles the clock into a shared library.
fn compile(folder: &Path) -> std::path::PathBuf {
    let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
    fs::write(&source, CLOCK).unwrap();
    let output = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&library, &source])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    library
}

/// The text that [`prints`] prints if the clock begins at `start` and advances by `step` with each
/// call, in nanoseconds.
fn snapshot(clock: &Path, start: i64, step: i64) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "clock::prints", "--ignored", "--nocapture", "--test-threads=1"])
        .env("LD_PRELOAD", clock)
        .env("CLOCK_START", start.to_string())
        .env("CLOCK_STEP", step.to_string())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text.split(EDGE).nth(1).unwrap().to_owned()
}

/// Prints snapshots of several requests. The other test runs this one with a clock of its own.
#[test]
#[ignore = "another test runs it, with a clock of its own"]
fn prints() {
    let text = include_str!("../../schemas/zoo.yaml");
    let schema = read_yaml("zoo.yaml", text).unwrap();
    let zoos = Recorder::new(Model::link(api_def(&schema)).unwrap());
    let mut text = String::new();
    for (head, body) in [
        ("POST /zoos", r#"{ "name": "City Zoo" }"#),
        ("POST /animal_types", r#"{ "name": "elephant" }"#),
        ("POST /zoos/1/animals", r#"{ "name": "Bella", "animal_type_id": 1 }"#),
        ("GET /zoos/1/animals/1", ""),
        ("PATCH /zoos/1/animals/1", r#"{ "weight_kg": 7 }"#),
        ("GET /zoos/1/animals/1", ""),
        ("GET /zoos/1/animals?sortby=name", ""),
        ("GET /zoos?count=true", ""),
        ("GET /zoos\naccept: text/csv", ""),
        ("DELETE /zoos/1/animals/1", ""),
        ("GET /zoos/1/animals/1", ""),
        ("GET /zoos/1/animals", ""),
    ] {
        text.push_str(&zoos.exchange(head, body));
    }
    println!("{EDGE}{text}{EDGE}");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "only Linux has `LD_PRELOAD`")]
fn a_snapshot_is_the_same_whenever_it_is_taken() {
    const SECOND: i64 = 1_000_000_000;
    /// 2026-12-31T23:59:59Z, the last second of a minute, a day and a year.
    const LAST: i64 = 1_798_761_599 * SECOND;
    let folder = tempfile::tempdir().unwrap();
    let clock = compile(folder.path());
    let expected = snapshot(&clock, LAST - 43_200 * SECOND, 1_000);
    assert!(expected.contains("last-modified: [date]") && expected.contains("[time]"));
    for (what, start, step) in [
        ("it stands still", LAST + SECOND / 2, 0),
        ("the second changes between two requests", LAST - 86_400 * SECOND, SECOND / 10),
        ("the second changes within a request", LAST - 600 * SECOND, SECOND / 3),
        ("the minute changes", LAST - 3_600 * SECOND + 900_000_000, SECOND / 50),
        ("the day and the year change", LAST + 950_000_000, SECOND / 100),
        ("minutes pass between two calls", LAST, 61 * SECOND),
        ("it goes back", LAST, -SECOND / 3),
    ] {
        assert_eq!(snapshot(&clock, start, step), expected, "the clock: {what}");
    }
}
