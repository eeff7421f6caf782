//! Builds the outline of a declaration (its names with their positions), for the checks across
//! resources.

use std::collections::HashMap;

use super::field::FieldDraft;
use super::resource::ResourceDraft;
use crate::draft::{Node, Origin, Value};
use crate::name::is_name;
use crate::schema::{Case, DefaultValue, IdKind, Reference};
use nouns_declaration::outline::{
    Attribute, Mention, Noun, Outline, ParentName, PlacedText, Pointer,
};

/// Builds the outline of all resources.
pub(super) fn of<'a>(drafts: &'a [ResourceDraft<'_>], case: Case) -> Outline<'a, Origin> {
    Outline { case, nouns: drafts.iter().map(noun).collect(), accounts: None }
}

fn noun<'a>(draft: &'a ResourceDraft<'_>) -> Noun<'a, Origin> {
    let resource = &draft.resource;
    let placed = |text: &'a str, key: &str| PlacedText { text, at: draft.map.place(key) };
    let parent = resource.parent.as_ref().zip(draft.parent.as_ref());
    Noun {
        name: PlacedText { text: draft.name(), at: draft.at() },
        collection: placed(&resource.collection, "collection"),
        table: placed(&resource.table, "table"),
        routes: resource.routes,
        id: Some(resource.id.kind()),
        has_chosen_ids: resource.optional_id || resource.id == IdKind::String,
        timestamps: resource.timestamps,
        parent: parent.map(|(parent, map)| ParentName {
            resource: PlacedText { text: &parent.resource, at: map.place("resource") },
            field: PlacedText { text: &parent.field, at: map.place("field") },
            is_required: parent.required,
        }),
        attributes: draft.fields.iter().map(attribute).collect(),
        mentions: mentions(draft),
        label: resource.label.as_deref().map(|label| placed(label, "label")),
        moved_from: former(draft),
        moved_to: resource.moved_to.as_deref().map(|to| placed(to, "moved_to")),
        roles: draft
            .rules()
            .flat_map(|access| &access.roles)
            .map(|role| PlacedText { text: role.value, at: role.at })
            .collect(),
    }
}

fn attribute<'a>(draft: &'a FieldDraft<'_>) -> Attribute<'a, Origin> {
    let name = PlacedText { text: draft.name(), at: draft.entry.key.at };
    let field = draft.field.as_ref();
    let column = field.map_or(name.text, |field| field.column.as_str());
    Attribute {
        name,
        is_spelled: is_name(name.text),
        column: PlacedText {
            text: column,
            at: draft.map.as_ref().map_or(name.at, |map| map.place("column")),
        },
        is_required: field.is_some_and(|field| field.required),
        is_unique: field.is_some_and(|field| field.unique),
        kind: field.and_then(|field| field.domain.kind),
        mode: field.map_or_else(Default::default, |field| field.mode),
        reference: field
            .and_then(|field| field.reference.as_ref())
            .map(|inner| pointer(draft, inner)),
        account_default: match field.and_then(|field| field.default.as_ref()) {
            Some(DefaultValue::Account(text)) => {
                let at = draft.map.as_ref().map_or(name.at, |map| map.place("default"));
                Some(PlacedText { text, at })
            }
            _ => None,
        },
    }
}

fn pointer<'a>(draft: &'a FieldDraft<'_>, reference: &'a Reference) -> Pointer<'a, Origin> {
    let entry = draft.map.as_ref().and_then(|map| map.entry("references"));
    let field = draft.entry.key.at;
    let place = |key: &str| entry.and_then(|entry| value_place(&entry.value, key)).unwrap_or(field);
    let children = reference.children.as_deref();
    Pointer {
        resource: PlacedText {
            text: &reference.resource,
            at: entry.map_or(field, |entry| entry.value.at),
        },
        alias: PlacedText { text: &reference.alias, at: place("as") },
        children: children.map(|text| PlacedText { text, at: place("children") }),
    }
}

/// The position of the value of a key in a mapping.
fn value_place(node: &Node, key: &str) -> Option<Origin> {
    let Value::Map(entries) = &node.value else { return None };
    entries.iter().find(|entry| entry.key.value == key).map(|entry| entry.value.at)
}

/// The fields that `sort`, `unique` and `indexes` of a resource name.
fn mentions<'d>(draft: &ResourceDraft<'d>) -> Vec<Mention<'d, Origin>> {
    let mut mentions = Vec::new();
    for key in ["sort", "unique", "indexes"] {
        for item in draft.map.entry(key).map(|entry| items(&entry.value)).unwrap_or_default() {
            let named = if key == "sort" { std::slice::from_ref(item) } else { items(item) };
            mentions.extend(named.iter().filter_map(|node| match &node.value {
                // An empty name is reported by another check.
                Value::Text(text) if !text.is_empty() => {
                    let text = text.strip_prefix('-').filter(|_| key == "sort").unwrap_or(text);
                    Some(Mention { key, field: PlacedText { text, at: node.at } })
                }
                _ => None,
            }));
        }
    }
    mentions
}

fn items(node: &Node) -> &[Node] {
    match &node.value {
        Value::List(items) => items,
        _ => &[],
    }
}

/// The paths of `moved_from` that follow the syntax rules, with their positions.
fn former<'a>(draft: &'a ResourceDraft<'_>) -> Vec<PlacedText<'a, Origin>> {
    let nodes = match draft.map.entry("moved_from").map(|entry| &entry.value) {
        Some(Node { value: Value::List(items), .. }) => items.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    let mut places = HashMap::new();
    for node in nodes {
        if let Value::Text(text) = &node.value {
            places.entry(text.as_str()).or_insert(node.at);
        }
    }
    let paths = draft.resource.moved_from.iter().map(String::as_str);
    paths
        .map(|text| PlacedText { text, at: places.get(text).copied().unwrap_or(draft.at()) })
        .collect()
}
