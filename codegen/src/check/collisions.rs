//! Names that must differ: collections at one level, tables, Rust names, the names inside a resource.

use super::context::Context;
use super::resource::ResourceDraft;
use super::types::DeclaredType;
use crate::diagnostic::Problem;
use crate::draft::{Origin, excerpt};
use crate::name;
use crate::schema::{Case, Routes};
use std::collections::HashMap;

/// The fields and columns that every row has.
const SYSTEM: &[(&str, &str)] = &[
    ("id", "every member has one already"),
    ("created_at", "every member has one already"),
    ("updated_at", "every member has one already"),
    ("revision", "every row has one already"),
];

/// The names of one kind in one place, with who has them.
#[derive(Default)]
struct Names(HashMap<String, String>);

impl Names {
    /// Takes a name, or says who has it; whether it was free.
    fn claim(&mut self, what: &'static str, name: &str, by: &str, at: Origin, context: &mut Context) -> bool {
        match self.0.get(name) {
            Some(by) => {
                let (name, by) = (excerpt(name), by.clone());
                context.say(at, Problem::Taken { what, name, by, repair: "choose another" });
                false
            }
            None => {
                self.give(name, by);
                true
            }
        }
    }

    fn give(&mut self, name: &str, by: &str) {
        self.0.insert(name.to_owned(), by.to_owned());
    }
}

