//! The SQL of the related rows that come with a row: members, each joined by its id, and lists.

use super::{Dialect, text::SqlText};
use crate::model::{FieldIx, RelatedSelections, ResourceIx, def::FieldKind};

/// The aliases of the members that are joined to a row.
pub(super) struct JoinNames {
    before: String,
    count: usize,
}

impl JoinNames {
    /// The aliases of members that are joined to the rows of a list with this alias.
    pub(super) fn of_list(alias: &str) -> Self {
        Self { before: format!("{alias}j"), count: 0 }
    }

    /// The aliases of members that are joined to the rows of a statement.
    pub(super) fn of_statement() -> Self {
        Self { before: "j".to_owned(), count: 0 }
    }

    /// Returns the alias of the next member, in the order of its cells.
    fn next(&mut self) -> String {
        self.count += 1;
        format!("{}{}", self.before, self.count)
    }
}

impl SqlText<'_> {
    /// Writes the cells of related rows, each with a comma before it: for each member its id, its
    /// fields, and the rows that are related to it, then the lists.
    pub(super) fn related_cells(&mut self, related: &RelatedSelections) {
        self.cells_of(self.place.resource, related, &mut JoinNames::of_statement());
    }

    /// Writes the joins of related members to the current row.
    pub(super) fn joins(&mut self, related: &RelatedSelections) {
        self.joins_of(self.place.resource, related, &mut JoinNames::of_statement());
    }

    pub(super) fn cells_of(
        &mut self,
        of: ResourceIx,
        related: &RelatedSelections,
        names: &mut JoinNames,
    ) {
        let model = self.model;
        for one in &related.members {
            let (target, _) = one.reference(&model[of]);
            let alias = names.next();
            for ix in [FieldIx::ID].iter().chain(&one.fields) {
                let field = &model[target][*ix];
                let is_string = *ix != FieldIx::ID && field.kind == FieldKind::String;
                let length_max = one.length_max.filter(|_| is_string);
                self.push(if length_max.is_some() { ", substr(" } else { ", " });
                self.of_row(&alias, |text| text.cell(field));
                if let Some(length) = length_max {
                    self.push(&format!(", 1, {length})"));
                }
            }
            self.of_row(&alias, |text| text.cells_of(target, &one.related, names));
        }
        for list in &related.lists {
            self.push(", ");
            self.list_cell(of, list);
        }
    }

    pub(super) fn joins_of(
        &mut self,
        of: ResourceIx,
        related: &RelatedSelections,
        names: &mut JoinNames,
    ) {
        let model = self.model;
        for one in &related.members {
            let (target, field) = one.reference(&model[of]);
            let reference = self.part(|text| text.column(&model[of][field]));
            let alias = names.next();
            self.join(target, &alias, &reference);
            self.of_row(&alias, |text| text.joins_of(target, &one.related, names));
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
    pub(super) fn of_row(&mut self, alias: &str, write: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.row, alias.to_owned().into());
        self.of_subquery(false, write);
        self.row = outer;
    }
}
