//! Checked access rules: which callers may read and write which members of a resource.

use nouns_declaration::def::TestOp;

use super::Literal;

/// The access rules of a resource, by kind of operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Access {
    /// Which members a caller may read.
    pub read: Option<Rule>,
    /// Which members a caller may create.
    pub create: Option<Rule>,
    /// Which members a caller may change.
    pub update: Option<Rule>,
    /// Which members a caller may delete.
    pub delete: Option<Rule>,
}

/// The access rules of a field. They contain no tests of the member.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldAccess {
    /// Which callers may read the field.
    pub read: Option<Rule>,
    /// Which callers may set the field.
    pub write: Option<Rule>,
}

impl FieldAccess {
    /// The rules by key, as far as they are declared.
    pub fn rules(&self) -> impl Iterator<Item = (&'static str, &Rule)> {
        let all = [("read", &self.read), ("write", &self.write)];
        all.into_iter().filter_map(|(key, rule)| Some((key, rule.as_ref()?)))
    }
}

impl Access {
    /// The rules by key, as far as they are declared.
    pub fn rules(&self) -> impl Iterator<Item = (&'static str, &Rule)> {
        let all = [
            ("read", &self.read),
            ("create", &self.create),
            ("update", &self.update),
            ("delete", &self.delete),
        ];
        all.into_iter().filter_map(|(key, rule)| Some((key, rule.as_ref()?)))
    }
}

/// A rule: a condition on a caller and on a member. Several keys of one mapping become `All`.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// Everybody.
    Public,
    /// Callers that are signed in.
    SignedIn,
    /// Callers with one of these roles.
    Role(Vec<String>),
    /// Members that match the test.
    Test(Test),
    /// If all rules of the list hold.
    All(Vec<Self>),
    /// If any rule of the list holds.
    Any(Vec<Self>),
    /// If the rule does not hold.
    Not(Box<Self>),
}

/// A test of one field of a member, or of a member that it refers to.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// The field. Before it, separated by dots, are the references that lead to its member.
    pub path: String,
    /// The operator.
    pub op: TestOp,
    /// The value that the field is compared with.
    pub operand: Operand,
}

/// The value that a test compares a field with. Fixed values have the form in which they are
/// written, because the kind of the field may be declared elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// No value.
    Null,
    /// A fixed value.
    Value(Literal),
    /// A list of fixed values.
    Values(Vec<Literal>),
    /// The time of the request.
    Now,
    /// The value of this field of the caller's account.
    Account(String),
}
