//! Whether people see something of a text.

/// Whether a text has a character that people see. Blanks, control characters and those with the
/// property Default_Ignorable_Code_Point have no shape, and some letters are blank.
pub(crate) fn is_visible(text: &str) -> bool {
    text.chars().any(|letter| !letter.is_whitespace() && !letter.is_control() && has_shape(letter))
}

const fn has_shape(letter: char) -> bool {
    !matches!(
        letter,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_a_shape_is_invisible() {
        for text in ["", " ", "\t\n", "\u{a0}\u{3000}", "\u{200b}\u{feff}", "\u{3164}", "\u{2800}"]
        {
            assert!(!is_visible(text), "{text:?}");
        }
        for text in ["a", " a ", "\u{200f}א", "0", "é", "🦊", "\u{301}"] {
            assert!(is_visible(text), "{text:?}");
        }
    }
}
