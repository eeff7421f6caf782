//! Tests that every key of the schema language has the same meaning in YAML and in Rust.

use nouns_codegen::language::{self, Level};
use nouns_codegen::{Schema, read_rust, read_yaml};
use std::collections::BTreeSet;

/// A key, its declaration in YAML, and its declaration in Rust.
type Row = (&'static str, &'static str, &'static str);

fn assert_equal(yaml: &str, rust: &str) -> Schema {
    let of_yaml = read_yaml("table.yaml", yaml).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let of_rust = read_rust("table.rs", rust).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert_eq!(of_rust, of_yaml, "\n{yaml}\n{rust}");
    of_yaml
}

/// Checks that each key of a level has a row, and that the two declarations of a row are equal.
/// `elsewhere` lists the keys that need no row.
fn check(
    level: &Level,
    elsewhere: &[&str],
    rows: &[Row],
    declare: impl Fn(&str, &str) -> (String, String),
) {
    let nothing = rows[0];
    assert_eq!(nothing.0, "", "the first row declares no key");
    let (yaml, rust) = declare(nothing.1, nothing.2);
    let nothing = assert_equal(&yaml, &rust);
    let expected: BTreeSet<_> = level.names().chain(["x-key"]).collect();
    let mut tested: BTreeSet<_> = elsewhere.iter().copied().collect();
    for (key, yaml, rust) in &rows[1..] {
        let (yaml, rust) = declare(yaml, rust);
        assert!(assert_equal(&yaml, &rust) != nothing, "the row of `{key}` has no effect: {yaml}");
        tested.insert(key);
    }
    assert_eq!(tested, expected, "{}", level.name);
}

const FIELD_ROWS: &[Row] = &[
    ("", "string", "it: Option<String>"),
    ("type", "integer", "it: Option<i64>"),
    ("type", "number", "it: Option<f64>"),
    ("type", "boolean", "it: Option<bool>"),
    ("type", "date", "it: Option<jiff::civil::Date>"),
    ("type", "time", "it: Option<Time>"),
    ("type", "datetime", "it: std::option::Option<nouns::Timestamp>"),
    ("type", "uuid", "it: Option<uuid::Uuid>"),
    ("type", "json", "it: Option<Json>"),
    ("type", "json", "it: Option<serde_json::Value>"),
    ("type", "label", "it: Option<Label>"),
    ("scale", "{ type: decimal, scale: 2 }", "#[resource(scale = 2)] it: Option<Decimal>"),
    ("references", "{ references: other }", "it: Option<Id<Other>>"),
    (
        "references",
        "{ references: { resource: other, as: that, on_delete: set_null, children: things } }",
        "#[resource(references(as = that, on_delete = set_null, children = things))] it: \
         Option<Id<Other>>",
    ),
    (
        "references",
        "{ references: { resource: other, as: type } }",
        "#[resource(references = { r#as = r#type })] it: Option<Id<crate::Other>>",
    ),
    ("required", "{ type: string, required: true }", "it: String"),
    ("default", "{ type: string, default: new }", "#[resource(default = new)] it: Option<String>"),
    ("default", "{ type: integer, default: -5 }", "#[resource(default = -5)] it: Option<i64>"),
    ("default", "{ type: number, default: 1.50 }", "#[resource(default = 1.50)] it: Option<f64>"),
    ("default", "{ type: number, default: 5.0 }", "#[resource(default = 5.)] it: Option<f64>"),
    (
        "default",
        "{ type: boolean, default: false }",
        "#[resource(default = false)] it: Option<bool>",
    ),
    (
        "default",
        "{ type: datetime, default: $now }",
        "#[resource(default = \"$now\")] it: Option<Timestamp>",
    ),
    (
        "default",
        "{ type: json, default: { a: [1, -2.5, null, {}], b c: [] } }",
        "#[resource(default = { a = [1, -2.5, null, {}], \"b c\" = [] })] it: Option<Json>",
    ),
    ("unique", "{ type: string, unique: true }", "#[resource(unique)] it: Option<String>"),
    ("index", "{ type: string, index: true }", "#[resource(index = true)] it: Option<String>"),
    (
        "ignore_case",
        "{ type: string, ignore_case: true }",
        "#[resource(ignore_case)] it: Option<String>",
    ),
    ("minimum", "{ type: integer, minimum: 255 }", "#[resource(minimum = 0xff)] it: Option<i64>"),
    (
        "minimum",
        "{ type: date, minimum: 2026-01-01 }",
        "#[resource(minimum = \"2026-01-01\")] it: Option<Date>",
    ),
    ("maximum", "{ type: integer, maximum: 1000 }", "#[resource(maximum = 1_000)] it: Option<i64>"),
    (
        "maximum",
        "{ type: integer, minimum: 0, maximum: 9 }",
        "#[resource(maximum = 9)] it: Option<u8>",
    ),
    (
        "min_length",
        "{ type: string, min_length: 1 }",
        "#[resource(min_length = 1)] it: Option<String>",
    ),
    (
        "max_length",
        "{ type: string, max_length: 9 }",
        "#[resource(max_length = 9)] it: Option<String>",
    ),
    (
        "pattern",
        "{ type: string, pattern: '^\\d+$' }",
        "#[resource(pattern = r\"^\\d+$\")] it: Option<String>",
    ),
    (
        "enum",
        "{ enum: [red, type, on hold] }",
        "#[resource(enum = [red, type, \"on hold\"])] it: Option<String>",
    ),
    ("enum", "{ enum: [1, 2] }", "#[resource(enum = [1, 2])] it: Option<i64>"),
    ("format", "{ type: string, format: email }", "#[resource(format = email)] it: Option<String>"),
    ("read_only", "{ type: string, read_only: true }", "#[resource(read_only)] it: Option<String>"),
    (
        "write_only",
        "{ type: string, write_only: true }",
        "#[resource(write_only)] it: Option<String>",
    ),
    (
        "create_only",
        "{ type: string, create_only: true }",
        "#[resource(create_only)] it: Option<String>",
    ),
    ("hidden", "{ type: string, hidden: true }", "#[resource(hidden)] it: Option<String>"),
    (
        "filterable",
        "{ type: string, filterable: false }",
        "#[resource(filterable = false)] it: Option<String>",
    ),
    (
        "sortable",
        "{ type: string, sortable: false }",
        "#[resource(sortable = false)] it: Option<String>",
    ),
    ("column", "{ type: string, column: that }", "#[resource(column = that)] it: Option<String>"),
    ("description", "{ type: string, description: That. }", "/// That.\n it: Option<String>"),
    (
        "description",
        "{ type: string, description: That. }",
        "#[resource(description = \"That.\")] it: Option<String>",
    ),
    (
        "example",
        "{ type: string, example: \"1\" }",
        "#[resource(example = \"1\")] it: Option<String>",
    ),
    (
        "deprecated",
        "{ type: string, deprecated: true }",
        "#[resource(deprecated)] it: Option<String>",
    ),
    (
        "access",
        "{ type: string, access: { read: signed_in, write: { role: [editor, admin] } } }",
        "#[resource(access(read = signed_in, write(role = [editor, admin])))] it: Option<String>",
    ),
    (
        "x-key",
        "{ type: string, x-key: { a: [true] }, x-b: 1e3 }",
        "#[resource(\"x-key\" = { a = [true] })] #[resource(\"x-b\" = 1e3)] it: Option<String>",
    ),
];

#[test]
fn each_key_of_a_field() {
    check(&language::FIELD, &[], FIELD_ROWS, |yaml, rust| {
        let yaml = format!(
            "nouns: 1\ntypes: {{ label: string }}\nresources:\n  other: {{ fields: {{ }} }}\n  thing: {{ fields: {{ it: {yaml} }} }}\n"
        );
        let rust = format!(
            "#[derive(FieldType)] struct Label(String);\n#[derive(Resource)] struct Other {{ id: Id<Self> }}\n#[derive(Resource)] struct Thing {{ id: Id<Self>, {rust} }}"
        );
        (yaml, rust)
    });
}

#[test]
fn each_key_of_a_resource() {
    let rows: &[Row] = &[
        ("", "", ""),
        ("collection", "collection: stuff", "#[resource(collection = stuff)]"),
        ("collection", "collection: my-stuff", "#[resource(collection = \"my-stuff\")]"),
        ("table", "table: stuff", "#[resource(table = \"stuff\")]"),
        ("description", "description: A thing.", "/// A thing."),
        ("parent", "parent: zoo", "#[resource(parent = Zoo)]"),
        (
            "parent",
            "parent: { resource: zoo, field: zoo_id, on_delete: cascade }",
            "#[resource(parent(resource = crate::Zoo, field = zoo_id, on_delete = cascade))]",
        ),
        (
            "routes",
            "routes: both, parent: zoo",
            "#[resource(routes = both, parent = { resource = Zoo })]",
        ),
        ("id", "id: uuid", "#[resource(id = uuid)]"),
        ("id", "id: { type: uuid }", "#[resource(id(type = uuid))]"),
        ("methods", "methods: [list, get]", "#[resource(methods = [list, get])]"),
        ("sort", "sort: [-name, id]", "#[resource(sort = [-name, id])]"),
        (
            "limit",
            "limit: { default: 5, maximum: 50 }",
            "#[resource(limit(default = 5, maximum = 50))]",
        ),
        ("unique", "unique: [[name, age], [age]]", "#[resource(unique = [[name, age], [age]])]"),
        ("indexes", "indexes: [[age, id]]", "#[resource(indexes = [[age, \"id\"]])]"),
        ("timestamps", "timestamps: false", "#[resource(timestamps = false)]"),
        ("label", "label: age", "#[resource(label = age)]"),
        ("label", "label: id", "#[resource(label = \"id\")]"),
        ("noun", "noun: true", "#[resource(noun)]"),
        ("deprecated", "deprecated: true", "#[resource(deprecated)]"),
        (
            "deprecated",
            "deprecated: { sunset: 2027-01-01 }",
            "#[resource(deprecated(sunset = \"2027-01-01\"))]",
        ),
        ("cache", "cache: { max_age: 60s }", "#[resource(cache(max_age = \"60s\"))]"),
        ("precondition", "precondition: required", "#[resource(precondition = required)]"),
        ("push", "push: [references]", "#[resource(push = [references])]"),
        (
            "moved_from",
            "moved_from: [/old, /older]",
            "#[resource(moved_from = [\"/old\", \"/older\"])]",
        ),
        ("moved_from", "moved_from: /old", "#[resource(moved_from = \"/old\")]"),
        ("moved_to", "moved_to: /new", "#[resource(moved_to = \"/new/\")]"),
        (
            "access",
            "access: { read: public, update: { any: [{ role: admin }, { where: { id: [1, 2] } }] } }",
            "#[resource(access(read = public, update(any = [{ role = admin }, { where(id = [1, 2]) }])))]",
        ),
        (
            "x-key",
            "x-key: text, x-b: [1, null]",
            "#[resource(\"x-key\" = text, \"x-b\" = [1, null],)]",
        ),
    ];
    check(&language::RESOURCE, &["fields"], rows, |yaml, rust| {
        let comma = if yaml.is_empty() { "" } else { ", " };
        let parent = if yaml.contains("parent") { "zoo_id: Id<Zoo>," } else { "" };
        let yaml = format!(
            "nouns: 1\nresources:\n  zoo: {{ fields: {{ }} }}\n  thing: {{ {yaml}{comma}fields: {{ name: string, age: integer }} }}\n"
        );
        let rust = format!(
            "#[derive(Resource)] struct Zoo {{ id: Id<Self> }}\n{rust}\n#[derive(Resource)] struct Thing {{ name: Option<String>, {parent} id: Id<Self>, age: Option<i64> }}"
        );
        (yaml, rust)
    });
}

#[test]
fn each_key_of_a_parent() {
    let rows: &[Row] = &[
        ("", "zoo", "parent = Zoo"),
        ("resource", "other", "parent = Other"),
        ("field", "{ resource: zoo, field: park_id }", "parent(resource = Zoo, field = park_id)"),
        (
            "on_delete",
            "{ resource: zoo, on_delete: cascade }",
            "parent(resource = Zoo, on_delete = cascade)",
        ),
        ("movable", "{ resource: zoo, movable: true }", "parent(resource = Zoo, movable)"),
        (
            "movable",
            "{ resource: zoo, movable: true, x-a: 1 }",
            "parent(resource = Zoo, movable = true, \"x-a\" = 1)",
        ),
        (
            "required",
            "{ resource: zoo, required: false }, routes: flat",
            "parent = Zoo, routes = flat",
        ),
        (
            "required",
            "{ resource: zoo, required: false, on_delete: set_null }, routes: both",
            "parent(resource = Zoo, on_delete = set_null), routes = both",
        ),
        ("x-key", "{ resource: zoo, x-key: 1 }", "parent(resource = Zoo, \"x-key\" = 1)"),
    ];
    check(&language::PARENT, &[], rows, |yaml, rust| {
        let yaml = format!(
            "nouns: 1\nresources:\n  zoo: {{ fields: {{ }} }}\n  other: {{ fields: {{ }} }}\n  thing: {{ parent: {yaml}, fields: {{ }} }}\n"
        );
        let field = match rust {
            rust if rust.contains("park_id") => "park_id: Id<Zoo>",
            rust if rust.contains("Other") => "other_id: Id<Other>",
            rust if rust.contains("routes") => "zoo_id: Option<Id<Zoo>>",
            _ => "zoo_id: Id<Zoo>",
        };
        let rust = format!(
            "#[derive(Resource)] struct Zoo {{ id: Id<Self> }}\n#[derive(Resource)] struct Other {{ id: Id<Self> }}\n#[derive(Resource)] #[resource({rust})] struct Thing {{ id: Id<Self>, {field} }}"
        );
        (yaml, rust)
    });
}

#[test]
fn each_key_of_ids() {
    let rows: &[Row] = &[
        ("", "integer", "id = integer"),
        ("type", "uuid", "id = uuid"),
        ("type", "{ type: string }", "id(type = string)"),
        ("assigned", "{ assigned: optional }", "id(assigned = optional)"),
        ("assigned", "{ type: uuid, assigned: optional }", "id(type = uuid, assigned = optional)"),
        ("x-key", "{ type: uuid, x-key: 1 }", "id(type = uuid, \"x-key\" = 1)"),
    ];
    check(&language::ID, &[], rows, |yaml, rust| {
        let yaml = format!("nouns: 1\nresources:\n  thing: {{ id: {yaml}, fields: {{ }} }}\n");
        let rust =
            format!("#[derive(Resource)] #[resource({rust})] struct Thing {{ id: Id<Self> }}");
        (yaml, rust)
    });
}

#[test]
fn each_key_of_a_type() {
    let rows: &[Row] = &[
        ("", "string", "struct It(String);"),
        ("type", "integer", "struct It(i64);"),
        ("type", "base", "struct It(Base);"),
        ("minimum", "{ type: integer, minimum: 0, maximum: 65535 }", "struct It(u16);"),
        (
            "maximum",
            "{ type: base, maximum: 5 }",
            "#[field_type(maximum = 5)] struct It(crate::Base);",
        ),
        ("enum", "{ enum: [red, dark_blue] }", "enum It { Red, DarkBlue }"),
        (
            "enum",
            "{ enum: [on hold, type] }",
            "enum It { #[field_type(value = \"on hold\")] Hold, #[field_type(value = type)] T }",
        ),
        (
            "enum",
            "{ type: integer, enum: [-1, 1] }",
            "enum It { #[field_type(value = -1)] Down, #[field_type(value = 1)] Up }",
        ),
        ("enum", "{ type: string, enum: [red] }", "#[field_type(enum = [red])] struct It(String);"),
        (
            "min_length",
            "{ type: string, min_length: 1 }",
            "#[field_type(min_length = 1)] struct It(String);",
        ),
        (
            "max_length",
            "{ type: string, max_length: 1 }",
            "#[field_type(max_length = 1)] struct It(String);",
        ),
        (
            "pattern",
            "{ type: string, pattern: a }",
            "#[field_type(pattern = \"a\")] struct It(String);",
        ),
        (
            "format",
            "{ type: string, format: slug }",
            "#[field_type(format = slug)] struct It(String);",
        ),
        ("scale", "{ type: decimal, scale: 3 }", "#[field_type(scale = 3)] struct It(Decimal);"),
        (
            "ignore_case",
            "{ type: string, ignore_case: true }",
            "#[field_type(ignore_case)] struct It(String);",
        ),
        ("description", "{ type: string, description: It. }", "/// It.\nstruct It(String);"),
        (
            "example",
            "{ type: string, example: a b }",
            "#[field_type(example = \"a b\")] struct It(String);",
        ),
        ("x-key", "{ type: string, x-key: 1 }", "#[field_type(\"x-key\" = 1)] struct It(String);"),
    ];
    check(&language::TYPE, &[], rows, |yaml, rust| {
        let yaml = format!(
            "nouns: 1\ntypes: {{ base: integer, it: {yaml} }}\nresources: {{ zoo: {{ fields: {{ }} }} }}\n"
        );
        let rust = format!(
            "#[derive(FieldType)] struct Base(i64);\n#[derive(FieldType)]\n{rust}\n#[derive(Resource)] struct Zoo {{ id: Id<Self> }}"
        );
        (yaml, rust)
    });
}

#[test]
fn each_key_of_the_interface() {
    let rows: &[Row] = &[
        ("", "title: Zoos", ""),
        ("title", "title: Parks", "Parks"),
        ("version", "title: Zoos, version: 2.0.0", ".version(\"2.0.0\")"),
        ("description", "title: Zoos, description: All.", ".description(\"All.\")"),
        (
            "contact",
            "title: Zoos, contact: { name: Kim, url: \"https://a.example\", email: a@b.example, x-a: 1 }",
            ".contact(Contact::new().name(\"Kim\").url(\"https://a.example\").email(\"a@b.example\").extension(\"x-a\", \"1\"))",
        ),
        (
            "license",
            "title: Zoos, license: { name: MIT, identifier: MIT, x-a: [] }",
            ".license(nouns::License::new(\"MIT\").identifier(\"MIT\").extension(\"x-a\", \"[]\"))",
        ),
        ("base_path", "title: Zoos, base_path: /api", ".base_path(\"/api\")"),
        (
            "public_url",
            "title: Zoos, public_url: \"https://a.example\"",
            ".public_url(\"https://a.example\")",
        ),
        ("case", "title: Zoos, case: camel", ".case(nouns::Case::Camel)"),
        (
            "x-key",
            "title: Zoos, x-key: { b: 1.50, a: \"\\\"\" }",
            ".extension(\"x-key\", r#\"{\"b\": 1.50, \"a\": \"\\\"\"}\"#)",
        ),
    ];
    check(&language::API, &[], rows, |yaml, rust| {
        let (title, calls) = if rust == "Parks" { (rust, "") } else { ("Zoos", rust) };
        (interface(&format!("api: {{ {yaml} }}")), chain(title, calls))
    });
}

#[test]
fn each_key_of_the_server() {
    let rows: &[Row] = &[
        ("", "", ""),
        ("listen", "listen: 0.0.0.0:80", ".listen(\"0.0.0.0:80\")"),
        ("drain_delay", "drain_delay: 5s", ".drain_delay(std::time::Duration::from_secs(5))"),
        ("listen_plain", "listen_plain: unix:/z.sock", ".listen_plain(\"unix:/z.sock\")"),
        ("tls", "tls: { certificate: a.pem, key: b.pem }", ".tls(\"a.pem\", \"b.pem\")"),
        ("database", "database: zoo.db", ".database(\"zoo.db\")"),
        ("synchronous", "synchronous: normal", ".synchronous(Synchronous::Normal)"),
        ("trace", "trace: true", ".trace(true)"),
        ("query", "query: true", ".query(true)"),
        ("cors", "cors: { origins: [\"*\"] }", ".cors(nouns::Cors::new().origin(\"*\"))"),
        (
            "idempotency",
            "idempotency: { keep: 60m }",
            ".idempotency_keep(std::time::Duration::from_hours(1))",
        ),
        (
            "trusted_proxies",
            "trusted_proxies: [10.0.0.7, \"fd00::/8\"]",
            ".trusted_proxy(\"10.0.0.7\").trusted_proxy(\"fd00::/8\")",
        ),
        ("proxy_fields", "proxy_fields: forwarded", ".proxy_fields(ProxyFields::Forwarded)"),
        (
            "keep_alive",
            "keep_alive: { idle: 5s }",
            ".timeout(Timeout::KeepAliveIdle, Duration::from_secs(5))",
        ),
        (
            "timeouts",
            "timeouts: { head: 1s }",
            ".timeout(Timeout::Head, Duration::from_millis(1000))",
        ),
        ("limits", "limits: { body_bytes: 64KiB }", ".limit(Limit::BodyBytes, 65_536)"),
        ("early_hints", "early_hints: true", ".early_hints(true)"),
        ("metrics", "metrics: false", ".metrics(false)"),
        ("server_timing", "server_timing: true", ".server_timing(true)"),
        ("admin_listen", "admin_listen: 127.0.0.1:9090", ".admin_listen(\"127.0.0.1:9090\")"),
        ("templates", "templates: web", ".templates(\"web\")"),
        (
            "hosts",
            "hosts: [zoo.example.org, \"*.example.org\"]",
            ".host(\"zoo.example.org\").host(\"*.example.org\")",
        ),
        (
            "rate_limit",
            "rate_limit: { client: 600/1m, account: 10/1s }",
            ".client_rate(600, Duration::from_secs(60)).account_rate(10, Duration::from_secs(1))",
        ),
        ("hsts", "hsts: 1m", ".hsts(nouns::Hsts::new(Duration::from_secs(60)))"),
        ("x-key", "x-key: true", ".extension(\"x-key\", \"true\")"),
    ];
    check(&language::SERVER, &[], rows, |yaml, rust| {
        (interface(&format!("api: {{ title: Zoos }}\nserver: {{ {yaml} }}")), chain("Zoos", rust))
    });
    // A default that is written out.
    let yaml = interface("api: { title: Zoos }\nserver: { proxy_fields: x_forwarded }");
    assert_equal(&yaml, &chain("Zoos", ".proxy_fields(ProxyFields::XForwarded)"));
}

#[test]
fn each_key_of_other_origins() {
    let rows: &[Row] = &[
        ("", "origins: [\"https://a.example\"]", ".origin(\"https://a.example\")"),
        (
            "origins",
            "origins: [\"https://b.example\", \"https://c.example\"]",
            ".origin(\"https://b.example\").origin(\"https://c.example\")",
        ),
        (
            "credentials",
            "origins: [\"https://a.example\"], credentials: true",
            ".credentials(true).origin(\"https://a.example\")",
        ),
        (
            "headers",
            "origins: [\"https://a.example\"], headers: [X-A, X-B]",
            ".header(\"X-A\").header(\"X-B\").origin(\"https://a.example\")",
        ),
        (
            "max_age",
            "origins: [\"https://a.example\"], max_age: 90s",
            ".origin(\"https://a.example\").max_age(Duration::from_secs(90))",
        ),
    ];
    check(&language::CORS, &["x-key"], rows, |yaml, rust| {
        let yaml = interface(&format!("api: {{ title: Zoos }}\nserver: {{ cors: {{ {yaml} }} }}"));
        (yaml, chain("Zoos", &format!(".cors(Cors::new(){rust})")))
    });
}

#[test]
fn each_key_of_rates() {
    let rows: &[Row] = &[
        ("", "", ""),
        ("client", "client: 1/1s", ".client_rate(1, Duration::from_secs(1))"),
        ("account", "account: 5/1d", ".account_rate(5, Duration::from_hours(24))"),
    ];
    check(&language::RATE_LIMIT, &["x-key"], rows, |yaml, rust| {
        let yaml = format!("api: {{ title: Zoos }}\nserver: {{ rate_limit: {{ {yaml} }} }}");
        (interface(&yaml), chain("Zoos", rust))
    });
}

/// Each limit and timeout, with its smallest value.
#[test]
fn each_limit_and_timeout() {
    use nouns_declaration::def::{Limit, Timeout};
    let levels = [
        ("keep_alive", &language::KEEP_ALIVE),
        ("timeouts", &language::TIMEOUTS),
        ("limits", &language::LIMITS),
    ];
    for (group, level) in levels {
        let mut rows: Vec<(&'static str, String, String)> =
            vec![("", String::new(), String::new())];
        for limit in Limit::ALL.iter().filter(|limit| limit.group() == group) {
            let (least, key) = (limit.range().0, limit.key());
            let call = format!(".limit(Limit::{}, {least})", limit.rust());
            rows.push((key, format!("{key}: {least}"), call));
        }
        for timeout in Timeout::ALL.iter().filter(|timeout| timeout.group() == group) {
            let (least, key) = (timeout.range().0, timeout.key());
            let call =
                format!(".timeout(Timeout::{}, Duration::from_millis({least}))", timeout.rust());
            rows.push((key, format!("{key}: {least}ms"), call));
        }
        let rows: Vec<Row> = rows
            .iter()
            .map(|(key, yaml, rust)| (*key, &*yaml.clone().leak(), &*rust.clone().leak()))
            .map(|(key, yaml, rust)| (key, yaml as &'static str, rust as &'static str))
            .collect();
        check(level, &["x-key"], &rows, |yaml, rust| {
            let yaml = format!("api: {{ title: Zoos }}\nserver: {{ {group}: {{ {yaml} }} }}");
            (interface(&yaml), chain("Zoos", rust))
        });
    }
}

#[test]
fn each_key_of_a_cache() {
    let rows: &[Row] = &[
        ("", "no_store: false", "no_store = false"),
        ("max_age", "max_age: 0s", "max_age = \"0s\""),
        ("s_maxage", "s_maxage: 5m", "s_maxage = \"5m\""),
        ("visibility", "visibility: private", "visibility = private"),
        ("no_store", "no_store: true", "no_store"),
        ("must_revalidate", "must_revalidate: true", "must_revalidate = true"),
        (
            "stale_while_revalidate",
            "stale_while_revalidate: 30s",
            "stale_while_revalidate = \"30s\"",
        ),
        ("stale_if_error", "stale_if_error: 14d", "stale_if_error = \"336h\""),
    ];
    check(&language::CACHE, &["x-key"], rows, |yaml, rust| {
        in_a_resource(&format!("cache: {{ {yaml} }}"), &format!("cache({rust})"))
    });
}

#[test]
fn each_key_of_a_deprecation() {
    let rows: &[Row] = &[
        ("", "", ""),
        ("since", "since: 2026-01-01", "since = \"2026-01-01\""),
        ("sunset", "sunset: 2027-01-01", "sunset = \"2027-01-01\""),
        ("link", "link: \"https://a.example/?b#c\"", "link = \"https://a.example/?b#c\""),
    ];
    check(&language::DEPRECATED, &["x-key"], rows, |yaml, rust| {
        in_a_resource(&format!("deprecated: {{ {yaml} }}"), &format!("deprecated({rust})"))
    });
}

fn in_a_resource(yaml: &str, rust: &str) -> (String, String) {
    let yaml = format!("nouns: 1\nresources: {{ zoo: {{ {yaml}, fields: {{ }} }} }}\n");
    let rust = format!("#[derive(Resource)] #[resource({rust})] struct Zoo {{ id: Id<Self> }}");
    (yaml, rust)
}

fn interface(yaml: &str) -> String {
    format!("nouns: 1\n{yaml}\nresources: {{ zoo: {{ fields: {{ }} }} }}\n")
}

fn chain(title: &str, calls: &str) -> String {
    format!(
        "#[derive(Resource)] struct Left {{ id: Id<Self> }}\n#[derive(Resource)] struct Zoo {{ id: Id<Self> }}\npub fn api() -> Api {{ nouns::Api::new(\"{title}\"){calls}.resource::<Zoo>().before_create(check) }}"
    )
}
