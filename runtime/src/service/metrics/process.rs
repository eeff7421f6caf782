//! Facts about the process, from `/proc`. Other systems than Linux have none of these metrics.

use std::{fs, path::Path};

use super::text::{MetricKind::Gauge, MetricsText};

/// The facts about a process, each if the system tells it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ProcessFacts {
    /// The start, in seconds since 1970.
    started: Option<f64>,
    cpu_seconds: Option<f64>,
    resident_bytes: Option<u64>,
    open_files: Option<u64>,
}

impl ProcessFacts {
    fn read() -> Self {
        let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let system = fs::read_to_string("/proc/stat").unwrap_or_default();
        let ticks = rustix::param::clock_ticks_per_second() as f64;
        let [cpu_ticks, started, pages] = of_stat(&stat);
        Self {
            started: started.zip(boot(&system)).map(|(at, boot)| boot as f64 + at as f64 / ticks),
            cpu_seconds: cpu_ticks.map(|count| count as f64 / ticks),
            resident_bytes: pages.map(|pages| pages * rustix::param::page_size() as u64),
            open_files: open_files(Path::new("/proc/self/fd")),
        }
    }
}

/// The processor time in ticks, the start in ticks since the boot, and the resident pages, from
/// `/proc/self/stat` (proc(5)). The name of the program, in parentheses, may have blanks.
fn of_stat(stat: &str) -> [Option<u64>; 3] {
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let fields: Vec<_> = after_name.split_whitespace().collect();
    // The field after the name is the third.
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    [field(14).zip(field(15)).map(|(user, system)| user + system), field(22), field(24)]
}

/// The time of the boot in seconds since 1970, from `/proc/stat`.
fn boot(stat: &str) -> Option<u64> {
    stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()
}

/// The number of open files. Since Linux 6.2 it is the size of the folder; before that, the entries
/// are counted.
fn open_files(folder: &Path) -> Option<u64> {
    let size = fs::metadata(folder).ok()?.len();
    if size > 0 {
        return Some(size);
    }
    fs::read_dir(folder).ok().map(|entries| entries.count() as u64)
}

/// Appends the facts, under the names that all Prometheus clients use.
pub(super) fn append(to: &mut MetricsText) {
    let ProcessFacts { started, cpu_seconds, resident_bytes, open_files } = ProcessFacts::read();
    if let Some(started) = started {
        to.single(
            "process_start_time_seconds",
            Gauge,
            "Start of the process in seconds since 1970.",
            started,
        );
    }
    if let Some(seconds) = cpu_seconds {
        let name = "process_cpu_seconds_total";
        to.single(
            name,
            super::text::MetricKind::Counter,
            "Processor time of the process.",
            seconds,
        );
    }
    if let Some(bytes) = resident_bytes {
        let name = "process_resident_memory_bytes";
        to.single(name, Gauge, "Memory of the process that is resident.", bytes);
    }
    if let Some(files) = open_files {
        to.single("process_open_fds", Gauge, "Open files and sockets of the process.", files);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_program_may_have_anything() {
        let rest = (3..30).map(|number| format!(" {}", number * 10)).collect::<String>();
        let stat = format!("7 (a) R) (b){rest}");
        assert_eq!(of_stat(&stat), [Some(140 + 150), Some(220), Some(240)]);
        assert_eq!(of_stat(""), [None; 3]);
        assert_eq!(boot("cpu 1 2\nbtime 1700000000\n"), Some(1_700_000_000));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_tells_all() {
        let facts = ProcessFacts::read();
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs_f64();
        let age = now - facts.started.unwrap();
        assert!((-60.0..86_400.0).contains(&age), "{age}");
        assert!(facts.resident_bytes.unwrap() > 1_000_000 && facts.open_files.unwrap() >= 3);
        assert!(facts.cpu_seconds.unwrap() < 86_400.0);
    }
}
