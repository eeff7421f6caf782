//! HTML pages for people who open a URL in a browser. A page has no scripts and no external
//! resources, and all text is escaped.

use std::fmt::Write as _;

use http::{HeaderValue, StatusCode, header};

use super::Reply;
use crate::{
    base::language::Language,
    http::{escape::escape, negotiate::Format},
};

/// The style of all pages: a readable width, and the reader's colour scheme.
const STYLE: &str = include_str!("html/page.css");

/// The `Content-Security-Policy` of all pages. It allows only [`STYLE`], by its hash (CSP 3
/// §2.3.1). A test checks the hash.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'sha256-PZwhmBmH6rwH2UzWbmR3EytyHtratZBu5wgUCTWuk54='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// A builder of an HTML page.
pub(super) struct HtmlPage(String);

impl HtmlPage {
    /// Begins a page in a language, with a title and a link to the home document of the interface.
    pub(super) fn new(title: &str, interface: &str, home: &str, language: Language) -> Self {
        let (title, interface, home) = (escaped(title), escaped(interface), escaped(home));
        let tag = language.tag();
        Self(format!(
            "<!doctype html>\n<html lang=\"{tag}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} – {interface}</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n<header><a href=\"{home}\">{interface}</a></header>\n<main>\n"
        ))
    }

    /// Adds the diagnostics of a watched schema file, if it has a mistake.
    pub(super) fn diagnosed(self, diagnostic: Option<&str>) -> Self {
        let Some(text) = diagnostic else { return self };
        let text = escaped(text);
        self.with(&format!(
            "<h2>A file has a mistake</h2>\n<p>The server goes on with the former one.</p>\n\
             <pre tabindex=\"0\">{text}</pre>\n"
        ))
    }

    /// Adds the main heading: a name, after a number (such as a status code) if there is one.
    pub(super) fn headed(self, number: Option<u16>, name: &str) -> Self {
        let number = number.map(|number| format!("<small>{number}</small> ")).unwrap_or_default();
        self.with(&format!("<h1>{number}{}</h1>\n", escaped(name)))
    }

    /// Adds the heading of a section.
    pub(super) fn section(self, name: &str) -> Self {
        self.with(&format!("<h2>{}</h2>\n", escaped(name)))
    }

    /// Adds a paragraph. Text between backquotes is rendered as code.
    pub(super) fn paragraph(self, text: &str) -> Self {
        self.with(&format!("<p>{}</p>\n", prose(text)))
    }

    /// Adds a list. Each item has a position in a document or a link, followed by a description.
    pub(super) fn list(mut self, entries: impl IntoIterator<Item = ListItem>) -> Self {
        self.0.push_str("<ul>\n");
        for ListItem { head, text } in entries {
            writeln!(self.0, "<li>{head} {text}</li>").expect("writing to a String cannot fail");
        }
        self.with("</ul>\n")
    }

    /// Adds a description list of facts with their names.
    pub(super) fn facts(mut self, facts: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        self.0.push_str("<dl>\n");
        for (name, fact) in facts {
            let fact = code(&fact);
            writeln!(self.0, "<dt>{name}</dt><dd>{fact}</dd>")
                .expect("writing to a String cannot fail");
        }
        self.with("</dl>\n")
    }

    /// Adds a paragraph that contains a link.
    pub(super) fn link(self, target: &str, text: &str) -> Self {
        self.with(&format!("<p>{}</p>\n", anchor(target, text)))
    }

    fn with(mut self, html: &str) -> Self {
        self.0.push_str(html);
        self
    }
}

/// An item of a list in a page.
pub(super) struct ListItem {
    head: String,
    text: String,
}

impl ListItem {
    /// Creates an item about a position in a document, which may be a JSON Pointer.
    pub(super) fn of(place: &str, text: &str) -> Self {
        Self { head: code(place), text: prose(text) }
    }

    /// Creates an item that links to another page.
    pub(super) fn linked(target: &str, name: &str, text: &str) -> Self {
        Self { head: anchor(target, name), text: prose(text) }
    }
}

impl Reply {
    /// Builds a response with an HTML page.
    pub(super) fn html(status: StatusCode, page: HtmlPage) -> Self {
        let mut reply = Self::new(status);
        reply
            .headers
            .insert(header::CONTENT_TYPE, HeaderValue::from_static(Format::Html.media_type()));
        reply.headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
        reply.body = (page.0 + "</main>\n</body>\n</html>\n").into();
        reply
    }
}

fn anchor(target: &str, text: &str) -> String {
    format!("<a href=\"{}\">{}</a>", escaped(target), escaped(text))
}

fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

/// Escapes a sentence. Text between two backquotes is rendered as code.
fn prose(text: &str) -> String {
    let parts: Vec<_> = text.split('`').collect();
    let mut html = String::with_capacity(text.len() + 32);
    for (at, part) in parts.iter().enumerate() {
        // If the number of parts is even, the last part follows an unclosed backquote.
        match at % 2 {
            0 => html.push_str(&escaped(part)),
            _ if at + 1 < parts.len() => html.push_str(&code(part)),
            _ => html.push_str(&format!("`{}", escaped(part))),
        }
    }
    html
}

/// Escapes a text for HTML. Every text from outside this module passes through this function.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + 16);
    escape(&mut html, text).expect("writing to a String cannot fail");
    html
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    /// Encodes bytes as base64 (RFC 4648 §4). It is only used for 32 bytes, whose length modulo 3
    /// is 2.
    fn base64(bytes: &[u8]) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::new();
        for three in bytes.chunks(3) {
            let all = three
                .iter()
                .chain(&[0, 0])
                .take(3)
                .fold(0, |all, byte| all << 8 | usize::from(*byte));
            let letters =
                (0..=three.len()).map(|at| char::from(LETTERS[all >> (18 - 6 * at) & 63]));
            text.extend(letters.chain(std::iter::repeat_n('=', 3 - three.len())));
        }
        text
    }

    #[test]
    fn the_policy_names_the_style() {
        let hash = base64(&Sha256::digest(STYLE));
        let policy = POLICY.to_str().unwrap().to_owned();
        assert!(
            policy.contains(&format!("'sha256-{hash}'")),
            "the policy must contain 'sha256-{hash}', the hash of the style"
        );
    }

    #[test]
    fn nothing_is_unescaped() {
        let evil = "<script>`&\"'</script>";
        let page = HtmlPage::new(evil, evil, evil, Language::English)
            .headed(Some(404), evil)
            .section(evil)
            .paragraph(evil)
            .list([ListItem::of(evil, evil), ListItem::linked(evil, evil, evil)])
            .facts([("Request", evil.to_owned())])
            .link(evil, evil);
        let html = page.0.replace("<style>", "").replace("</style>", "");
        assert!(
            !html.contains("script>") && !html.contains("\"'") && !html.contains("`&\""),
            "{html}"
        );
        assert!(html.contains("&lt;script&gt;"));
    }

    #[test]
    fn what_stands_in_backquotes_is_code() {
        assert_eq!(prose("no `a<b`, `c`; or `d"), "no <code>a&lt;b</code>, <code>c</code>; or `d");
        assert_eq!(prose("``"), "<code></code>");
    }
}
