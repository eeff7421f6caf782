//! The queries that find rows which restrict a deletion (`ON DELETE RESTRICT`).

use super::{Dialect, quoted, text::SqlText};
use crate::{
    model::{Model, Referrer, rule::Rule},
    plan::Shape,
};

/// Returns the text of a query for a member that refers to a member to be deleted, over a path of
/// references. The query returns the number 1, or no row.
///
/// The first reference of `path` points to the deleted members. The first parameters are those of
/// the deletion. The parameters of the access rule for the members at the end of the path follow.
pub(crate) fn restricting(
    shape: &Shape,
    path: &[Referrer],
    model: &Model,
    dialect: Dialect,
) -> String {
    let mut text = SqlText::new(model, dialect, shape);
    for (depth, referrer) in path.iter().rev().enumerate() {
        let resource = &model[referrer.resource];
        text.push(if depth == 0 { "SELECT 1 FROM " } else { "SELECT \"id\" FROM " });
        text.push(&quoted(resource.def.table));
        text.push(" WHERE ");
        text.push(&quoted(resource[referrer.field].column));
        text.push(" IN (");
    }
    match shape {
        Shape::DeleteMany { filter, listed, .. } => text.matching_ids(filter, *listed),
        _ => {
            text.push("SELECT t.\"id\" FROM ");
            text.table();
            text.by_id();
        }
    }
    text.push(&")".repeat(path.len()));
    if let Some(rule) = referring(shape, path, model) {
        let before = text.values();
        text.push(" AND ");
        text.condition(rule, before, quoted(model[rule.resource].def.table).into());
    }
    text.push(" LIMIT 1");
    text.finish()
}

/// A path of references leads to members. Returns the access rule that decides which of these
/// members the caller may see, or `None` if the path is empty or the caller may see them all.
pub(crate) fn referring<'m>(
    shape: &Shape,
    path: &[Referrer],
    model: &'m Model,
) -> Option<&'m Rule> {
    let last = path.last()?;
    model.readable_rows(shape.place().rules, last.resource)
}
