//! The SQL of the related members that come with a row. Each is joined by its id.

use super::{Dialect, text::SqlText};
use crate::model::{FieldIx, RelatedSelection, ResourceIx, def::FieldKind};

impl SqlText<'_> {
    /// Writes the cells of related members, each with a comma before it: for each member its id,
    /// its fields, and the members that it refers to.
    pub(super) fn related_cells(&mut self, related: &[RelatedSelection]) {
        self.cells_of(self.place.resource, related, &mut 0);
    }

    /// Writes the joins of related members to the current row.
    pub(super) fn joins(&mut self, related: &[RelatedSelection]) {
        self.joins_of(self.place.resource, related, &mut 0);
    }

    fn cells_of(&mut self, of: ResourceIx, related: &[RelatedSelection], count: &mut usize) {
        let model = self.model;
        for one in related {
            let (target, _) = one.reference(&model[of]);
            let alias = next_alias(count);
            for ix in [FieldIx::ID].iter().chain(&one.fields) {
                let field = &model[target][*ix];
                let is_string = *ix != FieldIx::ID && field.kind == FieldKind::String;
                let length_max = one.length_max.filter(|_| is_string);
                self.push(if length_max.is_some() { ", substr(" } else { ", " });
                self.of_row(&alias, |text| text.column(field));
                if let Some(length) = length_max {
                    self.push(&format!(", 1, {length})"));
                }
            }
            self.cells_of(target, &one.related, count);
        }
    }

    fn joins_of(&mut self, of: ResourceIx, related: &[RelatedSelection], count: &mut usize) {
        let model = self.model;
        for one in related {
            let (target, field) = one.reference(&model[of]);
            let reference = self.part(|text| text.column(&model[of][field]));
            let alias = next_alias(count);
            self.join(target, &alias, &reference);
            self.of_row(&alias, |text| text.joins_of(target, &one.related, count));
        }
    }

    /// Writes the join of the member with an id, if the caller may read it.
    ///
    /// PostgreSQL looks each member up by its id. Without the limit, it might read the whole table
    /// for the members of one page.
    fn join(&mut self, target: ResourceIx, alias: &str, id: &str) {
        let is_lateral = self.dialect == Dialect::Postgres;
        self.push(" LEFT JOIN ");
        self.push(if is_lateral { "LATERAL (SELECT * FROM " } else { "" });
        self.name(self.model[target].def.table);
        self.push(&format!(" AS {alias} "));
        self.push(if is_lateral { "WHERE " } else { "ON " });
        self.push(&format!("{alias}.\"id\" = {id}"));
        self.and_readable(target, alias.to_owned());
        if is_lateral {
            self.push(&format!(" LIMIT 1) AS {alias} ON TRUE"));
        }
    }

    /// Writes what concerns the row with this alias.
    fn of_row(&mut self, alias: &str, write: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.row, alias.to_owned().into());
        self.of_subquery(false, write);
        self.row = outer;
    }
}

/// Returns the alias of the next member, in the order of its cells.
fn next_alias(count: &mut usize) -> String {
    *count += 1;
    format!("j{count}")
}
