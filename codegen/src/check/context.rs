//! The state that all checks share: problems, named types, kinds of ids, compiled patterns.

use super::types::Types;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::problem::{Problem, Suggestion};
use crate::draft::Origin;
use crate::name::NAME_CHARACTERS_MAX;
use crate::schema::IdKind;
use nouns_declaration::{nearest::nearest, pattern::to_regex};
use regex::Regex;
use std::collections::HashMap;

/// The maximum number of name comparisons in one run. After that, mistakes have no suggestion. So a
/// file with thousands of mistakes is checked quickly.
const COMPARISONS_MAX: usize = 200_000;

/// The extent of a check: a whole declaration or one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// A whole declaration: a name that is not declared in it does not exist.
    Whole,
    /// One item that a derive macro reads. It may refer to items that the check does not see.
    Item,
}

/// The state that all checks share.
pub(super) struct Context {
    pub(super) scope: Scope,
    pub(super) problems: Vec<Diagnostic>,
    pub(super) warnings: Vec<Diagnostic>,
    pub(super) types: Types,
    /// The kind of the ids of each declared resource. Resources with mistakes are included.
    pub(super) ids: HashMap<String, IdKind>,
    pub(super) suggestions: Suggestions,
    patterns: HashMap<String, Result<Regex, String>>,
}

/// The search for the name that a mistyped name probably means, with the number of comparisons.
#[derive(Default)]
pub(super) struct Suggestions {
    comparisons: usize,
}

impl Suggestions {
    /// Finds the declared name that a mistyped name probably means.
    pub(super) fn nearest<'a>(
        &mut self,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Suggestion {
        if name.len() > NAME_CHARACTERS_MAX {
            return Suggestion(None);
        }
        let (budget, mut seen) = (COMPARISONS_MAX - self.comparisons, 0);
        let known = known.into_iter().take(budget).inspect(|_| seen += 1);
        let near = nearest(name, known, strsim::osa_distance);
        self.comparisons += seen;
        Suggestion(near.map(str::to_owned))
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

    pub(super) fn report(&mut self, at: Origin, problem: Problem) {
        match problem.is_warning() {
            true => self.warnings.push(Diagnostic { at, problem }),
            false => self.problems.push(Diagnostic { at, problem }),
        }
    }

    /// Finds the declared name that a mistyped name probably means.
    pub(super) fn nearest(&mut self, name: &str, known: &[&str]) -> Suggestion {
        self.suggestions.nearest(name, known.iter().copied())
    }

    /// The compiled regular expression, or the reason why it is invalid.
    pub(super) fn pattern(&mut self, pattern: &str) -> Result<&Regex, &str> {
        if !self.patterns.contains_key(pattern) {
            self.patterns.insert(pattern.to_owned(), compile(pattern));
        }
        self.patterns[pattern].as_ref().map_err(String::as_str)
    }
}

/// Compiles a regular expression. The error is the last line of the library's message, which has
/// the reason.
fn compile(pattern: &str) -> Result<Regex, String> {
    Regex::new(&to_regex(pattern)).map_err(|error| {
        let text = error.to_string();
        let reason = text.lines().last().unwrap_or_default();
        reason.trim().trim_start_matches("error: ").to_owned()
    })
}
