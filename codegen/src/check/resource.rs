//! Reads a resource: its names, its parent, its fields, and the settings of its collection.

use super::context::{Context, Scope};
use super::extensions::{Extensions, merge};
use super::field::FieldDraft;
use super::id::Ids;
use super::map::{Map, names};
use super::{
    access::{self, AccessDraft},
    cache,
    constraints::{self, Bound},
    links, redirects, sets, types,
};
use crate::diagnostic::problem::{Owner, Problem};
use crate::draft::{Entry, Origin, Value, excerpt};
use crate::language;
use crate::name::{self, noun, plural};
use crate::schema::{
    IdKind, Limit, OnDelete, Operation, Parent, Precondition, Push, Resource, Routes,
};
use nouns_declaration::check::{FIELDS_MAX, names::reserved_table};

/// A resource as declared, with the checked resource.
pub(super) struct ResourceDraft<'d> {
    pub(super) map: Map<'d>,
    pub(super) parent: Option<Map<'d>>,
    pub(super) fields: Vec<FieldDraft<'d>>,
    pub(super) access: AccessDraft<'d>,
    /// The checked resource. Its list of fields is empty; the fields are in `fields` of this
    /// struct.
    pub(super) resource: Resource,
}

impl ResourceDraft<'_> {
    /// Moves the checked fields into the checked resource.
    pub(super) fn finish(self) -> Resource {
        let fields = self.fields.into_iter().filter_map(|draft| draft.field).collect();
        Resource { fields, ..self.resource }
    }

    /// The roles that the rules of the resource and of its fields name.
    pub(super) fn roles(&self) -> impl Iterator<Item = &str> {
        self.rules().flat_map(|access| &access.roles).map(|role| role.value)
    }

    /// The rules of the resource and of its fields.
    pub(super) fn rules(&self) -> impl Iterator<Item = &AccessDraft<'_>> {
        std::iter::once(&self.access).chain(self.fields.iter().map(|field| &field.access))
    }

    pub(super) fn name(&self) -> &str {
        &self.resource.name
    }

    /// The position of the resource's name.
    pub(super) fn at(&self) -> Origin {
        self.map.at
    }
}

/// Reads the mapping `resources`, and also returns its `x-…` keys.
pub(super) fn read_all<'d>(
    declaration: &Map<'d>,
    context: &mut Context,
) -> (Vec<ResourceDraft<'d>>, Extensions) {
    let entry = match context.scope {
        Scope::Whole => declaration.needed("resources", context),
        Scope::Item => declaration.entry("resources"),
    };
    let Some(entry) = entry else { return Default::default() };
    let Some((entries, extensions)) =
        names(&entry.value, &Owner::Key("resources".to_owned()), "a mapping", context)
    else {
        return Default::default();
    };
    if entries.is_empty() {
        context.report(entry.key.at, Problem::Nothing { key: "resources".to_owned() });
    }
    // A resource may refer to a resource that is declared later.
    context.ids.extend(entries.iter().map(|entry| (entry.key.value.clone(), IdKind::default())));
    let maps: Vec<_> =
        entries.into_iter().filter_map(|entry| Some((entry, open(entry, context)?))).collect();
    (maps.into_iter().map(|(entry, resource)| read(entry, resource, context)).collect(), extensions)
}

/// The mapping of a resource, with the declaration of its ids.
struct ResourceMap<'d> {
    map: Map<'d>,
    ids: Ids,
}

/// Opens a resource and records its name and the kind of its ids. References to the resource need
/// both.
fn open<'d>(entry: &'d Entry, context: &mut Context) -> Option<ResourceMap<'d>> {
    let owner = Owner::Resource(excerpt(&entry.key.value));
    context.ids.insert(entry.key.value.clone(), IdKind::default());
    if entry.is_broken() {
        return None;
    }
    if matches!(entry.value.value, Value::Null) {
        context.report(entry.key.at, Problem::MissingKey { key: "fields", owner });
        return None;
    }
    let map = Map::open(&entry.value, entry.key.at, &owner, &language::RESOURCE, context)?;
    let ids = Ids::read(&map, context);
    context.ids.insert(entry.key.value.clone(), ids.kind);
    Some(ResourceMap { map, ids })
}

