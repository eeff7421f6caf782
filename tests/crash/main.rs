//! Crash tests: the process is killed, the power is lost, or the disk fails.

#![expect(clippy::unwrap_used, reason = "a failed test panics, also in helper functions")]
#![expect(clippy::print_stdout, reason = "a run prints its seed and its counts")]

mod client;
mod disk;
mod faults;
mod kill;
mod load;
mod passes;
mod power;
#[path = "../support/random.rs"]
mod random;
mod state;
mod vfs;
