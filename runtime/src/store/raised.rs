//! Refusals by triggers that somebody else has written into the database. Their text is for
//! clients.

use crate::base::{
    error::{Error, Kind, text},
    limits::RAISED_TEXT_MAX,
};

/// The characters that change the order of the text around them, or that nobody sees.
const INVISIBLE: [std::ops::RangeInclusive<char>; 5] = [
    '\u{200b}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{feff}'..='\u{feff}',
    '\u{fff0}'..='\u{fffb}',
];

/// Returns the error (409) for a write that a trigger has refused with this text.
pub(super) fn refusal(message: &str) -> Error {
    let shown = shown(message);
    if shown.is_empty() {
        return Error::new(
            Kind::RULE_VIOLATED,
            text!("A rule of the database refuses this write."),
        );
    }
    Error::new(Kind::RULE_VIOLATED, shown)
}

/// Returns a text in one line, without what is invisible, and cut to the limit.
fn shown(message: &str) -> String {
    // The text is read no further than needed, whatever its length is.
    let is_blank = |c: char| c.is_whitespace() || c.is_control();
    let is_invisible = |c: char| INVISIBLE.iter().any(|range| range.contains(&c));
    let mut shown = String::new();
    let mut length = 0;
    for c in message.chars().take(RAISED_TEXT_MAX * 4).filter(|c| !is_invisible(*c)) {
        let is_gap = is_blank(c);
        if is_gap && (shown.is_empty() || shown.ends_with(' ')) {
            continue;
        }
        if length == RAISED_TEXT_MAX {
            shown.truncate(shown.trim_end().len());
            shown.push('…');
            return shown;
        }
        shown.push(if is_gap { ' ' } else { c });
        length += 1;
    }
    shown.truncate(shown.trim_end().len());
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_line_of_bounded_length_that_can_be_seen() {
        assert_eq!(shown("the room is taken"), "the room is taken");
        assert_eq!(shown(" a\r\n\tb\0\u{1b}[31mc\u{85} "), "a b [31mc");
        assert_eq!(shown("a\u{202e}b\u{200b}\u{2066}c\u{feff}"), "abc");
        assert_eq!(shown("é\u{301}ß"), "é\u{301}ß");
        assert_eq!(shown("\n\u{200b}\t"), "");
        assert_eq!(shown(&"é".repeat(RAISED_TEXT_MAX)).chars().count(), RAISED_TEXT_MAX);
        let long = shown(&"x".repeat(1_000_000));
        assert_eq!(long.chars().count(), RAISED_TEXT_MAX + 1);
        assert!(long.ends_with("x…"));
    }

    #[test]
    fn a_refusal_without_a_text_has_one_of_ours() {
        let refused = |text| refusal(text).to_string();
        assert_eq!(refused("the room is taken"), "the room is taken");
        assert_eq!(refused("\u{200b}"), "A rule of the database refuses this write.");
        assert_eq!(refusal("x").status().as_u16(), 409);
    }
}