fn read<'d>(
    entry: &'d Entry,
    resource: ResourceMap<'d>,
    context: &mut Context,
) -> ResourceDraft<'d> {
    let ResourceMap { map, ids } = resource;
    let name = entry.key.value.as_str();
    let noun = map.holds("noun", context);
    check_name(entry, noun, context);
    let collection =
        collection(name, &map, noun, context).unwrap_or_else(|| plural::collection(name, noun));
    let parent = map.inner("parent", &language::PARENT, context);
    let (fields, of_fields) = fields(name, &map, context);
    let (limit, of_limit) = limit(&map, context);
    let (cache, of_cache) = cache::cache(&map, context);
    let (deprecated, of_deprecated) = cache::deprecation(&map, context);
    let mut access = access::read(&map, context);
    let of_parent = parent.as_ref().map(|parent| parent.extensions.clone()).unwrap_or_default();
    let extensions = [
        map.extensions.clone(),
        of_parent,
        ids.extensions,
        of_limit,
        of_cache,
        of_deprecated,
        of_fields,
        std::mem::take(&mut access.extensions),
    ];
    let routes = routes(&map, context);
    let resource = Resource {
        name: name.to_owned(),
        table: table(name, &collection, &map, context),
        collection,
        rust: entry.rust.clone().unwrap_or_else(|| name::rust_type(name)),
        description: map.description(context),
        routes,
        parent: parent.as_ref().and_then(|parent| read_parent(parent, routes, context)),
        id: ids.kind,
        optional_id: ids.is_optional,
        fields: Vec::new(),
        methods: methods(&map, context),
        sort: sets::sort(&map, context),
        limit,
        unique: sets::sets("unique", &map, context),
        indexes: sets::sets("indexes", &map, context),
        timestamps: map.holds("timestamps", context),
        label: map.text("label", context).map(str::to_owned),
        noun,
        deprecated,
        cache,
        precondition: map.word("precondition", Precondition::WORDS, context).unwrap_or_default(),
        push: push(&map, context),
        moved_from: redirects::from(&map, context),
        moved_to: redirects::to(&map, context),
        access: std::mem::take(&mut access.access),
        extensions: merge(extensions, context),
    };
    ResourceDraft { map, parent, fields, access, resource }
}

/// Checks that the name of a resource is a singular noun.
fn check_name(entry: &Entry, noun: bool, context: &mut Context) {
    let name = entry.key.value.as_str();
    if let Some(verb) = noun::leading_verb(name).filter(|_| !noun) {
        context.report(entry.key.at, Problem::Verb { name: excerpt(name), verb });
        return;
    }
    if !name::is_name(name) {
        let snake = name::snake(name);
        let repair = noun::singular_of_plural(&snake).filter(|_| !noun).unwrap_or(snake);
        types::report_bad_name(name, repair, entry.key.at, "a resource", context);
    } else if let Some(singular) = noun::singular_of_plural(name).filter(|_| !noun) {
        context.report(
            entry.key.at,
            Problem::PluralName { name: excerpt(name), singular: excerpt(&singular) },
        );
    }
}

/// Reads `collection`, the path segment of the collection. Returns `None` if the key is missing or
/// invalid.
fn collection(name: &str, map: &Map<'_>, noun: bool, context: &mut Context) -> Option<String> {
    let usual = plural::collection(name, noun);
    if !map.has("collection") && name::is_name(name) && !is_segment(&usual) {
        context.report(map.at, Problem::BadSegment { segment: excerpt(&usual) });
    }
    let segment = map.text("collection", context)?;
    let problem = if let Some(reason) = reserved_segment(segment) {
        Problem::Reserved { what: "collection", name: segment.to_owned(), reason }
    } else if !is_segment(segment) {
        Problem::BadSegment { segment: excerpt(segment) }
    } else if let Some(verb) = noun::leading_verb(segment).filter(|_| !noun) {
        Problem::Verb { name: segment.to_owned(), verb }
    } else {
        return Some(segment.to_owned());
    };
    context.report(map.place("collection"), problem);
    None
}

pub(super) fn reserved_segment(segment: &str) -> Option<&'static str> {
    match segment {
        "-" => Some("system pages are below `/-/`"),
        "openapi.json" => Some("it is the OpenAPI document"),
        _ => None,
    }
}

fn is_segment(segment: &str) -> bool {
    let allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
    (1..=name::NAME_CHARACTERS_MAX).contains(&segment.len())
        && segment.starts_with(|first: char| first.is_ascii_alphanumeric())
        && segment.bytes().all(allowed)
}

