//! Suggestions for mistyped names.

use crate::base::error::{Text, text};

/// The longest name that is compared. No known name is longer, and a comparison costs the product
/// of the lengths.
const TYPING_MISTAKE_BYTES_MAX: usize = 128;

/// Returns the known name that is closest to a mistyped one, if any is close, by the rule of the
/// schema checker.
pub(crate) fn nearest<'name>(
    name: &str,
    known: impl Iterator<Item = &'name str>,
) -> Option<&'name str> {
    let known = known.filter(|_| name.len() <= TYPING_MISTAKE_BYTES_MAX);
    nouns_declaration::nearest::nearest(name, known, strsim::osa_distance)
}

/// Returns a hint with the closest name.
pub(crate) fn hint<'name>(name: &str, known: impl Iterator<Item = &'name str>) -> Option<Text> {
    nearest(name, known).map(did_you_mean)
}

pub(crate) fn did_you_mean(near: &str) -> Text {
    text!("Did you mean `{near}`?", near)
}
