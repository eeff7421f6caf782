//! The pen: a text in the making, which knows its dialect, its place and how many values are bound
//! so far.

use std::borrow::Cow;

use super::{Dialect, quoted};
use crate::{
    model::{FieldIx, FieldModel, Model, Place, ResourceModel, rule::Rule},
    plan::{RuleRow, Shape},
};

/// A text in the making.
pub(super) struct SqlText<'m> {
    pub(super) model: &'m Model,
    pub(super) dialect: Dialect,
    pub(super) place: Place,
    /// The rules of the statement, each with the number of the values before its own.
    pub(super) rules: Vec<(RuleRow, &'m Rule, usize)>,
    /// The name of the row whose columns are named.
    pub(super) row: Cow<'static, str>,
    /// What leads from that row to the one whose columns are meant: each column, with the resource
    /// that it refers to.
    pub(super) path: Vec<(&'static str, &'m ResourceModel)>,
    sql: String,
    bound: usize,
}

impl<'m> SqlText<'m> {
    /// An empty text; the ids of the place are the first values, and those of the rules follow.
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

    /// The resource that the statement works on.
    pub(super) fn resource(&self) -> &'m ResourceModel {
        &self.model[self.place.resource]
    }

    pub(super) fn push(&mut self, text: &str) {
        self.sql.push_str(text);
    }

    pub(super) fn name(&mut self, name: &str) {
        self.sql.push_str(&quoted(name));
    }

    /// The parameter with this number, from 1.
    pub(super) fn parameter(&mut self, number: usize) {
        self.sql.push(match self.dialect {
            Dialect::Sqlite => '?',
            Dialect::Postgres => '$',
        });
        self.sql.push_str(&number.to_string());
    }

    /// The number of the next value.
    pub(super) fn next(&mut self) -> usize {
        self.bound += 1;
        self.bound
    }

    /// How many values are bound so far.
    pub(super) const fn values(&self) -> usize {
        self.bound
    }

    /// Goes back to so many values, to name those after them once more.
    pub(super) const fn rebind(&mut self, bound: usize) {
        self.bound = bound;
    }

    /// The parameter of the next value.
    pub(super) fn bind(&mut self) {
        let number = self.next();
        self.parameter(number);
    }

    /// `t."column"` of the row; at the end of a path, what the references lead to, or null where
    /// they lead to nothing.
    pub(super) fn column(&mut self, field: &FieldModel) {
        if !self.path.is_empty() {
            return self.referred(field);
        }
        self.sql.push_str(&self.row);
        self.sql.push('.');
        self.name(field.column);
    }

    /// `t."id"`.
    pub(super) fn id(&mut self) {
        let resource = self.resource();
        self.column(&resource[FieldIx::ID]);
    }

    /// `"table" AS t`.
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
