//! What is wrong with a declaration as a whole: the problems of the checker, with what they are of.

use std::fmt;

use nouns_declaration::problem::Problem;

/// Everything that is wrong with a declaration as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError(pub Vec<LinkProblem>);

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkProblem {
    /// What of the declaration is at fault.
    pub subject: Subject,
    /// What is wrong. `docs/diagnostics.md` has an example of each code.
    pub problem: Problem,
    /// What follows the sentence where Rust has a repair of its own; mostly empty.
    pub advice: String,
}

/// A part of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The facts about the interface, or what a program has beside its resources.
    Interface,
    /// The named type of this name.
    Type(&'static str),
    /// The resource of this name.
    Resource(&'static str),
    /// A field.
    Field {
        /// The name of its resource.
        resource: &'static str,
        /// Its own name.
        field: &'static str,
    },
}

impl LinkProblem {
    /// What is wrong with a part of a declaration.
    pub(crate) const fn new(subject: Subject, problem: Problem) -> Self {
        Self { subject, problem, advice: String::new() }
    }

    /// The stable code of the mistake: `N033`.
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

/// What stands before a sentence about it.
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
