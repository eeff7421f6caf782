//! Pseudo-random requests to a server of the clubs: reads in all formats, forms, exports, and
//! writes that are refused and that succeed.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::collections::{COLLECTIONS, Collection, member, object, patch, value};
use crate::random::Random;

/// A request, as both servers get it.
#[derive(Clone, Debug, Default)]
pub(super) struct Request {
    pub(super) method: &'static str,
    pub(super) target: String,
    pub(super) fields: Vec<(&'static str, String)>,
    pub(super) body: Option<String>,
    /// The place of the tag that each server gave for the target: a field, or a parameter of a
    /// form.
    pub(super) condition: Option<&'static str>,
}

impl Request {
    pub(super) fn new(method: &'static str, target: impl Into<String>) -> Self {
        Self { method, target: target.into(), ..Self::default() }
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.fields.push((name, value.into()));
        self
    }

    pub(super) fn content(self, media_type: &str, body: String) -> Self {
        Self { body: Some(body), ..self }.with("content-type", media_type)
    }

    /// Whether the request changes nothing.
    pub(super) fn is_read(&self) -> bool {
        ["GET", "HEAD", "QUERY", "OPTIONS"].contains(&self.method)
    }

    /// Adds a precondition to one of so many requests, and to some others one that seldom holds.
    fn on_condition(mut self, random: &mut Random, many: u64) -> Self {
        if random.one_in(many) {
            self.condition = Some(if self.is_read() { "if-none-match" } else { "if-match" });
        } else if random.one_in(16) {
            let name = pick(random, &["if-match", "if-none-match"]);
            self = self.with(name, *pick(random, &["*", "\"x\"", "W/\"x\"", "x"]));
        }
        self
    }
}

pub(super) fn pick<'t, T>(random: &mut Random, these: &'t [T]) -> &'t T {
    random.of(these).unwrap()
}

pub(super) const FORM: &str = "application/x-www-form-urlencoded";
const FORMATS: [&str; 6] = [
    "application/json",
    "text/html",
    "text/csv",
    "application/x-ndjson",
    "*/*",
    "image/png, text/csv;q=0.1",
];
const OPERATORS: [&str; 14] = [
    "",
    "[eq]",
    "[ne]",
    "[lt]",
    "[lte]",
    "[gt]",
    "[gte]",
    "[in]",
    "[nin]",
    "[between]",
    "[contains]",
    "[starts_with]",
    "[ends_with]",
    "[null]",
];

/// Fields that ask for a part of a content, or for its digest.
const PARTS: [(&str, &str); 4] = [
    ("range", "bytes=0-20"),
    ("range", "bytes=-9"),
    ("range", "bytes=9999999-"),
    ("want-repr-digest", "sha-256=1"),
];

/// The next request.
pub(super) fn request(random: &mut Random) -> Request {
    let collection = pick(random, &COLLECTIONS);
    match random.below(20) {
        0..8 => read(random, collection),
        8..11 => form_page(random, collection),
        11..13 => odd(random, collection),
        13..15 => submitted(random, collection),
        _ => write(random, collection),
    }
}

/// The URL of a collection; that of desks may be nested.
fn path(random: &mut Random, collection: &Collection) -> String {
    match collection.name == "desks" && random.one_in(2) {
        true => format!("/clubs/{}/desks", random.below(5) + 1),
        false => format!("/{}", collection.name),
    }
}

fn member_path(random: &mut Random, collection: &Collection) -> String {
    format!("{}/{}", path(random, collection), member(random, collection))
}

fn read(random: &mut Random, collection: &Collection) -> Request {
    let is_member = random.one_in(3);
    let mut target = match is_member {
        true => member_path(random, collection),
        false => path(random, collection),
    };
    let mut parameters = if is_member { vec![] } else { filters(random, collection) };
    if !is_member {
        page(random, collection, &mut parameters);
    }
    if random.one_in(5) {
        let names = [collection.field(random), collection.field(random)];
        parameters.push(format!("fields={}", names.join(",")));
    }
    if random.one_in(6) {
        let format = pick(random, &["json", "csv", "html", "ndjson", "xml"]);
        parameters.push(format!("format={format}"));
    }
    if !parameters.is_empty() {
        target = format!("{target}?{}", parameters.join("&"));
    }
    let method = if random.one_in(8) { "HEAD" } else { "GET" };
    let mut request = Request::new(method, target).with("accept", *pick(random, &FORMATS));
    if random.one_in(6) {
        request = request.with("accept-language", *pick(random, &["de", "en", "fr"]));
    }
    // What is cut or digested has no times and no tags, which differ.
    let is_page = request.target.contains("html") || request.fields[0].1 == "text/html";
    if random.one_in(4) {
        request = request.with("accept-encoding", *pick(random, &["gzip", "gzip;q=0", "*"]));
    } else if collection.name != "items" && !is_page && random.one_in(4) {
        let (name, value) = *pick(random, &PARTS);
        request = request.with(name, value);
    }
    request.on_condition(random, 6)
}

