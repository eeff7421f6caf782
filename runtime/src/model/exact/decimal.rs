//! Comparison of JSON numbers as decimals with any number of digits, and conversion to integers.

/// The value of a JSON number (RFC 8259 §6) as a 64-bit integer. `5.0` and `50e-1` are 5. The
/// result for `1.0000000000000000000001` is `None`.
pub(super) fn integer(number: &str) -> Option<i64> {
    let decimal = Decimal::of(number);
    if decimal.is_zero() {
        return Some(0);
    }
    // The digits neither begin nor end with a zero. So the number is an integer exactly if no digit
    // is behind the decimal point.
    let digits = decimal.whole.len() + decimal.fraction.len();
    let Scale::Power(power) = decimal.scale else { return None };
    let places =
        usize::try_from(power).ok().filter(|places| (digits..=I64_DIGITS_MAX).contains(places))?;
    let sign = if decimal.is_negative { "-" } else { "" };
    let zeros = "0".repeat(places - digits);
    [sign, decimal.whole, decimal.fraction, &zeros].concat().parse().ok()
}

/// The number of digits of the largest 64-bit integer.
const I64_DIGITS_MAX: usize = 19;

/// Whether two JSON numbers (RFC 8259 §6) have the same value.
pub(super) fn equal(one: &str, other: &str) -> bool {
    let (one, other) = (Decimal::of(one), Decimal::of(other));
    one.is_zero() && other.is_zero()
        || one.is_negative == other.is_negative
            && one.scale == other.scale
            && one
                .whole
                .bytes()
                .chain(one.fraction.bytes())
                .eq(other.whole.bytes().chain(other.fraction.bytes()))
}

/// A number as `0.` followed by its digits, multiplied by a power of ten. The digits, `whole` and
/// then `fraction`, neither begin nor end with a zero.
struct Decimal<'t> {
    is_negative: bool,
    whole: &'t str,
    fraction: &'t str,
    scale: Scale<'t>,
}

/// The exponent of the power of ten in a [`Decimal`].
#[derive(PartialEq)]
enum Scale<'t> {
    Power(i128),
    /// An exponent that does not fit into 128 bits. The parts are: whether it is negative, its
    /// digits, and the number to add for the position of the decimal point. Equal numbers with the
    /// point in different positions count as different.
    Beyond(bool, &'t str, i128),
}

impl<'t> Decimal<'t> {
    fn of(number: &'t str) -> Self {
        let unsigned = number.strip_prefix('-').unwrap_or(number);
        let (digits, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let fraction = fraction.trim_end_matches('0');
        let (whole, fraction, point) = if whole == "0" {
            let digits = fraction.trim_start_matches('0');
            ("", digits, digits.len() as i128 - fraction.len() as i128)
        } else if fraction.is_empty() {
            (whole.trim_end_matches('0'), "", whole.len() as i128)
        } else {
            (whole, fraction, whole.len() as i128)
        };
        let is_negative = unsigned.len() < number.len();
        Self { is_negative, whole, fraction, scale: Scale::of(exponent, point) }
    }

    /// Whether the number is zero. The sign and the exponent of zero do not matter.
    const fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }
}

