//! The whole product over real sockets, in one test binary.

mod chain_matrix;
mod client;
mod concurrent;
mod faults;
mod oracle;
mod server;
mod statements;
mod program;
mod tidy;
mod twins;
