//! What every pass shares: the problems so far, the named types, the ids of resources, compiled
//! patterns.

use super::types::Types;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::problem::{Nearest, Problem};
use crate::draft::Origin;
use crate::name::NAME_CHARACTERS_MAX;
use crate::schema::IdKind;
use nouns_declaration::nearest::nearest;
use regex::Regex;
use std::collections::HashMap;

/// How many pairs of names are compared in one run to find the nearest ones: a file with thousands
/// of mistakes still answers at once, its later mistakes without a suggestion.
const COMPARISONS_MAX: usize = 200_000;

/// How much of a declaration is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// All of it: what it does not name is not there.
    Whole,
    /// One item, which may name what others declare.
    Item,
}

/// What every pass shares.
pub(super) struct Context {
    pub(super) scope: Scope,
    pub(super) problems: Vec<Diagnostic>,
    pub(super) warnings: Vec<Diagnostic>,
    pub(super) types: Types,
    /// The kind of the ids of each declared resource, broken ones included.
    pub(super) ids: HashMap<String, IdKind>,
    pub(super) suggestions: Suggestions,
    patterns: HashMap<String, Result<Regex, String>>,
}

/// The search for names that were probably meant.
#[derive(Default)]
pub(super) struct Suggestions {
    comparisons: usize,
}

impl Suggestions {
    /// The known name that a name was probably meant to be.
    pub(super) fn nearest<'a>(
        &mut self,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Nearest {
        if name.len() > NAME_CHARACTERS_MAX {
            return Nearest(None);
        }
        let (budget, mut seen) = (COMPARISONS_MAX - self.comparisons, 0);
        let known = known.into_iter().take(budget).inspect(|_| seen += 1);
        let near = nearest(name, known, strsim::osa_distance);
        self.comparisons += seen;
        Nearest(near.map(str::to_owned))
    }
}

impl Context {
    pub(super) fn new(scope: Scope, problems: Vec<Diagnostic>) -> Self {
        Self {
            scope,
            problems,
            warnings: Vec::new(),
            types: Types::default(),
            ids: HashMap::new(),
            suggestions: Suggestions::default(),
            patterns: HashMap::new(),
        }
    }

    pub(super) fn say(&mut self, at: Origin, problem: Problem) {
        match problem.is_warning() {
            true => self.warnings.push(Diagnostic { at, problem }),
            false => self.problems.push(Diagnostic { at, problem }),
        }
    }

    /// The known name that a name was probably meant to be.
    pub(super) fn nearest(&mut self, name: &str, known: &[&str]) -> Nearest {
        self.suggestions.nearest(name, known.iter().copied())
    }

    /// A compiled pattern, or why it is none.
    pub(super) fn pattern(&mut self, pattern: &str) -> Result<&Regex, &str> {
        if !self.patterns.contains_key(pattern) {
            self.patterns.insert(pattern.to_owned(), compile(pattern));
        }
        self.patterns[pattern].as_ref().map_err(String::as_str)
    }
}

/// Compiles a pattern; of a long explanation, only its last line is kept, which says the reason.
fn compile(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|error| {
        let text = error.to_string();
        let reason = text.lines().last().unwrap_or_default();
        reason.trim().trim_start_matches("error: ").to_owned()
    })
}
