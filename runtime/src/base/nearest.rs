//! Suggestions of the right name for a mistyped name.

use crate::base::error::{Text, text};

/// The maximum length of a name that is compared, in bytes. No valid name is longer. A comparison
/// costs the product of the two lengths.
const TYPING_MISTAKE_BYTES_MAX: usize = 128;

/// Returns the valid name that is closest to a mistyped name, or `None` if no name is close. The
/// schema checker uses the same rule.
pub(crate) fn nearest<'name>(
    name: &str,
    names: impl Iterator<Item = &'name str>,
) -> Option<&'name str> {
    let names = names.filter(|_| name.len() <= TYPING_MISTAKE_BYTES_MAX);
    nouns_declaration::nearest::nearest(name, names, strsim::osa_distance)
}

/// Returns the hint "did you mean …?" with the closest valid name, or `None` if no name is close.
pub(crate) fn hint<'name>(name: &str, names: impl Iterator<Item = &'name str>) -> Option<Text> {
    nearest(name, names).map(did_you_mean)
}

pub(crate) fn did_you_mean(near: &str) -> Text {
    text!("Did you mean `{near}`?", near)
}
