//! The query string: pairs, decoded strictly, each of which must mean something.

use std::borrow::Cow;

use percent_encoding::percent_decode;

use super::{
    filter::{Condition, FilterReader},
    page::{Page, PageReader},
    sort::SortReader,
};
use crate::{
    error::{Error, Fault, Kind},
    limits,
    model::{Resource, SortKey},
    route::{escapes_are_whole, nearest},
};

/// Which page of which members, in which order.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// Which members.
    pub condition: Condition,
    /// In which order, complete with the id.
    pub sort: Vec<SortKey>,
    /// Which of them.
    pub page: Page,
    /// Whether their number is asked for.
    pub count: bool,
    /// The parameters that a link to another page repeats, encoded.
    pub kept: String,
    /// The whole query as it came, encoded our way.
    pub given: String,
}

/// A parameter: its name without brackets, what the brackets hold, and its value.
#[derive(Debug)]
pub(super) struct Parameter<'query> {
    /// All of the name, for messages.
    pub(super) whole: Cow<'query, str>,
    pub(super) value: Cow<'query, str>,
}

impl Parameter<'_> {
    pub(super) fn fault(&self, code: &'static str, detail: impl Into<String>) -> Fault {
        let name: String = self.whole.chars().take(64).collect();
        Fault::parameter(name, code, detail)
    }

    /// The name and what its brackets hold: `name[op]` is `("name", ["op"])`.
    fn parts(&self) -> (&str, Vec<&str>) {
        let Some((name, rest)) = self.whole.split_once('[').filter(|_| self.whole.ends_with(']')) else {
            return (&self.whole, vec![]);
        };
        (name, rest[..rest.len() - 1].split("][").collect())
    }
}

/// Names that are parameters before they are fields; a field of such a name is reached by `filter[name]`.
const RESERVED: [&str; 13] = [
    "limit", "offset", "page", "per_page", "after", "before", "sortby", "order", "count", "fields", "expand", "q",
    "filter",
];

/// Parameters that have a meaning, but not yet here.
const PLANNED: [&str; 5] = ["after", "before", "fields", "expand", "q"];

impl Query {
    /// Reads the query string of a request for a collection.
    ///
    /// # Errors
    /// 400 with every parameter that is unknown, repeated, ill-typed or out of range.
    pub fn parse(resource: &Resource, query: Option<&str>) -> Result<Self, Error> {
        let mut filter = FilterReader::new(resource);
        let mut sort = SortReader::new(resource);
        let mut page = PageReader::new(resource.def.limit);
        let mut count = None;
        let mut faults = vec![];
        let (mut kept, mut given) = (String::new(), String::new());
        for parameter in pairs(query)? {
            let (name, brackets) = parameter.parts();
            let read = match (name, brackets.as_slice()) {
                ("limit" | "offset" | "page" | "per_page", []) => page.read(name, &parameter),
                ("sortby" | "order", []) => sort.read(name, &parameter),
                ("count", []) => read_count(&mut count, &parameter),
                _ => read_filter(&mut filter, name, &brackets, &parameter),
            };
            faults.extend(read.err());
            encode(&mut given, &parameter);
            if !PageReader::NAMES.contains(&name) {
                encode(&mut kept, &parameter);
            }
        }
        let page = page.finish().map_err(|fault| faults.extend(fault));
        let sort = sort.finish().map_err(|found| faults.extend(found));
        let condition = filter.finish().map_err(|found| faults.push(found));
        match (page, sort, condition) {
            (Ok(page), Ok(sort), Ok(condition)) if faults.is_empty() => {
                Ok(Self { condition, sort, page, count: count.unwrap_or(false), kept, given })
            }
            _ => Err(refused(faults)),
        }
    }
}

impl Condition {
    /// Reads the filter of a request that deletes many; without one it is refused.
    ///
    /// # Errors
    /// 400 with every parameter that is not a filter.
    pub fn parse(resource: &Resource, query: Option<&str>) -> Result<Self, Error> {
        let mut filter = FilterReader::new(resource);
        let mut faults = vec![];
        for parameter in pairs(query)? {
            let (name, brackets) = parameter.parts();
            let paging = RESERVED[..9].contains(&name) && brackets.is_empty();
            let read = match paging {
                true => Err(parameter.fault("unknown", format!("`{name}` has no meaning for DELETE."))),
                false => read_filter(&mut filter, name, &brackets, &parameter),
            };
            faults.extend(read.err());
        }
        let condition = filter.finish().map_err(|found| faults.push(found));
        let Ok(condition) = condition.and_then(|found| if faults.is_empty() { Ok(found) } else { Err(()) }) else {
            return Err(refused(faults));
        };
        if condition.filter.is_every() {
            let detail = "DELETE on a collection needs a filter that says which members, such as `?id=3`.";
            return Err(Error::new(Kind::INVALID_PARAMETER, detail));
        }
        Ok(condition)
    }
}

