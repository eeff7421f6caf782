//! `nouns routes`: the URLs of a schema file with their methods.

use std::path::PathBuf;

use clap::Args;
use nouns_runtime::route;

use super::{Failure, OutputFormat, print, schema_file};
use crate::snapshot;

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
        let model = schema_file::model(&schema)?;
        let routes = route::table(&model);
        match self.format {
            OutputFormat::Text => print(&snapshot::routes(&model)),
            OutputFormat::Json => {
                let json: Vec<_> = routes.iter().map(json).collect();
                print(&format!("{}\n", serde_json::to_string_pretty(&json)?));
            }
        }
        Ok(())
    }
}

fn json(route: &route::Route) -> serde_json::Value {
    serde_json::json!({
        "method": route.method,
        "path": route.path,
        "operation": route.operation.map(|(operation, _)| operation.word()),
        "resource": route.operation.map(|(_, resource)| resource),
    })
}
