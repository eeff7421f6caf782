//! The search for the declared name that a mistyped name probably means.

/// Finds the declared name that is closest to a mistyped name. At most a third of the letters may
/// be wrong. One wrong letter is always allowed. `distance` counts the typing mistakes between two
/// names.
///
/// Names without a letter in common are not close, however short the names are.
///
/// ```
/// use nouns_declaration::nearest::nearest;
///
/// // A stand-in for the crate `strsim`.
/// let distance = |one: &str, other: &str| {
///     one.chars().zip(other.chars()).filter(|(a, b)| a != b).count()
/// };
/// assert_eq!(nearest("nane", ["name", "kind"], distance), Some("name"));
/// assert_eq!(nearest("x", ["y"], distance), None);
/// ```
#[must_use]
pub fn nearest<'n>(
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
    distance: impl Fn(&str, &str) -> usize,
) -> Option<&'n str> {
    let length = name.chars().count();
    let allowed = (length / 3).max(1);
    let close = known.into_iter().filter_map(|known| {
        let known_length = known.chars().count();
        if known_length.abs_diff(length) > allowed {
            return None;
        }
        let distance = distance(name, known);
        (distance <= allowed && distance < length.max(known_length)).then_some((distance, known))
    });
    close.min().map(|(_, known)| known)
}
