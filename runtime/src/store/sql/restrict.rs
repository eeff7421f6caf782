//! The queries that find rows which restrict a deletion (`on_delete: restrict`).

use super::{Dialect, parameters::SqlStatement, quoted, text::SqlText};
use crate::{
    model::{Model, Referrer, rule::Rule},
    plan::{RuleRow, Shape},
};

/// Returns the text of a query for a member that refers to a member to be deleted, over a path of
/// references, and that stays itself. The query returns the number 1, or no row.
///
/// The first reference of `path` points to the deleted members. `cascades` are the paths over which
/// the deletion deletes further members. The access rule for the members at the end of the path is
/// part of the query.
pub(crate) fn restricting(
    shape: &Shape,
    path: &[Referrer],
    cascades: &[Vec<Referrer>],
    model: &Model,
    dialect: Dialect,
) -> SqlStatement {
    let mut text = SqlText::new(model, dialect, shape);
    let Some((last, above)) = path.split_last() else { return text.finish() };
    let table = quoted(model[last.resource].def.table);
    text.push("SELECT 1 FROM ");
    text.referring_rows(shape, last, above);
    for cascade in cascades.iter().filter(|cascade| ends_at(shape, cascade) == last.resource) {
        text.push(" AND ");
        text.push(&table);
        text.push(".\"id\" NOT IN (");
        text.deleted_ids(shape, cascade);
        text.push(")");
    }
    if let Some(rule) = referring(shape, path, model) {
        let before = text.reserve(rule);
        text.push(" AND ");
        text.rule_of(rule, before, table.into());
    }
    text.push(" LIMIT 1");
    text.finish()
}

/// Returns the resource at the end of a path that begins at the members of a deletion.
pub(crate) fn ends_at(shape: &Shape, path: &[Referrer]) -> crate::model::ResourceIx {
    path.last().map_or(shape.place().resource, |last| last.resource)
}

/// A path of references leads to members. Returns the access rule that decides which of these
/// members the caller may see, or `None` if the path is empty or the caller may see them all.
fn referring<'m>(shape: &Shape, path: &[Referrer], model: &'m Model) -> Option<&'m Rule> {
    let last = path.last()?;
    model.readable_rows(shape.place().rules, last.resource)
}

impl SqlText<'_> {
    /// Writes the rows that refer to the members at the end of a path: a table with a condition.
    fn referring_rows(&mut self, shape: &Shape, referrer: &Referrer, path: &[Referrer]) {
        let resource = &self.model[referrer.resource];
        self.name(resource.def.table);
        self.push(" WHERE ");
        self.name(resource.def.table);
        self.push(".");
        self.name(resource[referrer.field].column);
        self.push(" IN (");
        self.deleted_ids(shape, path);
        self.push(")");
    }

    /// Writes a query for the ids of the members at the end of a path that begins at the members of
    /// a deletion. A text may contain it several times.
    fn deleted_ids(&mut self, shape: &Shape, path: &[Referrer]) {
        if let Some((last, above)) = path.split_last() {
            self.push("SELECT \"id\" FROM ");
            return self.referring_rows(shape, last, above);
        }
        self.push("SELECT ");
        self.id();
        self.push(" FROM ");
        self.table();
        match shape {
            Shape::DeleteMany { filter, listed, .. } => self.deleted(filter, *listed),
            _ => {
                self.by_id();
                self.and_rule(RuleRow::Changed, "t".into());
            }
        }
    }
}
