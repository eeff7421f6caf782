//! The SQL text of statements, built from shapes (statements without their values) and the linked
//! model. This module runs no SQL.
//!
//! Every value is a bound parameter, and every identifier is quoted. Equal shapes give equal texts.

mod advice;
mod batch;
mod beyond;
mod chain;
mod condition;
#[cfg(feature = "postgres")]
mod counted;
pub(crate) mod ddl;
mod index;
mod join;
mod list;
mod lookup;
mod operand;
mod order;
pub(super) mod parameters;
mod read;
pub(crate) mod record;
mod related;
mod restrict;
pub(super) mod shared;
mod text;
mod trigger;
mod write;

pub(crate) use self::parameters::SqlStatement;
pub(crate) use self::{
    advice::Advice,
    index::unique_sets,
    restrict::{ends_at, restricting},
    trigger::{
        AHEAD, OWN, PROGRAM, create as triggers, is_ours as is_own_trigger, names as trigger_names,
    },
    write::MERGE_PATCH,
};
#[cfg(feature = "postgres")]
pub(crate) use self::{
    counted::{CountedWrite, with_state},
    index::TEMPORARY_PREFIX,
};
use self::{read::ListClauses, record::Record, text::SqlText};
use crate::{model::Model, plan::Shape};

/// The column of every table that holds the revision of a row.
pub(crate) const REVISION: &str = "revision";

/// The SQL dialects that statements can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The dialect of SQLite 3.44 and later.
    Sqlite,
    /// The dialect of PostgreSQL 12 and later.
    Postgres,
}

/// Returns the SQL text of a statement.
///
/// Its first parameters are the ids of the ancestors in the URL and the values of the access rules.
/// The others have numbers in the order in which the text needs them. The store knows where
/// the value of each comes from: from a [`Step`](crate::plan::Step), or from the store itself.
///
/// ```
/// use nouns_runtime::{
///     Model,
///     def::{ApiDef, ResourceDef},
///     model::ResourceIx,
///     plan::{Place, Shape},
///     sql::{self, Dialect},
/// };
///
/// static ZOO: ResourceDef = ResourceDef::new("zoo", "zoos", "Zoo");
/// static API: ApiDef = ApiDef { resources: &[&ZOO], ..ApiDef::new("Zoos") };
/// let model = Model::link(&API).unwrap();
/// let shape = Shape::Exists { place: Place::new(ResourceIx(0), 0) };
/// assert_eq!(sql::text(&shape, &model, Dialect::Postgres), r#"SELECT 1 FROM "zoos" AS t WHERE t."id" = $1"#);
/// ```
#[must_use]
pub fn text(shape: &Shape, model: &Model, dialect: Dialect) -> String {
    statement(shape, model, dialect).text
}

/// Returns for each parameter of a statement the position of its value among those of a
/// [`Step`](crate::plan::Step). `None` for a value that the store brings: of an access rule, the
/// time, or the revision.
///
/// ```
/// use nouns_runtime::{
///     Model,
///     def::{ApiDef, ResourceDef},
///     model::ResourceIx,
///     plan::{Place, Shape, View},
///     sql::{self, Dialect},
/// };
///
/// static ZOO: ResourceDef = ResourceDef::new("zoo", "zoos", "Zoo");
/// static API: ApiDef = ApiDef { resources: &[&ZOO], ..ApiDef::new("Zoos") };
/// let model = Model::link(&API).unwrap();
/// let (place, columns, merged) = (Place::new(ResourceIx(0), 0), vec![], vec![]);
/// let shape = Shape::Update { place, columns, merged, view: View::Shown };
/// // The id, the time and the revision.
/// assert_eq!(sql::positions(&shape, &model, Dialect::Sqlite), [Some(0), None, None]);
/// ```
#[must_use]
pub fn positions(shape: &Shape, model: &Model, dialect: Dialect) -> Vec<Option<usize>> {
    statement(shape, model, dialect).parameters.origins().map(|(_, at)| at).collect()
}

/// Returns the SQL text of a statement, with the origins of its parameters.
pub(crate) fn statement(shape: &Shape, model: &Model, dialect: Dialect) -> SqlStatement {
    let mut text = SqlText::new(model, dialect, shape);
    text.statement(shape);
    text.finish()
}

/// Returns the statements that create the tables, indexes and triggers of a model. A semicolon and
/// a line feed follow each statement.
///
/// The system tables are not included, because the store creates them.
#[must_use]
pub fn schema(model: &Model, dialect: Dialect) -> String {
    ddl::create(&Record::of(model), dialect)
        .iter()
        .map(|statement| format!("{statement};\n"))
        .collect()
}

impl SqlText<'_> {
    /// Writes the statement of a shape.
    fn statement(&mut self, shape: &Shape) {
        match shape {
            Shape::List { filter, sort, selection, part, beyond, .. } => {
                self.list(&ListClauses { filter, sort, selection, part: *part, beyond });
            }
            Shape::Count { filter, .. } => self.count(filter),
            Shape::Get { selection, .. } => self.get(selection),
            Shape::Look { fields, .. } => self.look(fields),
            Shape::Insert { columns, view, .. } => self.insert(columns, *view),
            Shape::Update { columns, merged, view, .. } => self.update(columns, merged, *view),
            Shape::Delete { .. } => self.delete(),
            Shape::DeleteMany { filter, listed, .. } => self.delete_many(filter, *listed),
            Shape::Ids { filter, listed, .. } => self.ids(filter, *listed),
            Shape::Links { .. } => self.links(),
            Shape::Exists { .. } => self.exists(),
            Shape::Choices { label, .. } => self.choices(*label),
            Shape::CountMost { filter, .. } => self.count_most(filter),
            Shape::Tally { filter, field, related, .. } => self.tally(filter, *field, related),
            Shape::ListRows { reference, list, .. } => self.list_rows(*reference, list),
            Shape::Taken { fields, .. } => self.other_with(fields),
        }
    }
}

/// Quotes an SQL identifier with double quotes (SQL:2023 §5.2).
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Quotes a text as an SQL string literal.
pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_doubled() {
        assert_eq!(quoted(r#"a"b"#), r#""a""b""#);
        assert_eq!(literal("it's"), "'it''s'");
    }
}
