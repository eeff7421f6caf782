//! The question which rows forbid a deletion.

use super::{Dialect, quoted, text::Text};
use crate::{
    model::{Model, Referrer},
    plan::Shape,
};

/// Whether a member at the end of a path of references points at what a shape deletes, 1 or no row.
///
/// The path begins with who refers to what is deleted. The values are those of the deletion.
pub(crate) fn restricting(shape: &Shape, path: &[Referrer], model: &Model, dialect: Dialect) -> String {
    let mut text = Text::new(model, dialect, shape.place());
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
    text.push(" LIMIT 1");
    text.finish()
}
