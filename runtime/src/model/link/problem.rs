//! What is wrong with a declaration as a whole, said with the codes and in the sentences of the checker.

use std::fmt;

/// Everything that is wrong with a declaration as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError(pub Vec<LinkProblem>);

/// One thing that is wrong: its code, the resource, and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkProblem {
    /// The stable code of the mistake: `N033`. `docs/diagnostics.md` tells of each.
    pub code: &'static str,
    /// The resource whose declaration is at fault; empty where it is none.
    pub resource: &'static str,
    /// What is wrong, and what would repair it.
    pub detail: String,
}

impl LinkProblem {
    /// A mistake of the interface as a whole.
    pub(crate) const fn new(code: &'static str, detail: String) -> Self {
        Self { code, resource: "", detail }
    }

    /// A mistake of a resource.
    pub(crate) const fn of(code: &'static str, resource: &'static str, detail: String) -> Self {
        Self { code, resource, detail }
    }
}

impl fmt::Display for LinkProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, resource, detail } = self;
        match *resource {
            "" => write!(f, "{code}: {detail}"),
            resource => write!(f, "{code}: resource `{resource}`: {detail}"),
        }
    }
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|problem| writeln!(f, "{problem}"))
    }
}

impl std::error::Error for LinkError {}
