//! `nouns check`: everything that is wrong with schema files.

use std::path::PathBuf;

use clap::Args;

use super::{
    Failure, OutputFormat, print,
    schema_file::{self, Fault},
};

#[derive(Args, Debug)]
pub(super) struct Check {
    /// The schema files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How to print what is wrong.
    #[arg(long, value_enum, default_value_t, env = "NOUNS_FORMAT")]
    format: OutputFormat,
}

impl Check {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self.format {
            OutputFormat::Text => self.print_text(),
            OutputFormat::Json => self.print_json(),
        }
    }

    fn print_text(self) -> Result<(), Failure> {
        let mut wrong = vec![];
        for file in &self.files {
            match schema_file::read(file) {
                Ok(schema) => {
                    let count = schema.resources.len();
                    let noun = if count == 1 { "resource" } else { "resources" };
                    print(&format!("{}: {count} {noun}, nothing wrong\n", file.display()));
                }
                Err(Fault::Wrong(diagnostics)) => {
                    let count = mistakes(diagnostics.len());
                    let drawn = Failure::from(Fault::Wrong(diagnostics)).0;
                    wrong.push(format!("{}\n\nerror: {count} in {}", drawn.trim_end(), file.display()));
                }
                Err(fault) => wrong.push(Failure::from(fault).0),
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(Failure(wrong.join("\n\n"))) }
    }

    /// One array for all files; what cannot be read at all is an element without a place.
    fn print_json(self) -> Result<(), Failure> {
        let mut all: Vec<serde_json::Value> = vec![];
        for file in &self.files {
            match schema_file::read(file) {
                Ok(_) => {}
                Err(Fault::Unreadable(message)) => {
                    all.push(serde_json::json!({ "file": file.display().to_string(), "message": message }));
                }
                Err(Fault::Wrong(diagnostics)) => {
                    all.extend(serde_json::from_str::<Vec<serde_json::Value>>(&diagnostics.to_json())?);
                }
            }
        }
        print(&format!("{}\n", serde_json::to_string_pretty(&all)?));
        // Who reads the array counts it.
        if all.is_empty() { Ok(()) } else { Err(Failure(String::new())) }
    }
}

fn mistakes(count: usize) -> String {
    let noun = if count == 1 { "mistake" } else { "mistakes" };
    format!("{count} {noun}")
}
