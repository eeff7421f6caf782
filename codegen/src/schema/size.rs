//! Sizes in bytes as text: `64KiB`, `1MiB`, `2GiB` and `0`.

/// The units and their sizes in bytes, the smallest first.
const UNITS: [(&str, u64); 3] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];

/// Parses a size with its unit. The result is in bytes.
///
/// ```
/// use nouns_codegen::schema::size::bytes;
/// assert_eq!((bytes("64KiB"), bytes("0")), (Ok(65_536), Ok(0)));
/// assert!(bytes("64kB").is_err());
/// ```
///
/// # Errors
/// The rule that the size breaks, as text for a message.
pub fn bytes(text: &str) -> Result<u64, &'static str> {
    let rule = || "0, or a whole number with its unit, such as 64KiB, 1MiB or 1GiB";
    if text == "0" {
        return Ok(0);
    }
    let found = UNITS.iter().find_map(|(unit, bytes)| Some((text.strip_suffix(unit)?, bytes)));
    let (number, unit) = found.ok_or_else(rule)?;
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(rule());
    }
    let number: u64 = number.parse().map_err(|_| rule())?;
    number.checked_mul(*unit).ok_or_else(rule)
}

/// Formats a size in the largest unit in which it is a whole number.
///
/// ```
/// use nouns_codegen::schema::size::text;
/// assert_eq!([text(0), text(65_536), text(1000)], ["0", "64KiB", "1000"]);
/// ```
#[must_use]
pub fn text(bytes: u64) -> String {
    let largest =
        UNITS.iter().rev().find(|(_, unit)| bytes >= *unit && bytes.is_multiple_of(*unit));
    largest.map_or_else(|| bytes.to_string(), |(unit, one)| format!("{}{unit}", bytes / one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_a_unit_unless_it_is_nothing() {
        for (text, bytes) in [("0", 0), ("64KiB", 64 << 10), ("1MiB", 1 << 20), ("3GiB", 3 << 30)] {
            assert_eq!(super::bytes(text), Ok(bytes), "{text}");
            assert_eq!(super::text(bytes), text);
        }
        assert_eq!(bytes("0GiB"), Ok(0));
        assert_eq!(text(1536 << 10), "1536KiB");
        for text in [
            "",
            "1",
            "KiB",
            "1kB",
            "1 MiB",
            "-1MiB",
            "+1MiB",
            "1.5GiB",
            "1MB",
            "18014398509481984KiB",
        ] {
            assert!(bytes(text).unwrap_err().contains("64KiB"), "{text}");
        }
    }
}
