//! Tests of the content of the document, schema by schema.

use serde_json::{Value, json};

use super::{document, linked};

const STORE: &str = r#"
nouns: 1
api: { title: Stores, x-team: shops }
types:
  label: { type: string, max_length: 40, description: A short name. }
resources:
  store:
    description: A place that sells things.
    x-owner: sales
    fields:
      name: { type: label, required: true }
      motto: label
      size: { enum: [small, large], default: small }
      area: { type: decimal, scale: 1, minimum: 2, maximum: 900, x-maximum: many }
      opened: { type: date, example: 2026-11-20, deprecated: true }
      opens: time
      code: { type: string, create_only: true, pattern: "^[A-Z]+$" }
      secret: { type: string, write_only: true }
      rank: { type: integer, read_only: true, minimum: 1, maximum: 9 }
      extra: json
      limit: integer
  item:
    parent: store
    routes: both
    id: string
    fields:
      label_text: { type: string, format: slug }
"#;

fn schema(name: &str) -> Value {
    document(&linked(STORE))["components"]["schemas"][name].clone()
}

fn names(schema: &Value) -> Vec<&str> {
    schema["properties"].as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_member_has_what_is_returned() {
    let store = schema("Store");
    let shown = [
        "area",
        "code",
        "created_at",
        "extra",
        "id",
        "limit",
        "motto",
        "name",
        "opened",
        "opens",
        "rank",
        "size",
        "updated_at",
    ];
    assert_eq!(names(&store), shown);
    assert_eq!(store["required"].as_array().unwrap().len(), shown.len());
    assert_eq!(
        (&store["description"], &store["x-owner"]),
        (&json!("A place that sells things."), &json!("sales"))
    );
    let of = |name: &str| store["properties"][name].clone();
    assert_eq!(of("size")["type"], json!(["string", "null"]));
    assert_eq!(of("size")["enum"], json!(["small", "large", null]));
    assert_eq!(of("rank")["minimum"], 1);
    assert_eq!(of("rank")["type"], json!(["integer", "null"]));
    assert_eq!(of("area")["x-minimum"], "2.0");
    assert_eq!(of("area")["x-maximum"], "many");
    assert_eq!(
        nouns::snapshot::openapi(&linked(STORE)).matches("\"x-maximum\": \"900.0\"").count(),
        0
    );
    assert_eq!(of("area")["pattern"], "^-?(0|[1-9][0-9]{0,16})(\\.[0-9]{1,1})?$");
    assert_eq!(
        (&of("opened")["examples"], &of("opened")["deprecated"]),
        (&json!(["2026-11-20"]), &json!(true))
    );
    // JSON Schema's format `time` needs an offset, which a time of day does not have.
    assert_eq!(of("opens").get("format"), None);
    assert_eq!(of("name")["$ref"], "#/components/schemas/Label");
    assert_eq!(
        of("motto")["anyOf"],
        json!([{ "$ref": "#/components/schemas/Label" }, { "type": "null" }])
    );
    assert_eq!(
        schema("Label"),
        json!({ "type": "string", "maxLength": 40, "description": "A short name." })
    );
}

#[test]
fn each_body_has_the_fields_that_its_method_takes() {
    let written =
        ["area", "code", "extra", "limit", "motto", "name", "opened", "opens", "secret", "size"];
    let new = schema("NewStore");
    assert_eq!(names(&new), written);
    assert_eq!(new["required"], json!(["name"]));
    assert_eq!(new["additionalProperties"], false);
    assert_eq!(new["properties"]["size"]["default"], "small");
    let changed: Vec<_> = written.into_iter().filter(|name| *name != "code").collect();
    assert_eq!(names(&schema("StoreReplacement")), changed);
    assert_eq!(names(&schema("StorePatch")), changed);
    assert_eq!(schema("StorePatch").get("required"), None);
    // A nested URL has the parent; a flat one does not.
    assert_eq!(names(&schema("NewItem")), ["id", "label_text"]);
    assert_eq!(names(&schema("NewFlatItem")), ["id", "label_text", "store_id"]);
    assert_eq!(schema("NewFlatItem")["required"], json!(["id", "store_id"]));
    assert_eq!(
        schema("NewItem")["properties"]["label_text"]["pattern"],
        "^[a-z0-9]+(-[a-z0-9]+)*$"
    );
    let document = document(&linked(STORE));
    let body = |path: &str| {
        let media = &document["paths"][path]["post"]["requestBody"]["content"];
        media["application/json"]["schema"]["oneOf"][0]["$ref"].clone()
    };
    assert_eq!(body("/stores/{store_id}/items"), "#/components/schemas/NewItem");
    assert_eq!(body("/items"), "#/components/schemas/NewFlatItem");
    assert_eq!(document["paths"]["/items"]["get"]["operationId"], "list_items_at_items");
}

#[test]
fn each_filter_has_the_type_of_its_field() {
    let document = document(&linked(STORE));
    let parameter = |name: &str| document["components"]["parameters"][name].clone();
    let equal = parameter("store.name");
    assert_eq!((&equal["name"], &equal["explode"]), (&json!("name"), &json!(true)));
    assert_eq!(equal["schema"], json!({ "type": "array", "items": { "type": "string" } }));
    // Any value may be filtered by, also one that no member can have.
    assert_eq!(parameter("store.size")["schema"]["items"], json!({ "type": "string" }));
    assert_eq!(parameter("store.filter.limit.gte")["name"], "filter[limit][gte]");
    assert_eq!(parameter("store.rank.null")["schema"], json!({ "type": "boolean" }));
    assert_eq!(parameter("store.rank.in")["schema"]["type"], "string");
    assert!(parameter("store.name.in")["description"].as_str().unwrap().contains("`\\,`"));
    for none in ["store.secret", "store.extra", "store.rank.contains"] {
        assert_eq!(parameter(none), Value::Null, "{none}");
    }
    let pattern = parameter("store.sortby")["schema"]["pattern"].as_str().unwrap().to_owned();
    assert!(pattern.starts_with("^-?(id|name|motto|") && pattern.ends_with("{0,7}$"), "{pattern}");
}

#[test]
fn problems_are_a_union_by_their_type() {
    let document = document(&linked(STORE));
    let conflict = &document["components"]["responses"]["Conflict"];
    let schema = &conflict["content"]["application/problem+json"]["schema"];
    assert_eq!(schema["discriminator"]["propertyName"], "type");
    let taken = "#/components/schemas/AlreadyExistsProblem";
    assert_eq!(schema["discriminator"]["mapping"]["/-/problems/already-exists"], taken);
    let problem = document.pointer(&taken[1..]).unwrap();
    assert_eq!(problem["properties"]["type"]["const"], "/-/problems/already-exists");
    assert_eq!(problem["properties"]["status"]["const"], 409);
    assert_eq!(problem["properties"]["errors"]["items"]["$ref"], "#/components/schemas/BodyError");
}

#[test]
fn a_resource_may_have_the_name_of_a_shared_schema() {
    let yaml = "
nouns: 1
resources:
  problem: { fields: { name: string } }
  home: { fields: { name: string } }
  interface: { collection: interface, fields: { name: string } }
";
    let document = document(&linked(yaml));
    let schemas = &document["components"]["schemas"];
    assert!(schemas["Home"]["properties"]["created_at"].is_object());
    assert!(schemas["Home2"]["properties"]["resources"].is_object());
    let tags: Vec<_> =
        document["tags"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
    assert_eq!(tags, ["problems", "homes", "interface", "interface_2"]);
}

#[test]
fn operations_that_need_credentials_say_which() {
    let document = document(&linked(super::SHIPPED[2]));
    let security = |path: &str, method: &str| document["paths"][path][method]["security"].clone();
    let known = [json!({ "basic": [] }), json!({ "bearer": [] }), json!({ "session": [] })];
    assert_eq!(security("/users", "get"), Value::Array(known.to_vec()));
    assert_eq!(security("/sections", "get")[0], json!({}));
    assert_eq!(security("/-/health", "get"), json!([]));
    let schemes = &document["components"]["securitySchemes"];
    assert_eq!(
        (&schemes["session"]["in"], &schemes["session"]["name"]),
        (&json!("cookie"), &json!("session"))
    );
    // A field that not everybody may read can be missing.
    let user = &document["components"]["schemas"]["User"];
    assert!(!user["required"].as_array().unwrap().contains(&json!("email")));
    assert!(user["required"].as_array().unwrap().contains(&json!("name")));
    // A change of an article is conditional.
    let parameters = &document["paths"]["/articles/{article_id}"]["patch"]["parameters"];
    assert_eq!(
        (&parameters[0]["name"], &parameters[0]["required"]),
        (&json!("If-Match"), &json!(true))
    );
}

#[test]
fn the_text_of_a_document_is_stable() {
    let yaml = "
nouns: 1
api: { title: Notes, version: 2.0.0 }
resources:
  note:
    description: A note.
    timestamps: false
    methods: [list, get, create]
    fields:
      text: { type: string, required: true, max_length: 80, filterable: false, sortable: false }
";
    insta::assert_snapshot!(nouns::snapshot::openapi(&linked(yaml)));
}
