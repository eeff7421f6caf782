//! What somebody probably meant who mistyped a name.

use crate::base::error::{Text, text};

/// Longer names than any of ours are no typing mistakes, and comparing costs the product of the
/// lengths.
const TYPING_MISTAKE_BYTES_MAX: usize = 128;

/// The known name that a mistyped one is closest to, if any is close, by the rule of the checker.
pub(crate) fn nearest<'name>(
    name: &str,
    known: impl Iterator<Item = &'name str>,
) -> Option<&'name str> {
    let known = known.filter(|_| name.len() <= TYPING_MISTAKE_BYTES_MAX);
    nouns_declaration::nearest::nearest(name, known, strsim::osa_distance)
}

/// The hint that names it.
pub(crate) fn hint<'name>(name: &str, known: impl Iterator<Item = &'name str>) -> Option<Text> {
    nearest(name, known).map(did_you_mean)
}

pub(crate) fn did_you_mean(near: &str) -> Text {
    text!("Did you mean `{near}`?", near)
}
