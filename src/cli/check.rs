//! `nouns check`: everything that is wrong with schema files.

use std::path::{Path, PathBuf};

use clap::{Args, builder::BoolishValueParser};
use nouns_codegen::{Checked, Diagnostics};

use super::{
    Failure, OutputFormat, complain, print,
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
    /// Let warnings fail the check.
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
                Ok(Checked { warnings, .. }) if self.deny_warnings && !warnings.is_empty() => {
                    wrong.push(drawn(file, warnings, "warning"));
                }
                Ok(Checked { schema, warnings }) => {
                    let resources = counted(schema.resources.len(), "resource");
                    let found = match warnings.len() {
                        0 => "nothing wrong".into(),
                        count => counted(count, "warning"),
                    };
                    print(&format!("{}: {resources}, {found}\n", file.display()));
                    complain(&warnings.render(schema_file::style(&std::io::stderr())));
                }
                Err(Fault::Wrong(diagnostics)) => wrong.push(drawn(file, diagnostics, "mistake")),
                Err(fault) => wrong.push(Failure::from(fault).0),
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(Failure(wrong.join("\n\n"))) }
    }

    /// One array for all files; what cannot be read at all is an element without a place.
    fn print_json(self) -> Result<(), Failure> {
        let mut all: Vec<serde_json::Value> = vec![];
        let mut is_good = true;
        for file in &self.files {
            let found = match schema_file::check(file) {
                Ok(Checked { warnings, .. }) => {
                    is_good &= warnings.is_empty() || !self.deny_warnings;
                    warnings
                }
                Err(Fault::Unreadable(message)) => {
                    is_good = false;
                    let file = file.display().to_string();
                    all.push(serde_json::json!({ "severity": "error", "file": file, "message": message }));
                    continue;
                }
                Err(Fault::Wrong(diagnostics)) => {
                    is_good = false;
                    diagnostics
                }
            };
            all.extend(serde_json::from_str::<Vec<serde_json::Value>>(&found.to_json())?);
        }
        print(&format!("{}\n", serde_json::to_string_pretty(&all)?));
        // Who reads the array counts it.
        if is_good { Ok(()) } else { Err(Failure(String::new())) }
    }
}

/// What is wrong with a file, and how much that is.
fn drawn(file: &Path, diagnostics: Diagnostics, noun: &str) -> String {
    let count = counted(diagnostics.len(), noun);
    let drawn = Failure::from(Fault::Wrong(diagnostics)).0;
    format!("{}\n\nerror: {count} in {}", drawn.trim_end(), file.display())
}

fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
