//! The problems of a declaration as a whole: those of the checker, with their subjects.

use std::fmt;

use nouns_declaration::problem::Problem;

/// All problems of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError(pub Vec<LinkProblem>);

/// One problem of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkProblem {
    /// The part of the declaration that is wrong.
    pub subject: Subject,
    /// The problem. `docs/diagnostics.md` has an example of each code.
    pub problem: Problem,
    /// The text that follows the sentence if there is a repair for Rust; mostly empty.
    pub advice: String,
}

/// A part of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The API as a whole, or a part of the program that belongs to no resource.
    Interface,
    /// The named type of this name.
    Type(&'static str),
    /// The resource of this name.
    Resource(&'static str),
    /// A field.
    Field {
        /// The name of its resource.
        resource: &'static str,
        /// The name of the field.
        field: &'static str,
    },
}

impl LinkProblem {
    /// Creates a problem of a part of a declaration.
    pub(crate) const fn new(subject: Subject, problem: Problem) -> Self {
        Self { subject, problem, advice: String::new() }
    }

    /// The stable code of the problem: `N033`.
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

/// The prefix of a sentence about the part.
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
