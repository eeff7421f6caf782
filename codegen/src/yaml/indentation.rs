//! Finds out whether the indentation of a line causes a syntax error.

/// The advice for a line that is indented further than a line with a complete value.
const DEEPER: &str = "this line is indented further than the one above it, which already has its \
                      value; begin both in the same column";

/// The advice for a line that begins in a column in which no earlier line begins.
const BETWEEN: &str =
    "no line above begins in this column; the keys of one level begin in the same column";

/// The advice for the line that contains the byte at this offset. `None` if its indentation is
/// correct.
pub(super) fn cause(text: &str, byte: usize) -> Option<&'static str> {
    let start = text[..byte].rfind('\n').map_or(0, |end| end + 1);
    let column = column(text[start..].lines().next()?)?;
    let mut above =
        text[..start].lines().rev().filter_map(|line| Some((self::column(line)?, line)));
    let (last, line) = above.next()?;
    if column > last {
        return has_value(line).then_some(DEEPER);
    }
    let mut open = last;
    for (at, _) in above {
        if open <= column {
            break;
        }
        open = open.min(at);
    }
    (open != column).then_some(BETWEEN)
}

/// The number of spaces at the beginning of a line. `None` for an empty line or a comment.
fn column(line: &str) -> Option<usize> {
    let rest = line.trim_start_matches(' ');
    let has_content = !rest.trim_end().is_empty() && !rest.starts_with('#');
    has_content.then_some(line.len() - rest.len())
}

/// Whether a line has a key with a complete value.
fn has_value(line: &str) -> bool {
    let line = line.split(" #").next().unwrap_or_default().trim_end();
    line.contains(": ") && !line.ends_with([':', '|', '>', '{', '[', ','])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_belongs_to_no_level_is_told_so() {
        let cases = [
            ("a:\n  b: 1\n   c: 2\n", Some(DEEPER)),
            ("a:\n  b: 1 # one\n\n   c: 2\n", Some(DEEPER)),
            ("a:\n    b: 1\n  c: 2\n", Some(BETWEEN)),
            ("a:\n  b:\n      d: 1\n    c: 2\n", Some(BETWEEN)),
            ("a:\n  b:\n    d: 1\n  c: 2\n", None),
            ("a:\n  b: 1\n# note\nc: 2\n", None),
            ("a:\n  c: 2\n", None),
            ("a: [\n  c: 2\n", None),
            ("c: 2\n", None),
        ];
        for (text, expected) in cases {
            assert_eq!(cause(text, text.find("c:").unwrap()), expected, "{text:?}");
        }
    }
}
