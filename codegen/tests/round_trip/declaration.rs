//! Generates declarations that use every key of the schema language. Most of them have no mistake.

use super::genes::Genes;
use super::values::{Map, json, list, names, node, number, odd_text, text};
use nouns_codegen::draft::{Draft, Source, Value};
use nouns_codegen::name::noun;

mod access;
mod auth;
mod http;
mod set;

pub(super) use auth::accounts;
use set::Set;

/// The names of resources. Some are plurals or begin with a verb.
const RESOURCES: &[&str] = &[
    "zoo",
    "type",
    "self",
    "a_1",
    "x_y_z",
    "http2_server",
    "match",
    "list",
    "option",
    "string",
    "date",
    "news",
    "id",
    "resource",
    "api",
    "children",
    "get_zoo",
    "json",
    "value",
    "contact",
];

/// The names of named types.
const TYPES: &[&str] = &[
    "label",
    "status",
    "super",
    "a_2",
    "b_c_d",
    "case",
    "license",
    "field_type",
    "fn",
    "async",
    "i64",
    "vec",
];

/// The names of fields.
const FIELDS: &[&str] = &[
    "name", "type", "self", "crate", "super", "true", "false", "null", "b_2", "limit", "async",
    "value", "x_y_z", "r2d2", "gen", "fn", "page", "union", "default", "zoo", "option", "try",
];

/// A named type that is already declared, with its set of values.
struct Named {
    name: String,
    set: Set,
}

