//! Snapshots for the tests of an API, as stable text: generated artifacts, and requests with their
//! responses.
//!
//! All requests are handled in the process, without a socket. The texts are for a snapshot library
//! such as `insta`. Values that differ in each run are replaced by names in brackets: `[time]`,
//! `[date]`, `[uuid 1]` and `[etag 1]`. Equal UUIDs and ETags have equal numbers.
//!
//! ```
//! # #[cfg(feature = "yaml")] {
//! use nouns::snapshot::{Recorder, routes};
//!
//! let text = "nouns: 1\nresources: { zoo: { fields: { name: { type: string, required: true } } } }";
//! let schema = nouns::codegen::read_yaml("zoo.yaml", text).unwrap();
//! let model = nouns::Model::link(nouns::interpret::api_def(&schema)).unwrap();
//! assert!(routes(&model).starts_with("GET     /zoos           list zoo\n"));
//!
//! let zoos = Recorder::new(model);
//! let exchange = zoos.exchange("POST /zoos", r#"{ "name": "City Zoo" }"#);
//! assert!(exchange.contains("201 Created"));
//! assert!(exchange.contains("location: /zoos/1"));
//! # }
//! ```

mod exchange;
mod redact;

pub use self::exchange::Recorder;
#[cfg(feature = "cli")]
pub(crate) use self::exchange::content;
use nouns_runtime::{
    Model,
    route::{self, Meaning},
};
use std::fmt::Write as _;

/// The URLs of a model with their methods: a line for each method of a URL. `nouns routes` prints
/// the same for people, with a line for each URL.
///
/// # Panics
/// Never: writing to a string cannot fail.
#[must_use]
pub fn routes(model: &Model) -> String {
    let routes = route::table(model);
    let width = routes.iter().map(|route| route.path.len()).max().unwrap_or_default();
    let mut text = String::new();
    for route in &routes {
        let (method, path) = (route.method, &route.path);
        let meaning = match &route.meaning {
            Meaning::Operation(operation, resource) => format!("{} {resource}", operation.word()),
            Meaning::Grant(what) => (*what).to_owned(),
            Meaning::Own => "a custom route".to_owned(),
            Meaning::Trace => "the received request".to_owned(),
            Meaning::Redirect(to) => format!("moved to {to}"),
        };
        writeln!(text, "{method:<7} {path:<width$}  {meaning}")
            .expect("writing to a string cannot fail");
    }
    text
}

/// The SQLite statements that create the database of a model. This is the output of `nouns generate
/// sql`.
#[must_use]
pub fn sql(model: &Model) -> String {
    nouns_runtime::sql::schema(model, nouns_runtime::sql::Dialect::Sqlite)
}

/// The OpenAPI document of a model. This is the output of `nouns generate openapi`, and what
/// `/openapi.json` returns.
#[must_use]
pub fn openapi(model: &Model) -> String {
    nouns_runtime::reply::openapi(model)
}

/// The Rust declarations of a schema. This is the output of `nouns generate rust`.
#[cfg(feature = "yaml")]
#[must_use]
pub fn rust(schema: &nouns_codegen::Schema) -> String {
    nouns_codegen::declare::rust(schema)
}
