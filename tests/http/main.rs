//! The whole product over real sockets, in one test binary.

mod bodies;
mod chain_matrix;
mod client;
mod concurrent;
mod conditions;
mod deletions;
mod endpoints;
mod examples;
mod faults;
mod filters;
mod framing;
mod methods;
mod oracle;
mod parameters;
mod problems;
mod program;
mod query_edges;
mod readme;
mod routes;
mod server;
mod statements;
mod tidy;
mod twins;