pub(super) fn check(drafts: &[ResourceDraft<'_>], case: Case, context: &mut Context) {
    check_resources(drafts, context);
    check_rust_names(drafts, context);
    for draft in drafts {
        check_fields(draft, case, context);
        check_aliases(draft, context);
    }
    check_children(drafts, context);
}

fn described(draft: &ResourceDraft<'_>) -> String {
    format!("resource `{}`", excerpt(draft.name()))
}

fn check_resources(drafts: &[ResourceDraft<'_>], context: &mut Context) {
    let (mut levels, mut tables) = (HashMap::<&str, Names>::new(), Names::default());
    for draft in drafts {
        let (resource, by) = (&draft.resource, described(draft));
        let parent = resource.parent.as_ref().map(|parent| parent.resource.as_str());
        let nested = parent.filter(|_| resource.routes != Routes::Flat);
        let flat = (parent.is_none() || resource.routes != Routes::Nested).then_some("");
        for level in nested.into_iter().chain(flat) {
            let names = levels.entry(level).or_default();
            names.claim("collection", &resource.collection, &by, draft.map.place("collection"), context);
        }
        tables.claim("table", &resource.table, &by, draft.map.place("table"), context);
    }
}

/// Resources and named types become types of one Rust module.
fn check_rust_names(drafts: &[ResourceDraft<'_>], context: &mut Context) {
    let mut names = Names::default();
    for DeclaredType { name, rust, at } in std::mem::take(&mut context.types.declared) {
        let by = format!("type `{}`", excerpt(&name));
        names.claim("Rust name", &rust, &by, at, context);
    }
    for draft in drafts {
        let by = described(draft);
        // One mistake is told once: where one name is taken, the rest is not asked for.
        rust_names(&draft.resource.rust)
            .iter()
            .all(|name| names.claim("Rust name", name, &by, draft.at(), context));
    }
}

/// The type of a resource and those that come with it: its input, its change, its field tokens.
fn rust_names(rust: &str) -> [String; 4] {
    [rust.to_owned(), format!("New{rust}"), format!("{rust}Patch"), format!("{rust}Fields")]
}

/// Fields must differ in name, column and wire name, from each other, from the system's and from the parent's.
fn check_fields(draft: &ResourceDraft<'_>, case: Case, context: &mut Context) {
    let (mut columns, mut wires) = (Names::default(), Names::default());
    if let Some(parent) = &draft.resource.parent {
        refuse_reserved(
            "field",
            &parent.field,
            draft.parent.as_ref().map_or(draft.at(), |map| map.place("field")),
            context,
        );
        columns.give(&parent.field, "`parent`");
        wires.give(&name::camel(&parent.field), "`parent`");
    }
    let parent = draft.resource.parent.as_ref().map_or("", |parent| parent.field.as_str());
    for field in &draft.fields {
        let (name, at) = (field.name(), field.entry.key.at);
        if refuse_reserved("field", name, at, context) {
            continue;
        }
        if name == parent {
            let (name, by) = (excerpt(name), "`parent`, which makes it".to_owned());
            context.say(at, Problem::Taken { what: "field", name, by, repair: "remove it here" });
            continue;
        }
        let by = format!("field `{}`", excerpt(name));
        let column = field.field.as_ref().map_or(name, |field| field.column.as_str());
        let column_at = field.map.as_ref().map_or(at, |map| map.place("column"));
        if column == name || !refuse_reserved("column", column, column_at, context) {
            columns.claim("column", column, &by, column_at, context);
        }
        if case == Case::Camel {
            wires.claim("wire name", &name::camel(name), &by, at, context);
        }
    }
}

/// Whether a name is the system's own; if so, that is said.
fn refuse_reserved(what: &'static str, name: &str, at: Origin, context: &mut Context) -> bool {
    let system = SYSTEM.iter().find(|(system, _)| *system == name);
    if let Some((name, reason)) = system {
        context.say(at, Problem::Reserved { what, name: (*name).to_owned(), reason });
    }
    system.is_some()
}

/// What a reference is called must differ from every field and every other reference.
fn check_aliases(draft: &ResourceDraft<'_>, context: &mut Context) {
    let mut names = field_names(draft);
    let parent = draft.resource.parent.as_ref();
    for (field, inner) in references(draft) {
        let alias = &inner.alias;
        if parent.is_some_and(|parent| parent.field == field.name()) {
            continue;
        }
        let at =
            field.map.as_ref().and_then(|map| map.entry("references")).map_or(field.entry.key.at, |entry| {
                value_place(&entry.value, "as").unwrap_or(field.entry.key.at)
            });
        if alias != field.name() && !refuse_reserved("reference", alias, at, context) {
            names.claim(
                "reference",
                alias,
                &format!("the reference `{}`", excerpt(field.name())),
                at,
                context,
            );
        }
    }
}

/// What the reverse of a reference is called must differ from every name of the other resource.
fn check_children(drafts: &[ResourceDraft<'_>], context: &mut Context) {
    let mut targets: HashMap<&str, Names> =
        drafts.iter().map(|draft| (draft.name(), target_names(draft))).collect();
    for draft in drafts {
        let parent = draft.resource.parent.as_ref().map(|parent| parent.resource.as_str());
        if let Some(names) = parent.and_then(|parent| targets.get_mut(parent)) {
            names.give(&draft.resource.collection, &format!("the collection of {}", described(draft)));
        }
    }
    for draft in drafts {
        for (field, reference) in references(draft) {
            let Some(children) = &reference.children else { continue };
            let Some(names) = targets.get_mut(reference.resource.as_str()) else { continue };
            let entry = field.map.as_ref().and_then(|map| map.entry("references"));
            let at =
                entry.and_then(|entry| value_place(&entry.value, "children")).unwrap_or(field.entry.key.at);
            let by = format!("the reference `{}` of {}", excerpt(field.name()), described(draft));
            if !refuse_reserved("reverse", children, at, context) {
                names.claim("reverse", children, &by, at, context);
            }
        }
    }
}

fn field_names(draft: &ResourceDraft<'_>) -> Names {
    let mut names = Names::default();
    if let Some(parent) = &draft.resource.parent {
        names.give(&parent.field, "`parent`");
        names.give(parent.field.strip_suffix("_id").unwrap_or(&parent.field), "`parent`");
    }
    for field in &draft.fields {
        names.give(field.name(), &format!("field `{}`", excerpt(field.name())));
    }
    names
}

fn target_names(draft: &ResourceDraft<'_>) -> Names {
    let mut names = field_names(draft);
    for (field, reference) in references(draft) {
        names.give(&reference.alias, &format!("the reference `{}`", excerpt(field.name())));
    }
    names
}

type FieldAndReference<'a, 'd> = (&'a super::field::FieldDraft<'d>, &'a crate::schema::Reference);

fn references<'a, 'd>(draft: &'a ResourceDraft<'d>) -> impl Iterator<Item = FieldAndReference<'a, 'd>> {
    draft.fields.iter().filter_map(|field| Some((field, field.field.as_ref()?.reference.as_ref()?)))
}

/// Where the value of a key of a mapping stands.
fn value_place(node: &crate::draft::Node, key: &str) -> Option<Origin> {
    let crate::draft::Value::Map(entries) = &node.value else { return None };
    entries.iter().find(|entry| entry.key.value == key).map(|entry| entry.value.at)
}