impl<'t> Scale<'t> {
    fn of(exponent: &'t str, point: i128) -> Self {
        let power = exponent.parse::<i128>().ok().and_then(|exponent| exponent.checked_add(point));
        power.map_or_else(
            || {
                let digits = exponent.trim_start_matches(['+', '-']).trim_start_matches('0');
                Self::Beyond(exponent.starts_with('-'), digits, point)
            },
            Self::Power,
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Writes a number without an exponent, with 80 digits before and after the decimal point. All
    /// numbers in these tests have fewer digits.
    fn written_out(number: &str) -> String {
        const HALF: usize = 80;
        let unsigned = number.trim_start_matches('-');
        let (digits, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let exponent: i32 = exponent.parse().unwrap();
        let mut all = format!("{whole:0>HALF$}{fraction:0<HALF$}").into_bytes();
        if exponent < 0 {
            all.rotate_right(exponent.unsigned_abs() as usize);
        } else {
            all.rotate_left(exponent.unsigned_abs() as usize);
        }
        let all = String::from_utf8(all).unwrap();
        let sign =
            if number.starts_with('-') && all.contains(|digit| digit != '0') { "-" } else { "" };
        format!("{sign}{all}")
    }

    /// A number with few digits, in one of many spellings. So two random numbers are often equal.
    fn number() -> impl Strategy<Value = String> {
        let parts = (any::<bool>(), 0_u32..20, 0_usize..4, 0_usize..4, -4_i32..4);
        parts.prop_map(|(negative, digits, zeros, places, exponent)| {
            let digits = format!("{digits}{}", "0".repeat(zeros));
            let digits = format!("{digits:0>width$}", width = places + 1);
            let (whole, fraction) = digits.split_at(digits.len() - places);
            let point = if places == 0 { "" } else { "." };
            let whole = whole.trim_start_matches('0');
            let whole = if whole.is_empty() { "0" } else { whole };
            let sign = if negative { "-" } else { "" };
            format!("{sign}{whole}{point}{fraction}e{exponent}")
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn numbers_are_equal_where_they_are_when_written_out(one in number(), other in number()) {
            prop_assert_eq!(equal(&one, &other), written_out(&one) == written_out(&other), "{} {}", one, other);
        }

        #[test]
        fn a_number_equals_itself_with_its_point_elsewhere(
            digits in "[1-9][0-9]{0,30}",
            zeros in "0{0,5}",
            places in 0_usize..8,
            exponent in any::<i64>(),
        ) {
            let one = format!("{digits}e{exponent}");
            let shifted = i128::from(exponent) - places as i128;
            let other = format!("{digits}{}.{zeros}E{shifted:+}", "0".repeat(places)).replace(".E", "E");
            prop_assert!(equal(&one, &other), "{} {}", one, other);
            let small = format!("0.{}{digits}{zeros}e{}", "0".repeat(places), shifted + 2 * places as i128 + digits.len() as i128);
            prop_assert!(equal(&one, &small), "{} {}", one, small);
        }
    }

    #[test]
    fn no_exponent_is_too_large_to_be_told_from_another() {
        let long = "1".repeat(60);
        let (one, other) = (format!("1e{long}"), format!("1e{long}0"));
        assert!(equal(&one, &one.replace('e', "E+00")) && !equal(&one, &other));
        assert!(!equal(&one, &one.replace('e', "e-")));
        assert!(equal(&format!("0e{long}"), "-0.00") && !equal(&one, "1"));
    }

    proptest! {
        #[test]
        fn a_whole_number_is_read_wherever_its_point_stands(value in any::<i64>(), places in 0_usize..25, zeros in 0_usize..4) {
            let digits = value.unsigned_abs().to_string();
            let padded = format!("{digits:0>width$}", width = places + 1);
            let (whole, fraction) = padded.split_at(padded.len() - places);
            let sign = if value < 0 { "-" } else { "" };
            let number = format!("{sign}{whole}.{fraction}{}e{places}", "0".repeat(zeros + 1));
            prop_assert_eq!(integer(&number), Some(value), "{}", number);
            prop_assert_eq!(integer(&format!("{value}.{}1", "0".repeat(places))), None);
        }
    }

    #[test]
    fn whole_numbers_are_decided_by_their_digits() {
        let whole = [
            ("1e18", 1_000_000_000_000_000_000),
            ("9007199254740993.0", 9_007_199_254_740_993),
            ("9.223372036854775807E+18", i64::MAX),
            ("-9223372036854775808.000", i64::MIN),
            ("-92233720368547758080e-1", i64::MIN),
            ("-0.0e99999999999999999999999999999999999999999", 0),
            ("0.00005e5", 5),
        ];
        for (number, value) in whole {
            assert_eq!(integer(number), Some(value), "{number}");
        }
        let long = format!("1e{}", "9".repeat(60));
        let others = [
            "1.0000000000000000000001",
            "9223372036854775808",
            "-9223372036854775809",
            "1e19",
            "1e-1",
            "0.5",
            &long,
        ];
        for number in others {
            assert_eq!(integer(number), None, "{number}");
        }
    }

    #[test]
    fn zero_is_one_number() {
        for zero in ["0", "-0", "0.0", "-0.000E5", "0e-400"] {
            assert!(equal(zero, "0") && equal("0", zero) && !equal(zero, "1"), "{zero}");
        }
    }
}
