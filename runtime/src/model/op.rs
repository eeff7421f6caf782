//! [`Op`]: the operators that compare a field with values. Each has a name for queries, a number of
//! values, and possibly a complement.

use super::def::FieldKind;

/// An operator that compares one field with values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// The field is equal to the value.
    Eq,
    /// The field is not equal to the value.
    Ne,
    /// The field is less than the value.
    Lt,
    /// The field is less than or equal to the value.
    Lte,
    /// The field is greater than the value.
    Gt,
    /// The field is greater than or equal to the value.
    Gte,
    /// The field is equal to one of several values; the number says how many.
    In(u16),
    /// The field is equal to none of several values; the number says how many.
    NotIn(u16),
    /// The text of the field contains the value.
    Contains,
    /// The text of the field begins with the value.
    StartsWith,
    /// The text of the field ends with the value.
    EndsWith,
    /// The field is between two values, both included.
    Between,
    /// The field has no value.
    Null,
    /// The field has a value.
    NotNull,
}

/// The properties of an operator.
#[derive(Clone, Copy, Debug)]
struct OpProperties {
    /// The name of the operator in a query.
    name: &'static str,
    /// The number of values that the operator needs.
    arity: usize,
    /// The operator that is true exactly when this operator is false; `None` if there is no such
    /// operator.
    complement: Option<Op>,
}

impl Op {
    /// All operators of a query, in the order in which messages list them. `null` is one name for
    /// two operators: `field[null]=true` and `field[null]=false`.
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

    /// The name of the operator in a query.
    pub(crate) const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The number of values that the operator needs.
    pub(crate) const fn arity(self) -> usize {
        self.facts().arity
    }

    /// The operator that is true exactly when this operator is false; `None` if there is no such
    /// operator.
    pub(crate) const fn complement(self) -> Option<Self> {
        self.facts().complement
    }

    /// Whether the values that match are a few ranges of an order, which an index finds.
    pub(crate) const fn has_range(self) -> bool {
        matches!(
            self,
            Self::Eq | Self::In(_) | Self::Lt | Self::Lte | Self::Gt | Self::Gte | Self::Between
        )
    }

    /// Whether a field of this kind can have the operator. Only strings can be tested for parts of
    /// a text.
    pub(crate) const fn fits(self, kind: FieldKind) -> bool {
        !matches!(self, Self::Contains | Self::StartsWith | Self::EndsWith)
            || matches!(kind, FieldKind::String)
    }

    /// Returns the operator with this name. For a list operator, the number of values is 0.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.name() == name)
    }

    /// The names of the operators for fields of a kind.
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
