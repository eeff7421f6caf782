//! The header field `traceparent` (W3C Trace Context, level 1): to which trace of several services
//! a request belongs. Its ids stand in the log; an invalid field is ignored.

use http::{HeaderMap, HeaderName};

/// The header field (W3C Trace Context §3.2).
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The length of version 00, in bytes: four parts, with a hyphen between two. A later version may
/// have more parts.
const LENGTH: usize = 55;

/// The ids of a trace and of the caller's part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TraceParent<'field> {
    /// The id of the trace, which all its services share: 32 hexadecimal digits.
    pub(crate) trace_id: &'field str,
    /// The id of the caller's part (span): 16 hexadecimal digits.
    pub(crate) parent_id: &'field str,
}

impl<'field> TraceParent<'field> {
    /// Reads the field of a request. `None` if the field is missing, invalid or repeated.
    pub(crate) fn of(fields: &'field HeaderMap) -> Option<Self> {
        let mut values = fields.get_all(TRACEPARENT).iter();
        let value = values.next()?;
        if values.next().is_some() {
            return None;
        }
        Self::parse(value.to_str().ok()?)
    }

    /// Parses `version-trace_id-parent_id-flags` (W3C Trace Context §3.2.2). A later version is
    /// read like version 00, up to its flags (§4.1).
    pub(crate) fn parse(text: &'field str) -> Option<Self> {
        let (known, rest) = text.split_at_checked(LENGTH)?;
        let mut parts = known.split('-');
        let mut next = |digits| parts.next().filter(|part| is_hex(part, digits));
        let (version, trace_id, parent_id, _flags) = (next(2)?, next(32)?, next(16)?, next(2)?);
        let has_valid_end = match version {
            "ff" => false,
            "00" => rest.is_empty(),
            _ => rest.is_empty() || rest.starts_with('-'),
        };
        let is_zero = |id: &str| id.bytes().all(|digit| digit == b'0');
        let is_valid = has_valid_end && !is_zero(trace_id) && !is_zero(parent_id);
        is_valid.then_some(Self { trace_id, parent_id })
    }
}

/// Whether a text has this number of hexadecimal digits. Upper case is invalid.
fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const PARENT: &str = "b7ad6b7169203331";

    fn ids(text: &str) -> Option<(&str, &str)> {
        TraceParent::parse(text).map(|TraceParent { trace_id, parent_id }| (trace_id, parent_id))
    }

    #[test]
    fn a_valid_field_has_two_ids() {
        for flags in ["00", "01", "ff"] {
            assert_eq!(ids(&format!("00-{TRACE}-{PARENT}-{flags}")), Some((TRACE, PARENT)));
        }
        let later = format!("01-{TRACE}-{PARENT}-01");
        for end in ["", "-", "-what-the-future-holds"] {
            assert_eq!(ids(&format!("{later}{end}")), Some((TRACE, PARENT)), "{end}");
        }
    }

    #[test]
    fn an_invalid_field_is_ignored() {
        let (no_trace, no_parent) = ("0".repeat(32), "0".repeat(16));
        for text in [
            String::new(),
            "00".into(),
            format!("00-{TRACE}-{PARENT}"),
            format!("00-{TRACE}-{PARENT}-1"),
            format!("00-{TRACE}-{PARENT}-01-"),
            format!("00-{TRACE}-{PARENT}-01-more"),
            format!("01-{TRACE}-{PARENT}-01more"),
            format!("ff-{TRACE}-{PARENT}-01"),
            format!("0g-{TRACE}-{PARENT}-01"),
            format!("00-{no_trace}-{PARENT}-01"),
            format!("00-{TRACE}-{no_parent}-01"),
            format!("00-{}-{PARENT}-01", TRACE.to_uppercase()),
            format!("00-{TRACE}-{PARENT}-0A"),
            format!("00_{TRACE}_{PARENT}_01"),
            format!("00-{PARENT}-{TRACE}-01"),
            format!(" 00-{TRACE}-{PARENT}-01"),
            format!("00-{TRACE}-{PARENT}-\u{661}"),
            format!("é0-{TRACE}-{PARENT}-01"),
        ] {
            assert_eq!(ids(&text), None, "{text}");
        }
    }

    #[test]
    fn two_fields_are_none() {
        let mut fields = HeaderMap::new();
        let value = format!("00-{TRACE}-{PARENT}-01");
        fields.append(TRACEPARENT, value.parse().unwrap());
        assert!(TraceParent::of(&fields).is_some());
        fields.append(TRACEPARENT, value.parse().unwrap());
        assert_eq!(TraceParent::of(&fields), None);
    }

    /// The grammar of the specification, written as its own words say it.
    fn is_valid(text: &str) -> bool {
        let parts: Vec<_> = text.split('-').collect();
        let [version, trace, parent, flags, rest @ ..] = &parts[..] else { return false };
        let hex = |part: &str, digits| {
            let lower = |byte: u8| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase();
            part.len() == digits && part.bytes().all(lower)
        };
        hex(version, 2)
            && *version != "ff"
            && hex(trace, 32)
            && trace.contains(|digit| digit != '0')
            && hex(parent, 16)
            && parent.contains(|digit| digit != '0')
            && hex(flags, 2)
            && (rest.is_empty() || *version != "00")
    }

    proptest! {
        #[test]
        fn a_text_is_accepted_as_the_specification_says(
            text in prop_oneof![
                any::<String>(),
                "[0-9a-fA-F-]{50,60}",
                "(00|01|ff|0A)-(0{32}|[0-9a-f]{32})-(0{16}|[0-9a-f]{16})-[0-9a-g]{2}(-[a-z-]{0,9})?",
            ]
        ) {
            prop_assert_eq!(TraceParent::parse(&text).is_some(), is_valid(&text));
        }
    }
}
