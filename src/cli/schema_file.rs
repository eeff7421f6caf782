//! A schema file on disk: read, checked and linked.

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
    sync::Arc,
};

use nouns_codegen::{Checked, Diagnostics, check_yaml, diagnostic::Style, schema::Schema};
use nouns_runtime::{Model, store::Location};

use super::Failure;
use crate::interpret;

/// What can be wrong with a schema file.
pub(super) enum Fault {
    /// It cannot be read: a sentence.
    Unreadable(String),
    /// It can, and says what it must not.
    Wrong(Diagnostics),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Unreadable(message) => Self(format!("error: {message}")),
            Fault::Wrong(diagnostics) => Self(diagnostics.render(style(&std::io::stderr()))),
        }
    }
}

/// Colours where a terminal shows them, unless `NO_COLOR` is set.
pub(super) fn style(to: &impl IsTerminal) -> Style {
    let coloured =
        to.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
    if coloured { Style::Colour } else { Style::Plain }
}

/// Reads and checks a file.
pub(super) fn read(path: &Path) -> Result<Schema, Fault> {
    check(path).map(|checked| checked.schema)
}

/// Reads and checks a file, and says what is doubtful in it too.
pub(super) fn check(path: &Path) -> Result<Checked, Fault> {
    let shown = path.display();
    let unreadable = |what: String| Fault::Unreadable(format!("the schema file `{shown}` {what}"));
    let bytes =
        std::fs::read(path).map_err(|error| unreadable(format!("cannot be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        unreadable(format!("is not UTF-8 (at byte {})", error.utf8_error().valid_up_to()))
    })?;
    check_yaml(&shown.to_string(), &text).map_err(Fault::Wrong)
}

/// Links what was read.
pub(super) fn model(schema: &Schema) -> Result<Arc<Model>, Failure> {
    Ok(Arc::new(Model::link(interpret::api_def(schema))?))
}

/// Where the database is: where a flag or variable says, else the schema; else it has the name of
/// the schema file with `.db`, in the working directory.
pub(super) fn database(given: Option<PathBuf>, schema: &Schema, path: &Path) -> Location {
    let declared = || schema.server.database.as_deref().map(Location::from);
    let named =
        || Path::new(path.file_stem().unwrap_or(path.as_os_str())).with_extension("db").into();
    given
        .map(|given| Location::from(given.into_os_string()))
        .or_else(declared)
        .unwrap_or_else(named)
}
