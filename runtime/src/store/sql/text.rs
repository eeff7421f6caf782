//! The builder of a statement's text, which tracks the dialect, the place and the number of bound
//! values.

use std::borrow::Cow;

use super::{Dialect, quoted};
use crate::{
    model::{FieldIx, FieldModel, Model, Place, ResourceModel, rule::Rule},
    plan::{RuleRow, Shape},
};

/// The text of a statement under construction.
pub(super) struct SqlText<'m> {
    pub(super) model: &'m Model,
    pub(super) dialect: Dialect,
    pub(super) place: Place,
    /// The rules of the statement, each with the number of values before its own.
    pub(super) rules: Vec<(RuleRow, &'m Rule, usize)>,
    /// The name of the row whose columns are written.
    pub(super) row: Cow<'static, str>,
    /// The references from that row to the row whose columns are written: each column, with the
    /// resource that it refers to.
    pub(super) path: Vec<(&'static str, &'m ResourceModel)>,
    sql: String,
    bound: usize,
}

impl<'m> SqlText<'m> {
    /// Creates an empty text; the ids of the place are the first values, and those of the rules
    /// follow.
    pub(super) fn new(model: &'m Model, dialect: Dialect, shape: &Shape) -> Self {
        let place = shape.place();
        let mut bound = usize::from(place.depth);
        let rules = shape.rules(model).into_iter().map(|(tested, rule)| {
            let before = bound;
            bound += rule.values.len();
            (tested, rule, before)
        });
        let rules = rules.collect();
        let (sql, row, path) = (String::with_capacity(256), Cow::Borrowed("t"), vec![]);
        Self { model, dialect, place, rules, row, path, sql, bound }
    }

    pub(super) fn finish(self) -> String {
        self.sql
    }

    /// Returns the resource of the statement.
    pub(super) fn resource(&self) -> &'m ResourceModel {
        &self.model[self.place.resource]
    }

    pub(super) fn push(&mut self, text: &str) {
        self.sql.push_str(text);
    }

    pub(super) fn name(&mut self, name: &str) {
        self.sql.push_str(&quoted(name));
    }

    /// Writes the parameter with this number, from 1.
    pub(super) fn parameter(&mut self, number: usize) {
        self.sql.push(match self.dialect {
            Dialect::Sqlite => '?',
            Dialect::Postgres => '$',
        });
        self.sql.push_str(&number.to_string());
    }

    /// Returns the number of the next value.
    pub(super) fn next(&mut self) -> usize {
        self.bound += 1;
        self.bound
    }

    /// Returns how many values are bound so far.
    pub(super) const fn values(&self) -> usize {
        self.bound
    }

    /// Resets the number of bound values, so that later ones can be named again.
    pub(super) const fn rebind(&mut self, bound: usize) {
        self.bound = bound;
    }

    /// Writes the parameter of the next value.
    pub(super) fn bind(&mut self) {
        let number = self.next();
        self.parameter(number);
    }

    /// Writes `t."column"` of the row. At the end of a path it is the column of the referenced row,
    /// or null where there is none.
    pub(super) fn column(&mut self, field: &FieldModel) {
        if !self.path.is_empty() {
            return self.referred(field);
        }
        self.sql.push_str(&self.row);
        self.sql.push('.');
        self.name(field.column);
    }

    /// Writes `t."id"`.
    pub(super) fn id(&mut self) {
        let resource = self.resource();
        self.column(&resource[FieldIx::ID]);
    }

    /// Writes `"table" AS t`.
    pub(super) fn table(&mut self) {
        self.name(self.resource().def.table);
        self.push(" AS t");
    }

    /// Calls a closure for each item, with a separator between them.
    pub(super) fn separated<T>(
        &mut self,
        separator: &str,
        items: impl IntoIterator<Item = T>,
        mut each: impl FnMut(&mut Self, T),
    ) {
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                self.push(separator);
            }
            each(self, item);
        }
    }
}
