//! The queries for rows that restrict a deletion.

use super::{Dialect, quoted, text::SqlText};
use crate::{
    model::{Model, Referrer, rule::Rule},
    plan::Shape,
};

/// Returns the text of a query that finds a member whose path of references leads to the deleted
/// members, as 1 or no row.
///
/// The path begins with the reference to the deleted members. The values are those of the deletion,
/// followed by those of the rule that determines the visible members at the end of the path.
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

/// Returns the rule that determines the visible members at the end of a path.
pub(crate) fn referring<'m>(
    shape: &Shape,
    path: &[Referrer],
    model: &'m Model,
) -> Option<&'m Rule> {
    let last = path.last()?;
    model.rules(shape.place().rules, last.resource).visible.as_ref()
}
