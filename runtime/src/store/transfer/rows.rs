//! The tables that are copied, and the values of their rows.

use crate::{
    model::value::Value,
    store::sql::{
        Dialect, quoted,
        record::{ColumnKind, Table},
    },
};

/// A table that is copied. The first column of a table of a resource is its key.
pub(in crate::store) struct CopiedTable {
    pub(in crate::store) name: String,
    pub(in crate::store) columns: Vec<CopiedColumn>,
    /// The condition of the rows that are copied, in SQL.
    pub(in crate::store) condition: Option<&'static str>,
}

/// A column that is copied.
pub(in crate::store) struct CopiedColumn {
    pub(in crate::store) name: String,
    pub(in crate::store) kind: CopiedKind,
}

/// The kind of a column that is copied.
#[derive(Clone, Copy)]
pub(in crate::store) enum CopiedKind {
    /// A column of a resource, or one of the store with the same type.
    Declared(ColumnKind),
    /// Bytes, which travel as hexadecimal text.
    Bytes,
}

const TEXT: CopiedKind = CopiedKind::Declared(ColumnKind::String);
const INTEGER: CopiedKind = CopiedKind::Declared(ColumnKind::Integer);
const BOOLEAN: CopiedKind = CopiedKind::Declared(ColumnKind::Boolean);

/// The answers to requests with an `Idempotency-Key`.
const ANSWERS: &[(&str, CopiedKind)] = &[
    ("scope", TEXT),
    ("key", TEXT),
    ("at", INTEGER),
    ("request", CopiedKind::Bytes),
    ("written", TEXT),
    ("modified", INTEGER),
    ("format", TEXT),
    ("content", CopiedKind::Bytes),
    ("declaration", TEXT),
];

/// The sessions and tokens.
const GRANTS: &[(&str, CopiedKind)] = &[
    ("digest", CopiedKind::Bytes),
    ("kind", TEXT),
    ("id", TEXT),
    ("account", TEXT),
    ("password", CopiedKind::Bytes),
    ("name", TEXT),
    ("scopes", INTEGER),
    ("persistent", BOOLEAN),
    ("created_at", INTEGER),
    ("expires_at", INTEGER),
    ("used_at", INTEGER),
];

impl CopiedTable {
    /// The table of a resource.
    pub(in crate::store) fn of(table: &Table) -> Self {
        let columns = table.columns.iter().map(|column| CopiedColumn {
            name: column.name.clone(),
            kind: CopiedKind::Declared(column.kind),
        });
        Self { name: table.name.clone(), columns: columns.collect(), condition: None }
    }

    /// The tables of the store itself. Sessions are only moved, not copied: a database that goes
    /// its own way would not know which of them have ended.
    pub(in crate::store) fn of_store(is_sealed: bool) -> [Self; 2] {
        let table = |name: &str, columns: &[(&str, CopiedKind)], condition| Self {
            name: name.into(),
            columns: columns
                .iter()
                .map(|(name, kind)| CopiedColumn { name: (*name).into(), kind: *kind })
                .collect(),
            condition,
        };
        let tokens = (!is_sealed).then_some("\"kind\" = 'token'");
        [table("_nouns_answers", ANSWERS, None), table("_nouns_grants", GRANTS, tokens)]
    }

    /// Whether an interrupted copy of the table goes on. Tables of the store have no revision.
    pub(in crate::store) fn is_resumable(&self) -> bool {
        !self.is_of_store()
    }

    /// Whether the key is an integer, which the database assigns.
    #[cfg(feature = "postgres")]
    pub(in crate::store) fn has_integer_key(&self) -> bool {
        !self.is_of_store()
            && matches!(self.columns[0].kind, CopiedKind::Declared(ColumnKind::Integer))
    }

    /// Whether the table is one of the store itself.
    pub(in crate::store) fn is_of_store(&self) -> bool {
        self.name.starts_with("_nouns_")
    }

    /// The statement that reads the rows in the order of their keys, after a key if there is one.
    pub(in crate::store) fn select(&self, has_key: bool, dialect: Dialect) -> String {
        let cell = |column: &CopiedColumn| {
            let name = quoted(&column.name);
            match (column.kind, dialect) {
                (CopiedKind::Bytes, Dialect::Sqlite) => format!("lower(hex({name}))"),
                (CopiedKind::Bytes, Dialect::Postgres) => format!("encode({name}, 'hex')"),
                _ => name,
            }
        };
        let cells: Vec<_> = self.columns.iter().map(cell).collect();
        let key = quoted(&self.columns[0].name);
        let parameter = if dialect == Dialect::Sqlite { "?1" } else { "$1" };
        let after = has_key.then(|| format!("{key} > {parameter}"));
        let filter = self.filter(after);
        format!("SELECT {} FROM {}{filter} ORDER BY {key}", cells.join(", "), quoted(&self.name))
    }

    /// The statement that counts the rows.
    pub(in crate::store) fn count(&self) -> String {
        format!("SELECT count(*) FROM {}{}", quoted(&self.name), self.filter(None))
    }

    fn filter(&self, after: Option<String>) -> String {
        let conditions: Vec<_> = after.into_iter().chain(self.condition.map(Into::into)).collect();
        if conditions.is_empty() {
            return String::new();
        }
        format!(" WHERE {}", conditions.join(" AND "))
    }

    /// The text of the key of a row.
    pub(in crate::store) fn position(&self, row: &[Value]) -> Option<String> {
        match row.first()? {
            Value::Integer(key) => Some(key.to_string()),
            Value::Text(key) => Some(key.clone()),
            _ => None,
        }
    }

    /// The key of a position.
    pub(in crate::store) fn key(&self, position: &str) -> Option<Value> {
        match self.columns[0].kind {
            CopiedKind::Declared(ColumnKind::Integer) => position.parse().ok().map(Value::Integer),
            _ => Some(Value::Text(position.into())),
        }
    }

    /// The name of a row in a message.
    pub(in crate::store) fn row_name(&self, row: &[Value]) -> String {
        let key = self.position(row).filter(|_| !self.is_of_store());
        match key {
            Some(key) => format!("the row `{key}` of the table `{}`", self.name),
            None => format!("a row of the table `{}`", self.name),
        }
    }
}

/// The approximate size of a value in memory.
pub(in crate::store) fn bytes(value: &Value) -> usize {
    size_of::<Value>() + if let Value::Text(text) = value { text.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_reads_rows_in_order() {
        let [_, grants] = CopiedTable::of_store(false);
        let text = grants.select(true, Dialect::Postgres);
        assert!(text.starts_with("SELECT encode(\"digest\", 'hex'), \"kind\""), "{text}");
        let end = "FROM \"_nouns_grants\" WHERE \"digest\" > $1 AND \"kind\" = 'token' ORDER BY \"digest\"";
        assert!(text.ends_with(end), "{text}");
        let [answers, _] = CopiedTable::of_store(true);
        let text = answers.select(false, Dialect::Sqlite);
        assert!(text.ends_with("FROM \"_nouns_answers\" ORDER BY \"scope\""), "{text}");
    }

    #[test]
    fn a_key_is_read_as_it_was_written() {
        let table = |kind| CopiedTable {
            name: "t".into(),
            columns: vec![CopiedColumn { name: "id".into(), kind: CopiedKind::Declared(kind) }],
            condition: None,
        };
        for (kind, key) in [
            (ColumnKind::Integer, Value::Integer(-7)),
            (ColumnKind::String, Value::Text("12".into())),
        ] {
            let table = table(kind);
            let position = table.position(std::slice::from_ref(&key)).unwrap();
            assert_eq!(table.key(&position), Some(key));
        }
    }
}
