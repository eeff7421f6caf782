//! The parameters of requests: the query of a collection, the ids in a path, and header fields.

use super::{
    node::{JsonObject, component},
    spelling::Spelling,
    value,
};
use crate::{
    base::limits,
    http::negotiate::Format,
    model::{FieldModel, Model, Op, ResourceIx, ResourceModel, def::FieldKind},
    request::action::RESERVED,
};

/// A parameter of the document: the name of its component, and the parameter.
pub(super) type ParameterComponent = (String, JsonObject);

/// References to parameters.
pub(super) fn references(components: &[ParameterComponent]) -> Vec<JsonObject> {
    components.iter().map(|(name, _)| component("parameters", name)).collect()
}

fn query(
    name: impl Into<String>,
    description: impl Into<String>,
    schema: JsonObject,
) -> JsonObject {
    JsonObject::new()
        .with("name", name.into())
        .with("in", "query")
        .with("description", description.into())
        .with("schema", schema)
}

fn typed(name: &str) -> JsonObject {
    JsonObject::new().with("type", name)
}

fn whole(least: i64, most: impl Into<Option<i64>>) -> JsonObject {
    let schema = typed("integer").with("format", "int64").with("minimum", least);
    schema.with("maximum", most.into().unwrap_or(i64::MAX))
}

const LIMIT: &str = "The largest number of members.";
const OFFSET: &str = "The number of members to skip. \
     Not together with `page`, `per_page`, `after` and `before`.";
const PAGE: &str = "The number of the page, from 1. \
     Not together with `limit`, `offset`, `after` and `before`.";
const PER_PAGE: &str = "The number of members on a page. \
     Not together with `limit`, `offset`, `after` and `before`.";
const AFTER: &str = "A cursor: the page begins after its position. `next_cursor` of a page is the \
     cursor of the next one. Only with the same filter and order, and not together with `before`.";
const BEFORE: &str = "A cursor: the page ends before its position. Links have such cursors. \
     Only with the same filter and order, and not together with `after`.";
const COUNT: &str = "Whether the page has `total`, the number of all matching members.";
const SORT_BY: &str = "The fields to sort by, separated by commas, each once. \
     `-` before a name sorts in descending order.";
const ORDER: &str = "The direction of all fields in `sortby`, or one for each. \
     Not together with `-` in `sortby`.";
const FIELDS: &str = "The fields of each member that the response has, separated by commas, each \
     once. Others are left out.";

const FORMAT: &str = "The format of the response; it takes precedence over `Accept`.";

/// The parameter that chooses a format, for links.
pub(super) fn format() -> ParameterComponent {
    let words: Vec<_> = Format::OF_MEMBERS.iter().map(|format| format.word()).collect();
    ("format".into(), query("format", FORMAT, typed("string").with("enum", words)))
}

/// The parameters of a list: its page, its order, its fields and its filters.
pub(super) fn of_list(resource: &ResourceModel, has_cursors: bool) -> Vec<ParameterComponent> {
    let of = |name: &str| format!("{}.{name}", resource.def.name);
    let size = |text: &str| format!("{text} The default is {}.", resource.page.default);
    let shared = |name: &str, text: &str, schema| (name.to_owned(), query(name, text, schema));
    let up_to_most = || whole(1, i64::from(resource.page.maximum));
    let mut parameters = vec![
        (of("limit"), query("limit", size(LIMIT), up_to_most())),
        shared("offset", OFFSET, whole(0, None)),
        shared("page", PAGE, whole(1, None)),
        (of("per_page"), query("per_page", size(PER_PAGE), up_to_most())),
    ];
    if has_cursors {
        let cursor =
            typed("string").with("minLength", 1).with("maxLength", limits::CURSOR_BYTES_MAX);
        parameters.push(shared("after", AFTER, cursor.clone()));
        parameters.push(shared("before", BEFORE, cursor));
    }
    parameters.extend(of_order(resource));
    parameters.push(shared("count", COUNT, typed("boolean").with("default", false)));
    parameters.extend([fields(resource), format()]);
    parameters.extend(of_filter(resource));
    parameters
}

/// The parameters of the order.
fn of_order(resource: &ResourceModel) -> [ParameterComponent; 2] {
    let sortable = resource.fields.iter().filter(|field| field.sortable);
    let names = alternatives(sortable.map(|field| &*field.name));
    let more = limits::SORT_KEYS_MAX - 1;
    let keys = typed("string").with("pattern", format!("^-?{names}(,-?{names}){{0,{more}}}$"));
    let order = typed("string").with("pattern", format!("^(asc|desc)(,(asc|desc)){{0,{more}}}$"));
    [
        (format!("{}.sortby", resource.def.name), query("sortby", SORT_BY, keys)),
        ("order".into(), query("order", ORDER, order)),
    ]
}

/// The parameter that selects fields of a representation.
pub(super) fn fields(resource: &ResourceModel) -> ParameterComponent {
    let names = alternatives(resource.visible().map(|(_, field)| &*field.name));
    let schema = typed("string").with("pattern", format!("^{names}(,{names})*$"));
    (format!("{}.fields", resource.def.name), query("fields", FIELDS, schema))
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
    // The filter of a field that is named like a parameter has a name of its own, as in URLs.
    let (component, short) = match RESERVED.contains(&name) {
        true => (format!("{of}.filter.{name}"), format!("filter[{name}]")),
        false => (format!("{of}.{name}"), name.to_owned()),
    };
    let equal = typed("array").with("items", value::base(field.kind));
    let text = format!("`{name}` is one of these values.");
    let equal = query(&*short, text, equal).with("style", "form").with("explode", true);
    let operators = Op::names(field.kind).filter_map(Op::from_name).map(|op| {
        let parameter =
            query(format!("{short}[{}]", op.name()), sentence(name, op), operand(field, op));
        (format!("{component}.{}", op.name()), parameter)
    });
    std::iter::once((component.clone(), equal)).chain(operators).collect()
}

/// The schema of the value of an operator.
fn operand(field: &FieldModel, op: Op) -> JsonObject {
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
pub(super) fn of_path(model: &Model, path: &str, resource: ResourceIx) -> Vec<JsonObject> {
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
pub(super) fn in_path(name: &str, description: &str, schema: JsonObject) -> JsonObject {
    JsonObject::new()
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
