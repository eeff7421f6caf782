//! Tests of the canonical forms of values.

use super::*;
use crate::http::http_date::Second;

fn text(kind: FieldKind, given: &str) -> Option<String> {
    match Value::parse(kind, given) {
        Ok(Value::Text(text)) => Some(text),
        Ok(other) => panic!("{other:?} is not text"),
        Err(_) => None,
    }
}

#[test]
fn the_time_now_is_one_that_is_stored() {
    assert!(Second::of_stored(&now()).unwrap() <= Second::now());
}

#[test]
fn integers_are_digits_and_nothing_else() {
    let parse = |text| Value::parse(FieldKind::Integer, text).ok();
    assert_eq!(parse("9223372036854775807"), Some(Value::Integer(i64::MAX)));
    assert_eq!(parse("-9223372036854775808"), Some(Value::Integer(i64::MIN)));
    for refused in ["9223372036854775808", "", "-", "+1", "1e3", "1.0", " 1", "1 ", "0x1", "١"] {
        assert_eq!(parse(refused), None, "{refused:?}");
    }
}

#[test]
fn an_integer_has_one_spelling() {
    let parse = |text| Value::parse(FieldKind::Integer, text).ok();
    assert_eq!(parse("0"), Some(Value::Integer(0)));
    assert_eq!(parse("-10"), Some(Value::Integer(-10)));
    for refused in ["01", "00", "-0", "-01", "007", "--1"] {
        assert_eq!(parse(refused), None, "{refused:?}");
    }
}

#[test]
fn numbers_are_finite() {
    let parse = |text| Value::parse(FieldKind::Number, text).ok();
    assert_eq!(parse("-1.5e3"), Some(Value::Number(-1500.0)));
    assert_eq!(parse("-0"), Some(Value::Number(0.0)));
    for refused in [
        "", "1e999", "NaN", "inf", ".5", "5.", "1 ", "--1", "1e", "01", "-00.5", "1.e5", "1.5.5",
        "1e5.5", "1e+-5",
    ] {
        assert_eq!(parse(refused), None, "{refused:?}");
    }
}

#[test]
fn decimals_keep_their_scale() {
    let parse = |text| Value::parse(FieldKind::Decimal { scale: 2 }, text).ok();
    assert_eq!(parse("12.5"), Some(Value::Integer(1250)));
    assert_eq!(parse("-0.05"), Some(Value::Integer(-5)));
    assert_eq!(parse("1.500"), Some(Value::Integer(150)));
    assert_eq!(parse("92233720368547758.07"), Some(Value::Integer(i64::MAX)));
    let beyond = Err(ExpectedValue::DecimalRange { scale: 2 });
    assert_eq!(Value::parse(FieldKind::Decimal { scale: 2 }, "92233720368547758.08"), beyond);
    let sentence = "a decimal number from -92233720368547758.08 to 92233720368547758.07";
    assert_eq!(ExpectedValue::DecimalRange { scale: 2 }.to_string(), sentence);
    for refused in ["1.005", "92233720368547758.08", "", ".", "1.", ".5", "1e2", "+1", "--1"] {
        assert_eq!(parse(refused), None, "{refused:?}");
    }
}

#[test]
fn instants_become_utc_with_six_digits() {
    let parse = |given| text(FieldKind::DateTime, given);
    let expected = Some("2026-11-20T06:30:00.123456Z".to_owned());
    assert_eq!(parse("2026-11-20T08:30:00.1234567+02:00"), expected);
    assert_eq!(parse("2026-11-20t06:30:00.123456z"), expected);
    assert_eq!(parse("0000-01-01T00:00:00Z").unwrap(), "0000-01-01T00:00:00.000000Z");
    assert_eq!(parse("9999-12-31T23:59:59.999999-00:00").unwrap(), "9999-12-31T23:59:59.999999Z");
    for refused in [
        "2026-11-20",
        "2026-11-20T08:30:00",
        "2026-11-20T08:30Z",
        "2026-02-30T00:00:00Z",
        "0000-01-01T00:00:00+01:00",
        "2026-11-20T08:30:00Z[UTC]",
        "2026-11-20T08:30:00 02:00",
        "2026-11-20Té:30:00Z",
        "9999-12-31T23:59:59-00:01",
        "2026-11-20T08:30:00+24:00",
        "2026-11-20T08:30:00.Z",
        "2016-12-31T23:59:60Z",
    ] {
        assert_eq!(parse(refused), None, "{refused:?}");
    }
}

#[test]
fn dates_times_and_uuids_have_one_spelling() {
    assert_eq!(text(FieldKind::Date, "2024-02-29").unwrap(), "2024-02-29");
    assert_eq!(text(FieldKind::Date, "2026-02-29"), None);
    assert_eq!(text(FieldKind::Date, "20260228"), None);
    assert_eq!(text(FieldKind::Time, "08:30:00.5000").unwrap(), "08:30:00.5");
    assert_eq!(text(FieldKind::Time, "24:00:00"), None);
    assert_eq!(text(FieldKind::Time, "23:59:60"), None);
    let id = "01890A5D-AC96-774B-BCCE-B302099A8057";
    assert_eq!(text(FieldKind::Uuid, id).unwrap(), id.to_lowercase());
    assert_eq!(text(FieldKind::Uuid, &id.replace('-', "")), None);
}
