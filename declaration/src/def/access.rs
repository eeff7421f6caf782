//! Access rules: which callers may read and write which members of a resource.

use super::Literal;
use crate::words;

/// The access rules of a resource, by kind of operation. Without a rule, everybody may do it if the
/// API has no accounts, and only signed-in callers if it has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AccessDef {
    /// The rule for reading a member. A member that a caller may not read is treated as absent.
    pub read: Option<RuleDef>,
    /// The rule for creating a member.
    pub create: Option<RuleDef>,
    /// The rule for changing a member. The member must match before and after the change.
    pub update: Option<RuleDef>,
    /// The rule for deleting a member.
    pub delete: Option<RuleDef>,
}

/// The access rules of a field. They depend on the caller alone, so they contain no
/// [`RuleDef::Test`]. Without a rule, everybody who may read or write a member may do so with the
/// field; without a rule to write, everybody who may read the field.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FieldAccessDef {
    /// The rule for reading the field. For other callers it does not exist.
    pub read: Option<RuleDef>,
    /// The rule for setting the field.
    pub write: Option<RuleDef>,
}

impl FieldAccessDef {
    /// No rule: the base for struct update syntax.
    pub const EMPTY: Self = Self { read: None, write: None };

    /// The rules that are declared.
    pub fn rules(&self) -> impl Iterator<Item = RuleDef> {
        [self.read, self.write].into_iter().flatten()
    }

    /// The roles that the rules name, with repetitions.
    #[must_use]
    pub fn roles(&self) -> Vec<&'static str> {
        let mut roles = vec![];
        self.rules().for_each(|rule| rule.add_roles(&mut roles));
        roles
    }
}

impl AccessDef {
    /// No rule: the base for struct update syntax.
    pub const EMPTY: Self = Self { read: None, create: None, update: None, delete: None };

    /// The roles that the rules name, with repetitions.
    #[must_use]
    pub fn roles(&self) -> Vec<&'static str> {
        let mut roles = vec![];
        for rule in [self.read, self.create, self.update, self.delete].into_iter().flatten() {
            rule.add_roles(&mut roles);
        }
        roles
    }
}

/// A rule: a condition on a caller and on a member.
///
/// ```
/// # use nouns_declaration as nouns;
/// use nouns::def::{OperandDef, RuleDef, TestDef, TestOp};
/// const OWNER: RuleDef = RuleDef::Test(TestDef {
///     path: "author_id",
///     op: TestOp::Eq,
///     operand: OperandDef::Account("id"),
/// });
/// const OWNER_OR_ADMIN: RuleDef = RuleDef::Any(&[RuleDef::Role(&["admin"]), OWNER]);
/// assert_ne!(OWNER, OWNER_OR_ADMIN);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RuleDef {
    /// Everybody.
    Public,
    /// Callers that are signed in.
    SignedIn,
    /// Callers with one of these roles.
    Role(&'static [&'static str]),
    /// Members that match the test.
    Test(TestDef),
    /// If all rules of the list hold.
    All(&'static [Self]),
    /// If any rule of the list holds.
    Any(&'static [Self]),
    /// If the rule does not hold. The list has one rule.
    Not(&'static [Self; 1]),
}

impl RuleDef {
    /// Whether the rule depends on the member, and not on the caller alone.
    #[must_use]
    pub fn has_tests(&self) -> bool {
        match self {
            Self::Public | Self::SignedIn | Self::Role(_) => false,
            Self::Test(_) => true,
            Self::All(rules) | Self::Any(rules) => rules.iter().any(Self::has_tests),
            Self::Not([rule]) => rule.has_tests(),
        }
    }

    fn add_roles(&self, to: &mut Vec<&'static str>) {
        match self {
            Self::Role(roles) => to.extend(*roles),
            Self::All(rules) | Self::Any(rules) => {
                rules.iter().for_each(|rule| rule.add_roles(to));
            }
            Self::Not([rule]) => rule.add_roles(to),
            Self::Public | Self::SignedIn | Self::Test(_) => {}
        }
    }
}

/// A test of one field of a member, or of a member that it refers to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestDef {
    /// The field. Before it, separated by dots, are the references that lead to its member:
    /// `zoo.owner_id`.
    pub path: &'static str,
    /// The operator.
    pub op: TestOp,
    /// The value that the field is compared with.
    pub operand: OperandDef,
}

/// The value that a test compares a field with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OperandDef {
    /// No value, for [`TestOp::Eq`] and [`TestOp::Ne`].
    Null,
    /// A fixed value.
    Value(Literal),
    /// A list of fixed values, for [`TestOp::In`] and [`TestOp::NotIn`].
    Values(&'static [Literal]),
    /// The time of the request.
    Now,
    /// The value of this field of the caller's account. Without an account, the test is false.
    Account(&'static str),
}

words! {
    /// The operator of a test, as in the filter of a query.
    pub enum TestOp {
        /// The field is equal to the value.
        Eq = "eq",
        /// The field is not equal to the value.
        Ne = "ne",
        /// The field is less than the value.
        Lt = "lt",
        /// The field is at most the value.
        Lte = "lte",
        /// The field is greater than the value.
        Gt = "gt",
        /// The field is at least the value.
        Gte = "gte",
        /// The field is equal to one of the values.
        In = "in",
        /// The field is equal to none of the values.
        NotIn = "nin",
        /// The text of the field contains the value.
        Contains = "contains",
        /// The text of the field begins with the value.
        StartsWith = "starts_with",
        /// The text of the field ends with the value.
        EndsWith = "ends_with",
    }
}
