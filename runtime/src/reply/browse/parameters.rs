//! The parameters of a query string, from which the links of a page are made.

use percent_encoding::percent_decode_str;

use crate::request::action::append;

/// The parameters that set the page, without its size. A link to another order or filter begins at
/// the first page.
pub(super) const POSITIONS: [&str; 4] = ["after", "before", "offset", "page"];

/// The maximum size of the links of one kind on a page, in bytes. Each repeats the query, so a long
/// query could make a page many times as long.
const LINKS_BYTES_MAX: usize = 32 * 1024;

/// Decoded parameters, in order.
#[derive(Clone, Debug)]
pub(super) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Reads the canonical text of a query string.
    pub(super) fn of(text: &str) -> Self {
        let decoded = |part: &str| percent_decode_str(part).decode_utf8_lossy().into_owned();
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decoded(name), decoded(value))
        };
        Self(text.split('&').filter(|part| !part.is_empty()).map(pair).collect())
    }

    /// Whether a page has room for this number of links with these parameters.
    pub(super) fn has_room_for(&self, links: usize) -> bool {
        let bytes: usize = self.iter().map(|(name, value)| name.len() + value.len()).sum();
        bytes.saturating_mul(links) <= LINKS_BYTES_MAX
    }

    /// Returns each parameter.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    /// Returns each parameter, as the hidden inputs of a form.
    pub(super) fn pairs(self) -> Vec<(String, String)> {
        self.0
    }

    /// Returns the value of the first parameter with this name.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// Removes the parameters with these names.
    pub(super) fn without(&self, names: &[impl AsRef<str>]) -> Self {
        let mut rest = self.clone();
        rest.0.retain(|(name, _)| names.iter().all(|other| other.as_ref() != name));
        rest
    }

    /// Removes one parameter by its position.
    pub(super) fn without_at(&self, at: usize) -> Self {
        let mut rest = self.clone();
        rest.0.remove(at);
        rest
    }

    /// Adds a parameter.
    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.0.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Returns the URL with a path and these parameters.
    pub(super) fn url(&self, path: &str) -> String {
        let mut query = String::new();
        self.iter().for_each(|(name, value)| append(&mut query, name, value));
        if query.is_empty() { path.to_owned() } else { [path, "?", &query].concat() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_come_back_as_they_went() {
        let text = "name%5Bcontains%5D=a%26b&sortby=-city&city=";
        let parameters = Parameters::of(text);
        assert_eq!(parameters.url("/zoos"), format!("/zoos?{text}"));
        assert_eq!(parameters.get("name[contains]"), Some("a&b"));
        assert_eq!(
            parameters.without(&["sortby"]).without_at(0).with("limit", "5").url("/zoos"),
            "/zoos?city=&limit=5"
        );
        assert_eq!(Parameters::of("").url("/zoos"), "/zoos");
    }
}
