//! Merges the `x-…` keys of mappings that belong to one item, such as a field and its reference.

use super::context::Context;
use crate::diagnostic::Problem;
use crate::draft::{Spanned, excerpt};
use crate::schema::Extension;
use std::collections::HashSet;

/// The `x-…` keys of a mapping, each with its position.
pub(super) type Extensions = Vec<Spanned<Extension>>;

/// Merges the `x-…` keys of several mappings, and reports repeated keys.
pub(super) fn merge(
    parts: impl IntoIterator<Item = Extensions>,
    context: &mut Context,
) -> Vec<Extension> {
    let (mut seen, mut merged) = (HashSet::new(), Vec::new());
    for Spanned { value: extension, at } in parts.into_iter().flatten() {
        if seen.insert(extension.name.clone()) {
            merged.push(extension);
        } else {
            context.report(at, Problem::DuplicateKey { key: excerpt(&extension.name) });
        }
    }
    merged
}