/// Filters in a query.
fn filters(random: &mut Random, collection: &Collection) -> Vec<String> {
    let mut all = vec![];
    for _ in 0..random.below(3) {
        let (name, values) = *pick(random, collection.fields);
        let operator = pick(random, &OPERATORS);
        let mut text = || {
            let value = value(random, values).trim_matches('"');
            utf8_percent_encode(value, NON_ALPHANUMERIC).to_string()
        };
        let text = match *operator {
            "[in]" | "[nin]" | "[between]" => format!("{},{}", text(), text()),
            "[null]" => (*pick(random, &["true", "false"])).to_owned(),
            _ => text(),
        };
        all.push(format!("{name}{operator}={text}"));
    }
    all
}

/// The order of a page, and its place in it.
fn page(random: &mut Random, collection: &Collection, parameters: &mut Vec<String>) {
    if random.one_in(2) {
        let mut keys = vec![];
        for _ in 0..=random.below(2) {
            let sign = if random.one_in(2) { "-" } else { "" };
            keys.push(format!("{sign}{}", collection.field(random)));
        }
        parameters.push(format!("sortby={}", keys.join(",")));
    }
    match random.below(8) {
        0..3 => parameters.push(format!("limit={}", random.below(4))),
        3 => parameters.push(format!("limit=2&offset={}", random.below(4))),
        4 => parameters.push(format!("page={}&per_page=2", random.below(4))),
        _ => {}
    }
    if random.one_in(4) {
        parameters.push("count=true".into());
    }
    if random.one_in(30) {
        let odd = ["nope=1", "limit=x", "after=x", "_method=PUT", "count=1", "limit=2&limit=3"];
        parameters.push((*pick(random, &odd)).into());
    }
}

/// Pages with forms, and those that belong to no collection.
fn form_page(random: &mut Random, collection: &Collection) -> Request {
    let target = match random.below(5) {
        0 => {
            (*pick(random, &["/", "/-/docs", "/-/sign-in", "/-/problems", "/openapi.json"])).into()
        }
        1 | 2 => format!("/-/forms{}", path(random, collection)),
        _ => format!("/-/forms{}", member_path(random, collection)),
    };
    Request::new("GET", target).with("accept", "text/html").on_condition(random, 6)
}

/// Descriptions, queries in a body, methods and URLs that are not served.
fn odd(random: &mut Random, collection: &Collection) -> Request {
    let collections = path(random, collection);
    let member = member_path(random, collection);
    match random.below(6) {
        0 => Request::new("OPTIONS", collections),
        1 => Request::new("OPTIONS", member),
        2 => Request::new("TRACE", member),
        3 => Request::new("GET", format!("{member}/{collections}")),
        4 => {
            Request::new("POST", member).content("application/json", object(random, collection, 2))
        }
        _ => {
            let query = filters(random, collection).join("&");
            let request = Request::new("QUERY", collections).content(FORM, query);
            request.with("accept", *pick(random, &FORMATS))
        }
    }
}

/// A form that a browser sends.
fn submitted(random: &mut Random, collection: &Collection) -> Request {
    let method = *pick(random, &["", "PATCH", "PATCH", "PUT", "DELETE"]);
    let mut inputs = vec![];
    for (name, values) in collection.fields {
        let text = |value: &str| {
            let bare = if value == "null" { "" } else { value.trim_matches('"') };
            utf8_percent_encode(bare, NON_ALPHANUMERIC).to_string()
        };
        if random.one_in(2) {
            inputs.push(format!("{name}={}", text(value(random, values))));
            if method == "PATCH" {
                inputs.push(format!("before:{name}={}", text(value(random, values))));
            }
        }
    }
    let mut request = match method {
        "" => Request::new("POST", path(random, collection)),
        _ => Request::new("POST", format!("{}?_method={method}", member_path(random, collection))),
    };
    if !method.is_empty() && !random.one_in(3) {
        request.condition = Some("_if_match");
    }
    request.with("accept", "text/html").content(FORM, inputs.join("&"))
}

fn write(random: &mut Random, collection: &Collection) -> Request {
    let json = "application/json";
    let request = match random.below(12) {
        0..4 => {
            let body = match random.one_in(4) {
                true => {
                    format!("[{},{}]", object(random, collection, 9), object(random, collection, 9))
                }
                false => object(random, collection, 9),
            };
            let request = Request::new("POST", path(random, collection)).content(json, body);
            match random.one_in(6) {
                true => request.with("idempotency-key", *pick(random, &["\"a\"", "b", "\"c", "d"])),
                false => request,
            }
        }
        4 | 5 => {
            let body = object(random, collection, 9);
            Request::new("PUT", member_path(random, collection)).content(json, body)
        }
        6..8 => {
            let body = object(random, collection, 3);
            let media_type = *pick(random, &[json, "application/merge-patch+json", "text/plain"]);
            Request::new("PATCH", member_path(random, collection)).content(media_type, body)
        }
        8..10 => {
            let body = patch(random, collection);
            let request = Request::new("PATCH", member_path(random, collection));
            request.content("application/json-patch+json", body)
        }
        10 => Request::new("DELETE", member_path(random, collection)),
        _ => {
            let filters = filters(random, collection).join("&");
            Request::new("DELETE", format!("{}?{filters}", path(random, collection)))
        }
    };
    let request = match random.one_in(6) {
        true => request.with("prefer", "return=minimal"),
        false => request,
    };
    request.on_condition(random, 3)
}
