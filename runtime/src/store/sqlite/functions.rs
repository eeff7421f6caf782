//! The SQL functions that the store adds to its writing connection.
//!
//! No table, index or trigger uses a function that other programs do not have, so they can read and
//! write the database.

use rusqlite::{
    Connection, Error,
    functions::{Context, FunctionFlags},
};

use crate::{
    model::merge_patch,
    store::sql::{MERGE_PATCH, OWN, PROGRAM},
};

/// Adds the SQL functions to a connection. rusqlite catches a panic in a function, and then only
/// the statement fails.
pub(super) fn add(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function(MERGE_PATCH, 2, flags, merge_patch)?;
    // Triggers call this one.
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function(PROGRAM, 0, flags, |_| Ok(OWN))
}

/// Applies the merge patch in the second argument to the JSON text in the first argument. Returns
/// the resulting JSON text.
fn merge_patch(context: &Context<'_>) -> rusqlite::Result<String> {
    let text = |at: usize| {
        context.get_raw(at).as_str().map_err(|error| Error::UserFunctionError(error.into()))
    };
    let broken =
        || Error::UserFunctionError("a merge patch was applied to text that is not JSON".into());
    merge_patch::merged(text(0)?, text(1)?).ok_or_else(broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_merged_and_anything_else_fails_the_statement() {
        let connection = Connection::open_in_memory().unwrap();
        add(&connection).unwrap();
        let merged = |target: Option<&str>, patch: &str| {
            connection
                .query_row("SELECT _nouns_merge_patch(?1, ?2)", (target, patch), |row| row.get(0))
        };
        assert_eq!(
            merged(Some(r#"{"a":1.0}"#), r#"{"b":2}"#),
            Ok::<String, _>(r#"{"a":1.0,"b":2}"#.into())
        );
        assert!(merged(Some("{"), "{}").is_err() && merged(None, "{}").is_err());
    }
}