fn refused(mut faults: Vec<Fault>) -> Error {
    faults.truncate(limits::FAULTS_MAX);
    Error::faults(Kind::INVALID_PARAMETER, faults)
}

/// Refuses every parameter, for targets that have none.
pub(super) fn refuse_any(query: Option<&str>) -> Result<(), Error> {
    let unknown = |parameter: Parameter<'_>| {
        let detail = format!("`{}` has no meaning here; this request takes no parameters.", parameter.whole);
        parameter.fault("unknown", detail)
    };
    let faults: Vec<_> = pairs(query)?.into_iter().map(unknown).collect();
    if faults.is_empty() { Ok(()) } else { Err(refused(faults)) }
}

fn read_filter(
    filter: &mut FilterReader<'_>,
    name: &str,
    brackets: &[&str],
    parameter: &Parameter<'_>,
) -> Result<(), Fault> {
    match brackets {
        [] if PLANNED.contains(&name) || name == "filter" => {
            Err(parameter.fault("unsupported", format!("`{name}` is not supported yet.")))
        }
        [] => filter.read(name, None, parameter),
        [field] if name == "filter" => filter.read(field, None, parameter),
        [field, op] if name == "filter" => filter.read(field, Some(op), parameter),
        [_] if RESERVED.contains(&name) => {
            let detail = format!("`{name}` takes no operator; a field of that name is `filter[{name}][…]`.");
            Err(parameter.fault("unknown", detail))
        }
        [op] => filter.read(name, Some(op), parameter),
        _ => Err(parameter.fault("unknown", "a filter is `field`, `field[op]` or `filter[field][op]`.")),
    }
}

fn read_count(count: &mut Option<bool>, parameter: &Parameter<'_>) -> Result<(), Fault> {
    let value = match &*parameter.value {
        "true" => true,
        "false" => false,
        _ => return Err(parameter.fault("type", "`count` must be true or false.")),
    };
    match count.replace(value) {
        None => Ok(()),
        Some(_) => Err(repeated(parameter)),
    }
}

pub(super) fn repeated(parameter: &Parameter<'_>) -> Fault {
    parameter.fault("repeated", format!("`{}` stands here more than once.", parameter.whole))
}

/// An unknown field in a parameter, with the nearest known one.
pub(super) fn unknown_field(resource: &Resource, name: &str, parameter: &Parameter<'_>) -> Fault {
    let fields = resource.fields.iter().filter(|field| field.filterable).map(|field| &*field.name);
    let near = nearest(name, fields.chain(RESERVED));
    let shown: String = name.chars().take(64).collect();
    let detail = format!("`{}` has no field or parameter `{shown}`.", resource.def.name);
    parameter.fault("unknown", detail).hint(near.map(|near| format!("Did you mean `{near}`?")))
}

/// The parameters of a query string, in order (`application/x-www-form-urlencoded`, read strictly).
fn pairs(query: Option<&str>) -> Result<Vec<Parameter<'_>>, Error> {
    let parts: Vec<_> = query.unwrap_or("").split('&').filter(|part| !part.is_empty()).collect();
    if parts.len() > limits::PARAMETERS_MAX {
        let detail = format!("A query has at most {} parameters.", limits::PARAMETERS_MAX);
        return Err(Error::new(Kind::INVALID_PARAMETER, detail));
    }
    parts.into_iter().map(pair).collect()
}

fn pair(part: &str) -> Result<Parameter<'_>, Error> {
    let (name, value) = part.split_once('=').unwrap_or((part, ""));
    let broken = || {
        let shown: String = part.chars().take(64).collect();
        let detail = format!("`{shown}` is not percent-encoded UTF-8 (a literal `%` is `%25`).");
        Error::new(Kind::INVALID_PARAMETER, detail)
    };
    let (Some(whole), Some(value)) = (decode(name), decode(value)) else { return Err(broken()) };
    Ok(Parameter { whole, value })
}

/// Percent-decoding to UTF-8, after `+` has become a blank.
fn decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains(['%', '+']) {
        return Some(text.into());
    }
    if !escapes_are_whole(text) {
        return None;
    }
    let spaced = text.replace('+', " ");
    let decoded = percent_decode(spaced.as_bytes()).decode_utf8().ok()?;
    Some(decoded.into_owned().into())
}

/// Adds a parameter to a query string.
fn encode(to: &mut String, parameter: &Parameter<'_>) {
    if !to.is_empty() {
        to.push('&');
    }
    to.extend(encoded(&parameter.whole));
    to.push('=');
    to.extend(encoded(&parameter.value));
}

fn encoded(text: &str) -> percent_encoding::PercentEncode<'_> {
    percent_encoding::utf8_percent_encode(text, PLAIN)
}

/// What stands for itself in our links: the unreserved characters of RFC 3986 §2.3, and three that read better plain.
const PLAIN: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b',').remove(b':');

/// A segment of a path, encoded.
pub(crate) fn encode_segment(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, PLAIN).to_string()
}
