//! The parser of query strings. Every parameter must have a meaning.

use std::sync::Arc;

use super::{
    cursor,
    fields::FieldsReader,
    filter::FilterReader,
    format,
    page::{PageReader, PageRequest},
    parameter::{Parameter, encode, pairs, repeated},
    sort::SortReader,
};
use crate::{
    base::{
        error::{Error, Fault, Kind, Text, excerpt, text},
        limits,
    },
    http::negotiate::Format,
    model::{
        Chain, FieldIx, ResourceIx, ResourceModel, SeenModel, SortKey,
        def::{Limits, Operation},
        predicate::Predicate,
    },
};

/// The query of a collection: filter, order and page.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectionQuery {
    /// The filter of the query.
    pub predicate: Predicate,
    /// The sort order of the query. Its last key is the id.
    pub sort: Vec<SortKey>,
    /// The page of the query.
    pub page: PageRequest,
    /// Whether the response contains the number of all matching members.
    pub count: bool,
    /// The fields of each member to return; `None` means all fields.
    pub fields: Option<Arc<[FieldIx]>>,
    /// The format of the response, which takes precedence over `Accept`; `None` if the query does
    /// not choose one.
    pub format: Option<Format>,
    /// The parameters that do not set the page, encoded. A link to another page repeats them.
    pub link_parameters: String,
    /// The whole query string as the client sent it, in canonical encoding.
    pub text: String,
    /// The hash that the cursors of this query contain; 0 if the query has no cursors.
    pub cursor_key: u64,
}

/// Parameters of the page, the order, the fields and the format, which a deletion does not support.
const PAGING: [&str; 11] = [
    "limit", "offset", "page", "per_page", "after", "before", "sortby", "order", "count", "fields",
    "format",
];

impl CollectionQuery {
    /// Parses the query string of a request for a collection, with the names that its caller sees.
    ///
    /// # Errors
    /// 400 with all parameters that are unknown, repeated, of the wrong type or out of range.
    pub fn parse(seen: SeenModel<'_>, chain: &Chain, query: Option<&str>) -> Result<Self, Error> {
        let resource = seen.resource(chain.resource);
        let mut filter = FilterReader::new(seen, chain.resource);
        let mut sort = SortReader::new(seen, chain.resource);
        let mut page = PageReader::new(resource.page);
        let mut fields = FieldsReader::new(seen, chain.resource);
        let (mut count, mut format) = (None, None);
        let mut faults = vec![];
        let (mut kept, mut given) = (String::new(), String::new());
        for parameter in pairs(query, resource.limits)? {
            let (name, brackets) = parameter.parts();
            let read = match (name, brackets.as_slice()) {
                (name, []) if PageReader::reads(name) => page.read(name, &parameter),
                ("sortby" | "order", []) => sort.read(name, &parameter),
                ("count", []) => read_count(&mut count, &parameter),
                ("fields", []) => fields.read(&parameter),
                ("format", []) => format::read(&mut format, &parameter),
                _ => read_filter(&mut filter, &parameter),
            };
            faults.extend(read.err());
            encode(&mut given, &parameter);
            if !(PageReader::reads(name) && brackets.is_empty()) {
                encode(&mut kept, &parameter);
            }
        }
        let page = page.finish().map_err(|fault| faults.extend(fault));
        let sort = sort.finish().map_err(|found| faults.extend(found));
        let predicate = filter.finish().map_err(|found| faults.push(found));
        let (Ok(page), Ok(sort), Ok(predicate)) = (page, sort, predicate) else {
            return Err(refused(faults));
        };
        let of = has_cursors(resource, &sort)
            .then(|| cursor::of(resource, &chain.ids, &predicate, &sort));
        match page.page(resource, &sort, of) {
            Ok(page) if faults.is_empty() => {
                let (count, fields, of) =
                    (count.unwrap_or(false), fields.finish(), of.unwrap_or_default());
                Ok(Self {
                    predicate,
                    sort,
                    page,
                    count,
                    fields,
                    format,
                    link_parameters: kept,
                    text: given,
                    cursor_key: of,
                })
            }
            page => Err(refused(faults.into_iter().chain(page.err()).collect())),
        }
    }
}

