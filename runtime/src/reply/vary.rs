//! The `Vary` field: the request fields on which a response depends, each named once (RFC 9110
//! §12.5.5).

use http::{HeaderMap, HeaderValue, header};

/// Adds one or more field names, separated by commas, to `Vary`.
///
/// Names are compared without case, and a name that is present is not added again. If `Vary` is
/// `*`, nothing is added.
pub(crate) fn vary(headers: &mut HeaderMap, names: &'static str) {
    if !headers.contains_key(header::VARY) {
        headers.insert(header::VARY, HeaderValue::from_static(names));
        return;
    }
    let mut all = header_names(headers);
    if all.iter().any(|name| name == "*") {
        return;
    }
    let before = all.len();
    for name in names.split(',').map(str::trim) {
        if !all.iter().any(|present| present.eq_ignore_ascii_case(name)) {
            all.push(name.to_owned());
        }
    }
    if all.len() > before {
        // A field line that is not visible ASCII is missing in `all`, so it is dropped. No cache
        // could read this line.
        if let Ok(value) = HeaderValue::from_str(&all.join(", ")) {
            headers.insert(header::VARY, value);
        }
    }
}

/// Returns the names in `Vary`, which may have several field lines.
fn header_names(headers: &HeaderMap) -> Vec<String> {
    let lines = headers.get_all(header::VARY).iter().filter_map(|line| line.to_str().ok());
    let names = lines.flat_map(|line| line.split(',')).map(|name| name.trim().to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(lines: &[&'static str], names: &'static str) -> Vec<String> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(header::VARY, HeaderValue::from_static(line));
        }
        vary(&mut headers, names);
        headers.get_all(header::VARY).iter().map(|line| line.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn names_are_added_once() {
        assert_eq!(after(&[], "Origin"), ["Origin"]);
        assert_eq!(after(&["Accept"], "Origin"), ["Accept, Origin"]);
        assert_eq!(after(&["accept, ORIGIN"], "Origin"), ["accept, ORIGIN"]);
        assert_eq!(after(&["Accept", "Prefer"], "Origin, Accept"), ["Accept, Prefer, Origin"]);
        assert_eq!(
            after(&["Accept", "Origin"], "Origin"),
            ["Accept", "Origin"],
            "the field lines stay unchanged if no name is added"
        );
    }

    #[test]
    fn a_star_says_all() {
        assert_eq!(after(&["*"], "Origin"), ["*"]);
    }
}
