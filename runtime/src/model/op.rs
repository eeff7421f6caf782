//! The tests of a field, and the properties of each: its operator in a query, the number of its
//! values, its complement.

use super::def::FieldKind;

/// A test of one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// Equal to one value.
    Eq,
    /// Not equal to one value.
    Ne,
    /// Less than one value.
    Lt,
    /// At most one value.
    Lte,
    /// Greater than one value.
    Gt,
    /// At least one value.
    Gte,
    /// Equal to one of this many values.
    In(u16),
    /// Equal to none of this many values.
    NotIn(u16),
    /// Text that contains one value.
    Contains,
    /// Text that begins with one value.
    StartsWith,
    /// Text that ends with one value.
    EndsWith,
    /// Between two values, inclusive.
    Between,
    /// Without a value.
    Null,
    /// With a value.
    NotNull,
}

/// The properties of a test.
#[derive(Clone, Copy, Debug)]
struct OpProperties {
    /// The operator in a query.
    name: &'static str,
    /// The number of values.
    arity: usize,
    /// The test that is true exactly where this one is false, if there is one.
    complement: Option<Op>,
}

impl Op {
    /// All operators of a query, in the order in which messages list them. `null` is the operator
    /// of two tests, which its value distinguishes.
    const ALL: [Self; 13] = [
        Self::Eq,
        Self::Ne,
        Self::Lt,
        Self::Lte,
        Self::Gt,
        Self::Gte,
        Self::In(0),
        Self::NotIn(0),
        Self::Contains,
        Self::StartsWith,
        Self::EndsWith,
        Self::Between,
        Self::Null,
    ];

    const fn facts(self) -> OpProperties {
        let (name, arity, complement) = match self {
            Self::Eq => ("eq", 1, Some(Self::Ne)),
            Self::Ne => ("ne", 1, Some(Self::Eq)),
            Self::Lt => ("lt", 1, None),
            Self::Lte => ("lte", 1, None),
            Self::Gt => ("gt", 1, None),
            Self::Gte => ("gte", 1, None),
            Self::In(count) => ("in", count as usize, Some(Self::NotIn(count))),
            Self::NotIn(count) => ("nin", count as usize, Some(Self::In(count))),
            Self::Contains => ("contains", 1, None),
            Self::StartsWith => ("starts_with", 1, None),
            Self::EndsWith => ("ends_with", 1, None),
            Self::Between => ("between", 2, None),
            Self::Null => ("null", 0, Some(Self::NotNull)),
            Self::NotNull => ("null", 0, Some(Self::Null)),
        };
        OpProperties { name, arity, complement }
    }

    /// The operator in a query.
    pub(crate) const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The number of values.
    pub(crate) const fn arity(self) -> usize {
        self.facts().arity
    }

    /// The test that is true exactly where this one is false, if there is one.
    pub(crate) const fn complement(self) -> Option<Self> {
        self.facts().complement
    }

    /// Whether a field of a kind can have this test. Only text can have tests of parts of text.
    pub(crate) const fn fits(self, kind: FieldKind) -> bool {
        !matches!(self, Self::Contains | Self::StartsWith | Self::EndsWith)
            || matches!(kind, FieldKind::String)
    }

    /// Returns the operator with a name. The list operators have no values yet.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.name() == name)
    }

    /// The operators for fields of a kind.
    pub(crate) fn names(kind: FieldKind) -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().filter(move |op| op.fits(kind)).map(Self::name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complement_has_as_many_values_and_this_one_for_its_own() {
        let lists = [Op::In(3), Op::NotIn(3), Op::NotNull];
        for op in Op::ALL.into_iter().chain(lists) {
            let Some(other) = op.complement() else { continue };
            assert_eq!((other.complement(), other.arity()), (Some(op), op.arity()));
        }
    }

    #[test]
    fn every_operator_is_found_by_its_name() {
        for op in Op::ALL {
            assert_eq!(Op::from_name(op.name()), Some(op));
        }
        assert_eq!(Op::from_name("like"), None);
        assert!(Op::names(FieldKind::String).eq(Op::ALL.map(Op::name)));
        assert!(
            Op::names(FieldKind::Date).eq(Op::ALL
                .into_iter()
                .map(Op::name)
                .filter(|name| { !["contains", "starts_with", "ends_with"].contains(name) }))
        );
    }
}
