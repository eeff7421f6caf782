//! The program: arguments in, a command run, an exit code out.

use std::process::ExitCode;

use clap::Parser;

/// An answer is made of some twenty small pieces of memory, which cost a tenth of it with the
/// allocator of the system.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    nouns::cli::Cli::parse().run()
}
