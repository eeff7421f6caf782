//! Parses lists whose members have weights: `a;x=1;q=0.5, b` (RFC 9110 §5.6.1, §12.4.2).

use http::{HeaderMap, HeaderName};

/// The maximum number of list members that are parsed. Browsers send fewer than ten. Each member is
/// compared with everything that the server offers.
const MEMBERS_MAX: usize = 64;

/// The weight of a list member without `q`: the maximum, in thousandths.
pub(super) const FULL: u16 = 1000;

/// A list member and its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weighted<'field> {
    /// The text of the list member before its parameters.
    pub(super) name: &'field str,
    /// The parameters before `q`, as written, without the first `;`.
    pub(super) parameters: &'field str,
    /// The weight in thousandths; 0 means not acceptable.
    pub(super) quality: u16,
}

/// The list members of all header fields with this name, in order. Malformed members are ignored.
pub(super) fn members<'head>(
    headers: &'head HeaderMap,
    name: HeaderName,
) -> impl Iterator<Item = Weighted<'head>> {
    texts(headers, name).take(MEMBERS_MAX).filter_map(read)
}

/// Whether the list has more members than [`MEMBERS_MAX`].
pub(super) fn is_cut(headers: &HeaderMap, name: HeaderName) -> bool {
    texts(headers, name).nth(MEMBERS_MAX).is_some()
}

fn texts(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let fields = headers.get_all(name).into_iter().filter_map(|field| field.to_str().ok());
    fields.flat_map(|field| split(field, b',')).filter(|member| !member.is_empty())
}

/// The names and values of a list member's parameters. The quotes of a value are removed, and its
/// backslash escapes are kept.
pub(super) fn parameters(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = split(text, b';').filter(|part| !part.is_empty());
    parts.map(|part| match part.split_once('=') {
        Some((name, value)) => (name, unquoted(value)),
        None => (part, ""),
    })
}

fn unquoted(value: &str) -> &str {
    value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value)
}

fn read(member: &str) -> Option<Weighted<'_>> {
    let (name, rest) = member.split_once(';').unwrap_or((member, ""));
    let name = name.trim_end_matches(BLANKS);
    let fits = |byte: u8| byte.is_ascii_graphic() && !b"\"(),:;<=>?@[\\]{}".contains(&byte);
    if name.is_empty() || !name.bytes().all(fits) {
        return None;
    }
    let mut parameters = rest.trim_matches(BLANKS_AND_SEMICOLON);
    let mut quality = FULL;
    // Parameters after `q` were called extensions in earlier versions of HTTP. They have no meaning
    // now (RFC 9110 §12.5.1).
    for part in split(rest, b';') {
        let Some((is, value)) = part.split_once('=') else { continue };
        if is.eq_ignore_ascii_case("q") {
            quality = weight(value)?;
            let before = part.as_ptr().addr() - rest.as_ptr().addr();
            parameters = rest[..before].trim_matches(BLANKS_AND_SEMICOLON);
            break;
        }
    }
    Some(Weighted { name, parameters, quality })
}

const BLANKS: [char; 2] = [' ', '\t'];
const BLANKS_AND_SEMICOLON: [char; 3] = [' ', '\t', ';'];

/// Parses a weight with at most three decimals, such as `0.5`, to thousandths.
fn weight(text: &str) -> Option<u16> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let thousandths = fraction
        .bytes()
        .chain(*b"000")
        .take(3)
        .fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0'));
    match whole {
        "0" => Some(thousandths),
        "1" if thousandths == 0 => Some(FULL),
        _ => None,
    }
}

/// Splits a text at the separators that are outside of quotes, and trims each part.
pub(crate) fn split(text: &str, separator: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = unquoted_end(text, separator);
        rest = text.get(end + 1..);
        Some(text[..end].trim_matches(BLANKS))
    })
}

/// The position of the first separator outside of quotes, or the length of the text if there is
/// none.
fn unquoted_end(text: &str, separator: u8) -> usize {
    let (mut quoted, mut escaped) = (false, false);
    let end = text.bytes().position(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ => return byte == separator && !quoted,
        }
        false
    });
    end.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use http::{HeaderValue, header::ACCEPT};
    use proptest::prelude::*;

    use super::*;

    fn read_all(fields: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(ACCEPT, HeaderValue::from_str(field).unwrap());
        }
        let shown =
            members(&headers, ACCEPT).map(|m| format!("{}|{}|{}", m.name, m.parameters, m.quality));
        shown.collect::<Vec<_>>().join(" & ")
    }

    /// Conformance 92: `q` may be in upper or lower case, and separators within quotes do not
    /// count.
    #[test]
    fn members_have_names_parameters_and_weights() {
        for (field, expected) in [
            ("", ""),
            (" , ,", ""),
            ("a", "a||1000"),
            ("a;q=0.5 ,b ; Q=0.25;c=d", "a||500 & b||250"),
            ("a/b;x=1;q=0", "a/b|x=1|0"),
            ("a;x=\",;q=0\\\";\";y=2;q=0.1, b", "a|x=\",;q=0\\\";\";y=2|100 & b||1000"),
            ("a;q=1.000, b;q=0.001, c;q=1.", "a||1000 & b||1 & c||1000"),
            ("a;q=, b;q=2, c;q=0.1234, d;q=1.001, e;q=-1, f;q=.5, g;q=\"1\", h", "h||1000"),
            ("a b, ;q=1, =, (, c", "c||1000"),
            ("a;", "a||1000"),
            ("a;x=\"unended, b", "a|x=\"unended, b|1000"),
        ] {
            assert_eq!(read_all(&[field]), expected, "{field}");
        }
        assert_eq!(read_all(&["a, b", "c"]), "a||1000 & b||1000 & c||1000");
    }

    #[test]
    fn parameters_lose_their_quotes() {
        let read: Vec<_> = parameters("charset=\"utf-8;\" ; flag ;x=y").collect();
        assert_eq!(read, [("charset", "utf-8;"), ("flag", ""), ("x", "y")]);
    }

    #[test]
    fn a_list_has_an_end() {
        assert_eq!(read_all(&[&"a,".repeat(1000)]).matches('a').count(), MEMBERS_MAX);
    }

    proptest! {
        #[test]
        fn any_text_has_members_of_weight_at_most_full(text in "[ -~]{0,40}|[a;,q=\"\\\\01. ]{0,40}") {
            let mut headers = HeaderMap::new();
            headers.append(ACCEPT, HeaderValue::from_str(&text).unwrap());
            prop_assert!(members(&headers, ACCEPT).all(|member| member.quality <= FULL));
        }
    }
}
