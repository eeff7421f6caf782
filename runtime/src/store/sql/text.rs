//! The builder of the SQL text of a statement. It tracks the SQL dialect, the resource, and the
//! origins of the parameters.

use std::borrow::Cow;

use super::{
    Dialect,
    batch::BatchRows,
    parameters::{Origin, Sections, SqlStatement, StatementParameters},
    quoted,
};
use crate::{
    model::{
        FieldIx, FieldModel, ListSelection, Model, Place, ResourceModel, def::FieldKind,
        rule::Rule, value,
    },
    plan::{RuleRow, Shape},
};

/// The SQL text of a statement that is being built.
pub(super) struct SqlText<'m> {
    pub(super) model: &'m Model,
    pub(super) dialect: Dialect,
    pub(super) place: Place,
    /// The access rules of the statement, each with the number of parameters that come before those
    /// of the rule.
    pub(super) rules: Vec<(RuleRow, &'m Rule, usize)>,
    /// The table name or alias of the current row, whose columns `column` writes.
    pub(super) row: Cow<'static, str>,
    /// The number of related rows that have an alias where the text is.
    pub(super) related_rows: usize,
    /// Whether the current row is one of a subquery, whose columns `column` then names.
    is_of_subquery: bool,
    /// Whether a statement that writes also increases the counters of tables, and tests all that
    /// the write depends on.
    pub(super) is_counted: bool,
    /// The rows of a statement that writes several members.
    pub(super) batch: Option<BatchRows<'m>>,
    /// The source of the next value with which a field is compared.
    pub(super) source: ValueSource,
    sql: String,
    sections: Sections,
    /// The sections of the statement that finds an account, if this text is that statement. It is
    /// then a part of another text.
    of_account: Option<Sections>,
    parameters: Vec<NumberedOrigin>,
    /// The number of parameters before those of the filter, once it has any.
    before_filter: Option<usize>,
    /// The numbers of lists, and of their values, that have aliases and parameters.
    lists: (usize, u16),
}

/// The source of the next value with which a field is compared.
#[derive(Clone, Copy)]
pub(super) enum ValueSource {
    /// The value of the filter with this index.
    Condition(u16),
    /// A value of an access rule: the parameter after this number.
    Rule(usize),
    /// A value of the filter of a list: the parameter after this number.
    List(usize),
}

/// A parameter of a text.
pub(super) struct NumberedOrigin {
    pub(super) origin: Origin,
    /// Whether the text names it.
    is_named: bool,
}

impl<'m> SqlText<'m> {
    /// Creates an empty text. The first parameters are the ids of the ancestors in the URL. The
    /// values of the access rules follow.
    pub(super) fn new(model: &'m Model, dialect: Dialect, shape: &Shape) -> Self {
        let place = shape.place();
        let mut text = Self {
            model,
            dialect,
            place,
            rules: vec![],
            row: Cow::Borrowed("t"),
            related_rows: 0,
            is_of_subquery: false,
            is_counted: false,
            batch: None,
            source: ValueSource::Condition(0),
            sql: String::with_capacity(256),
            sections: Sections::of(shape),
            of_account: None,
            parameters: vec![],
            before_filter: None,
            lists: (0, 0),
        };
        for ancestor in 0..place.depth {
            text.number(Origin::Ancestor(ancestor));
        }
        for (tested, rule) in shape.rules(model, dialect == Dialect::Postgres) {
            let before = text.reserve(rule);
            text.rules.push((tested, rule, before));
        }
        text
    }

    /// Returns the text of the statement that finds the account of the caller, as a part of this
    /// text. It has neither ancestors in its URL nor access rules.
    #[cfg(feature = "postgres")]
    pub(super) fn of_account(&mut self, shape: &Shape) -> String {
        let place = shape.place().flat(shape.place().resource);
        let mut found = Self { place, rules: vec![], ..Self::new(self.model, self.dialect, shape) };
        found.parameters = std::mem::take(&mut self.parameters);
        found.of_account = Some(found.sections);
        found.statement(shape);
        self.parameters = found.parameters;
        found.sql
    }

