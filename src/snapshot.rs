//! For the tests of those who declare an interface: what is generated and what is answered, as
//! stable text.
//!
//! Everything happens in process, without a socket and without waiting. The texts are made for a
//! snapshot library such as `insta`: what differs from run to run (times, random ids, entity tags)
//! is replaced by names in brackets that are counted, so that equal things still look equal.
//!
//! ```
//! # #[cfg(feature = "yaml")] {
//! use nouns::snapshot::{Recorder, routes};
//!
//! let text = "nouns: 1\nresources:\n  zoo:\n    fields:\n      name: { type: string, required: true }\n";
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
use nouns_runtime::{
    Model,
    route::{self, Meaning},
};
use std::fmt::Write as _;

/// Every URL of a model with its methods, a line each: what `nouns routes` prints.
///
/// # Panics
/// Never: a string takes any text.
#[must_use]
pub fn routes(model: &Model) -> String {
    let routes = route::table(model);
    let width = routes.iter().map(|route| route.path.len()).max().unwrap_or_default();
    let mut text = String::new();
    for route in &routes {
        let (method, path) = (route.method, &route.path);
        let meaning = match &route.meaning {
            Meaning::Operation(operation, resource) => format!("{} {resource}", operation.word()),
            Meaning::Own => "a route of your own".to_owned(),
            Meaning::Trace => "the request as it came".to_owned(),
            Meaning::Redirect(to) => format!("moved to {to}"),
        };
        writeln!(text, "{method:<7} {path:<width$}  {meaning}").expect("a string takes any text");
    }
    text
}

/// The statements that make the database of a model, in SQLite's SQL: what `nouns generate sql`
/// prints.
#[must_use]
pub fn sql(model: &Model) -> String {
    nouns_runtime::sql::schema(model, nouns_runtime::sql::Dialect::Sqlite)
}

/// The Rust declarations of a schema: what `nouns generate rust` prints.
#[cfg(feature = "yaml")]
#[must_use]
pub fn rust(schema: &nouns_codegen::Schema) -> String {
    nouns_codegen::declare::rust(schema)
}
