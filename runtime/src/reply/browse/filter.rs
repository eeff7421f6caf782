//! The filter form of a collection: an input for each field, by its type, and the filters that are
//! in effect.

use serde::Serialize;

use super::{
    parameters::{POSITIONS, Parameters},
    reference::ReferenceControl,
};
use crate::{
    model::{
        Chain, FieldModel, Model, Op, ResourceModel, Role,
        def::{FieldDef, FieldKind, FieldMode},
    },
    plan::FoundLookups,
    request::{action::RESERVED, lookups::is_offered},
};

/// The filter form of a page.
#[derive(Serialize)]
pub(super) struct FilterForm {
    groups: Vec<InputGroup>,
    /// The parameters that the form keeps, such as the order.
    kept: Vec<(String, String)>,
    /// The filters in effect, each with the URL without it if the page has room for these.
    active: Vec<ActiveFilter>,
    /// The URL without any filter.
    clear: String,
}

/// The inputs of one field.
#[derive(Serialize)]
struct InputGroup {
    name: String,
    inputs: Vec<FilterInput>,
}

/// An input of the form.
#[derive(Serialize)]
struct FilterInput {
    /// The name of the parameter.
    name: String,
    /// The label: the field, and the operator in words.
    label: String,
    /// The text that distinguishes the input from the others of its field, such as `from`.
    hint: &'static str,
    value: String,
    /// The type of the input in HTML; `select` for a list of choices, and `checkbox` for a test of
    /// the empty string.
    kind: &'static str,
    choices: Vec<String>,
    /// The control of a reference, if its choices are known.
    reference: Option<ReferenceControl>,
    /// A value in the form that the input needs, if the form is not obvious.
    example: Option<&'static str>,
}

/// A filter that is in effect.
#[derive(Serialize)]
struct ActiveFilter {
    text: String,
    remove: Option<String>,
}

impl FilterForm {
    /// Returns the form of a collection at a path, filled with the present parameters. All members
    /// of a nested collection have the same parent, so it has no input.
    pub(super) fn new(
        model: &Model,
        (resource, chain): (&ResourceModel, &Chain),
        path: &str,
        parameters: &Parameters,
        found: &FoundLookups,
    ) -> Self {
        let is_offered = |field: &&FieldModel| {
            field.mode != FieldMode::Hidden && field.role != Role::Id && is_offered(field, chain)
        };
        let fields = resource.visible().map(|(_, field)| field).filter(is_offered);
        let groups = fields.filter_map(|field| group(model, field, parameters, found));
        let groups: Vec<_> = groups.collect();
        let has_input =
            |name: &str| groups.iter().flat_map(|group| &group.inputs).any(|one| one.name == name);
        let mut shown = vec![];
        let mut kept = vec![];
        for (name, value) in parameters.without(&POSITIONS).iter() {
            // An input has one value. A filter that is given twice stays beside the form.
            let is_repeated = shown.contains(&name);
            if !has_input(name) || is_repeated {
                kept.push((name.to_owned(), value.to_owned()));
            }
            shown.push(name);
        }
        let rest = parameters.without(&POSITIONS);
        let is_removable = rest.has_room_for(rest.iter().count());
        let active = (0..).zip(rest.iter()).filter(|(_, (name, _))| is_filter(name)).map(
            |(at, (name, value))| ActiveFilter {
                text: described(name, value),
                remove: is_removable.then(|| rest.without_at(at).url(path)),
            },
        );
        let filters: Vec<_> =
            rest.iter().map(|(name, _)| name).filter(|name| is_filter(name)).collect();
        Self { active: active.collect(), clear: rest.without(&filters).url(path), groups, kept }
    }
}

/// Whether a parameter is a filter.
fn is_filter(name: &str) -> bool {
    name.starts_with("filter[") || !RESERVED.contains(&name)
}

/// Describes a filter for people: `name[contains]=a` is `name contains a`.
fn described(name: &str, value: &str) -> String {
    let name = name
        .strip_prefix("filter[")
        .map_or_else(|| name.to_owned(), |rest| rest.replacen(']', "", 1));
    let (field, op) = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        Some((field, op)) => (field, Op::from_name(op)),
        None => (&*name, Some(Op::Eq)),
    };
    let words = match op {
        Some(Op::Null | Op::NotNull) if value == "true" => return format!("{field} is absent"),
        Some(Op::Null | Op::NotNull) => return format!("{field} is present"),
        Some(Op::Eq) => "is",
        Some(op) => match op.name() {
            "ne" => "is not",
            "lt" => "<",
            "lte" => "≤",
            "gt" => ">",
            "gte" => "≥",
            "in" => "is one of",
            "nin" => "is none of",
            "between" => "is between",
            "starts_with" => "starts with",
            "ends_with" => "ends with",
            name => name,
        },
        None => "",
    };
    match (words, value) {
        ("is" | "is not", "") => format!("{field} {words} empty"),
        _ => format!("{field} {words} {value}"),
    }
}

