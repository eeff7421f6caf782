//! The values that the inputs of browsers keep as they are.

/// Whether a text is a date that the input of a browser can have: not one of the year 0.
pub(super) fn is_date(text: &str) -> bool {
    let digits = |from: usize, to: usize| {
        text.get(from..to).is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_formed = digits(0, 4) && digits(5, 7) && digits(8, 10) && text.len() == 10;
    is_formed && text.get(4..5) == Some("-") && text.get(7..8) == Some("-") && &text[..4] != "0000"
}

/// Returns a `datetime` in UTC without its offset and without a fraction of a second that is 0, as
/// the input of a browser has it. Returns `None` for others, which that input would lose.
pub(super) fn whole_seconds(text: &str) -> Option<&str> {
    let (date, time) = text.split_once('T').filter(|(date, _)| is_date(date))?;
    let time = time.strip_suffix('Z').unwrap_or(time);
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let is_time = [5, 8].contains(&time.len())
        && time.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    (is_time && fraction.bytes().all(|byte| byte == b'0'))
        .then(|| &text[..date.len() + 1 + time.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_of_a_browser_has_only_what_it_keeps() {
        for (text, expected) in [
            ("2026-01-31T12:00:00.000000Z", Some("2026-01-31T12:00:00")),
            ("2026-01-31T12:00", Some("2026-01-31T12:00")),
            ("2026-01-31T12:00:00.25Z", None),
            ("2026-01-31T12:00:00+01:00", None),
            ("0000-01-31T12:00:00Z", None),
            ("noon", None),
            ("2026-01-31Tnoon!", None),
            ("äöü6-01-31T12:00", None),
        ] {
            assert_eq!(whole_seconds(text), expected, "{text}");
        }
    }
}
