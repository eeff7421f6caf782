//! Crash tests: a process that is killed, a power loss, a disk that fails.

#![expect(clippy::unwrap_used, reason = "a test that fails panics, in its helpers too")]
#![expect(clippy::print_stdout, reason = "a run prints its seed and its figures")]

mod client;
mod disk;
mod faults;
mod kill;
mod load;
mod passes;
mod power;
mod random;
mod state;
mod vfs;
