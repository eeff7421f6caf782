//! What points from one resource to another: it must exist.

use super::context::{Context, Scope};
use crate::diagnostic::problem::{Nearest, Problem};
use crate::draft::{Origin, excerpt};
use crate::name::{self, noun};

/// Checks that a resource is declared, as far as this item can say it.
pub(super) fn check_resource(name: &str, at: Origin, context: &mut Context) {
    if context.scope == Scope::Whole && !context.ids.contains_key(name) {
        let nearest = match meant(name, context) {
            Some(meant) => Nearest(Some(meant.to_owned())),
            None => context.suggestions.nearest(name, context.ids.keys().map(String::as_str)),
        };
        context.say(at, Problem::UnknownResource { name: excerpt(name), nearest });
    }
}

/// The resource that is named by its collection, its type or a column: `author` for `Authors`,
/// `author(id)` and `author_id`.
pub(super) fn meant<'c>(name: &str, context: &'c Context) -> Option<&'c str> {
    let word = name::snake(name.split(['(', '.', '[', ' ']).next().unwrap_or_default());
    let singular = noun::singular_of_plural(&word);
    let column = word.strip_suffix("_id").map(str::to_owned);
    [Some(word), singular, column]
        .into_iter()
        .flatten()
        .find_map(|word| context.ids.get_key_value(&word).map(|(known, _)| known.as_str()))
}
