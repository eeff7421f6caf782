//! Words of a POSIX shell, for commands that people paste.

/// A text as one word: it is quoted if a shell would read anything else in it.
pub(super) fn word(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/:.,_-+@%".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_word() {
        for (text, expected) in [
            ("http://127.0.0.1:8080/zoos", "http://127.0.0.1:8080/zoos"),
            ("http://[::1]:8080/zoos", "'http://[::1]:8080/zoos'"),
            ("my zoo.yaml", "'my zoo.yaml'"),
            ("kim's", r"'kim'\''s'"),
            ("$HOME", "'$HOME'"),
            ("", "''"),
        ] {
            assert_eq!(word(text), expected);
        }
    }

    /// A shell prints the word again as it was.
    #[test]
    fn a_shell_reads_the_word_as_the_text() {
        for text in ["a b", "it's", "$(ls) `ls` \\ \" ! * ? [a] {b} ~ # ; & | < >", "é\nx"] {
            let command = format!("printf %s {}", word(text));
            let output = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), text);
        }
    }
}
