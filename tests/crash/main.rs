//! What is left after the worst: a process that is killed, a disk that loses its power, a disk that
//! fails.

#![expect(clippy::unwrap_used, reason = "a test that fails panics, in its helpers too")]
#![expect(clippy::print_stdout, reason = "the seed and the figures of a run are for who runs it")]

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
