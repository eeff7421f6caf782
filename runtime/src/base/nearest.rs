//! What somebody probably meant who mistyped a name.

use crate::base::error::{Text, text};

/// Longer names than any of ours are no typing mistakes, and comparing costs the product of the
/// lengths.
const TYPING_MISTAKE_BYTES_MAX: usize = 128;

/// The known name that a mistyped one is closest to, if any is close.
pub(crate) fn nearest<'name>(
    name: &str,
    known: impl Iterator<Item = &'name str>,
) -> Option<&'name str> {
    let length = name.chars().count();
    let allowed = (length / 3).max(1);
    let close = known.filter(|_| name.len() <= TYPING_MISTAKE_BYTES_MAX).filter_map(|known| {
        let distance = strsim::damerau_levenshtein(name, known);
        // Names without a letter in common are not near, however short they are.
        let related = distance < length.max(known.chars().count());
        (distance <= allowed && related).then_some((distance, known))
    });
    close.min().map(|(_, known)| known)
}

/// The hint that names it.
pub(crate) fn hint<'name>(name: &str, known: impl Iterator<Item = &'name str>) -> Option<Text> {
    nearest(name, known).map(did_you_mean)
}

pub(crate) fn did_you_mean(near: &str) -> Text {
    text!("Did you mean `{near}`?", near)
}
