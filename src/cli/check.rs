//! `nouns check`: reports all mistakes in schema files.

use std::path::{Path, PathBuf};

use clap::{Args, builder::BoolishValueParser};
use nouns_codegen::{CheckedSchema, Diagnostics};

use super::{
    Failure, OutputFormat, complain, print,
    schema_file::{self, SchemaFileError},
};

const EXAMPLES: &str = "Examples:
  nouns check zoo.yaml
  nouns check --deny-warnings zoo.yaml league.yaml";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Check {
    /// The schema files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The output format.
    #[arg(long, value_enum, default_value_t, env = "NOUNS_FORMAT")]
    format: OutputFormat,
    /// Fail if there are warnings.
    #[arg(long, env = "NOUNS_DENY_WARNINGS", value_parser = BoolishValueParser::new())]
    deny_warnings: bool,
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
            match schema_file::check(file) {
                Ok(CheckedSchema { warnings, .. })
                    if self.deny_warnings && !warnings.is_empty() =>
                {
                    wrong.push(draw(file, warnings, "warning"));
                }
                Ok(CheckedSchema { schema, warnings }) => {
                    let resources = count_text(schema.resources.len(), "resource");
                    let found = match warnings.len() {
                        0 => "no mistakes".into(),
                        count => count_text(count, "warning"),
                    };
                    print(&format!("{}: {resources}, {found}\n", file.display()));
                    complain(&warnings.render(schema_file::style(&std::io::stderr())));
                }
                Err(SchemaFileError::Invalid(diagnostics)) => {
                    wrong.push(draw(file, diagnostics, "mistake"));
                }
                Err(fault) => wrong.push(Failure::from(fault).0),
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(Failure(wrong.join("\n\n"))) }
    }

    /// Prints one JSON array for all files. A file that cannot be read is an element without a
    /// position.
    fn print_json(self) -> Result<(), Failure> {
        let mut all: Vec<serde_json::Value> = vec![];
        let mut is_good = true;
        for file in &self.files {
            let found = match schema_file::check(file) {
                Ok(CheckedSchema { warnings, .. }) => {
                    is_good &= warnings.is_empty() || !self.deny_warnings;
                    warnings
                }
                Err(SchemaFileError::Unreadable(message)) => {
                    is_good = false;
                    let file = file.display().to_string();
                    all.push(serde_json::json!({ "severity": "error", "file": file, "message": message }));
                    continue;
                }
                Err(SchemaFileError::Invalid(diagnostics)) => {
                    is_good = false;
                    diagnostics
                }
            };
            all.extend(serde_json::from_str::<Vec<serde_json::Value>>(&found.to_json())?);
        }
        print(&format!("{}\n", serde_json::to_string_pretty(&all)?));
        // The array has all mistakes, so the message is empty.
        if is_good { Ok(()) } else { Err(Failure(String::new())) }
    }
}

/// Renders the diagnostics of a file, followed by a line with their number.
fn draw(file: &Path, diagnostics: Diagnostics, noun: &str) -> String {
    let count = count_text(diagnostics.len(), noun);
    let drawn = Failure::from(SchemaFileError::Invalid(diagnostics)).0;
    format!("{}\n\nerror: {count} in {}", drawn.trim_end(), file.display())
}

fn count_text(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
