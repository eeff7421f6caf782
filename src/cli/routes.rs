//! `nouns routes`: the URLs of a schema file with their methods.

use std::{fmt::Write as _, path::PathBuf};

use clap::Args;
use nouns_runtime::{def::Operation, route};

use super::{Failure, OutputFormat, print, schema_file};

#[derive(Args, Debug)]
pub(super) struct Routes {
    /// The schema file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// How to print the list.
    #[arg(long, value_enum, default_value_t, env = "NOUNS_FORMAT")]
    format: OutputFormat,
}

impl Routes {
    pub(super) fn run(self) -> Result<(), Failure> {
        let schema = schema_file::read(&self.file)?;
        let routes = route::table(&*schema_file::model(&schema)?);
        match self.format {
            OutputFormat::Text => print(&text(&routes)),
            OutputFormat::Json => {
                let json: Vec<_> = routes.iter().map(json).collect();
                print(&format!("{}\n", serde_json::to_string_pretty(&json)?));
            }
        }
        Ok(())
    }
}

fn text(routes: &[route::Route]) -> String {
    let width = routes.iter().map(|route| route.path.len()).max().unwrap_or_default();
    let mut text = String::new();
    for route in routes {
        let (method, path) = (route.method, &route.path);
        writeln!(text, "{method:<7} {path:<width$}  {} {}", word(route.operation), route.resource)
            .expect("a string takes any text");
    }
    text
}

fn json(route: &route::Route) -> serde_json::Value {
    serde_json::json!({
        "method": route.method,
        "path": route.path,
        "operation": word(route.operation),
        "resource": route.resource,
    })
}

/// The word of the schema language.
const fn word(operation: Operation) -> &'static str {
    match operation {
        Operation::List => "list",
        Operation::Create => "create",
        Operation::Get => "get",
        Operation::Replace => "replace",
        Operation::Update => "update",
        Operation::Delete => "delete",
        Operation::DeleteMany => "delete_many",
    }
}
