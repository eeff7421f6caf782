//! The parameters of requests: the query of a collection, the ids in a path, and header fields.

use super::{
    node::{Node, Object, component},
    spelling::Spelling,
    value,
};
use crate::{
    base::limits,
    model::{FieldModel, Model, Op, ResourceIx, ResourceModel, def::FieldKind},
    request::action::RESERVED,
};

/// A parameter of the document: the name of its component, and the parameter.
pub(super) type ParameterComponent = (String, Object);

/// References to parameters.
pub(super) fn references(components: &[ParameterComponent]) -> Vec<Object> {
    components.iter().map(|(name, _)| component("parameters", name)).collect()
}

fn query(name: impl Into<String>, description: impl Into<String>, schema: Object) -> Object {
    Object::new()
        .with("name", name.into())
        .with("in", "query")
        .with("description", description.into())
        .with("schema", schema)
}

fn typed(name: &str) -> Object {
    Object::new().with("type", name)
}

fn whole(least: i64, most: impl Into<Option<i64>>) -> Object {
    let schema = typed("integer").with("format", "int64").with("minimum", least);
    schema.with("maximum", most.into().unwrap_or(i64::MAX))
}

/// The parameters of a list: its page, its order, its fields and its filters.
pub(super) fn of_list(resource: &ResourceModel, has_cursors: bool) -> Vec<ParameterComponent> {
    let of = |name: &str| format!("{}.{name}", resource.def.name);
    let most = i64::from(resource.page.maximum);
    let size = |text: &str| {
        let default = resource.page.default;
        format!("{text} The default is {default}.")
    };
    let mut parameters = vec![
        (of("limit"), query("limit", size("The largest number of members."), whole(1, most))),
        (
            "offset".into(),
            query(
                "offset",
                "The number of members to skip. Not together with `page`, `per_page`, `after` and `before`.",
                whole(0, None),
            ),
        ),
        (
            "page".into(),
            query(
                "page",
                "The number of the page, from 1. Not together with `limit`, `offset`, `after` and `before`.",
                whole(1, None),
            ),
        ),
        (
            of("per_page"),
            query(
                "per_page",
                size(
                    "The number of members on a page. Not together with `limit`, `offset`, `after` and `before`.",
                ),
                whole(1, most),
            ),
        ),
    ];
    if has_cursors {
        let cursor =
            || typed("string").with("minLength", 1).with("maxLength", limits::CURSOR_BYTES_MAX);
        parameters.push(("after".into(), query("after", "A cursor: the page begins after its position. `next_cursor` of a page is the cursor of the next one. Only with the same filter and order, and not together with `before`.", cursor())));
        parameters.push(("before".into(), query("before", "A cursor: the page ends before its position. Links have such cursors. Only with the same filter and order, and not together with `after`.", cursor())));
    }
    parameters.extend(of_order(resource));
    parameters.push((
        "count".into(),
        query(
            "count",
            "Whether the page has `total`, the number of all matching members.",
            typed("boolean").with("default", false),
        ),
    ));
    parameters.push(fields(resource));
    parameters.extend(of_filter(resource));
    parameters
}

/// The parameters of the order.
fn of_order(resource: &ResourceModel) -> Vec<ParameterComponent> {
    let sortable: Vec<_> = resource.fields.iter().filter(|field| field.sortable).collect();
    let names = alternatives(sortable.iter().map(|field| &*field.name));
    let more = limits::SORT_KEYS_MAX - 1;
    let keys = typed("string").with("pattern", format!("^-?{names}(,-?{names}){{0,{more}}}$"));
    let order = typed("string").with("pattern", format!("^(asc|desc)(,(asc|desc)){{0,{more}}}$"));
    vec![
        (
            format!("{}.sortby", resource.def.name),
            query(
                "sortby",
                "The fields to sort by, separated by commas, each once; `-` before a name sorts in descending order.",
                keys,
            ),
        ),
        (
            "order".into(),
            query(
                "order",
                "The direction of all fields in `sortby`, or one for each. Not together with `-` in `sortby`.",
                order,
            ),
        ),
    ]
}

