//! [`SqlQuery`]: an SQL query inside a transaction, for what the declaration cannot express.

use std::fmt;

use crate::{
    base::error::Error,
    model::{field_type::FieldType, value::Value},
    store::{AsSystem, OpenTransaction, Tx},
};

/// An SQL query inside a transaction; [`Tx::sql`] returns it.
#[must_use = "the query runs when its rows are read"]
pub struct SqlQuery<'tx, 't> {
    tx: &'tx mut OpenTransaction<'t>,
    text: &'tx str,
    values: Vec<Value>,
}

/// A value that can be bound to a parameter of an SQL query: a value of any field type, or a
/// `&str`. It is bound in its stored form.
///
/// A decimal is stored as an integer: multiplied by ten to the power of its scale. Bind this
/// integer to compare it with a column.
pub trait SqlParameter {
    /// Converts to the stored form.
    fn into_value(self) -> Value;
}

impl<T: FieldType> SqlParameter for T {
    fn into_value(self) -> Value {
        FieldType::into_operand(self, T::DEF.kind)
    }
}

impl SqlParameter for &str {
    fn into_value(self) -> Value {
        Value::Text(self.to_owned())
    }
}

/// A row of the result of an SQL query: a tuple of field types. An `Option` accepts NULL.
///
/// A decimal column is read as an integer: the decimal multiplied by ten to the power of its scale.
pub trait SqlRow: Sized {
    /// Reads a row from the values of its columns.
    ///
    /// # Errors
    /// What is wrong, if the row has another number of columns, or if a column has a value that its
    /// type cannot hold.
    fn read(values: Vec<Value>) -> Result<Self, String>;
}

/// Implements `SqlRow` for a tuple with this number of fields of these types.
macro_rules! rows {
    ($($count:literal: $($type:ident)*;)*) => {$(
        impl<$($type: FieldType),*> SqlRow for ($($type,)*) {
            fn read(values: Vec<Value>) -> Result<Self, String> {
                let given = values.len();
                if given != $count {
                    return Err(format!("it has {given} columns, and {} are read", $count));
                }
                let mut columns = RowColumns(values.into_iter().enumerate());
                Ok(($(columns.next::<$type>()?,)*))
            }
        }
    )*};
}

rows! {
    1: A;
    2: A B;
    3: A B C;
    4: A B C D;
    5: A B C D E;
    6: A B C D E F;
    7: A B C D E F G;
    8: A B C D E F G H;
    9: A B C D E F G H I;
    10: A B C D E F G H I J;
    11: A B C D E F G H I J K;
    12: A B C D E F G H I J K L;
}

/// The columns of a row that are not read yet, each with its number.
struct RowColumns(std::iter::Enumerate<std::vec::IntoIter<Value>>);

impl RowColumns {
    fn next<T: FieldType>(&mut self) -> Result<T, String> {
        let (at, value) = self.0.next().unwrap_or((0, Value::Null));
        // The value itself may be a secret, and the message is logged.
        let wrong = match &value {
            Value::Null => "NULL",
            Value::Integer(_) => "an integer",
            Value::Number(_) => "a number",
            Value::Text(_) | Value::Password(_) => "a text",
        };
        T::from_value(T::DEF.kind, value).ok_or_else(|| {
            let (number, expected) = (at + 1, std::any::type_name::<T>());
            format!("its column {number} has {wrong}, which is not of the type `{expected}`")
        })
    }
}

impl SqlQuery<'_, '_> {
    /// Binds a value to the next parameter (`?`).
    pub fn bind(mut self, value: impl SqlParameter) -> Self {
        self.values.push(value.into_value());
        self
    }

    /// Runs the query, and returns all rows.
    ///
    /// # Errors
    /// 500 if the text is not a single SELECT, reads a table of the store itself (`_nouns_*`), or
    /// has another number of parameters or columns. Also if the result has more than
    /// [`LIST_MEMBERS_MAX`](crate::base::limits::LIST_MEMBERS_MAX) rows. If the query was not run,
    /// the whole transaction fails.
    pub fn rows<T: SqlRow>(self) -> Result<Vec<T>, Error> {
        let Self { tx, text, values } = self;
        let rows = tx.select(text, &values)?.into_iter().map(T::read);
        rows.collect::<Result<_, _>>().map_err(|cause| {
            Error::internal(format!(
                "the result of an SQL query was not read: {cause}; it is `{text}`"
            ))
        })
    }

    /// Runs the query, and returns the first row; `None` if there is none.
    ///
    /// # Errors
    /// The errors of [`rows`](Self::rows).
    pub fn first<T: SqlRow>(self) -> Result<Option<T>, Error> {
        Ok(self.rows()?.into_iter().next())
    }
}

impl fmt::Debug for SqlQuery<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SqlQuery").field(&self.text).finish()
    }
}

impl<'t> Tx<'t, AsSystem> {
    /// Prepares an SQL query (SELECT), for what the declaration cannot express. It sees the writes
    /// of this transaction.
    ///
    /// The text is in the dialect of the database, with a `?` for each value that is bound. A table
    /// has the plural name of its resource, and each field is a column. The text must be constant:
    /// a value from a client belongs into [`bind`](SqlQuery::bind), never into the text.
    ///
    /// Access rules do not apply to SQL, so only a transaction that acts for the program itself has
    /// this method: [`as_system`](Tx::as_system) returns it.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Error, Tx};
    ///
    /// fn busiest(tx: &mut Tx<'_>, least: i64) -> Result<Vec<(i64, i64)>, Error> {
    ///     tx.as_system()
    ///         .sql("SELECT room_id, count(*) FROM bookings GROUP BY 1 HAVING count(*) >= ?")
    ///         .bind(least)
    ///         .rows()
    /// }
    /// ```
    pub fn sql<'tx>(&'tx mut self, text: &'tx str) -> SqlQuery<'tx, 't> {
        SqlQuery { tx: self.open(), text, values: vec![] }
    }
}
