//! The forms in which passwords and logins are compared (RFC 8265), so that the same characters are
//! the same on each keyboard: some systems send an accent as a character of its own.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

/// Returns the form of a password (RFC 8265 §4.2.2, `OpaqueString`): NFC, with the space of ASCII
/// for each other space.
pub(crate) fn password(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    text.chars().map(|one| if is_space(one) { ' ' } else { one }).nfc().collect::<String>().into()
}

/// Returns the form of a login (RFC 8265 §3.4, `UsernameCasePreserved`): NFC, with usual characters
/// for those of another width.
pub(crate) fn login(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let mut usual = String::with_capacity(text.len());
    for one in text.chars() {
        if has_width(one) { usual.extend(one.nfkc()) } else { usual.push(one) }
    }
    usual.nfc().collect::<String>().into()
}

/// Returns the forms in which a password may have been hashed, the present form first. Before there
/// was a form, a hash was that of the characters as they were sent.
pub(crate) fn of_password(text: &str) -> Vec<Cow<'_, str>> {
    forms(password(text), text)
}

/// Returns the forms in which a login may be stored. As it was sent is first, then the present
/// form.
pub(crate) fn of_login(text: &str) -> Vec<Cow<'_, str>> {
    forms(text.into(), &login(text)).into_iter().map(|form| form.into_owned().into()).collect()
}

fn forms<'a>(first: Cow<'a, str>, second: &str) -> Vec<Cow<'a, str>> {
    if first.is_ascii() && second == first {
        return vec![first];
    }
    let decomposed: String = first.nfd().collect();
    let mut forms = vec![first];
    for other in [second.to_owned(), decomposed] {
        if forms.iter().all(|form| **form != *other) {
            forms.push(other.into());
        }
    }
    forms
}

/// Whether a character is a space beside that of ASCII (the category `Zs`).
const fn is_space(one: char) -> bool {
    matches!(
        one,
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Whether a character is a fullwidth or halfwidth form of another.
const fn has_width(one: char) -> bool {
    matches!(one, '\u{3000}' | '\u{ff01}'..='\u{ffee}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_characters_have_one_form() {
        for (given, expected) in [
            ("correct horse", "correct horse"),
            ("pa\u{308}ss", "p\u{e4}ss"),
            ("p\u{e4}ss", "p\u{e4}ss"),
            ("a\u{a0}b\u{3000}c", "a b c"),
            ("\u{1100}\u{1161}", "\u{ac00}"),
            // A password keeps the width, the case and the compatibility of its characters.
            ("\u{ff21}\u{fb01}", "\u{ff21}\u{fb01}"),
        ] {
            assert_eq!(password(given), expected, "{given:?}");
        }
        for (given, expected) in [
            ("Ann", "Ann"),
            ("Zoe\u{301}", "Zo\u{e9}"),
            ("\u{ff21}nn\u{3000}\u{ff76}\u{ff9e}", "Ann \u{30ac}"),
            ("\u{fb01}", "\u{fb01}"),
        ] {
            assert_eq!(login(given), expected, "{given:?}");
            assert_eq!(login(&login(given)), expected, "the form is stable");
        }
    }

    #[test]
    fn earlier_forms_are_compared_too() {
        assert_eq!(of_password("plain"), ["plain"]);
        assert_eq!(of_password("p\u{e4}ss"), ["p\u{e4}ss", "pa\u{308}ss"]);
        assert_eq!(of_password("pa\u{308}ss"), ["p\u{e4}ss", "pa\u{308}ss"]);
        assert_eq!(of_password("\u{e4}\u{a0}"), ["\u{e4} ", "\u{e4}\u{a0}", "a\u{308} "]);
        assert_eq!(of_login("Ann"), ["Ann"]);
        assert_eq!(of_login("Zoe\u{301}"), ["Zoe\u{301}", "Zo\u{e9}"]);
        assert_eq!(of_login("Zo\u{e9}"), ["Zo\u{e9}", "Zoe\u{301}"]);
    }
}