/// Whether pages in a sort order have cursors. A cursor contains values of the sort keys, so hidden
/// fields must not be keys. A custom handler of the list does not support cursors.
fn has_cursors(resource: &ResourceModel, sort: &[SortKey]) -> bool {
    let is_replaced =
        resource.hooks.is_some_and(|phases| phases.replaced.contains(Operation::List));
    !is_replaced && sort.iter().all(|key| resource[key.field].visible())
}

/// Parses the filter of a request that deletes many members, and its query string in canonical
/// encoding. A request without a filter is refused.
///
/// # Errors
/// 400 if there is no filter, or with all parameters that are not filters.
pub(super) fn deletion(
    seen: SeenModel<'_>,
    of: ResourceIx,
    query: Option<&str>,
) -> Result<(Predicate, String), Error> {
    let mut filter = FilterReader::new(seen, of);
    let mut faults = vec![];
    let mut given = String::new();
    for parameter in pairs(query, seen.resource(of).limits)? {
        let (name, brackets) = parameter.parts();
        let paging = PAGING.contains(&name) && brackets.is_empty();
        let read = match paging {
            true => {
                Err(parameter.fault("unknown", text!("`{name}` is not supported by DELETE.", name)))
            }
            false => read_filter(&mut filter, &parameter),
        };
        faults.extend(read.err());
        encode(&mut given, &parameter);
    }
    let predicate = filter.finish().map_err(|found| faults.push(found));
    let Ok(predicate) =
        predicate.and_then(|found| if faults.is_empty() { Ok(found) } else { Err(()) })
    else {
        return Err(refused(faults));
    };
    if predicate.is_every() {
        let detail =
            text!("DELETE on a collection needs a filter that selects members, such as `?id=3`.");
        return Err(Error::new(Kind::INVALID_PARAMETER, detail));
    }
    Ok((predicate, given))
}

pub(super) fn refused(mut faults: Vec<Fault>) -> Error {
    faults.truncate(limits::FAULTS_MAX);
    Error::from_faults(Kind::INVALID_PARAMETER, faults)
}

/// Refuses every parameter, for requests that support none.
pub(crate) fn refuse_any(query: Option<&str>) -> Result<(), Error> {
    let unknown = |parameter: &_| no_meaning(parameter, text!("it takes no parameters"));
    let faults: Vec<_> = pairs(query, &Limits::DEFAULT)?.iter().map(unknown).collect();
    if faults.is_empty() { Ok(()) } else { Err(refused(faults)) }
}

/// The error for a parameter that the request does not support.
pub(super) fn no_meaning(parameter: &Parameter<'_>, what_has: Text) -> Fault {
    let shown = excerpt(&parameter.whole);
    parameter.fault(
        "unknown",
        text!("`{name}` is not supported by this request; {what_has}.", name = shown, what_has),
    )
}

fn read_filter(filter: &mut FilterReader<'_>, parameter: &Parameter<'_>) -> Result<(), Fault> {
    if let Some((field, op)) = parameter.filter() {
        return filter.read(field, op, parameter);
    }
    let (name, brackets) = parameter.parts();
    Err(match brackets.len() {
        0 => parameter.fault("unsupported", text!("`{name}` is not supported yet.", name)),
        1 => {
            let detail = text!(
                "`{name}` takes no operator; for a field with that name, write `filter[{name}][…]`.",
                name
            );
            parameter.fault("unknown", detail)
        }
        _ => parameter
            .fault("unknown", text!("a filter is `field`, `field[op]` or `filter[field][op]`.")),
    })
}

fn read_count(count: &mut Option<bool>, parameter: &Parameter<'_>) -> Result<(), Fault> {
    let value = match &*parameter.value {
        "true" => true,
        "false" => false,
        _ => return Err(parameter.fault("type", text!("`count` must be true or false."))),
    };
    match count.replace(value) {
        None => Ok(()),
        Some(_) => Err(repeated(parameter)),
    }
}
