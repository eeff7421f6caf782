//! The whole product over real sockets, in one test binary.

#![expect(clippy::unwrap_used, reason = "a test that fails panics, in its helpers too")]

mod away;
mod bodies;
mod caching;
mod chain_matrix;
mod client;
mod codings;
mod concurrent;
mod conditions;
mod cors;
mod deletions;
mod deprecation;
mod endpoints;
mod examples;
mod exports;
mod faults;
mod filters;
mod formats;
mod framing;
mod hostile;
mod idempotency;
mod json_patch;
mod languages;
mod merge_patch;
mod methods;
mod negotiation;
mod oracle;
mod parameters;
mod problem_pages;
mod problems;
mod program;
mod query_and_trace;
mod query_edges;
mod ranges;
mod readme;
mod redirects;
mod request_ids;
mod required;
mod routes;
mod security;
mod server;
mod statements;
mod tidy;
mod twins;