    /// Returns the statement. Its text names each parameter: PostgreSQL cannot infer the type of a
    /// value that no part of a text mentions.
    pub(super) fn finish(self) -> SqlStatement {
        debug_assert!(
            self.parameters.iter().all(|parameter| parameter.is_named),
            "a parameter is not named: {}",
            self.sql
        );
        let origins = self.parameters.into_iter().map(|parameter| parameter.origin).collect();
        SqlStatement {
            text: self.sql,
            parameters: StatementParameters::new(origins, self.sections),
        }
    }

    /// Takes the text that was written so far.
    #[cfg(feature = "postgres")]
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.sql)
    }

    /// Returns the resource that the statement reads or writes.
    pub(super) fn resource(&self) -> &'m ResourceModel {
        &self.model[self.place.resource]
    }

    pub(super) fn push(&mut self, text: &str) {
        self.sql.push_str(text);
    }

    pub(super) fn name(&mut self, name: &str) {
        self.sql.push_str(&quoted(name));
    }

    /// Writes the parameter with this number. The first parameter is 1.
    pub(super) fn parameter(&mut self, number: usize) {
        if let Some(parameter) = self.parameters.get_mut(number.wrapping_sub(1)) {
            parameter.is_named = true;
            if self.batch.is_some() && BatchRows::is_per_member(&parameter.origin) {
                return self.push(&BatchRows::column(number));
            }
        }
        self.sql.push(match self.dialect {
            Dialect::Sqlite => '?',
            Dialect::Postgres => '$',
        });
        self.sql.push_str(&number.to_string());
    }

    /// Writes the parameter with this number, for a field of this kind. A decimal is bound as an
    /// integer; in PostgreSQL its column is a number with digits after the point.
    pub(super) fn field_value(&mut self, kind: FieldKind, number: usize) {
        let FieldKind::Decimal { scale } = kind else { return self.parameter(number) };
        if self.dialect == Dialect::Sqlite {
            return self.parameter(number);
        }
        self.push("(CAST(");
        self.parameter(number);
        self.push(&format!(" AS bigint) * {})", value::spell_decimal(1, scale)));
    }

    /// Writes the parameter with this number, whose type nothing else tells. PostgreSQL needs one.
    pub(super) fn untyped(&mut self, number: usize) {
        let is_cast = self.dialect == Dialect::Postgres;
        self.push(if is_cast { "CAST(" } else { "" });
        self.parameter(number);
        self.push(if is_cast { " AS text)" } else { "" });
    }

    /// Returns the number of the parameter with this origin. If there is none yet, it gets the next
    /// number.
    pub(super) fn number(&mut self, origin: Origin) -> usize {
        let origin = self.in_whole(origin);
        let known = self.parameters.iter().position(|known| known.origin == origin);
        1 + known.unwrap_or_else(|| {
            self.parameters.push(NumberedOrigin { origin, is_named: false });
            self.parameters.len() - 1
        })
    }

    /// Returns an origin as the whole text knows it, which may have another text as a part.
    fn in_whole(&self, origin: Origin) -> Origin {
        let at = self.of_account.and_then(|sections| sections.at(&origin));
        at.and_then(|at| u16::try_from(at).ok()).map_or(origin, Origin::Account)
    }

    /// Adds parameters for the values of an access rule. Returns the number of those before.
    pub(super) fn reserve(&mut self, rule: &Rule) -> usize {
        let before = self.parameters.len();
        let values = rule.values.iter().cloned().map(Origin::Rule);
        self.parameters.extend(values.map(|origin| NumberedOrigin { origin, is_named: false }));
        before
    }

    /// Adds parameters for the values of the next list. Returns its alias, the number of parameters
    /// before those of its filter, and the origin of its limit.
    pub(super) fn next_list(&mut self, list: &ListSelection) -> (String, usize, Origin) {
        let (before, (number, first)) = (self.parameters.len(), self.lists);
        let end = first + u16::try_from(list.value_count()).expect("a request has few values");
        self.lists = (number + 1, end);
        let values = (first..end).map(Origin::ListValue);
        self.parameters.extend(values.map(|origin| NumberedOrigin { origin, is_named: false }));
        (format!("l{}", number + 1), before, Origin::ListValue(end - 1))
    }

    /// Returns the number of the next value with which a field is compared. A filter may have many
    /// values, so none of them is searched.
    pub(super) fn next_value(&mut self) -> usize {
        match &mut self.source {
            ValueSource::Condition(at) => {
                let origin = Origin::Condition(*at);
                let before = *self.before_filter.get_or_insert(self.parameters.len());
                let number = before + usize::from(*at) + 1;
                *at += 1;
                if number > self.parameters.len() {
                    let origin = self.in_whole(origin);
                    self.parameters.push(NumberedOrigin { origin, is_named: false });
                }
                number
            }
            ValueSource::Rule(last) | ValueSource::List(last) => {
                *last += 1;
                *last
            }
        }
    }

    /// Returns the number that the next such value will have.
    pub(super) fn coming_value(&self) -> usize {
        match self.source {
            ValueSource::Condition(at) => {
                self.before_filter.unwrap_or(self.parameters.len()) + usize::from(at) + 1
            }
            ValueSource::Rule(last) | ValueSource::List(last) => last + 1,
        }
    }

    /// Whether the text is that of an access rule, which passes rows with the rights of the server.
    pub(super) const fn is_of_rule(&self) -> bool {
        matches!(self.source, ValueSource::Rule(_))
    }

    /// Returns the parameters that the text has until now.
    pub(super) fn parameters(&self) -> &[NumberedOrigin] {
        &self.parameters
    }

    /// Writes the parameter with this origin.
    pub(super) fn bind(&mut self, origin: Origin) {
        let number = self.number(origin);
        self.parameter(number);
    }

    /// Writes a column of the current row, such as `t."column"`.
    pub(super) fn column(&mut self, field: &FieldModel) {
        self.column_named(field.column);
    }

    /// Writes the column with this name of the current row.
    pub(super) fn column_named(&mut self, name: &str) {
        self.sql.push_str(&self.row);
        self.sql.push('.');
        let in_subquery = subquery_name(name).filter(|_| self.is_of_subquery);
        self.name(in_subquery.as_deref().unwrap_or(name));
    }

    /// Returns a part of the text, which is not written yet.
    pub(super) fn part(&mut self, write: impl FnOnce(&mut Self)) -> String {
        let start = self.sql.len();
        write(self);
        self.sql.split_off(start)
    }

    /// Writes columns of the current row, which may be one of a subquery.
    pub(super) fn of_subquery(&mut self, is_of_subquery: bool, write: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.is_of_subquery, is_of_subquery);
        write(self);
        self.is_of_subquery = outer;
    }

    /// Writes the id column, `t."id"`.
    pub(super) fn id(&mut self) {
        let resource = self.resource();
        self.column(&resource[FieldIx::ID]);
    }

    /// Writes the table of the resource, `"table" AS t`.
    pub(super) fn table(&mut self) {
        self.name(self.resource().def.table);
        self.push(" AS t");
    }

    /// Calls a closure for each item, and writes a separator between the items.
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

/// Returns the name of a column in the result of a subquery, if it is not that of the column.
/// SQLite reads the names `true` and `false` as values there, also in quotes. No name of a column
/// has a `=`.
pub(super) fn subquery_name(column: &str) -> Option<String> {
    let is_value = ["true", "false"].iter().any(|value| column.eq_ignore_ascii_case(value));
    is_value.then(|| format!("={column}"))
}
