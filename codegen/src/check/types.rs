//! The named types, in the order of their declaration, so that each can build on those above it.

use super::context::Context;
use super::extensions::{Extensions, merge};
use super::map::{Map, names};
use super::{constraints, domain, level};
use crate::diagnostic::problem::{Nearest, Problem};
use crate::draft::{Entry, Origin};
use crate::name;
use crate::schema::{Domain, FieldKind, NamedType};
use std::collections::{HashMap, HashSet};

/// The Rust types that fields may have, so that no named type can be called so.
const RUST_TYPES: &[&str] =
    &["String", "Option", "Id", "Date", "Time", "Timestamp", "Uuid", "Decimal", "Json", "Value"];

/// A name that is declared.
pub(super) struct DeclaredType {
    pub(super) name: String,
    /// Its Rust type.
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

/// The named types that are known so far.
#[derive(Default)]
pub(super) struct Types {
    /// Every name that is declared, also those still to come, and where.
    pub(super) declared: Vec<DeclaredType>,
    /// The same names, to look them up.
    index: HashSet<String>,
    /// Where each known type stands in `list`; `None` for broken ones, which were said already.
    known: HashMap<String, Option<usize>>,
    list: Vec<NamedType>,
}

impl Types {
    /// What the values of a type are: outer `None` where it is not known yet, inner where it is
    /// broken.
    pub(super) fn domain(&self, name: &str) -> Option<Option<&Domain>> {
        self.known.get(name).map(|index| index.map(|index| &self.list[index].domain))
    }

    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.index.contains(name)
    }

    /// The declared names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.declared.iter().map(|declared| declared.name.as_str())
    }

    /// Hands the types over, when every field is read.
    pub(super) fn finish(&mut self) -> Vec<NamedType> {
        std::mem::take(&mut self.list)
    }
}

/// Reads the mapping `types` and hands its `x-…` keys over.
pub(super) fn read(declaration: &Map<'_>, context: &mut Context) -> Extensions {
    let Some(entry) = declaration.entry("types") else { return Vec::new() };
    let Some((entries, extensions)) = names(&entry.value, "`types`", "a mapping", context) else {
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
    let owner = format!("type `{}`", crate::draft::excerpt(name));
    let map = Map::open(&entry.value, entry.key.at, &owner, &level::TYPE, context)?;
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
        || level::LATER_TYPES.contains(&name);
    if built_in {
        let problem =
            Problem::Reserved { what: "type", name: name.to_owned(), reason: "it is built in" };
        context.say(entry.key.at, problem);
    } else if RUST_TYPES.contains(&name::rust_type(name).as_str()) {
        let reason = "a Rust type of that name is built in";
        context
            .say(entry.key.at, Problem::Reserved { what: "type", name: name.to_owned(), reason });
    } else {
        check_spelling(entry, "a type", context);
    }
}

/// Checks that the name of an entry is spelled as names are.
pub(super) fn check_spelling(entry: &Entry, what: &'static str, context: &mut Context) {
    spelled(&entry.key.value, entry.key.at, what, context);
}

/// Whether a name is spelled as names are; if not, that is said.
pub(super) fn spelled(text: &str, at: Origin, what: &'static str, context: &mut Context) -> bool {
    let good = name::is_name(text);
    if !good {
        say_misspelled(text, name::snake(text), at, what, context);
    }
    good
}

/// Says that a name is not spelled as names are, with a repair if that is a name.
pub(super) fn say_misspelled(
    text: &str,
    repair: String,
    at: Origin,
    what: &'static str,
    context: &mut Context,
) {
    let repair = Nearest(Some(repair).filter(|repair| name::is_name(repair)));
    context.say(at, Problem::BadName { what, name: crate::draft::excerpt(text), repair });
}
