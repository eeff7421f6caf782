//! [`LinkError`]: the problems of a declaration, each with the part of the declaration that it is
//! about.

use std::fmt;

use nouns_declaration::problem::Problem;

/// All problems of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError(pub Vec<LinkProblem>);

/// One problem of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkProblem {
    /// The part of the declaration that has the problem.
    pub subject: Subject,
    /// The problem. `docs/diagnostics.md` has an example for each code.
    pub problem: Problem,
    /// A suggested correction in Rust, which follows the message; empty if there is none.
    pub advice: String,
}

/// A part of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The interface as a whole, or a part of the program that belongs to no resource.
    Interface,
    /// The named type with this name.
    Type(&'static str),
    /// The resource with this name.
    Resource(&'static str),
    /// A field of a resource.
    Field {
        /// The name of the field's resource.
        resource: &'static str,
        /// The name of the field.
        field: &'static str,
    },
}

impl LinkProblem {
    /// Creates a problem of a part of a declaration, without a suggested correction.
    pub(crate) const fn new(subject: Subject, problem: Problem) -> Self {
        Self { subject, problem, advice: String::new() }
    }

    /// The stable code of the problem, such as `N033`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.problem.code()
    }
}

impl fmt::Display for LinkProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, problem, advice } = self;
        write!(f, "{}: {subject}{problem}{advice}", problem.code())
    }
}

/// The prefix of a message: the part of the declaration; empty for the interface.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interface => Ok(()),
            Self::Type(name) => write!(f, "type `{name}`: "),
            Self::Resource(name) => write!(f, "resource `{name}`: "),
            Self::Field { resource, field } => {
                write!(f, "resource `{resource}`: field `{field}`: ")
            }
        }
    }
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|problem| writeln!(f, "{problem}"))
    }
}

impl std::error::Error for LinkError {}