/// The parameter that selects fields of a representation.
pub(super) fn fields(resource: &ResourceModel) -> ParameterComponent {
    let names = alternatives(resource.visible().map(|(_, field)| &*field.name));
    let schema = typed("string").with("pattern", format!("^{names}(,{names})*$"));
    let text = "The fields of each member that the response has, separated by commas, each once. Others are left out.";
    (format!("{}.fields", resource.def.name), query("fields", text, schema))
}

fn alternatives<'name>(names: impl Iterator<Item = &'name str>) -> String {
    format!("({})", names.collect::<Vec<_>>().join("|"))
}

/// The filters of a resource: for each field its value, and its operators.
pub(super) fn of_filter(resource: &ResourceModel) -> Vec<ParameterComponent> {
    let filterable = resource.fields.iter().filter(|field| field.filterable && field.visible());
    filterable.flat_map(|field| of_field(resource, field)).collect()
}

fn of_field(resource: &ResourceModel, field: &FieldModel) -> Vec<ParameterComponent> {
    let (of, name) = (resource.def.name, &*field.name);
    let is_reserved = RESERVED.contains(&name);
    let short = if is_reserved { format!("filter[{name}]") } else { name.to_owned() };
    let equal = typed("array").with("items", value::base(field.kind));
    let text = format!("`{name}` is one of these values.");
    let equal = query(&*short, text, equal).with("style", "form").with("explode", true);
    let operators = Op::names(field.kind).filter_map(Op::from_name).map(|op| {
        let parameter =
            query(format!("{short}[{}]", op.name()), sentence(name, op), operand(field, op));
        (format!("{of}.{name}.{}", op.name()), parameter)
    });
    [(format!("{of}.{name}"), equal)].into_iter().chain(operators).collect()
}

/// The schema of the value of an operator.
fn operand(field: &FieldModel, op: Op) -> Object {
    match op {
        Op::In(_) | Op::NotIn(_) => {
            typed("string").with_some("pattern", Spelling::of(field.kind).list())
        }
        Op::Between => typed("string").with("pattern", Spelling::of(field.kind).pair()),
        Op::Null | Op::NotNull => typed("boolean"),
        _ => value::base(field.kind),
    }
}

fn sentence(name: &str, op: Op) -> String {
    let list = "A list, separated by commas; in a value `\\,` is a comma and `\\\\` a backslash.";
    match op {
        Op::Eq => format!("`{name}` is equal to the value."),
        Op::Ne => format!("`{name}` is not equal to the value, or absent."),
        Op::Lt => format!("`{name}` is less than the value."),
        Op::Lte => format!("`{name}` is at most the value."),
        Op::Gt => format!("`{name}` is greater than the value."),
        Op::Gte => format!("`{name}` is at least the value."),
        Op::In(_) => format!("`{name}` is one of the values. {list}"),
        Op::NotIn(_) => format!("`{name}` is none of the values, or absent. {list}"),
        Op::Contains => format!("`{name}` has this text in it."),
        Op::StartsWith => format!("`{name}` begins with this text."),
        Op::EndsWith => format!("`{name}` ends with this text."),
        Op::Between => {
            format!("`{name}` is from the first of two values to the second, both included. {list}")
        }
        Op::Null | Op::NotNull => format!("`{name}` is absent (`true`) or present (`false`)."),
    }
}

/// The ids in a path, one for each name in braces. The first belongs to the outermost resource.
pub(super) fn of_path(model: &Model, path: &str, resource: ResourceIx) -> Vec<Object> {
    let mut lineage: Vec<_> =
        std::iter::once(resource).chain(model.ancestors(resource)).map(|ix| &model[ix]).collect();
    lineage.reverse();
    let named = |name: &str| {
        let of = lineage.iter().find(|one| name == format!("{}_id", one.def.name));
        let kind = of.map_or(FieldKind::String, |one| one.def.id.kind());
        let noun = of.map_or_else(|| name.to_owned(), |one| one.def.name.replace('_', " "));
        in_path(name, &format!("The id of the {noun}."), value::of_id(kind))
    };
    placeholders(path).map(named).collect()
}

/// A parameter in a path.
pub(super) fn in_path(name: &str, description: &str, schema: Object) -> Object {
    Object::new()
        .with("name", name)
        .with("in", "path")
        .with("required", true)
        .with("description", description)
        .with("schema", schema)
}

/// The names in braces of a path.
pub(super) fn placeholders(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name)
}

