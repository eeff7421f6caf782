//! The interface as an OpenAPI 3.1 document. It is made of the linked model alone, so a model has
//! one document, with the same text each time.
//!
//! The document is whole: it does not depend on the caller.

mod field;
mod grant;
mod names;
mod node;
mod operation;
mod parameter;
mod problem;
mod prune;
mod request_field;
mod resource;
mod response;
mod security;
mod spelling;
mod system;
mod value;

use std::collections::HashSet;

use self::{
    names::Names,
    node::{JsonNode, JsonObject},
    operation::ResourceOperation,
    request_field::RequestField,
    resource::ResourceSchemas,
};
use crate::{
    model::{
        Model, ResourceModel,
        def::{ContactDef, LicenseDef, Operation},
    },
    request::route::{collections, is_redirected, member_path},
};

/// The version of the OpenAPI Specification.
const VERSION: &str = "3.1.0";

/// Returns the OpenAPI document of a model as JSON text with line breaks.
///
/// ```
/// use nouns_runtime::{Model, def::{ApiDef, ResourceDef}, reply::openapi};
/// static ZOO: ResourceDef = ResourceDef::new("zoo", "zoos", "Zoo");
/// static API: ApiDef = ApiDef { resources: &[&ZOO], ..ApiDef::new("Zoos") };
/// let text = openapi(&Model::link(&API).unwrap());
/// assert!(text.starts_with("{\n  \"openapi\": \"3.1.0\",\n"));
/// assert!(text.contains("\"operationId\": \"list_zoos\""));
/// ```
///
/// # Panics
/// Never: the keys of the document are strings.
#[must_use]
pub fn openapi(model: &Model) -> String {
    let text = serde_json::to_string_pretty(&document(model)).expect("all keys are strings");
    text + "\n"
}

/// Returns the document without line breaks, as clients get it.
pub(super) fn compact(model: &Model) -> String {
    serde_json::to_string(&document(model)).expect("all keys are strings")
}

fn document(model: &Model) -> JsonObject {
    let names = Names::of(model);
    let document = JsonObject::new()
        .with("openapi", VERSION)
        .with("info", info(model))
        .with("servers", vec![JsonObject::new().with("url", server(model))])
        .with("security", JsonNode::Array(vec![]))
        .with("tags", tags(model, &names))
        .with("paths", paths(model, &names));
    let components = prune::used(&document, components(model, &names));
    value::extended(document.with("components", components), model.api.extensions)
}

/// Whether the pages of a collection have cursors. Those of a custom handler have none.
fn has_cursors(resource: &ResourceModel) -> bool {
    let is_replaced =
        resource.hooks.is_some_and(|phases| phases.replaced.contains(Operation::List));
    !is_replaced
}

fn info(model: &Model) -> JsonObject {
    let api = model.api;
    let contact = |contact: ContactDef| {
        let object = JsonObject::new()
            .with_some("name", contact.name)
            .with_some("url", contact.url)
            .with_some("email", contact.email);
        value::extended(object, contact.extensions)
    };
    let license = |license: LicenseDef| {
        let object = JsonObject::new()
            .with("name", license.name)
            .with_some("identifier", license.identifier);
        value::extended(object, license.extensions)
    };
    JsonObject::new()
        .with("title", api.title)
        .with_some("description", api.description)
        .with_some("contact", api.contact.map(contact))
        .with_some("license", api.license.map(license))
        .with("version", api.version)
}

/// The base URL: the public URL, or the base path on the host that has sent the document.
fn server(model: &Model) -> String {
    let url = model.urls.location("");
    if url.is_empty() { "/".into() } else { url }
}

fn tags(model: &Model, names: &Names) -> Vec<JsonObject> {
    let of = |resource: &ResourceModel| {
        let usual = || format!("The collection {}.", resource.def.collection);
        JsonObject::new()
            .with("name", names.plural(resource.ix))
            .with("description", resource.def.description.map_or_else(usual, str::to_owned))
    };
    let resources = model.resources().iter().map(of);
    resources.chain(system::tags(model, names)).collect()
}

/// The paths, in the order of the declaration.
fn paths(model: &Model, names: &Names) -> JsonObject {
    let mut paths = JsonObject::new();
    for resource in model.resources() {
        let schemas = ResourceSchemas { model, names, resource };
        for (at, collection) in collections(model, resource).iter().enumerate() {
            if is_redirected(model, resource, collection) {
                continue;
            }
            let of = |operation| ResourceOperation {
                schemas,
                operation,
                collection,
                is_canonical: at == 0,
            };
            add_path(&mut paths, collection, of, &COLLECTION);
            add_path(&mut paths, &member_path(collection, resource), of, &MEMBER);
        }
    }
    let others = system::documents(model, names).into_iter();
    for (path, method, operation) in others.chain(system::routes(model, names)) {
        let item = match paths.get(&path) {
            Some(JsonNode::Object(item)) => item.clone(),
            _ => JsonObject::new(),
        };
        paths.set(path, item.with(method, operation));
    }
    paths
}

/// The operations of a collection, with the keys of their methods.
const COLLECTION: [(&str, Operation); 3] =
    [("get", Operation::List), ("post", Operation::Create), ("delete", Operation::DeleteMany)];

/// The operations of a member.
const MEMBER: [(&str, Operation); 4] = [
    ("get", Operation::Get),
    ("put", Operation::Replace),
    ("patch", Operation::Update),
    ("delete", Operation::Delete),
];

fn add_path<'model>(
    paths: &mut JsonObject,
    path: &str,
    of: impl Fn(Operation) -> ResourceOperation<'model>,
    operations: &[(&'static str, Operation)],
) {
    let ResourceSchemas { model, resource, .. } = of(Operation::List).schemas;
    let ids = parameter::of_path(model, path, resource.ix);
    let mut item = JsonObject::new().with_some("parameters", (!ids.is_empty()).then_some(ids));
    let mut is_offered = false;
    for (method, operation) in operations {
        if resource.def.methods.contains(*operation) {
            item.set(*method, of(*operation).object());
            is_offered = true;
        }
    }
    if is_offered {
        paths.push(path.to_owned(), item);
    }
}

/// All components. Those that nothing refers to are removed later.
fn components(model: &Model, names: &Names) -> JsonObject {
    let mut schemas = JsonObject::new();
    let mut parameters = JsonObject::new();
    // Resources share some of their parameters.
    let mut known = HashSet::new();
    for resource in model.resources() {
        let of = ResourceSchemas { model, names, resource };
        of.all().into_iter().for_each(|(name, schema)| schemas.push(name, schema));
        for (name, parameter) in parameter::of_list(resource, has_cursors(resource)) {
            if known.insert(name.clone()) {
                parameters.push(name, parameter);
            }
        }
    }
    for named in model.api.types {
        let schema = value::of_type(named).with_some("description", named.description);
        schemas.push(names.type_name(named.name), value::extended(schema, named.extensions));
    }
    let shared = system::schemas(names).into_iter().chain(grant::schemas(model, names));
    let shared = shared.chain([(names.free("JsonPatch"), operation::json_patch())]);
    for (name, schema) in shared.chain(problem::schemas(model, names)) {
        schemas.push(name, schema);
    }
    for (name, parameter) in RequestField::components() {
        parameters.push(name, parameter);
    }
    JsonObject::new()
        .with("schemas", schemas)
        .with("responses", problem::responses(model, names))
        .with("parameters", parameters)
        .with("headers", field::components().collect::<JsonObject>())
        .with("securitySchemes", security::schemes(model))
}