/// Reads the name of the table. The default is the segment of the collection, with `_` for `-`.
fn table(name: &str, collection: &str, map: &Map<'_>, context: &mut Context) -> String {
    let declared = map.text("table", context);
    let derived = || Some(collection.replace('-', "_")).filter(|table| name::is_name(table));
    let table =
        declared.map(str::to_owned).or_else(derived).unwrap_or_else(|| plural::plural(name));
    if let Some(declared) = declared.filter(|_| reserved_table(&table).is_none()) {
        types::check_text_spelling(declared, map.place("table"), "a table", context);
    }
    table
}

fn routes(map: &Map<'_>, context: &mut Context) -> Routes {
    let Some(routes) = map.word("routes", Routes::WORDS, context) else { return Routes::default() };
    if routes != Routes::Flat && !map.has("parent") {
        context.report(map.place("routes"), Problem::NestedWithoutParent { routes: routes.word() });
    }
    routes
}

fn read_parent(map: &Map<'_>, routes: Routes, context: &mut Context) -> Option<Parent> {
    let on_delete = map.word("on_delete", OnDelete::WORDS, context).unwrap_or_default();
    let movable = map.holds("movable", context);
    let required = map.holds("required", context);
    if !required && routes == Routes::Nested {
        context.report(map.key_place("required"), Problem::OptionalParentNested);
    }
    let field = map
        .text("field", context)
        .filter(|field| types::check_text_spelling(field, map.place("field"), "a field", context));
    map.needed("resource", context)?;
    let resource = map.owned("resource", context)?;
    let field = field.map_or_else(|| format!("{resource}_id"), str::to_owned);
    if on_delete == OnDelete::SetNull && required {
        context.report(map.place("on_delete"), Problem::CannotSetNull { field: excerpt(&field) });
    }
    links::check_resource(&resource, map.place("resource"), context);
    Some(Parent { resource, field, on_delete, movable, required })
}

fn fields<'d>(
    resource: &str,
    map: &Map<'d>,
    context: &mut Context,
) -> (Vec<FieldDraft<'d>>, Extensions) {
    let Some(entry) = map.needed("fields", context) else { return Default::default() };
    let Some((entries, extensions)) =
        names(&entry.value, &Owner::Key("fields".to_owned()), "a mapping", context)
    else {
        return Default::default();
    };
    if entries.len() > FIELDS_MAX {
        let (resource, count) = (excerpt(resource), entries.len());
        context
            .report(entry.key.at, Problem::TooManyFields { resource, count, maximum: FIELDS_MAX });
    }
    let fields =
        entries.into_iter().map(|entry| FieldDraft::read(entry, resource, context)).collect();
    (fields, extensions)
}

/// Reads `methods`, and sorts the operations in the order of [`Operation`].
fn methods(map: &Map<'_>, context: &mut Context) -> Vec<Operation> {
    if !map.has("methods") {
        return Operation::DEFAULT.to_vec();
    }
    let words = map.texts("methods", context).unwrap_or_default();
    let operations = words
        .into_iter()
        .filter_map(|word| super::map::word("methods", word, Operation::WORDS, context));
    let mut methods: Vec<_> = operations.collect();
    methods.sort_unstable();
    methods
}

/// Reads `push`, what is pushed with responses over HTTP/2.
fn push(map: &Map<'_>, context: &mut Context) -> Vec<Push> {
    let words = map.texts("push", context).unwrap_or_default();
    let push =
        words.into_iter().filter_map(|word| super::map::word("push", word, Push::WORDS, context));
    push.collect()
}

fn limit(map: &Map<'_>, context: &mut Context) -> (Limit, Extensions) {
    let Some(map) = map.inner("limit", &language::LIMIT, context) else {
        return (Limit::DEFAULT, Vec::new());
    };
    let maximum = map.count("maximum", context);
    let default = map.count("default", context);
    let maximum = maximum.unwrap_or(Limit::DEFAULT.maximum);
    let default = default.unwrap_or(Limit::DEFAULT.default.min(maximum));
    if default > maximum {
        let low = Bound { key: "default", value: default.to_string() };
        let high = Bound { key: "maximum", value: maximum.to_string() };
        constraints::report_empty_range(&map, low, high, context);
    }
    (Limit { default, maximum }, map.extensions)
}
