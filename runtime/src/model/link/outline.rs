//! The [`Outline`] of a declaration: the names that the checks across resources need.

use nouns_declaration::outline::{
    AccountsName, Attribute, Mention, Noun, Outline, ParentName, PlacedText, Pointer,
};

use super::Subject;
use crate::model::def::{ApiDef, AuthDef, DefaultDef, FieldDef, Literal, ResourceDef};

/// The outline of all resources. If several resources have the same name, only the first is
/// included.
pub(super) fn of(api: &ApiDef) -> Outline<'static, Subject> {
    let mut nouns: Vec<Noun<'_, _>> = vec![];
    let mut seen = std::collections::HashSet::new();
    nouns.extend(api.resources.iter().filter(|def| seen.insert(def.name)).map(|def| noun(def)));
    let accounts = api.auth.map(|auth| accounts(api, &auth));
    Outline { case: api.case, nouns, accounts }
}

fn accounts(api: &ApiDef, auth: &AuthDef) -> AccountsName<'static, Subject> {
    let placed = |text| PlacedText { text, at: Subject::Interface };
    let resource = api.resources.iter().find(|def| def.name == auth.accounts);
    let mut fields = resource.into_iter().flat_map(|def| def.fields);
    let role = fields.find(|field| Some(field.name) == auth.role);
    let choices = role.into_iter().flat_map(|role| role.choices);
    let session = auth.session;
    let enclosed =
        [("url_parameter", session.url_parameter), ("form_field", session.form_field)].into_iter();
    AccountsName {
        resource: placed(auth.accounts),
        login: placed(auth.login),
        password: placed(auth.password),
        role: auth.role.map(placed),
        roles: choices
            .filter_map(|choice| match choice {
                Literal::String(role) => Some(*role),
                _ => None,
            })
            .collect(),
        schemes: auth.schemes.to_vec(),
        enclosed: enclosed
            .filter_map(|(key, name)| Some(Mention { key, field: placed(name?) }))
            .collect(),
        claims: auth.jwt.iter().flat_map(|jwt| jwt.claims).map(|one| placed(one.field)).collect(),
    }
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
        id: Some(def.id.kind()),
        has_chosen_ids: def.takes_ids(),
        timestamps: def.timestamps,
        parent: def.parent.map(|parent| ParentName {
            resource: placed(parent.resource),
            field: placed(parent.field),
            is_required: parent.required,
        }),
        attributes: def.fields.iter().map(|field| attribute(field, placed)).collect(),
        mentions: sort.chain(unique).chain(indexes).collect(),
        label: def.label.map(placed),
        moved_from: def.moved_from.iter().copied().map(placed).collect(),
        moved_to: def.moved_to.map(placed),
        roles: def.all_roles().map(placed).collect(),
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
        is_unique: def.unique,
        kind: Some(def.kind),
        mode: def.mode,
        reference: def.reference.map(|reference| Pointer {
            resource: placed(reference.resource),
            alias: placed(reference.alias),
            children: reference.children.map(&placed),
        }),
        account_default: match def.default {
            Some(DefaultDef::Account(field)) => Some(placed(field)),
            _ => None,
        },
    }
}
