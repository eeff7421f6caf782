//! The tests of a value: of a column of the current row, or of an expression.

use super::{Dialect, text::SqlText};
use crate::{
    model::{FieldModel, def::FieldKind},
    plan::Op,
};

/// A value that a condition tests.
#[derive(Clone, Copy)]
pub(super) struct Operand<'t> {
    comparing: Comparing,
    text: OperandText<'t>,
}

/// The properties of values that decide how they compare.
#[derive(Clone, Copy)]
pub(super) struct Comparing {
    kind: FieldKind,
    /// Whether the case of ASCII letters is ignored.
    ignore_case: bool,
}

#[derive(Clone, Copy)]
enum OperandText<'t> {
    /// The column of the current row with this name.
    Column(&'t str),
    /// An expression with the value, such as a subquery.
    Expression(&'t str),
}

impl From<&FieldModel> for Comparing {
    fn from(field: &FieldModel) -> Self {
        Self { kind: field.kind, ignore_case: field.ignore_case }
    }
}

impl<'t> From<&'t FieldModel> for Operand<'t> {
    fn from(field: &'t FieldModel) -> Self {
        Self { comparing: field.into(), text: OperandText::Column(field.column) }
    }
}

impl Comparing {
    /// The comparison of numbers of rows.
    pub(super) const COUNTS: Self = Self { kind: FieldKind::Integer, ignore_case: false };

    /// Returns the comparison of these values with others. Case is ignored if either ignores it.
    pub(super) const fn with(self, other: Self) -> Self {
        Self { ignore_case: self.ignore_case || other.ignore_case, ..self }
    }

    /// The value of an expression.
    pub(super) const fn expression(self, text: &str) -> Operand<'_> {
        Operand { comparing: self, text: OperandText::Expression(text) }
    }
}

