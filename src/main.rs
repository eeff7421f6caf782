//! The `nouns` program: it parses the arguments and runs a command.

use std::process::ExitCode;

use clap::Parser;

/// A response needs some twenty small allocations, which take a tenth of its time with the system
/// allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    nouns::cli::Cli::parse().run()
}
