//! The binary form of `numeric`: groups of four decimal digits.

/// The header of a number in bytes: the number of groups, the weight of the first, the sign, and
/// the number of digits after the point.
const HEADER_BYTES: usize = 8;
const NEGATIVE: u16 = 0x4000;

/// Returns a number multiplied by ten to the power of its own scale, as decimals are stored. `None`
/// if that is no integer of 64 bits: another program has written it.
pub(super) fn scaled(raw: &[u8]) -> Option<i64> {
    let word = |at: usize| Some(i16::from_be_bytes([*raw.get(at)?, *raw.get(at + 1)?]));
    let (groups, weight, scale) = (word(0)?, i32::from(word(2)?), i32::from(word(6)?));
    let sign = word(4)?.cast_unsigned();
    if sign != 0 && sign != NEGATIVE {
        return None;
    }
    let mut total = 0_i128;
    for group in 0..groups {
        let digits = i128::from(word(HEADER_BYTES + 2 * usize::try_from(group).ok()?)?);
        let power = 4 * (weight - i32::from(group)) + scale;
        let factor = 10_i128.checked_pow(power.unsigned_abs())?;
        let part = if power < 0 { digits / factor } else { digits.checked_mul(factor)? };
        total = total.checked_add(part)?;
    }
    i64::try_from(if sign == NEGATIVE { -total } else { total }).ok()
}

/// Appends the binary form of an integer.
pub(super) fn write_integer(value: i64, to: &mut impl bytes::BufMut) {
    write_decimal(value, 0, to);
}

/// Appends the binary form of an integer that is divided by ten to the power of a scale.
pub(super) fn write_decimal(value: i64, scale: u8, to: &mut impl bytes::BufMut) {
    // The point is between two groups.
    let fraction = scale.div_ceil(4);
    let shift = 10_u128.pow(u32::from(4 * fraction - scale));
    let (mut groups, mut rest) = (vec![], u128::from(value.unsigned_abs()) * shift);
    while rest > 0 {
        groups.push((rest % 10_000) as i16);
        rest /= 10_000;
    }
    // An integer of 64 bits has at most five groups, and one more because of the point.
    to.put_i16(groups.len() as i16);
    to.put_i16(groups.len() as i16 - 1 - i16::from(fraction));
    to.put_u16(if value < 0 { NEGATIVE } else { 0 });
    to.put_i16(scale.into());
    groups.iter().rev().for_each(|group| to.put_i16(*group));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(weight: i16, sign: u16, scale: i16, groups: &[i16]) -> Vec<u8> {
        let header = [groups.len() as i16, weight, sign.cast_signed(), scale];
        header.iter().chain(groups).flat_map(|word| word.to_be_bytes()).collect()
    }

    #[test]
    fn a_number_is_scaled_by_its_own_scale() {
        assert_eq!(scaled(&number(0, 0, 2, &[1, 5000])), Some(150));
        assert_eq!(scaled(&number(0, NEGATIVE, 2, &[0, 500])), Some(-5));
        assert_eq!(scaled(&number(-1, 0, 4, &[7])), Some(7));
        assert_eq!(scaled(&number(1, 0, 0, &[1])), Some(10_000));
        assert_eq!(scaled(&number(0, 0, 3, &[])), Some(0));
        assert_eq!(scaled(&number(0, 0xc000, 0, &[])), None);
        assert_eq!(scaled(&number(4, 0, 0, &[922, 3372, 368, 5477, 5807])), Some(i64::MAX));
        assert_eq!(scaled(&number(4, 0, 0, &[922, 3372, 368, 5477, 5808])), None);
        assert_eq!(scaled(&[0, 1]), None);
    }

    #[test]
    fn an_integer_is_read_as_it_was_written() {
        for value in [0, 1, -1, 9_999, 10_000, 123_456_789, i64::MAX, i64::MIN] {
            let mut raw = vec![];
            write_integer(value, &mut raw);
            assert_eq!(scaled(&raw), Some(value));
        }
    }

    #[test]
    fn a_decimal_is_read_as_it_was_written() {
        for value in [0, 1, -1, 150, 12_345, 10_000, i64::MAX, i64::MIN] {
            for scale in 0..=18 {
                let mut raw = vec![];
                write_decimal(value, scale, &mut raw);
                assert_eq!(scaled(&raw), Some(value), "{value} with the scale {scale}");
            }
        }
        let mut raw = vec![];
        write_decimal(150, 2, &mut raw);
        assert_eq!(raw, number(0, 0, 2, &[1, 5000]));
    }
}
