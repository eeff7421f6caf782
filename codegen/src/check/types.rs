//! Reads the named types in the order of declaration. A type can build on the types declared before
//! it.

use super::context::Context;
use super::extensions::{Extensions, merge};
use super::map::{Map, names};
use super::{constraints, domain};
use crate::diagnostic::problem::{Owner, Problem, Suggestion};
use crate::draft::{Entry, Origin};
use crate::language;
use crate::name;
use crate::schema::{Domain, FieldKind, NamedType};
use std::collections::{HashMap, HashSet};

/// The Rust types that fields may have. A named type cannot have one of these names.
const RUST_TYPES: &[&str] = &[
    "String",
    "Option",
    "Id",
    "Date",
    "Time",
    "Timestamp",
    "Uuid",
    "Decimal",
    "Json",
    "Value",
    "Password",
];

/// A declared named type: its name, its Rust type and its position.
pub(super) struct DeclaredType {
    pub(super) name: String,
    /// The name of the Rust type.
    pub(super) rust: String,
    pub(super) at: Origin,
}

impl DeclaredType {
    fn of(entry: &Entry) -> Self {
        let name = entry.key.value.clone();
        let rust = entry.rust.clone().unwrap_or_else(|| name::rust_type(&name));
        Self { name, rust, at: entry.key.at }
    }
}

/// The named types of a declaration.
#[derive(Default)]
pub(super) struct Types {
    /// All declared types. Types that are not read yet are included.
    pub(super) declared: Vec<DeclaredType>,
    /// The names of `declared`, for lookup.
    index: HashSet<String>,
    /// The index in `list` of each type that was read. It is `None` for a type with mistakes, which
    /// are already reported.
    known: HashMap<String, Option<usize>>,
    list: Vec<NamedType>,
}

/// The result of looking up a named type while the types are read.
pub(super) enum TypeDomain<'t> {
    /// The type was read and has no mistakes.
    Known(&'t Domain),
    /// The type was read and has mistakes, which are already reported.
    Broken,
    /// No type of this name has been read yet.
    Unread,
}

impl Types {
    /// The domain of a named type, if the type has already been read.
    pub(super) fn domain(&self, name: &str) -> TypeDomain<'_> {
        match self.known.get(name) {
            Some(Some(index)) => TypeDomain::Known(&self.list[*index].domain),
            Some(None) => TypeDomain::Broken,
            None => TypeDomain::Unread,
        }
    }

    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.index.contains(name)
    }

    /// The names of all declared types.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.declared.iter().map(|declared| declared.name.as_str())
    }

    /// Moves the checked types out of this value. Called once, when all fields have been read.
    pub(super) fn finish(&mut self) -> Vec<NamedType> {
        std::mem::take(&mut self.list)
    }
}

/// Reads the mapping `types`, and returns its `x-…` keys.
pub(super) fn read(declaration: &Map<'_>, context: &mut Context) -> Extensions {
    let Some(entry) = declaration.entry("types") else { return Vec::new() };
    let Some((entries, extensions)) =
        names(&entry.value, &Owner::Key("types".to_owned()), "a mapping", context)
    else {
        return Vec::new();
    };
    context.types.declared = entries.iter().map(|entry| DeclaredType::of(entry)).collect();
    context.types.index = entries.iter().map(|entry| entry.key.value.clone()).collect();
    for entry in entries {
        let named = named_type(entry, context);
        let index = named.is_some().then_some(context.types.list.len());
        context.types.list.extend(named);
        context.types.known.insert(entry.key.value.clone(), index);
    }
    extensions
}

fn named_type(entry: &Entry, context: &mut Context) -> Option<NamedType> {
    check_name(entry, context);
    if entry.is_broken() {
        return None;
    }
    let name = entry.key.value.as_str();
    let owner = Owner::Type(crate::draft::excerpt(name));
    let map = Map::open(&entry.value, entry.key.at, &owner, &language::TYPE, context)?;
    let (domain, base) = domain::read(&map, context)?;
    let example = map.entry("example").and_then(|entry| {
        let example = domain::read_literal("example", &entry.value, domain.kind, context)?;
        constraints::check_value("example", &entry.value, &example, &domain, context);
        Some(example)
    });
    let description = map.description(context);
    let extensions = merge([map.extensions], context);
    Some(NamedType { name: name.to_owned(), base, domain, description, example, extensions })
}

fn check_name(entry: &Entry, context: &mut Context) {
    let name = entry.key.value.as_str();
    let built_in = FieldKind::WORDS.iter().any(|(word, _)| *word == name)
        || language::LATER_TYPES.contains(&name);
    if built_in {
        let problem =
            Problem::Reserved { what: "type", name: name.to_owned(), reason: "it is built in" };
        context.report(entry.key.at, problem);
    } else if RUST_TYPES.contains(&name::rust_type(name).as_str()) {
        let reason = "a Rust type of that name is built in";
        context.report(
            entry.key.at,
            Problem::Reserved { what: "type", name: name.to_owned(), reason },
        );
    } else {
        check_spelling(entry, "a type", context);
    }
}

/// Checks that the name of an entry follows the rules for names. An invalid name is reported.
pub(super) fn check_spelling(entry: &Entry, what: &'static str, context: &mut Context) {
    check_text_spelling(&entry.key.value, entry.key.at, what, context);
}

/// Checks that a text follows the rules for names. Returns whether the text is valid. An invalid
/// text is reported.
pub(super) fn check_text_spelling(
    text: &str,
    at: Origin,
    what: &'static str,
    context: &mut Context,
) -> bool {
    let good = name::is_name(text);
    if !good {
        report_bad_name(text, name::snake(text), at, what, context);
    }
    good
}

/// Reports a text that breaks the rules for names. `repair` is proposed if it follows the rules.
pub(super) fn report_bad_name(
    text: &str,
    repair: String,
    at: Origin,
    what: &'static str,
    context: &mut Context,
) {
    let repair = Suggestion(Some(repair).filter(|repair| name::is_name(repair)));
    context.report(at, Problem::BadName { what, name: crate::draft::excerpt(text), repair });
}
