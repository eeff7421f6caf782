//! The dialect of `pattern`: regular expressions of ECMA-262 with the flag `u`, as JSON Schema has
//! them.
//!
//! The crate `regex` reads the same syntax, but other characters belong to its classes: a `\d` is
//! any digit of Unicode, and `.` matches a carriage return. [`to_regex`] spells them out.

/// The characters of `\s`: white space and line ends (ECMA-262 §22.2.2.9).
const SPACES: &str = concat!(
    r"\t\n\x0B\x0C\r\x20\u{A0}\u{1680}\u{2000}-\u{200A}",
    r"\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}"
);

/// The characters of `\d`, and those of `\w`.
const DIGITS: &str = "0-9";
const WORD: &str = "0-9A-Za-z_";

/// Every character that does not end a line: `.`.
const ANY: &str = r"[^\n\r\u{2028}\u{2029}]";

/// Returns the regular expression of the crate `regex` that matches what a pattern matches in
/// ECMA-262. What ECMA-262 does not have, such as flags in the pattern, is unchanged.
#[must_use]
pub fn to_regex(pattern: &str) -> String {
    let dot = if dots_match_all(pattern) { "." } else { ANY };
    PatternTranslation { rest: pattern, text: String::with_capacity(pattern.len()), dot }.run()
}

/// Whether a pattern has the flag `s` of the crate `regex`.
fn dots_match_all(pattern: &str) -> bool {
    pattern.split("(?").skip(1).any(|group| {
        let flags = group.split([':', ')', '-', '<', 'P']).next().unwrap_or_default();
        flags.contains('s')
    })
}

struct PatternTranslation<'p> {
    rest: &'p str,
    text: String,
    /// The translation of a dot.
    dot: &'static str,
}

/// The item of a class that was just read: a range may follow one character only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ClassItem {
    Start,
    /// A character that a range may begin with.
    Character,
    /// A character and a hyphen.
    Range,
}

impl PatternTranslation<'_> {
    fn run(mut self) -> String {
        while let Some(letter) = self.take() {
            match letter {
                '\\' => self.escape(),
                '[' => self.class(),
                '.' => self.text.push_str(self.dot),
                other => self.text.push(other),
            }
        }
        self.text
    }

    fn take(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = &self.rest[letter.len_utf8()..];
        Some(letter)
    }

    /// Translates an escape outside of a class.
    fn escape(&mut self) {
        let Some(letter) = self.take() else { return self.text.push('\\') };
        match letter {
            // `\b{start}` is of the crate `regex` alone.
            'b' | 'B' if !self.rest.starts_with('{') => {
                self.text.push_str(&format!(r"(?-u:\{letter})"));
            }
            letter => match set(letter) {
                Some(set) => self.text.push_str(&set),
                None => self.character(letter),
            },
        }
    }

    /// Writes the escape of one character.
    fn character(&mut self, letter: char) {
        let control = self.rest.chars().next().filter(char::is_ascii_alphabetic);
        match (letter, control) {
            ('0', _) if !self.rest.starts_with(|next: char| next.is_ascii_digit()) => {
                self.text.push_str(r"\x00");
            }
            ('c', Some(control)) => {
                self.take();
                self.text.push_str(&format!(r"\x{:02X}", control as u32 % 32));
            }
            ('u', _) => match surrogates(self.rest) {
                Some(one) => {
                    self.rest = &self.rest["D83D\\uDE00".len()..];
                    self.text.push_str(&format!(r"\u{{{:X}}}", one as u32));
                }
                None => self.text.push_str(r"\u"),
            },
            (letter, _) => self.text.extend(['\\', letter]),
        }
    }

    /// Translates a class, up to the bracket that closes it.
    fn class(&mut self) {
        self.text.push('[');
        for literal in ['^', ']'] {
            if let Some(rest) = self.rest.strip_prefix(literal) {
                self.rest = rest;
                self.text.push(literal);
            }
        }
        let mut last = ClassItem::Start;
        while let Some(letter) = self.take() {
            last = match (letter, last) {
                (']', _) => return self.text.push(']'),
                ('[', _) => {
                    self.class();
                    ClassItem::Start
                }
                ('\\', _) => self.class_escape(last),
                ('-', ClassItem::Character) => {
                    self.text.push('-');
                    ClassItem::Range
                }
                (letter, _) => {
                    self.text.push(letter);
                    after_character(last)
                }
            };
        }
    }

    fn class_escape(&mut self, last: ClassItem) -> ClassItem {
        let Some(letter) = self.take() else {
            self.text.push('\\');
            return ClassItem::Start;
        };
        // No range begins or ends with a set. The crate refuses one, as ECMA-262 does.
        let after = self.rest.strip_prefix('-');
        let begins_range = after.is_some_and(|after| !after.starts_with([']', '-']));
        match set(letter) {
            Some(set) if !begins_range && last != ClassItem::Range => {
                self.text.push_str(&set);
                ClassItem::Start
            }
            None if letter == 'b' => {
                self.text.push_str(r"\x08");
                after_character(last)
            }
            _ => {
                self.character(letter);
                after_character(last)
            }
        }
    }
}