/// The types and resources that are already declared.
#[derive(Default)]
struct Known {
    types: Vec<Named>,
    resources: Vec<(String, &'static str)>,
}

pub(super) fn draft(genes: &mut Genes<'_>) -> Draft {
    let mut root = Map::default();
    root.put("nouns", number(1));
    root.extension(genes);
    if genes.once_in(2) {
        root.put("api", api(genes));
    }
    if genes.once_in(3) {
        root.put("server", server(genes));
    }
    let mut known = Known::default();
    if genes.once_in(2) {
        root.put("types", types(&mut known, genes));
    }
    root.put("resources", resources(&mut known, genes));
    Draft { source: Source::default(), root: node(root.value()), problems: Vec::new() }
}

fn api(genes: &mut Genes<'_>) -> Value {
    let mut api = Map::default();
    for key in ["title", "version", "description"] {
        api.odd_text(key, genes);
    }
    if genes.once_in(3) {
        let mut contact = Map::default();
        contact.odd_text("name", genes);
        contact.put("url", text("https://zoo.example.org/contact"));
        contact.put("email", text("office@zoo.example.org"));
        contact.extension(genes);
        api.put("contact", contact.value());
    }
    if genes.once_in(3) {
        let mut license = Map::default();
        license.put("name", text(odd_text(genes)));
        license.odd_text("identifier", genes);
        license.extension(genes);
        api.put("license", license.value());
    }
    if genes.once_in(3) {
        api.put("base_path", text(genes.pick(&["/", "/api/v1/", "/~a/b.c"])));
        api.put(
            "public_url",
            text(genes.pick(&["https://zoo.example.org", "http://[::1]:8080/a/"])),
        );
        api.put("case", text(genes.pick(&["snake", "camel"])));
    }
    api.extension(genes);
    api.value()
}

fn server(genes: &mut Genes<'_>) -> Value {
    let mut server = Map::default();
    server.put("listen", text("127.0.0.1:8080"));
    server.put("drain_delay", text(genes.pick(&["0s", "5s", "2m"])));
    server.odd_text("database", genes);
    server.put("templates", text("templates"));
    server.put("synchronous", text(genes.pick(&["full", "normal"])));
    http::server(&mut server, genes);
    server.extension(genes);
    server.value()
}

fn types(known: &mut Known, genes: &mut Genes<'_>) -> Value {
    let (mut types, mut free) = (Map::default(), TYPES.to_vec());
    for _ in 0..genes.below(6) {
        let (name, mut map) = (genes.take(&mut free), Map::default());
        let set = match base(known, genes) {
            Some(base) => {
                map.put("type", text(&base.name));
                base.set.tighten(&mut map, genes)
            }
            None => Set::declare(&mut map, genes),
        };
        map.odd_text("description", genes);
        if genes.once_in(3) {
            map.put("example", set.value(genes));
        }
        map.extension(genes);
        types.put(name, map.value());
        known.types.push(Named { name: name.to_owned(), set });
    }
    types.extension(genes);
    types.value()
}

fn base<'k>(known: &'k Known, genes: &mut Genes<'_>) -> Option<&'k Named> {
    (genes.once_in(2) && !known.types.is_empty())
        .then(|| &known.types[genes.below(known.types.len())])
}

fn resources(known: &mut Known, genes: &mut Genes<'_>) -> Value {
    let (mut resources, mut free) = (Map::default(), RESOURCES.to_vec());
    for _ in 0..=genes.below(5) {
        let name = genes.take(&mut free);
        let resource = resource(name, known, genes);
        resources.put(name, resource);
    }
    resources.extension(genes);
    resources.value()
}

fn resource(name: &str, known: &mut Known, genes: &mut Genes<'_>) -> Value {
    let mut map = Map::default();
    let is_odd = noun::leading_verb(name).is_some() || noun::singular_of_plural(name).is_some();
    if is_odd || genes.once_in(8) {
        map.put("noun", Value::Boolean(true));
    }
    if is_odd || genes.once_in(4) {
        map.put("collection", text(format!("col-{}", genes.fresh())));
    }
    if genes.once_in(4) {
        map.put("table", text(format!("tab_{}", genes.fresh())));
    }
    map.odd_text("description", genes);
    let mut free = FIELDS.to_vec();
    let parent = parent(&mut map, known, &mut free, genes);
    http::resource(&mut map, parent.is_none(), genes);
    let id = genes.pick(&["integer", "uuid", "string"]);
    ids(&mut map, id, genes);
    known.resources.push((name.to_owned(), id));
    let mut ordered = fields(&mut map, known, &mut free, genes);
    ordered.extend(parent);
    if genes.once_in(3) {
        access::access(&mut map, id, genes);
    }
    collection(&mut map, ordered, genes);
    map.extension(genes);
    map.value()
}

/// Declares the type of the ids, and sometimes that clients may choose ids.
fn ids(map: &mut Map, kind: &str, genes: &mut Genes<'_>) {
    if !genes.once_in(3) {
        return map.put("id", text(kind));
    }
    let mut long = Map::default();
    long.put("type", text(kind));
    if kind != "string" {
        long.put("assigned", text(genes.pick(&["optional", "server"])));
    }
    long.extension(genes);
    map.put("id", long.value());
}

/// Sometimes declares a parent. Returns the name of the field that holds the parent's id.
fn parent(
    map: &mut Map,
    known: &Known,
    free: &mut Vec<&'static str>,
    genes: &mut Genes<'_>,
) -> Option<String> {
    if known.resources.is_empty() || !genes.once_in(2) {
        if genes.once_in(8) {
            map.put("routes", text("flat"));
        }
        return None;
    }
    let parent = known.resources[genes.below(known.resources.len())].0.clone();
    let mut field = format!("{parent}_id");
    let mut long = Map::default();
    long.put("resource", text(&parent));
    let mut is_optional = false;
    match genes.below(3) {
        0 => map.put("parent", text(&parent)),
        form => {
            if form == 2 {
                field = genes.take(free).to_owned();
                long.put("field", text(&field));
            }
            is_optional = genes.once_in(4);
            let actions: &[&str] = if is_optional {
                &["restrict", "cascade", "set_null"]
            } else {
                &["restrict", "cascade"]
            };
            long.put("on_delete", text(genes.pick(actions)));
            long.flag("movable", genes);
            if is_optional {
                long.put("required", Value::Boolean(false));
            }
            long.extension(genes);
            map.put("parent", long.value());
        }
    }
    if is_optional {
        map.put("routes", text(genes.pick(&["flat", "both"])));
    } else if genes.once_in(2) {
        map.put("routes", text(genes.pick(&["nested", "flat", "both"])));
    }
    Some(field)
}

/// Declares the fields, and returns the names of the fields whose values have an order.
fn fields(
    map: &mut Map,
    known: &Known,
    free: &mut Vec<&'static str>,
    genes: &mut Genes<'_>,
) -> Vec<String> {
    let (mut fields, mut ordered) = (Map::default(), vec!["id".to_owned()]);
    for _ in 0..genes.below(7) {
        let mut name = genes.take(free).to_owned();
        let mut field = Map::default();
        let is_reference = genes.once_in(4);
        let is_ordered = if is_reference {
            name = if genes.once_in(2) { format!("{name}_id") } else { format!("{name}_r") };
            reference(&mut field, known, genes);
            true
        } else {
            valued(&mut field, known, genes)
        };
        facts(&mut field, is_ordered, genes);
        let is_label = is_ordered && !is_reference && fits_label(&field);
        if is_label && !map.has("label") && genes.once_in(4) {
            map.put("label", text(&*name));
        }
        fields.put(&name, field.value());
        if is_ordered {
            ordered.push(name);
        }
    }
    fields.extension(genes);
    map.put("fields", fields.value());
    ordered
}

/// Whether the field can be the label of a resource: clients may read it, and its type is known not
/// to be `boolean`.
fn fits_label(field: &Map) -> bool {
    field.has_text("type", "string") && !field.has("hidden") && !field.has("write_only")
}

fn reference(field: &mut Map, known: &Known, genes: &mut Genes<'_>) {
    let (target, id) = known.resources[genes.below(known.resources.len())].clone();
    let is_last = known.resources.last().is_some_and(|(last, _)| *last == target);
    let required = genes.once_in(2) && !is_last;
    field.put("required", Value::Boolean(required));
    let value = match id {
        "integer" => number(7),
        "uuid" => text("0190B5A8-6C1F-7C3E-9D2A-3F1E5B7C9D10"),
        _ => text(odd_text(genes)),
    };
    if genes.once_in(3) && !matches!(&value, Value::Text(text) if text.starts_with('$')) {
        field.put("default", value.clone());
    }
    if genes.once_in(3) {
        field.put("example", value);
    }
    if genes.once_in(2) {
        return field.put("references", text(target));
    }
    let mut long = Map::default();
    long.put("resource", text(target));
    if genes.once_in(2) {
        long.put("as", text(format!("other_{}", genes.fresh())));
    }
    if genes.once_in(2) {
        long.put("children", text(format!("others_{}", genes.fresh())));
    }
    let actions: &[&str] =
        if required { &["restrict", "cascade"] } else { &["restrict", "cascade", "set_null"] };
    long.put("on_delete", text(genes.pick(actions)));
    long.extension(genes);
    field.put("references", long.value());
}

/// Declares the type and the values of a field. Returns whether the values have an order.
fn valued(field: &mut Map, known: &Known, genes: &mut Genes<'_>) -> bool {
    let set = match base(known, genes) {
        Some(named) => {
            field.put("type", text(&named.name));
            named.set.tighten(field, genes)
        }
        None => Set::declare(field, genes),
    };
    let has_default = genes.once_in(2) && !set.is_password();
    if has_default {
        field.put(
            "default",
            if set.is_a_time() && genes.once_in(2) { text("$now") } else { set.default(genes) },
        );
    }
    if genes.once_in(3) {
        field.put("example", set.value(genes));
    }
    let modes: &[&str] = match set.is_password() {
        true => &["", "", "write_only", "hidden"],
        false => &["", "", "read_only", "write_only", "create_only", "hidden"],
    };
    let mode = genes.pick(modes);
    if !mode.is_empty() {
        field.put(mode, Value::Boolean(true));
    }
    let keys: &[&str] = match (mode, set.is_password()) {
        ("", false) => &["read", "write"],
        ("read_only", _) => &["read"],
        ("hidden", _) => &[],
        _ => &["write"],
    };
    if let Some(access) = access::access_of_field(keys, genes) {
        field.put("access", access);
    }
    if has_default || !matches!(mode, "read_only" | "hidden") {
        field.flag("required", genes);
    }
    set.is_ordered()
}

/// Declares some of the keys that every field may have.
fn facts(field: &mut Map, is_ordered: bool, genes: &mut Genes<'_>) {
    if is_ordered {
        field.flag("unique", genes);
        field.flag("index", genes);
    }
    for key in ["filterable", "sortable"] {
        if genes.once_in(5) {
            field.put(key, Value::Boolean(false));
        }
    }
    if genes.once_in(6) {
        field.put("column", text(format!("col_{}", genes.fresh())));
    }
    field.odd_text("description", genes);
    field.flag("deprecated", genes);
    field.extension(genes);
}

/// Declares some of the keys for the collection of a resource.
fn collection(map: &mut Map, mut ordered: Vec<String>, genes: &mut Genes<'_>) {
    for key in ["unique", "indexes"] {
        if genes.once_in(4) {
            map.put(key, list([names(&genes.some_of(&ordered))]));
        }
    }
    if genes.once_in(4) {
        map.put("timestamps", Value::Boolean(false));
    } else {
        ordered.push("created_at".to_owned());
        if !map.has("label") && genes.once_in(8) {
            map.put("label", text("created_at"));
        }
    }
    if genes.once_in(3) {
        let keys = genes.some_of(&ordered).into_iter();
        map.put(
            "sort",
            list(
                keys.map(|key| text(if genes.once_in(2) { format!("-{key}") } else { key }))
                    .collect::<Vec<_>>(),
            ),
        );
    }
    if genes.once_in(4) {
        let all = ["delete_many", "list", "create", "get", "replace", "update", "delete"];
        map.put("methods", list(genes.some_of(&all).into_iter().map(text)));
    }
    if genes.once_in(4) {
        let mut limit = Map::default();
        limit.put("maximum", number(genes.pick(&[100, 10, 500])));
        if genes.once_in(2) {
            limit.put("default", number(genes.pick(&[10, 5, 7])));
        }
        limit.extension(genes);
        map.put("limit", limit.value());
    }
}
