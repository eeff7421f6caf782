//! The SQL text of statements that write. They set the time and the revision of the change, too.

use std::borrow::Cow;

use super::{Dialect, REVISION, ddl, parameters::Origin, quoted, text::SqlText};
use crate::{
    model::{FieldIx, FieldModel, Role, View, def::FieldKind},
    plan::{Filter, RuleRow},
};

/// The name of the SQL function that applies a merge patch to a JSON text.
pub(crate) const MERGE_PATCH: &str = "_nouns_merge_patch";
/// The condition that is true once the counter is increased. It reads the result of the increase,
/// so the counter is locked before the row.
const IS_COUNTED: &str = "EXISTS (SELECT 1 FROM _counted)";

impl SqlText<'_> {
    pub(super) fn insert(&mut self, columns: &[FieldIx], view: View) {
        let resource = self.resource();
        let parent = resource.parent.filter(|_| self.nested()).map(|(_, field)| &resource[field]);
        let set: Vec<&FieldModel> = columns.iter().map(|column| &resource[*column]).collect();
        self.push("INSERT INTO ");
        self.name(resource.def.table);
        self.push(" (");
        for field in parent.iter().chain(&set) {
            self.name(field.column);
            self.push(", ");
        }
        self.stamps();
        self.push(if self.selects() { ") SELECT " } else { ") VALUES (" });
        if let Some(parent) = parent {
            self.inserted_value(parent.kind, self.place.depth.into());
            self.push(", ");
        }
        for (at, field) in (0..).zip(set) {
            let number = self.number(Origin::Column(at));
            self.inserted_value(field.kind, number);
            self.push(", ");
        }
        self.stamp_values();
        match (self.is_counted, self.nested()) {
            (true, nested) => {
                self.batch_rows(" FROM ");
                self.push(" WHERE ");
                self.push(IS_COUNTED);
                if nested && self.batch.is_some() {
                    self.push(" AND ");
                    self.whole();
                }
            }
            (false, true) => {
                self.push(" WHERE ");
                self.whole();
            }
            (false, false) => self.push(")"),
        }
        self.returning(view);
        self.permitted(quoted(resource.def.table).into());
    }

    pub(super) fn update(&mut self, columns: &[FieldIx], merged: &[FieldIx], view: View) {
        let resource = self.resource();
        let id = self.number(Origin::Id);
        self.push("UPDATE ");
        self.table();
        self.push(" SET ");
        for (at, column) in (0..).zip(columns) {
            self.name(resource[*column].column);
            self.push(" = ");
            let number = self.number(Origin::Column(at));
            if merged.contains(column) && self.dialect == Dialect::Sqlite {
                self.merge(&resource[*column], number);
            } else {
                self.field_value(resource[*column].kind, number);
            }
            self.push(", ");
        }
        self.change_time(resource[resource.system(Role::UpdatedAt)].column);
        self.push(", ");
        self.name(REVISION);
        self.push(" = ");
        self.bind(Origin::Revision);
        self.batch_rows(" FROM ");
        self.push(" WHERE ");
        self.id();
        self.push(" = ");
        self.parameter(id);
        self.and_changeable();
        self.returning(view);
        self.bytes(merged);
        if resource.parent.is_some_and(|(_, field)| columns.contains(&field)) {
            self.above_parent();
        }
        let row = self.updated();
        self.permitted(row);
    }

    /// Appends a result column that says whether the inserted or updated row satisfies the access
    /// rule for writes. Appends nothing if there is no rule.
    fn permitted(&mut self, row: Cow<'static, str>) {
        if self.has_rule(RuleRow::Written) {
            self.push(", ");
            self.demanded(|text| text.rule(RuleRow::Written, row));
        }
    }

    /// Writes a condition on a written row. A counted statement fails if the condition is not true:
    /// there is no integer for the division by zero.
    pub(super) fn demanded(&mut self, condition: impl FnOnce(&mut Self)) {
        if !self.is_counted {
            return condition(self);
        }
        self.push("1 / CAST((");
        condition(self);
        self.push(") IS TRUE AS integer)");
    }

    /// Writes ` AND` and all conditions on a member that is changed or deleted.
    fn and_changeable(&mut self) {
        // The increase has tested the ancestors of a single member.
        match self.is_counted && self.batch.is_none() && self.nested() {
            true => {
                self.push(" AND ");
                self.below();
            }
            false => self.and_chain(),
        }
        self.and_visible();
        self.and_rule(RuleRow::Changed, "t".into());
        if self.is_counted {
            self.push(" AND ");
            self.push(IS_COUNTED);
        }
        self.and_revision();
    }

    /// Writes ` AND` and the condition that the row has the expected revision, in a counted
    /// statement. NULL stands for any.
    pub(super) fn and_revision(&mut self) {
        if !self.is_counted {
            return;
        }
        let number = self.number(Origin::Expected);
        self.push(" AND (CAST(");
        self.parameter(number);
        self.push(" AS bigint) IS NULL OR t.");
        self.name(REVISION);
        self.push(" = ");
        self.parameter(number);
        self.push(")");
    }

    /// Appends a result column with the total number of bytes of the values after merge patches.
    /// Only the database knows these values. Appends nothing if there are no merge patches.
    fn bytes(&mut self, merged: &[FieldIx]) {
        if merged.is_empty() {
            return;
        }
        let resource = self.resource();
        self.push(", ");
        self.separated(" + ", merged, |text, field| {
            text.push("octet_length(CAST(");
            text.name(resource[*field].column);
            text.push(" AS text))");
        });
    }

    /// Writes the assignment of the time of the change. In PostgreSQL, the clocks of several nodes
    /// may differ. So the function, which is created with the tables, compares with the last time.
    fn change_time(&mut self, column: &str) {
        self.name(column);
        self.push(" = ");
        match self.dialect {
            Dialect::Sqlite => self.bind(Origin::Time),
            Dialect::Postgres => {
                self.push("_nouns_after(t.");
                self.name(column);
                self.push(", ");
                self.bind(Origin::Time);
                self.push(")");
            }
        }
    }

    /// Writes the stored value with a merge patch applied. A stored value that is not an object is
    /// treated as an empty object (RFC 7396 §2).
    ///
    /// The store registers the function on SQLite's write connection, because SQLite's own
    /// `json_patch` takes quadratic time in the number of names. For PostgreSQL the store itself
    /// applies the patch, and binds the result.
    fn merge(&mut self, field: &FieldModel, patch: usize) {
        self.push(MERGE_PATCH);
        self.push(&format!("(coalesce({}, 'null'), ", quoted(field.column)));
        self.parameter(patch);
        self.push(")");
    }

    pub(super) fn delete(&mut self) {
        self.push("DELETE FROM ");
        self.table();
        self.push(" WHERE ");
        self.id();
        self.push(" = ");
        self.bind(Origin::Id);
        self.and_changeable();
    }

    /// Whether an insert selects its values, since it has a condition.
    const fn selects(&self) -> bool {
        self.nested() || self.is_counted
    }

    pub(super) fn delete_many(&mut self, filter: &Filter, listed: bool) {
        self.push("DELETE FROM ");
        self.table();
        self.deleted(filter, listed);
    }

    /// Writes ` WHERE` and the condition on the members that a deletion by a filter deletes. Writes
    /// nothing if it deletes all.
    pub(super) fn deleted(&mut self, filter: &Filter, listed: bool) {
        if listed {
            self.push(" WHERE ");
            self.id();
            self.push(" IN (");
            self.listed_ids(filter);
            self.push(")");
            self.and_rule(RuleRow::Changed, "t".into());
        } else {
            self.matching(filter);
            self.and_changed(filter);
        }
    }

    /// Writes the names of the columns that the store itself sets.
    fn stamps(&mut self) {
        let resource = self.resource();
        for role in [Role::CreatedAt, Role::UpdatedAt] {
            self.name(resource[resource.system(role)].column);
            self.push(", ");
        }
        self.name(REVISION);
    }

    /// Writes the values of the columns that the store itself sets: the time twice, then the
    /// revision.
    fn stamp_values(&mut self) {
        let resource = self.resource();
        let time = self.number(Origin::Time);
        for role in [Role::CreatedAt, Role::UpdatedAt] {
            self.inserted_value(resource[resource.system(role)].kind, time);
            self.push(", ");
        }
        let revision = self.number(Origin::Revision);
        self.inserted_value(FieldKind::Integer, revision);
    }

    /// Writes a value to insert. In a SELECT, PostgreSQL cannot infer the type of a parameter, so
    /// the value is cast.
    fn inserted_value(&mut self, kind: FieldKind, number: usize) {
        if self.dialect == Dialect::Postgres && self.selects() {
            self.push("CAST(");
            self.field_value(kind, number);
            self.push(" AS ");
            self.push(&ddl::kind(kind.into(), self.dialect));
            self.push(")");
        } else {
            self.field_value(kind, number);
        }
    }

    fn returning(&mut self, view: View) {
        let resource = self.resource();
        self.push(" RETURNING ");
        self.name(REVISION);
        for (_, field) in resource.viewed(view) {
            self.push(", ");
            self.name(field.column);
        }
        if let Some(field) = self.unseen_change(view) {
            self.push(", ");
            self.name(field.column);
        }
    }
}
