//! Functions that read a schema file from disk, check it and link it to a model.

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
    sync::Arc,
};

use nouns_codegen::{CheckedSchema, Diagnostics, check_yaml, diagnostic::Style, schema::Schema};
use nouns_runtime::{Model, store::Location};

use super::Failure;
use crate::interpret;

/// The reason why a schema file cannot be used.
pub(super) enum SchemaFileError {
    /// The file cannot be read. The text is the message.
    Unreadable(String),
    /// The file has mistakes.
    Invalid(Diagnostics),
}

impl From<SchemaFileError> for Failure {
    fn from(fault: SchemaFileError) -> Self {
        match fault {
            SchemaFileError::Unreadable(message) => Self(format!("error: {message}")),
            SchemaFileError::Invalid(diagnostics) => {
                Self(diagnostics.render(style(&std::io::stderr())))
            }
        }
    }
}

/// The style of diagnostics on an output: with colours on a terminal, unless `NO_COLOR` is set.
pub(super) fn style(to: &impl IsTerminal) -> Style {
    let coloured =
        to.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
    if coloured { Style::Colour } else { Style::Plain }
}

/// Reads and checks a schema file.
pub(super) fn read(path: &Path) -> Result<Schema, SchemaFileError> {
    check(path).map(|checked| checked.schema)
}

/// Reads and checks a schema file, and also returns the warnings.
pub(super) fn check(path: &Path) -> Result<CheckedSchema, SchemaFileError> {
    let shown = path.display();
    let unreadable =
        |what: String| SchemaFileError::Unreadable(format!("the schema file `{shown}` {what}"));
    let bytes =
        std::fs::read(path).map_err(|error| unreadable(format!("cannot be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        unreadable(format!("is not UTF-8 (at byte {})", error.utf8_error().valid_up_to()))
    })?;
    check_yaml(&shown.to_string(), &text).map_err(SchemaFileError::Invalid)
}

/// Converts a schema to a model, the linked form that the runtime uses.
pub(super) fn model(schema: &Schema) -> Result<Arc<Model>, Failure> {
    Ok(Arc::new(Model::link(interpret::api_def(schema))?))
}

/// The location of the database: from the flag or environment variable, otherwise from the schema.
/// The default is the name of the schema file with `.db`, in the working directory.
pub(super) fn database(given: Option<PathBuf>, schema: &Schema, path: &Path) -> Location {
    let declared = || schema.server.database.as_deref().map(Location::from);
    let named =
        || Path::new(path.file_stem().unwrap_or(path.as_os_str())).with_extension("db").into();
    given
        .map(|given| Location::from(given.into_os_string()))
        .or_else(declared)
        .unwrap_or_else(named)
}
