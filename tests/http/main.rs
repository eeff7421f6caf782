//! The whole product over real sockets, in one test binary.

mod client;
mod server;
