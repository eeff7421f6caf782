//! The meaning of an access rule for a class of callers: always, never, or for some members.

use std::fmt;

use nouns_declaration::def::{ReferenceDef, TestOp};

use super::{Literal, Operand, Parent, Rule, Test};

/// A class of callers, for whom rules say the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallerClass {
    /// Callers without credentials.
    Anonymous,
    /// Callers with an account whose role no rule names.
    SignedIn,
    /// Callers whose account has this role.
    Role(String),
}

/// The members for which a rule holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// All members.
    Always,
    /// No member.
    Never,
    /// The members that match the test.
    Test(Test),
    /// The members that do not match the test, whose operator has no opposite.
    Not(Test),
    /// The members that match all conditions.
    All(Vec<Self>),
    /// The members that match any of the conditions.
    Any(Vec<Self>),
}

impl Rule {
    /// The members for which the rule holds, for a class of callers.
    #[must_use]
    pub fn condition(&self, class: &CallerClass) -> Condition {
        self.is(true, class)
    }

    /// The members for which the rule holds, or does not hold if `holds` is false.
    fn is(&self, holds: bool, class: &CallerClass) -> Condition {
        let constant =
            |is_true| if is_true == holds { Condition::Always } else { Condition::Never };
        match self {
            Self::Public => constant(true),
            Self::SignedIn => constant(*class != CallerClass::Anonymous),
            Self::Role(roles) => {
                constant(matches!(class, CallerClass::Role(role) if roles.contains(role)))
            }
            Self::Not(rule) => rule.is(!holds, class),
            Self::All(rules) => joined(rules, holds, class, holds),
            Self::Any(rules) => joined(rules, holds, class, !holds),
            // Without an account, a test of its values is false, also inside of `not`.
            Self::Test(Test { operand: Operand::Account(_), .. })
                if *class == CallerClass::Anonymous =>
            {
                Condition::Never
            }
            Self::Test(test) if holds => Condition::Test(test.clone()),
            Self::Test(test) => match opposite(test.op) {
                Some(op) => Condition::Test(Test { op, ..test.clone() }),
                None => Condition::Not(test.clone()),
            },
        }
    }
}

/// A list of rules of which all must hold, or any. A negation turns one into the other.
fn joined(rules: &[Rule], holds: bool, class: &CallerClass, all: bool) -> Condition {
    Condition::joined(rules.iter().map(|rule| rule.is(holds, class)), all)
}

/// The operator that matches exactly the members that `op` does not match. The operators of an
/// order have none, since a member without a value matches neither.
const fn opposite(op: TestOp) -> Option<TestOp> {
    match op {
        TestOp::Eq => Some(TestOp::Ne),
        TestOp::Ne => Some(TestOp::Eq),
        TestOp::In => Some(TestOp::NotIn),
        TestOp::NotIn => Some(TestOp::In),
        _ => None,
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always => f.write_str("yes"),
            Self::Never => f.write_str("no"),
            test => {
                f.write_str("where ")?;
                test.write(f)
            }
        }
    }
}

impl Condition {
    /// The members that match all conditions, or any of them.
    fn joined(conditions: impl IntoIterator<Item = Self>, all: bool) -> Self {
        let (neutral, decisive) = match all {
            true => (Self::Always, Self::Never),
            false => (Self::Never, Self::Always),
        };
        let mut parts: Vec<Self> = vec![];
        for part in conditions {
            if part == decisive {
                return decisive;
            }
            match (part, all) {
                (part, _) if part == neutral || parts.contains(&part) => {}
                (Self::All(inner), true) | (Self::Any(inner), false) => parts.extend(inner),
                (part, _) => parts.push(part),
            }
        }
        match (parts.len(), all) {
            (0, _) => neutral,
            (1, _) => parts.remove(0),
            (_, true) => Self::All(parts),
            (_, false) => Self::Any(parts),
        }
    }

    /// The members that match this condition and whose parent matches the other condition. A
    /// member without a parent inherits nothing.
    #[must_use]
    pub fn below(self, parent: &Parent, above: Self) -> Self {
        let mut inherited = above.of_children(parent);
        if !parent.required {
            let none = Test { path: parent.field.clone(), op: TestOp::Eq, operand: Operand::Null };
            inherited = Self::joined([Self::Test(none), inherited], false);
        }
        Self::joined([self, inherited], true)
    }

    /// The condition of a parent as a condition of its children.
    fn of_children(self, parent: &Parent) -> Self {
        let name = ReferenceDef::usual_alias(&parent.field);
        let below = |test: Test| {
            // The field of the children has the id of the parent.
            let path = match test.path.as_str() {
                "id" => parent.field.clone(),
                path => format!("{name}.{path}"),
            };
            Test { path, ..test }
        };
        let each = |parts: Vec<Self>| parts.into_iter().map(|part| part.of_children(parent));
        match self {
            Self::Always | Self::Never => self,
            Self::Test(test) => Self::Test(below(test)),
            Self::Not(test) => Self::Not(below(test)),
            Self::All(parts) => Self::All(each(parts).collect()),
            Self::Any(parts) => Self::Any(each(parts).collect()),
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always => f.write_str("true"),
            Self::Never => f.write_str("false"),
            Self::Test(test) => write(test, f),
            Self::Not(test) => {
                f.write_str("not (")?;
                write(test, f)?;
                f.write_str(")")
            }
            Self::All(parts) => Self::write_list(parts, " and ", f),
            Self::Any(parts) => Self::write_list(parts, " or ", f),
        }
    }

    fn write_list(parts: &[Self], word: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                f.write_str(word)?;
            }
            match part {
                Self::All(_) | Self::Any(_) => {
                    f.write_str("(")?;
                    part.write(f)?;
                    f.write_str(")")?;
                }
                part => part.write(f)?,
            }
        }
        Ok(())
    }
}

/// Writes a test: `author_id = $account.id`.
fn write(Test { path, op, operand }: &Test, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let op = match op {
        TestOp::Eq => "=",
        TestOp::Ne => "!=",
        TestOp::Lt => "<",
        TestOp::Lte => "<=",
        TestOp::Gt => ">",
        TestOp::Gte => ">=",
        TestOp::In => "in",
        TestOp::NotIn => "not in",
        TestOp::Contains => "contains",
        TestOp::StartsWith => "starts with",
        TestOp::EndsWith => "ends with",
    };
    write!(f, "{path} {op} ")?;
    match operand {
        Operand::Null => f.write_str("null"),
        Operand::Value(value) => write!(f, "{value}"),
        Operand::Values(values) => {
            let values: Vec<_> = values.iter().map(Literal::to_string).collect();
            write!(f, "[{}]", values.join(", "))
        }
        Operand::Now => f.write_str("$now"),
        Operand::Account(field) => write!(f, "$account.{field}"),
    }
}

impl fmt::Display for CallerClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anonymous => f.write_str("anonymous"),
            Self::SignedIn => f.write_str("signed_in"),
            Self::Role(role) => write!(f, "role:{role}"),
        }
    }
}