/// Returns the inputs of a field; `None` for a type that has no filter.
fn group(
    model: &Model,
    field: &FieldModel,
    parameters: &Parameters,
    found: &FoundLookups,
) -> Option<InputGroup> {
    let input = |op: Op, hint: &'static str, kind: &'static str, choices: Vec<String>| {
        let name = parameter(&field.name, op);
        FilterInput {
            label: described(&name, " ").trim_end().to_owned(),
            value: parameters.get(&name).unwrap_or_default().to_owned(),
            name,
            hint,
            kind,
            choices,
            reference: None,
            example: match field.kind {
                FieldKind::DateTime => Some("2026-01-31T12:00:00Z"),
                FieldKind::Time => Some("12:00:00"),
                _ => None,
            },
        }
    };
    let range =
        |kind| vec![input(Op::Gte, "from", kind, vec![]), input(Op::Lte, "to", kind, vec![])];
    let inputs = match field.kind {
        _ if field.target.is_some() => {
            let is = input(Op::Eq, "is", "text", vec![]);
            let choices = field.target.and_then(|target| found.choices(target));
            let names = (&*is.name, &*is.label);
            let control = |found| ReferenceControl::new(model, field, names, &is.value, found);
            let reference = choices.and_then(control).map(|control| control.or_none("any"));
            vec![FilterInput { reference, ..is }]
        }
        FieldKind::Boolean => {
            vec![input(Op::Eq, "is", "select", vec!["true".into(), "false".into()])]
        }
        kind if field.constraints.choices().is_some() => {
            let choices = field.constraints.choices().unwrap_or_default();
            let spelled = choices.iter().map(|choice| choice.spell(kind));
            // An empty input is no filter, so the empty string has an input of its own.
            let (empty, spelled): (Vec<_>, _) = spelled.partition(String::is_empty);
            let is_empty = empty.first().map(|_| emptiness(&field.name, parameters));
            let select = input(Op::Eq, "is", "select", spelled);
            [select].into_iter().chain(is_empty).collect()
        }
        FieldKind::Integer | FieldKind::Number | FieldKind::Decimal { .. } => range("number"),
        FieldKind::Date => range("date"),
        // A browser's input for times has no offset, which a time needs here.
        FieldKind::Time | FieldKind::DateTime => range("text"),
        FieldKind::String => {
            let contains = input(Op::Contains, "contains", "search", vec![]);
            let is_empty = may_be_empty(field).then(|| emptiness(&field.name, parameters));
            [contains].into_iter().chain(is_empty).collect()
        }
        FieldKind::Uuid | FieldKind::Reference => vec![input(Op::Eq, "is", "text", vec![])],
        FieldKind::Json | FieldKind::Password => return None,
    };
    Some(InputGroup { name: field.name.to_string(), inputs })
}

/// Whether a text of the field may be the empty string.
fn may_be_empty(field: &FieldModel) -> bool {
    let allows = |def: &FieldDef| {
        def.min_length.is_none_or(|least| least == 0)
            && def.format.is_none()
            && def.pattern.is_none()
    };
    field.def.is_some_and(allows)
}

/// Returns the input for the empty string, in the form `city[eq]=` of equality: the other inputs
/// that were left empty have no such name.
fn emptiness(field: &str, parameters: &Parameters) -> FilterInput {
    let name = equality(field, "");
    FilterInput {
        label: format!("{field} is empty"),
        value: if parameters.get(&name) == Some("") { "checked" } else { "" }.into(),
        name,
        hint: "is empty",
        kind: "checkbox",
        choices: vec![],
        reference: None,
        example: None,
    }
}

/// Returns the name of the parameter with which a link tests a field for a value. In a page, the
/// short form with an empty value is no filter.
pub(super) fn equality(field: &str, value: &str) -> String {
    let name = parameter(field, Op::Eq);
    if value.is_empty() { [&name, "[eq]"].concat() } else { name }
}

/// Returns the name of the parameter for a test of a field.
pub(super) fn parameter(field: &str, op: Op) -> String {
    let is_reserved = RESERVED.contains(&field);
    let field = if is_reserved { format!("filter[{field}]") } else { field.to_owned() };
    if op == Op::Eq { field } else { format!("{field}[{}]", op.name()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_described_in_words() {
        for (name, value, words) in [
            ("city", "Oslo", "city is Oslo"),
            ("city", "", "city is empty"),
            ("city[eq]", "", "city is empty"),
            ("city[ne]", "", "city is not empty"),
            ("filter[format]", "csv", "format is csv"),
            ("filter[format][ne]", "csv", "format is not csv"),
            ("weight_kg[gte]", "3", "weight_kg ≥ 3"),
            ("name[contains]", "a", "name contains a"),
            ("city[null]", "true", "city is absent"),
            ("city[null]", "false", "city is present"),
        ] {
            assert_eq!(described(name, value), words);
        }
    }
}
