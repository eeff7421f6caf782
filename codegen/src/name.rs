//! Names: their syntax, their conversion between cases, and their Rust identifiers.
//!
//! This module uses no library, because an update of a library could change URLs, columns or Rust
//! names.

pub mod noun;
pub mod plural;

/// The maximum length of a name in characters. PostgreSQL truncates longer identifiers.
pub const NAME_CHARACTERS_MAX: usize = 63;

/// Whether a text is a name: lower-case words of letters and digits joined by single underscores. A
/// name begins with a letter and has at most 63 characters.
///
/// ```
/// use nouns_codegen::name::is_name;
/// assert!(is_name("animal_type") && !is_name("animal__type") && !is_name("Animal"));
/// ```
#[must_use]
pub fn is_name(text: &str) -> bool {
    text.len() <= NAME_CHARACTERS_MAX
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && !text.ends_with('_')
        && !text.contains("__")
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Splits an identifier in any case into words: `getZoo`, `get_zoo` and `get-zoo` become `get` and
/// `zoo`.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for character in text.chars() {
        if !character.is_alphanumeric() || (character.is_uppercase() && lower_before) {
            words.push(String::new());
        }
        lower_before = character.is_lowercase() || character.is_numeric();
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Converts a name to snake case: `AnimalType`, `animalType` and `animal-type` become
/// `animal_type`.
#[must_use]
pub fn snake(text: &str) -> String {
    words(text).join("_")
}

/// Converts a name to Pascal case: `animal_type` becomes `AnimalType`.
#[must_use]
pub fn pascal(name: &str) -> String {
    name.split('_').map(capitalised).collect()
}

fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_ascii_uppercase().to_string() + characters.as_str()
    })
}

/// The Rust identifier of a field. Keywords become raw identifiers such as `r#type`; keywords that
/// cannot be raw get an underscore, such as `self_`.
///
/// ```
/// use nouns_codegen::name::rust_field;
/// let fields = ["name", "type", "self"].map(rust_field);
/// assert_eq!(fields, ["name", "r#type", "self_"]);
/// ```
#[must_use]
pub fn rust_field(name: &str) -> String {
    match name {
        "self" | "super" | "crate" => format!("{name}_"),
        _ if KEYWORDS.contains(&name) => format!("r#{name}"),
        _ => name.to_owned(),
    }
}

/// The Rust type of a resource or named type: `AnimalType`. The keyword `Self` becomes `Self_`.
#[must_use]
pub fn rust_type(name: &str) -> String {
    match pascal(name) {
        keyword if keyword == "Self" => "Self_".to_owned(),
        name => name,
    }
}

/// The keywords of Rust 2024 that can be raw identifiers. Reserved words are included.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_lower_case_words_joined_by_single_underscores() {
        for name in ["a", "zoo", "animal_type", "type2", "a_1"] {
            assert!(is_name(name), "{name}");
        }
        let long = "a".repeat(64);
        for text in ["", "_a", "a_", "a__b", "A", "aB", "1a", "a-b", "a b", "é", &long] {
            assert!(!is_name(text), "{text}");
        }
    }

    #[test]
    fn names_change_their_case() {
        assert_eq!(pascal("animal_type"), "AnimalType");
        assert_eq!(rust_type("self"), "Self_");
        for text in ["animalType", "AnimalType", "animal-type", "animal type", "animal__type_"] {
            assert_eq!(snake(text), "animal_type", "{text}");
        }
    }
}
