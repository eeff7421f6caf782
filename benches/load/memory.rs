//! Reads the memory of a process from `/proc` (proc_pid_smaps(5)).

use std::{fs, io};

const KIB_PER_MIB: f64 = 1024.0;

/// The resident memory of a process and two parts of it, in MiB.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Memory {
    /// The whole resident memory, including pages of files that other processes share.
    pub(crate) resident: f64,
    /// The private memory: heap, stacks and modified pages.
    pub(crate) anonymous: f64,
    /// The mapped pages of database files and of WAL indexes (`.db-shm`), which processes share.
    pub(crate) database: f64,
}

impl Memory {
    pub(crate) fn of(process: u32) -> io::Result<Self> {
        Ok(Self::read(&fs::read_to_string(format!("/proc/{process}/smaps"))?))
    }

    /// The highest resident memory of a process so far, in MiB.
    pub(crate) fn most(process: u32) -> io::Result<f64> {
        let status = fs::read_to_string(format!("/proc/{process}/status"))?;
        Ok(status.lines().filter_map(|line| kib(line, "VmHWM:")).sum::<f64>() / KIB_PER_MIB)
    }

    fn read(mappings: &str) -> Self {
        let mut memory = Self::default();
        let mut is_database = false;
        for line in mappings.lines() {
            // A line with an address range begins a mapping. The lines after it have the figures of
            // that mapping.
            if line.split_once(' ').is_some_and(|(range, _)| range.contains('-')) {
                is_database = [".db", ".db-shm"].iter().any(|end| line.ends_with(end));
            }
            let resident = kib(line, "Rss:").unwrap_or_default() / KIB_PER_MIB;
            memory.resident += resident;
            memory.database += if is_database { resident } else { 0.0 };
            memory.anonymous += kib(line, "Anonymous:").unwrap_or_default() / KIB_PER_MIB;
        }
        memory
    }
}

fn kib(line: &str, name: &str) -> Option<f64> {
    line.strip_prefix(name)?.trim().trim_end_matches(" kB").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_are_told_apart() {
        let mappings = "55d0-55d8 r-xp 00000000 08:01 12 /usr/bin/nouns\nRss:   2048 kB\nAnonymous:  0 kB\n\
                        7f00-7f08 rw-p 00000000 00:00 0 \nRss:   1024 kB\nAnonymous:   1024 kB\nVmFlags: rd wr\n\
                        7f10-7f18 r--s 00000000 08:01 13 /tmp/zoo.db\nRss:   512 kB\nAnonymous:   0 kB\n";
        let memory = Memory { resident: 3.5, anonymous: 1.0, database: 0.5 };
        assert_eq!(Memory::read(mappings), memory);
    }
}