impl SqlText<'_> {
    fn operand_text(&mut self, of: Operand<'_>) {
        match of.text {
            OperandText::Column(name) => self.column_named(name),
            OperandText::Expression(text) => self.push(text),
        }
    }

    /// Writes the test of a value of the current row.
    pub(super) fn test<'t>(&mut self, of: impl Into<Operand<'t>>, op: Op) {
        let of = of.into();
        match op {
            Op::Eq => self.compared(of, " = "),
            Op::Ne => self.compared(of, self.distinct()),
            Op::Lt => self.compared(of, " < "),
            Op::Lte => self.compared(of, " <= "),
            Op::Gt => self.compared(of, " > "),
            Op::Gte => self.compared(of, " >= "),
            Op::In(0) => self.push("FALSE"),
            Op::In(count) => self.one_of(of, " IN (", count),
            Op::NotIn(0) => self.push("TRUE"),
            Op::NotIn(count) => self.none_of(of, count),
            Op::Contains => self.contains(of),
            Op::StartsWith => self.starts_with(of),
            Op::EndsWith => self.ends_with(of),
            Op::Between => self.between(of),
            Op::Null => self.null(of, " IS NULL"),
            Op::NotNull => self.null(of, " IS NOT NULL"),
        }
    }

    const fn distinct(&self) -> &'static str {
        match self.dialect {
            Dialect::Sqlite => " IS NOT ",
            Dialect::Postgres => " IS DISTINCT FROM ",
        }
    }

    fn compared(&mut self, of: Operand<'_>, operator: &str) {
        self.comparable(of);
        self.push(operator);
        self.value(of);
    }

    fn one_of(&mut self, of: Operand<'_>, operator: &str, count: u16) {
        self.comparable(of);
        self.push(operator);
        self.separated(", ", 0..count, |text, _| text.value(of));
        self.push(")");
    }

    fn none_of(&mut self, of: Operand<'_>, count: u16) {
        self.push("(");
        self.null(of, " IS NULL OR ");
        self.one_of(of, " NOT IN (", count);
        self.push(")");
    }

    /// Writes `BETWEEN` as two comparisons, so that an index can serve either of them.
    fn between(&mut self, of: Operand<'_>) {
        self.push("(");
        self.compared(of, " >= ");
        self.push(" AND ");
        self.compared(of, " <= ");
        self.push(")");
    }

    fn null(&mut self, of: Operand<'_>, test: &str) {
        self.operand_text(of);
        self.push(test);
    }

    /// Writes a value so that it compares as declared: SQLite uses the column's collation,
    /// PostgreSQL uses `lower(…)` if case is ignored.
    pub(super) fn comparable<'t>(&mut self, of: impl Into<Operand<'t>>) {
        let of = of.into();
        match self.dialect {
            Dialect::Sqlite => {
                self.operand_text(of);
                // The result of an expression does not have the collation of its column.
                let is_lost =
                    of.comparing.ignore_case && matches!(of.text, OperandText::Expression(_));
                self.push(if is_lost { " COLLATE NOCASE" } else { "" });
            }
            Dialect::Postgres => self.folded(of),
        }
    }

    /// Writes the next parameter, so that it can be compared with this one.
    fn value(&mut self, of: Operand<'_>) {
        let number = self.next_value();
        self.comparable_value(of, number);
    }

    /// Writes the parameter with this number, so that it can be compared with this one.
    pub(super) fn comparable_value<'t>(&mut self, of: impl Into<Operand<'t>>, number: usize) {
        let of = of.into();
        match self.dialect {
            Dialect::Sqlite => self.parameter(number),
            Dialect::Postgres => self.folded_value(of, number),
        }
    }

    /// Writes a value, inside `lower(…)` if its case is ignored. In either dialect `lower` changes
    /// only ASCII letters.
    fn folded(&mut self, of: Operand<'_>) {
        if !of.comparing.ignore_case {
            return self.operand_text(of);
        }
        self.push("lower(");
        self.operand_text(of);
        self.push(match self.dialect {
            Dialect::Sqlite => ")",
            Dialect::Postgres => " COLLATE \"C\")",
        });
    }

    fn folded_value(&mut self, of: Operand<'_>, number: usize) {
        if !of.comparing.ignore_case {
            return self.field_value(of.comparing.kind, number);
        }
        self.push("lower(");
        self.parameter(number);
        self.push(match self.dialect {
            Dialect::Sqlite => ")",
            Dialect::Postgres => " COLLATE \"C\")",
        });
    }

    /// Writes a substring test. In either dialect every text contains the empty text.
    fn contains(&mut self, of: Operand<'_>) {
        let number = self.next_value();
        match self.dialect {
            Dialect::Sqlite => {
                self.push("instr(");
                self.folded(of);
                self.push(", ");
                self.folded_value(of, number);
            }
            Dialect::Postgres => {
                self.push("position(");
                self.folded_value(of, number);
                self.push(" IN ");
                self.folded(of);
            }
        }
        self.push(") > 0");
    }

    fn starts_with(&mut self, of: Operand<'_>) {
        let number = self.next_value();
        match self.dialect {
            Dialect::Sqlite => {
                self.push("substr(");
                self.folded(of);
                self.push(", 1, length(");
                self.parameter(number);
                self.push(")) = ");
            }
            Dialect::Postgres => {
                self.push("left(");
                self.folded(of);
                self.push(", char_length(");
                self.parameter(number);
                self.push(")) = ");
            }
        }
        self.folded_value(of, number);
    }

    /// Writes a suffix test. In SQLite, `substr` gets a start that is counted from the beginning of
    /// the text. A start counted from the end would fail for an empty suffix: `substr(text, -0)`
    /// returns the whole text.
    fn ends_with(&mut self, of: Operand<'_>) {
        let number = self.next_value();
        match self.dialect {
            Dialect::Sqlite => {
                self.push("substr(");
                self.folded(of);
                self.push(", length(");
                self.operand_text(of);
                self.push(") - length(");
                self.parameter(number);
                self.push(") + 1) = ");
            }
            Dialect::Postgres => {
                self.push("right(");
                self.folded(of);
                self.push(", char_length(");
                self.parameter(number);
                self.push(")) = ");
            }
        }
        self.folded_value(of, number);
    }
}
