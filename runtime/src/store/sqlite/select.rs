//! SQL queries that the program runs inside a transaction. They may only read, and not the store's
//! own tables.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use rusqlite::{
    Connection,
    hooks::{AuthAction, Authorization},
    params_from_iter,
    types::{ToSqlOutput, ValueRef},
};

use super::handle::{Handle, InterruptWindow};
use crate::{
    base::{error::Error, limits},
    model::value::Value,
    store::failure::Failure,
};

/// The beginnings of the names of tables that a query may not read: the store's own tables, and
/// those of SQLite.
const FORBIDDEN: [&str; 4] = ["_nouns_", "sqlite_", "pragma_", "dbstat"];

/// The prefix of the text of each query. The connection caches statements by their text, and no
/// statement of the store itself begins like this. So a query never gets one of those, which were
/// compiled without the authorizer.
const MARK: &str = "/* a query of the program */ ";

/// The authorizer of a connection. While it is strict, SQLite compiles only statements that read
/// permitted tables.
///
/// The authorizer is set once: SQLite compiles all cached statements again when it is set.
pub(super) struct SelectGuard(Arc<AtomicBool>);

impl SelectGuard {
    /// Sets the authorizer of a connection.
    pub(super) fn set(connection: &mut Connection) -> rusqlite::Result<Self> {
        let is_strict = Arc::new(AtomicBool::new(false));
        let guard = Self(Arc::clone(&is_strict));
        connection.authorizer(Some(move |context: rusqlite::hooks::AuthContext<'_>| {
            if is_strict.load(Ordering::Relaxed) && !is_permitted(context.action) {
                Authorization::Deny
            } else {
                Authorization::Allow
            }
        }))?;
        Ok(guard)
    }

    /// Runs a query of the program on the connection of this guard. Returns all rows.
    pub(super) fn select(
        &self,
        handle: &mut Handle,
        text: &str,
        values: &[Value],
    ) -> Result<Vec<Vec<Value>>, Failure> {
        let connection = handle.connection();
        self.0.store(true, Ordering::Relaxed);
        let prepared = connection.prepare_cached(&[MARK, text].concat());
        self.0.store(false, Ordering::Relaxed);
        let mut statement = prepared.map_err(|cause| refused(text, &cause.to_string()))?;
        if statement.column_count() == 0 || !statement.readonly() {
            return Err(refused(text, "it is no SELECT"));
        }
        let _interruptible = InterruptWindow::new(handle.interruptible());
        let mut rows = statement.query(params_from_iter(values)).map_err(|cause| match cause {
            rusqlite::Error::InvalidParameterCount(given, expected) => refused(
                text,
                &format!("it has {expected} parameters, and {given} values are bound"),
            ),
            cause => cause.into(),
        })?;
        let (mut found, mut bytes) = (vec![], 0);
        while let Some(row) = rows.next()? {
            let cells = (0..).map_while(|at| row.get_ref(at).ok()).map(owned);
            let cells: Option<Vec<Value>> = cells.collect();
            let cells = cells.ok_or_else(|| refused(text, "a column of its result has a BLOB"))?;
            bytes += cells.iter().map(size).sum::<usize>();
            found.push(cells);
            if found.len() > limits::LIST_MEMBERS_MAX as usize || bytes > limits::LIST_BYTES_MAX {
                let (rows, bytes) = (limits::LIST_MEMBERS_MAX, limits::LIST_BYTES_MAX);
                let cause = format!("its result has more than {rows} rows or {bytes} bytes");
                return Err(refused(text, &cause));
            }
        }
        Ok(found)
    }
}

/// Whether a query may do what it is compiled to do.
fn is_permitted(action: AuthAction<'_>) -> bool {
    match action {
        AuthAction::Select | AuthAction::Recursive | AuthAction::Function { .. } => true,
        AuthAction::Read { table_name, .. } => {
            let name = table_name.to_ascii_lowercase();
            !FORBIDDEN.iter().any(|beginning| name.starts_with(beginning))
        }
        _ => false,
    }
}

/// Creates the failure of a query that the store does not run: a mistake of the program.
fn refused(text: &str, cause: &str) -> Failure {
    Error::internal(format!("the SQL query of a transaction was not run: {cause}; it is `{text}`"))
        .into()
}

/// Returns the value of a cell; `None` for a BLOB.
fn owned(cell: ValueRef<'_>) -> Option<Value> {
    Some(match cell {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(value) => Value::Integer(value),
        ValueRef::Real(value) => Value::Number(value),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(_) => return None,
    })
}

/// The memory that a value takes, in bytes.
fn size(value: &Value) -> usize {
    size_of::<Value>() + if let Value::Text(text) = value { text.len() } else { 0 }
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(value) => ValueRef::Integer(*value),
            Self::Number(value) => ValueRef::Real(*value),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Password(_) => {
                let cause = "a plain password cannot be a parameter of a statement";
                return Err(rusqlite::Error::ToSqlConversionFailure(cause.into()));
            }
        }))
    }
}
