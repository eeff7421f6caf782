//! Checks that the targets of links between resources are declared.

use super::context::{Context, Scope};
use crate::diagnostic::problem::{Problem, Suggestion};
use crate::draft::{Origin, excerpt};
use crate::name::{self, noun};

/// Checks that a resource is declared. When only one item is checked, other resources are unknown
/// and this check is skipped.
pub(super) fn check_resource(name: &str, at: Origin, context: &mut Context) {
    if context.scope == Scope::Whole && !context.ids.contains_key(name) {
        let nearest = match likely_resource(name, context) {
            Some(meant) => Suggestion(Some(meant.to_owned())),
            None => context.suggestions.nearest(name, context.ids.keys().map(String::as_str)),
        };
        context.report(at, Problem::UnknownResource { name: excerpt(name), nearest });
    }
}

/// The resource that a name probably means: `author` for `Authors`, `author(id)` and `author_id`.
pub(super) fn likely_resource<'c>(name: &str, context: &'c Context) -> Option<&'c str> {
    let word = name::snake(name.split(['(', '.', '[', ' ']).next().unwrap_or_default());
    let singular = noun::singular_of_plural(&word);
    let column = word.strip_suffix("_id").map(str::to_owned);
    [Some(word), singular, column]
        .into_iter()
        .flatten()
        .find_map(|word| context.ids.get_key_value(&word).map(|(name, _)| name.as_str()))
}
