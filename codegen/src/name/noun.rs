//! Checks that a name is a singular noun, and not a verb or a plural.

use super::plural::{IRREGULAR, SINGULARS_IN_S, UNCHANGED, plural_of};
use super::words;

/// The verbs that a name must not begin with, because HTTP methods express them.
pub const VERBS: &[&str] =
    &["get", "show", "list", "create", "add", "delete", "update", "remove", "fetch", "edit"];

/// The verb that a name begins with, as in `getZoo` and `create_animal`. `None` for `address`.
///
/// ```
/// use nouns_codegen::name::noun::leading_verb;
/// assert_eq!([leading_verb("getZoo"), leading_verb("address")], [Some("get"), None]);
/// ```
#[must_use]
pub fn leading_verb(name: &str) -> Option<&'static str> {
    let words = words(name);
    VERBS.iter().copied().find(|verb| words.first().is_some_and(|first| first == verb))
}

/// The singular of a name that is a plural. `None` for any other name.
///
/// ```
/// use nouns_codegen::name::noun::singular_of_plural;
/// assert_eq!(singular_of_plural("animal_types").as_deref(), Some("animal_type"));
/// assert_eq!(singular_of_plural("bus_status"), None);
/// ```
#[must_use]
pub fn singular_of_plural(name: &str) -> Option<String> {
    let (before, last) = name.rsplit_once('_').map_or(("", name), |(before, last)| (before, last));
    let singular = singular(last)?;
    Some(if before.is_empty() { singular } else { format!("{before}_{singular}") })
}

/// The singular of a plural word. `None` if the word may be a singular.
fn singular(word: &str) -> Option<String> {
    if is_singular_in_s(word) || UNCHANGED.contains(&word) {
        return None;
    }
    candidates(word)
        .into_iter()
        .find(|candidate| candidate.len() > 1 && plural_of(candidate) == word)
}

/// Whether a word ends like a plural but is a singular, such as `status`, `address`, `gas` and
/// `sms`.
fn is_singular_in_s(word: &str) -> bool {
    let vowels = word.chars().filter(|letter| "aeiouy".contains(*letter)).count();
    let short = word.ends_with('s') && (word.len() <= 3 || vowels == 0);
    let ending = ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending))
        && !PLURALS_IN_US.contains(&word);
    short || ending || SINGULARS_IN_S.contains(&word)
}

/// The plurals that end in `us` or `is`. Any other word that ends in `us`, `ss` or `is` counts as a
/// singular.
const PLURALS_IN_US: &[&str] =
    &["menus", "gurus", "taxis", "skis", "kiwis", "emojis", "apis", "uris", "pis", "gpus", "cpus"];

/// The possible singulars of a plural, the most probable one first.
fn candidates(word: &str) -> Vec<String> {
    let irregular =
        IRREGULAR.iter().filter(|(_, many)| *many == word).map(|(one, _)| (*one).to_owned());
    let in_s = IN_SIS.iter().chain(SINGULARS_IN_S).map(|one| (*one).to_owned());
    let compound = COMPOUNDS
        .iter()
        .filter_map(|(many, one)| word.strip_suffix(many).map(|before| format!("{before}{one}")));
    let regular = [("ies", "y"), ("zzes", "z")].into_iter();
    let regular = regular
        .filter_map(|(many, one)| word.strip_suffix(many).map(|stem| format!("{stem}{one}")));
    let hissing = word.strip_suffix("es").filter(|stem| is_hissing(stem)).map(str::to_owned);
    let plain = word.strip_suffix('s').map(str::to_owned);
    irregular.chain(in_s).chain(compound).chain(regular).chain(hissing).chain(plain).collect()
}

/// Whether a stem before `es` is probably a whole word, such as `status`. A stem such as `hous` is
/// not a word without its `e`.
fn is_hissing(stem: &str) -> bool {
    let ends = |endings: &[&str]| endings.iter().any(|ending| stem.ends_with(ending));
    stem.len() > 2 && ends(&["us", "ss", "x", "ch", "sh", "o"]) && !ends(&["ous", "aus"])
        || stem == "gas"
}

/// Words that end in `sis` and whose plural ends in `ses`.
const IN_SIS: &[&str] = &[
    "analysis",
    "basis",
    "crisis",
    "diagnosis",
    "emphasis",
    "hypothesis",
    "oasis",
    "paralysis",
    "parenthesis",
    "prognosis",
    "synopsis",
    "synthesis",
    "thesis",
];

/// The endings of compound words that are certainly plurals, with their singulars. `men` alone is
/// no such ending, because `specimen` is a singular.
const COMPOUNDS: &[(&str, &str)] = &[
    ("women", "woman"),
    ("smen", "sman"),
    ("children", "child"),
    ("people", "person"),
    ("shelves", "shelf"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_are_found() {
        let cases = [
            ("zoos", "zoo"),
            ("animals", "animal"),
            ("categories", "category"),
            ("boxes", "box"),
            ("people", "person"),
            ("children", "child"),
            ("statuses", "status"),
            ("addresses", "address"),
            ("analyses", "analysis"),
            ("leaves", "leaf"),
            ("quizzes", "quiz"),
            ("women", "woman"),
            ("ideas", "idea"),
            ("houses", "house"),
            ("menus", "menu"),
            ("home_teams", "home_team"),
            ("shoes", "shoe"),
            ("gases", "gas"),
            ("matches", "match"),
            ("salesmen", "salesman"),
            ("users", "user"),
        ];
        for (many, one) in cases {
            assert_eq!(singular_of_plural(many).as_deref(), Some(one), "{many}");
        }
    }

    #[test]
    fn singulars_are_left_alone() {
        let words = "status news bus address gas analysis lens series species virus class process access sms gps dns https \
            atlas canvas alias bias chassis campus bonus census physics analytics logistics boss glass iris tennis basis axis \
            chaos kudos corps means data media sheep zoo day person man human specimen regimen omen yes business express \
            dress process_status bus_news aws tls diabetes settings_alias os children_status";
        for word in words.split_whitespace() {
            assert_eq!(singular_of_plural(word), None, "{word}");
        }
    }

    #[test]
    fn verbs_are_found_where_they_lead() {
        for name in [
            "get",
            "getZoo",
            "get_zoo",
            "createAnimal",
            "create_animal",
            "GetZoo",
            "list-items",
            "edit",
        ] {
            assert!(leading_verb(name).is_some(), "{name}");
        }
        for name in [
            "address", "listing", "edition", "updater", "getaway", "zoo_list", "showcase",
            "additive",
        ] {
            assert_eq!(leading_verb(name), None, "{name}");
        }
    }
}