/// The state after a character of a class, which may end a range.
fn after_character(last: ClassItem) -> ClassItem {
    match last {
        ClassItem::Range => ClassItem::Start,
        _ => ClassItem::Character,
    }
}

/// Returns the class of an escape, if it stands for a set of characters.
fn set(letter: char) -> Option<String> {
    let characters = match letter.to_ascii_lowercase() {
        'd' => DIGITS,
        's' => SPACES,
        'w' => WORD,
        _ => return None,
    };
    let not = if letter.is_ascii_uppercase() { "^" } else { "" };
    Some(format!("[{not}{characters}]"))
}

/// Returns the character of a surrogate pair, `D83D\uDE00`.
fn surrogates(text: &str) -> Option<char> {
    let half = |at: usize| u16::from_str_radix(text.get(at..at + 4)?, 16).ok();
    let (first, second) = (half(0)?, half(6)?);
    let is_pair = text.get(4..6) == Some(r"\u") && (0xd800..0xdc00).contains(&first);
    char::decode_utf16([first, second]).next()?.ok().filter(|_| is_pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_spelled_out() {
        assert_eq!(to_regex(r"^\d{3}\.[\w.-]+\W$"), r"^[0-9]{3}\.[[0-9A-Za-z_].-]+[^0-9A-Za-z_]$");
        assert_eq!(to_regex(r"^[^\s\D]"), format!(r"^[^[{SPACES}][^0-9]]"));
        assert_eq!(to_regex(r"\bx\B[\b]"), r"(?-u:\b)x(?-u:\B)[\x08]");
        assert_eq!(to_regex("a.[.]"), format!("a{ANY}[.]"));
    }

    #[test]
    fn other_escapes_keep_their_meaning() {
        let same =
            [r"\\d[\\d]\/\-\.", r"\p{L}[\p{Lu}a-z]", r"[]a-z]\x41", "[[:alpha:]_]", r"\b{start}"];
        for pattern in same {
            assert_eq!(to_regex(pattern), pattern);
        }
        assert_eq!(to_regex(r"\0\cJ[\0-\x1f]"), r"\x00\x0A[\x00-\x1f]");
        assert_eq!(to_regex(r"\uD83D\uDE00\u00e9"), r"\u{1F600}\u00e9");
        assert_eq!(to_regex("(?s)a.b"), "(?s)a.b");
        assert_eq!(to_regex("(?:s).(?i:a)"), format!("(?:s){ANY}(?i:a)"));
    }

    #[test]
    fn a_set_is_no_end_of_a_range() {
        for refused in [r"[\w-.]", r"[a-\d]"] {
            assert_eq!(to_regex(refused), refused);
        }
        assert_eq!(to_regex(r"[a-z-\d]"), "[a-z-[0-9]]");
        assert_eq!(to_regex(r"[\d-]"), "[[0-9]-]");
    }
}