/// A list of entity tags, or `*` (RFC 9110 §13.1.1).
const TAGS: &str = "^(\\*|((W/)?\"[!#-~]*\")?(, (W/)?\"[!#-~]*\")*)$";

/// A header field of requests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestField {
    IfMatch,
    IfNoneMatch,
    IfModifiedSince,
    IfUnmodifiedSince,
    Range,
    IfRange,
    Prefer,
    IdempotencyKey,
}

impl RequestField {
    const ALL: [Self; 8] = [
        Self::IfMatch,
        Self::IfNoneMatch,
        Self::IfModifiedSince,
        Self::IfUnmodifiedSince,
        Self::Range,
        Self::IfRange,
        Self::Prefer,
        Self::IdempotencyKey,
    ];

    /// The fields that any read of a resource may have.
    pub(super) const OF_READS: [Self; 6] = [
        Self::IfNoneMatch,
        Self::IfModifiedSince,
        Self::IfMatch,
        Self::IfUnmodifiedSince,
        Self::Range,
        Self::IfRange,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::IfMatch => "If-Match",
            Self::IfNoneMatch => "If-None-Match",
            Self::IfModifiedSince => "If-Modified-Since",
            Self::IfUnmodifiedSince => "If-Unmodified-Since",
            Self::Range => "Range",
            Self::IfRange => "If-Range",
            Self::Prefer => "Prefer",
            Self::IdempotencyKey => "Idempotency-Key",
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::IfMatch => {
                "The ETags of the states that the request is for. Another state is 412 (RFC 9110 §13.1.1)."
            }
            Self::IfNoneMatch => {
                "The ETags of the states that the client has: a read of one of them is 304, a write 412. `*` is any state (RFC 9110 §13.1.2)."
            }
            Self::IfModifiedSince => {
                "A read is 304 if nothing has changed since this time. Ignored beside `If-None-Match`."
            }
            Self::IfUnmodifiedSince => {
                "The request is 412 if something has changed since this time. Ignored beside `If-Match`."
            }
            Self::Range => "The bytes of the representation to send (RFC 9110 §14.2).",
            Self::IfRange => {
                "The ETag for which `Range` applies. Otherwise the whole representation is sent."
            }
            Self::Prefer => {
                "`return=minimal` makes the response to a write have no content (RFC 7240)."
            }
            Self::IdempotencyKey => {
                "A name for this request, which the client makes, such as a UUID. A repeated request with it gets the first response and is not executed again."
            }
        }
    }

    fn schema(self) -> Object {
        let text = typed("string");
        match self {
            Self::IfMatch | Self::IfNoneMatch => text.with("pattern", TAGS),
            Self::IdempotencyKey => text
                .with("pattern", "^[A-Za-z0-9_-]+$")
                .with("maxLength", limits::IDEMPOTENCY_KEY_CHARS_MAX),
            // A field that cannot be read is ignored.
            Self::Prefer
            | Self::Range
            | Self::IfRange
            | Self::IfModifiedSince
            | Self::IfUnmodifiedSince => text,
        }
    }

    const fn example(self) -> &'static str {
        match self {
            Self::IfMatch | Self::IfNoneMatch | Self::IfRange => "\"900115021793-json-c4c36fc6\"",
            Self::IfModifiedSince | Self::IfUnmodifiedSince => "Fri, 20 Nov 2026 08:30:00 GMT",
            Self::Range => "bytes=0-499",
            Self::Prefer => "return=minimal",
            Self::IdempotencyKey => "4f1c6b3a-9d2e-4c57-8a10-6e5b7c2d9f01",
        }
    }

    /// A reference to the component, or the field itself if the operation requires it.
    pub(super) fn parameter(self, is_required: bool) -> Object {
        if is_required {
            self.whole().with("required", true)
        } else {
            component("parameters", self.name())
        }
    }

    fn whole(self) -> Object {
        Object::new()
            .with("name", self.name())
            .with("in", "header")
            .with("description", self.text())
            .with("schema", self.schema())
            .with("example", self.example())
    }

    /// All components.
    pub(super) fn components() -> impl Iterator<Item = (String, Node)> {
        Self::ALL.into_iter().map(|field| (field.name().to_owned(), Node::Object(field.whole())))
    }
}
