//! Tests that a key with its default means the same as no key.

use nouns_codegen::{
    json_schema,
    language::{LEVELS, Level},
    read_yaml,
};
use serde_json::Value;

/// A declaration with `entry` in a mapping of the level.
fn declaration(level: &Level, entry: &str) -> String {
    let (mut top, mut resource, mut field) = (String::new(), String::new(), String::new());
    let mut parent = "zoo".to_owned();
    let auth = |entry: &str| format!("auth: {{ accounts: keeper, login: email{entry} }}");
    let after = if entry.is_empty() { String::new() } else { format!(", {entry}") };
    match (level.definition, level.name) {
        ("", "the declaration") => top = entry.to_owned(),
        ("api" | "server", _) => top = format!("{}: {{ {entry} }}", level.definition),
        ("cors", _) => top = format!("server: {{ cors: {{ origins: ['*']{after} }} }}"),
        ("hsts", _) => top = format!("server: {{ hsts: {{ max_age: 1d{after} }} }}"),
        ("idempotency" | "keep_alive" | "timeouts" | "limits", _) => {
            top = format!("server: {{ {}: {{ {entry} }} }}", level.definition);
        }
        ("auth", _) => top = auth(&after),
        ("", "`session`") => top = auth(&format!(", session: {{ {entry} }}")),
        ("type", _) => top = format!("types: {{ code: {{ type: string{after} }} }}"),
        ("resource", _) => resource = entry.to_owned(),
        ("id" | "limit" | "deprecated", _) => {
            resource = format!("{}: {{ {entry} }}", level.definition);
        }
        ("cache", _) => resource = format!("cache: {{ max_age: 1m{after} }}"),
        ("parent", _) => parent = format!("{{ resource: zoo{after} }}"),
        ("field", _) => field = after,
        ("references", _) => field = format!(", references: {{ resource: zoo{after} }}"),
        _ => panic!("{} has a default, and no declaration here", level.name),
    }
    let kind = if level.definition == "references" { "integer" } else { "string" };
    format!(
        "nouns: 1\n{top}\nresources:\n  \
         keeper: {{ fields: {{ email: {{ type: string, required: true, unique: true }}, \
         password: password, role: string }} }}\n  \
         zoo: {{ fields: {{ name: string }} }}\n  \
         animal:\n    parent: {parent}\n    {resource}\n    \
         fields: {{ name: string, it: {{ type: {kind}{field} }} }}\n"
    )
}

/// The default of a key in the JSON Schema.
fn usual(schema: &Value, level: &Level, key: &str) -> Option<Value> {
    let mapping = match (level.definition, level.name) {
        ("", "`session`") => &schema["$defs"]["auth"]["properties"]["session"],
        ("", _) => schema,
        (definition @ ("field" | "type"), _) => &schema["$defs"][definition]["anyOf"][1],
        (definition, _) => &schema["$defs"][definition],
    };
    mapping["properties"][key].get("default").cloned()
}

#[test]
fn a_key_with_its_default_means_the_same_as_no_key() {
    let (schema, mut tested) = (json_schema::schema(), 0);
    for level in LEVELS {
        for key in level.names() {
            let Some(value) = usual(&schema, level, key) else { continue };
            let read = |entry: &str| {
                let text = declaration(level, entry);
                read_yaml("zoo.yaml", &text).unwrap_or_else(|mistakes| panic!("{text}{mistakes}"))
            };
            // The program has the default of the address, since a flag takes precedence.
            let is_same = read(&format!("{key}: {value}")) == read("") || key == "listen";
            assert!(is_same, "`{key}: {value}` in {} is no default", level.name);
            tested += 1;
        }
    }
    assert!(tested > 70, "{tested} keys have a default");
}

/// A declaration whose mapping of a level lacks nothing, each with the lines of the required keys.
fn complete(level: &Level) -> Option<Vec<(&'static str, &'static str)>> {
    Some(match (level.definition, level.name) {
        ("license", _) => vec![("name", "CC BY 4.0")],
        ("tls", _) => vec![("certificate", "a.pem"), ("key", "b.pem")],
        ("hsts", _) => vec![("max_age", "1d")],
        ("cors", _) => vec![("origins", "['*']")],
        ("auth", _) => vec![("accounts", "keeper"), ("login", "email")],
        ("parent" | "references", _) => vec![("resource", "zoo")],
        ("", "`jwt`") => {
            vec![("keys", "a.json"), ("issuer", "https://id.test"), ("audience", "zoo")]
        }
        _ => return None,
    })
}

#[test]
fn the_checker_requires_the_keys_that_the_table_requires() {
    let mut tested = 0;
    for level in LEVELS {
        let Some(entries) = complete(level) else { continue };
        assert_eq!(entries.iter().map(|(key, _)| *key).collect::<Vec<_>>(), level.required);
        for without in level.required {
            let kept = entries.iter().filter(|(key, _)| key != without);
            let kept: Vec<_> = kept.map(|(key, value)| format!("{key}: {value}")).collect();
            let inner = kept.join(", ");
            let (top, parent, field) = match (level.definition, level.name) {
                ("license", _) => (format!("api: {{ license: {{ {inner} }} }}"), None, None),
                ("auth", _) => (format!("auth: {{ {inner} }}"), None, None),
                ("", _) => {
                    let auth = format!("accounts: keeper, login: email, jwt: {{ {inner} }}");
                    (format!("auth: {{ {auth} }}"), None, None)
                }
                ("parent", _) => (String::new(), Some(format!("{{ {inner} }}")), None),
                ("references", _) => (String::new(), None, Some(format!("{{ {inner} }}"))),
                (name, _) => (format!("server: {{ {name}: {{ {inner} }} }}"), None, None),
            };
            let parent = parent.unwrap_or_else(|| "zoo".to_owned());
            let field = field.unwrap_or_else(|| "zoo".to_owned());
            let text = format!(
                "nouns: 1\n{top}\nresources:\n  \
                 keeper: {{ fields: {{ email: {{ type: string, required: true, unique: true }}, \
                 password: password }} }}\n  \
                 zoo: {{ fields: {{ name: string }} }}\n  \
                 animal: {{ parent: {parent}, fields: {{ it_id: {{ references: {field} }} }} }}\n"
            );
            let mistakes = read_yaml("zoo.yaml", &text).expect_err(&text).to_string();
            assert!(mistakes.contains(&format!("`{without}`")), "{text}{mistakes}");
            tested += 1;
        }
    }
    assert_eq!(tested, 12);
}
