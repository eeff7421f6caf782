//! The author's own keys of several mappings that mean one thing: kept together, each name once.

use super::context::Context;
use crate::diagnostic::Problem;
use crate::draft::{Spanned, excerpt};
use crate::schema::Extension;
use std::collections::HashSet;

/// The `x-…` keys of a mapping, each at its key.
pub(super) type Extensions = Vec<Spanned<Extension>>;

/// The keys of several mappings as those of one thing.
pub(super) fn merge(
    parts: impl IntoIterator<Item = Extensions>,
    context: &mut Context,
) -> Vec<Extension> {
    let (mut seen, mut merged) = (HashSet::new(), Vec::new());
    for Spanned { value: extension, at } in parts.into_iter().flatten() {
        if seen.insert(extension.name.clone()) {
            merged.push(extension);
        } else {
            context.say(at, Problem::DuplicateKey { key: excerpt(&extension.name) });
        }
    }
    merged
}
