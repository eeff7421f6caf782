//! Checked access rules: which callers may read and write which members of a resource.

use nouns_declaration::def::TestOp;

use super::{CallerClass, Condition, Literal};

/// The access rules of a resource, by kind of operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Access {
    /// The rule for reading a member.
    pub read: Option<Rule>,
    /// The rule for creating a member.
    pub create: Option<Rule>,
    /// The rule for changing a member.
    pub update: Option<Rule>,
    /// The rule for deleting a member.
    pub delete: Option<Rule>,
}

/// The access rules of a field. They contain no tests of the member.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldAccess {
    /// The rule for reading the field.
    pub read: Option<Rule>,
    /// The rule for setting the field.
    pub write: Option<Rule>,
}

impl Rule {
    /// Adds the roles that the rule names.
    fn add_roles<'s>(&'s self, to: &mut Vec<&'s str>) {
        match self {
            Self::Role(roles) => to.extend(roles.iter().map(String::as_str)),
            Self::All(rules) | Self::Any(rules) => {
                rules.iter().for_each(|rule| rule.add_roles(to));
            }
            Self::Not(rule) => rule.add_roles(to),
            Self::Public | Self::SignedIn | Self::Test(_) => {}
        }
    }
}

impl FieldAccess {
    /// Whether a class of callers may read the field, as far as the rules decide.
    #[must_use]
    pub fn may_read(&self, class: &CallerClass) -> bool {
        self.read.as_ref().is_none_or(|rule| rule.condition(class) == Condition::Always)
    }

    /// Whether a class of callers may set the field, as far as the rules decide. Without a rule for
    /// it, those may set the field who may read it.
    #[must_use]
    pub fn may_write(&self, class: &CallerClass) -> bool {
        let rule = self.write.as_ref().or(self.read.as_ref());
        rule.is_none_or(|rule| rule.condition(class) == Condition::Always)
    }

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

impl super::Resource {
    /// The roles that the rules of the resource and of its fields name, with repetitions.
    #[must_use]
    pub fn roles(&self) -> Vec<&str> {
        let mut roles = Vec::new();
        let of_fields = self.fields.iter().flat_map(|field| field.access.rules());
        for (_, rule) in self.access.rules().chain(of_fields) {
            rule.add_roles(&mut roles);
        }
        roles
    }
}
