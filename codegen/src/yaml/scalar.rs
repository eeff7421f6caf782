//! Resolves plain scalars by the core schema of YAML 1.2, in which `no` is text and `0x10` is a
//! number.

use crate::draft::Value;
use serde_yaml::Number;

/// The value of a scalar without quotes.
pub(super) fn resolve(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Boolean(true),
        "false" | "False" | "FALSE" => Value::Boolean(false),
        _ => number(text).map_or_else(|| Value::Text(text.to_owned()), Value::Number),
    }
}

/// The number in a text, as JSON text. Digits stay as written: `1.50` stays `1.50`.
fn number(text: &str) -> Option<String> {
    if !text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first)) {
        return None;
    }
    let decimal = is_decimal(text);
    match text.parse::<Number>() {
        Ok(_) if decimal => Some(as_json(text)),
        Ok(number) => Some(number.to_string()),
        Err(_) => decimal.then(|| as_json(text)),
    }
}

/// Whether a text is a decimal number of any size, with an optional fraction and exponent.
fn is_decimal(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
        }
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && !leading_zero
        && exponent.is_none_or(|exponent| !exponent.is_empty() && digits(exponent))
}

/// Converts a decimal number to the syntax of JSON: `+.5` becomes `0.5`, and `5.` becomes `5.0`.
fn as_json(text: &str) -> String {
    let (sign, rest) = match text.as_bytes().first() {
        Some(b'-') => ("-", &text[1..]),
        Some(b'+') => ("", &text[1..]),
        _ => ("", text),
    };
    let at = rest.find(['e', 'E']).unwrap_or(rest.len());
    let (mantissa, exponent) = rest.split_at(at);
    let before = if mantissa.starts_with('.') { "0" } else { "" };
    let after = if mantissa.ends_with('.') { "0" } else { "" };
    format!("{sign}{before}{mantissa}{after}{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_the_digits_of_the_author() {
        let cases = [
            ("1", "1"),
            ("-0", "-0"),
            ("+5", "5"),
            ("1.50", "1.50"),
            (".5", "0.5"),
            ("5.", "5.0"),
            ("1e3", "1e3"),
            ("0x10", "16"),
            ("0o17", "15"),
            ("-.inf", "-.inf"),
            ("1e400", "1e400"),
            ("99999999999999999999", "99999999999999999999"),
        ];
        for (text, json) in cases {
            assert_eq!(number(text).as_deref(), Some(json), "{text}");
        }
    }

    #[test]
    fn what_yaml_1_2_reads_as_text_is_text() {
        for text in [
            "no",
            "yes",
            "on",
            "007",
            "1_000",
            "2026-11-20",
            "12:30",
            "1.2.3",
            "-",
            "+",
            ".",
            "1e",
            "e3",
            "0x",
        ] {
            assert!(matches!(resolve(text), Value::Text(_)), "{text}");
        }
    }
}
