//! The schema record: the tables, columns, references and indexes of a model, as a database
//! enforces them.
//!
//! The database stores its record as JSON, so that a later start can detect changes. The record
//! does not contain rules that the store validates itself (lengths, ranges, patterns, choices).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{REVISION, index};
use crate::model::{
    Default, FieldIx, FieldModel, Model, ResourceModel, Role,
    def::{FieldKind, OnDelete},
    value::Value,
};

/// The tables of a database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) tables: Vec<Table>,
}

/// A table, its columns and its indexes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) indexes: Vec<Index>,
}

/// A column of a table. The first column of a table is the primary key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: ColumnKind,
    pub(crate) required: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) default: Option<ColumnDefault>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) ignore_case: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) references: Option<Reference>,
}

/// The types of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ColumnKind {
    String,
    Integer,
    Number,
    Decimal { scale: u8 },
    Boolean,
    Date,
    Time,
    DateTime,
    Uuid,
    Json,
    Password,
}

/// The default value of a column. A double is stored as text, since JSON could change its digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ColumnDefault {
    Integer(i64),
    Number(String),
    Text(String),
    Now,
}

/// A foreign key: the table that it refers to, and the action on deletion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reference {
    pub(crate) table: String,
    pub(crate) on_delete: ReferentialAction,
}

/// The action on the referring row when the referenced row is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReferentialAction {
    Restrict,
    Cascade,
    SetNull,
}

/// An index on some columns of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Index {
    pub(crate) keys: Vec<IndexColumn>,
    pub(crate) unique: bool,
}

/// A column of an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IndexColumn {
    pub(crate) column: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) descending: bool,
    /// Whether a separate key `IS NULL` comes before the column, so that NULL sorts last.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) apart: bool,
}

impl Record {
    /// Returns the record of the tables that a model needs.
    pub(crate) fn of(model: &Model) -> Self {
        Self {
            tables: model.resources().iter().map(|resource| Table::of(model, resource)).collect(),
        }
    }

    /// Returns the table with this name, or `None` if there is no such table.
    pub(crate) fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// Returns the record without some indexes, each with its table.
    #[cfg(feature = "postgres")]
    pub(crate) fn without(&self, indexes: &[(&Table, &Index)]) -> Self {
        let mut record = self.clone();
        for table in &mut record.tables {
            let name = &table.name;
            table.indexes.retain(|index| {
                !indexes.iter().any(|(on, left_out)| on.name == *name && *left_out == index)
            });
        }
        record
    }
}

impl Table {
    fn of(model: &Model, resource: &ResourceModel) -> Self {
        let mut columns: Vec<_> =
            resource.indexed().map(|(ix, field)| Column::of(model, resource, ix, field)).collect();
        columns.push(Column::revision());
        Self { name: resource.def.table.into(), columns, indexes: index::of(resource) }
    }

    /// Returns the column with this name, or `None` if there is no such column.
    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Returns the primary key column.
    pub(crate) fn key(&self) -> &Column {
        &self.columns[0]
    }
}

impl Column {
    fn of(model: &Model, resource: &ResourceModel, ix: FieldIx, field: &FieldModel) -> Self {
        let key = ix == FieldIx::ID;
        Self {
            name: field.column.into(),
            kind: field.kind.into(),
            required: field.required || key,
            default: ColumnDefault::of(field),
            ignore_case: field.ignore_case,
            references: Reference::of(model, resource, ix, field),
        }
    }

    /// Returns the revision column. If another program inserts a row without a revision, the row
    /// gets the default 0, and then a trigger sets the revision.
    fn revision() -> Self {
        Self {
            name: REVISION.into(),
            kind: ColumnKind::Integer,
            required: true,
            default: Some(ColumnDefault::Integer(0)),
            ignore_case: false,
            references: None,
        }
    }
}

impl ColumnDefault {
    fn of(field: &FieldModel) -> Option<Self> {
        if matches!(field.role, Role::CreatedAt | Role::UpdatedAt) {
            return Some(Self::Now);
        }
        match field.default.as_ref()? {
            Default::Now => Some(Self::Now),
            Default::Account(_) | Default::Value(Value::Null | Value::Password(_)) => None,
            Default::Value(Value::Integer(value)) => Some(Self::Integer(*value)),
            Default::Value(Value::Number(value)) => Some(Self::Number(format!("{value:?}"))),
            Default::Value(Value::Text(value)) => Some(Self::Text(value.clone())),
        }
    }
}

impl Reference {
    fn of(
        model: &Model,
        resource: &ResourceModel,
        ix: FieldIx,
        field: &FieldModel,
    ) -> Option<Self> {
        let target = &model[field.target?];
        let referrer = target
            .referrers
            .iter()
            .find(|referrer| (referrer.resource, referrer.field) == (resource.ix, ix))?;
        Some(Self { table: target.def.table.into(), on_delete: referrer.on_delete.into() })
    }
}

impl From<OnDelete> for ReferentialAction {
    fn from(on_delete: OnDelete) -> Self {
        match on_delete {
            OnDelete::Restrict => Self::Restrict,
            OnDelete::Cascade => Self::Cascade,
            OnDelete::SetNull => Self::SetNull,
        }
    }
}

impl From<FieldKind> for ColumnKind {
    fn from(kind: FieldKind) -> Self {
        match kind {
            FieldKind::String => Self::String,
            FieldKind::Integer | FieldKind::Reference => Self::Integer,
            FieldKind::Number => Self::Number,
            FieldKind::Decimal { scale } => Self::Decimal { scale },
            FieldKind::Boolean => Self::Boolean,
            FieldKind::Date => Self::Date,
            FieldKind::Time => Self::Time,
            FieldKind::DateTime => Self::DateTime,
            FieldKind::Uuid => Self::Uuid,
            FieldKind::Json => Self::Json,
            FieldKind::Password => Self::Password,
        }
    }
}

impl fmt::Display for ColumnKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decimal { scale } => write!(f, "decimal with {scale} fraction digits"),
            other => f.write_str(&format!("{other:?}").to_lowercase()),
        }
    }
}
