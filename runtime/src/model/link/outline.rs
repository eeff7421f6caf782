//! The [`Outline`] of a declaration: the names that the checks across resources need.

use nouns_declaration::outline::{
    Attribute, Mention, Noun, Outline, ParentName, PlacedText, Pointer,
};

use super::Subject;
use crate::model::def::{ApiDef, FieldDef, ResourceDef};

/// The outline of all resources. If several resources have the same name, only the first is
/// included.
pub(super) fn of(api: &ApiDef) -> Outline<'static, Subject> {
    let mut nouns: Vec<Noun<'_, _>> = vec![];
    let mut seen = std::collections::HashSet::new();
    nouns.extend(api.resources.iter().filter(|def| seen.insert(def.name)).map(|def| noun(def)));
    Outline { case: api.case, nouns }
}

/// The names in the declaration of a resource.
pub(super) fn noun(def: &ResourceDef) -> Noun<'static, Subject> {
    let placed = |text: &'static str| PlacedText { text, at: Subject::Resource(def.name) };
    let mention = |key, field| Mention { key, field: placed(field) };
    let sort = def.sort.iter().map(|key| mention("sort", key.field));
    let unique = def.unique.iter().copied().flatten().map(|field| mention("unique", field));
    let indexes = def.indexes.iter().copied().flatten().map(|field| mention("indexes", field));
    Noun {
        name: placed(def.name),
        collection: placed(def.collection),
        table: placed(def.table),
        routes: def.routes,
        timestamps: def.timestamps,
        parent: def.parent.map(|parent| ParentName {
            resource: placed(parent.resource),
            field: placed(parent.field),
            is_required: parent.required,
        }),
        attributes: def.fields.iter().map(|field| attribute(field, placed)).collect(),
        mentions: sort.chain(unique).chain(indexes).collect(),
        moved_from: def.moved_from.iter().copied().map(placed).collect(),
        moved_to: def.moved_to.map(placed),
    }
}

fn attribute(
    def: &FieldDef,
    placed: impl Fn(&'static str) -> PlacedText<'static, Subject>,
) -> Attribute<'static, Subject> {
    Attribute {
        name: placed(def.name),
        is_spelled: true,
        column: placed(def.column),
        is_required: def.required,
        kind: Some(def.kind),
        reference: def.reference.map(|reference| Pointer {
            resource: placed(reference.resource),
            alias: placed(reference.alias),
            children: reference.children.map(placed),
        }),
    }
}
