//! From the start of the program to its first answer, with as many resources as a large system has.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use clap::Args;

use crate::{child::Child, client::ask, median, say, synthetic};

/// How starts are measured.
#[derive(Args, Debug)]
pub(crate) struct Scale {
    /// How many resources.
    #[arg(long, default_value_t = 1000)]
    resources: usize,
    /// How many starts with a new database, and with an existing one.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// The program [default: `nouns` beside this one].
    #[arg(long)]
    program: Option<PathBuf>,
}

impl Scale {
    pub(crate) fn run(self) -> io::Result<()> {
        let beside = || Ok::<_, io::Error>(std::env::current_exe()?.with_file_name("nouns"));
        let program = self.program.clone().map_or_else(beside, Ok)?;
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("parts.yaml");
        fs::write(&file, synthetic::schema(self.resources))?;
        let (mut new, mut existing, mut memory) = (vec![], vec![], 0);
        for round in 0..self.rounds {
            let database = folder.path().join(format!("{round}.db"));
            for times in [&mut new, &mut existing] {
                let (millis, mib) = start(&program, &file, &database)?;
                times.push(millis);
                memory = memory.max(mib);
            }
        }
        let resources = self.resources;
        say(&format!(
            "{resources} resources of 8 fields, medians of {} starts, from exec to the first answer:",
            self.rounds
        ));
        say(&format!(
            "new database {:.0} ms, existing database {:.0} ms, most memory {memory} MiB",
            median(new),
            median(existing)
        ));
        Ok(())
    }
}

/// Milliseconds to the first answer, and MiB at most.
fn start(program: &Path, file: &Path, database: &Path) -> io::Result<(f64, u64)> {
    let begun = Instant::now();
    let mut command = Command::new(program);
    command
        .arg("serve")
        .arg(file)
        .args(["--listen", "127.0.0.1:0", "--log", "warn", "--database"])
        .arg(database);
    let server = Child::start(&mut command)?;
    let collection = format!("GET /{}s HTTP/1.1\r\nhost: bench\r\n\r\n", synthetic::noun(0));
    let (status, answer) = ask(server.address, collection.as_bytes())?;
    if status != 200 {
        return Err(io::Error::other(answer));
    }
    Ok((begun.elapsed().as_secs_f64() * 1000.0, server.memory_mib()?))
}
