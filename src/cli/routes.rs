//! `nouns routes`: lists the URLs of a schema file with their methods.

mod table;

use std::path::PathBuf;

use clap::Args;
use nouns_runtime::route::{self, Meaning};

use super::{Failure, OutputFormat, print, schema_file};

const EXAMPLES: &str = "Examples:
  nouns routes zoo.yaml
  nouns routes --format json zoo.yaml";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Routes {
    /// The schema file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The output format.
    #[arg(long, value_enum, default_value_t, env = "NOUNS_FORMAT")]
    format: OutputFormat,
}

impl Routes {
    pub(super) fn run(self) -> Result<(), Failure> {
        let schema = schema_file::read(&self.file)?;
        let model = schema_file::model(&schema)?;
        let routes = route::table(&model);
        match self.format {
            OutputFormat::Text => print(&table::text(&routes)),
            OutputFormat::Json => {
                let json: Vec<_> = routes.iter().map(json).collect();
                print(&format!("{}\n", serde_json::to_string_pretty(&json)?));
            }
        }
        Ok(())
    }
}

fn json(route: &route::Route) -> serde_json::Value {
    let (mut operation, mut resource, mut moved_to) = (None, None, None);
    match &route.meaning {
        Meaning::Operation(what, of) => (operation, resource) = (Some(what.word()), Some(*of)),
        Meaning::Redirect(to) => moved_to = Some(to),
        Meaning::Own | Meaning::Grant(_) | Meaning::Trace => {}
    }
    let (method, path) = (route.method, &route.path);
    let mut json = serde_json::json!({ "method": method, "path": path, "operation": operation, "resource": resource });
    if let Some(to) = moved_to {
        json["moved_to"] = to.as_str().into();
    }
    json
}
