//! What an interface and its resources offer, as data: the home document and the answer to OPTIONS.

use http::{StatusCode, header};
use serde_json::{Value as Json, json};

use super::Reply;
use crate::{
    action::{ACCEPT_PATCH, ACCEPT_POST, JSON, PATCHES, allow},
    def::{FieldKind, FieldMode, Operation},
    model::{Field, Model, Resource},
    route::{Target, collections},
};

/// The home document: what there is, and where.
pub(super) fn home(model: &Model) -> Json {
    let resources: Vec<_> = model.resources().iter().map(|resource| entry(model, resource)).collect();
    let mut home = json!({ "title": model.api.title, "version": model.api.version });
    if let Some(description) = model.api.description {
        home["description"] = description.into();
    }
    home["resources"] = resources.into();
    home["problems"] = model.urls.link("/-/problems").into();
    home
}

fn entry(model: &Model, resource: &Resource) -> Json {
    let mut entry = json!({ "name": resource.def.name, "collection": model.urls.link(&collections(model, resource)[0]) });
    if let Some(description) = resource.def.description {
        entry["description"] = description.into();
    }
    entry
}

/// The answer to OPTIONS (RFC 9110 §9.3.7).
pub(super) fn target(model: &Model, target: &Target) -> Reply {
    let allow = allow(model, target);
    let mut reply = Reply::new(StatusCode::OK).with(header::ALLOW, &allow);
    if allow.contains("POST") {
        reply = reply.with(ACCEPT_POST, JSON);
    }
    if allow.contains("PATCH") {
        reply = reply.with(ACCEPT_PATCH, PATCHES);
    }
    let methods: Vec<_> = allow.split(", ").collect();
    let mut json = json!({ "methods": methods });
    if let Target::Collection(chain) | Target::Member(chain, _) = target {
        describe(&mut json, model, &model[chain.resource]);
    }
    reply.with_content("application/json", json.to_string().into_bytes())
}

fn describe(json: &mut Json, model: &Model, resource: &Resource) {
    json["resource"] = resource.def.name.into();
    if let Some(description) = resource.def.description {
        json["description"] = description.into();
    }
    let shown = resource.fields.iter().filter(|field| field.mode != FieldMode::Hidden);
    json["fields"] = shown.map(|shown| field(model, shown)).collect();
    if resource.def.methods.contains(Operation::List) {
        let sort = |key: &crate::model::SortKey| {
            format!("{}{}", if key.descending { "-" } else { "" }, resource[key.field].name)
        };
        let sort: Vec<_> = resource.sort.iter().map(sort).collect();
        json["sort"] = sort.join(",").into();
        let limit = resource.def.limit;
        json["limit"] = json!({ "default": limit.default, "maximum": limit.maximum });
    }
}

fn field(model: &Model, field: &Field) -> Json {
    let mut json = json!({ "name": &*field.name, "type": kind(field.kind), "required": field.required });
    if let Some(target) = field.target {
        json["references"] = model[target].def.name.into();
    }
    if let Some(mode) = mode(field.mode) {
        json[mode] = true.into();
    }
    if let Some(description) = field.def.and_then(|def| def.description) {
        json["description"] = description.into();
    }
    json["filterable"] = field.filterable.into();
    json["sortable"] = field.sortable.into();
    json
}

const fn mode(mode: FieldMode) -> Option<&'static str> {
    match mode {
        FieldMode::ReadOnly => Some("read_only"),
        FieldMode::WriteOnly => Some("write_only"),
        FieldMode::CreateOnly => Some("create_only"),
        FieldMode::ReadWrite | FieldMode::Hidden => None,
    }
}

const fn kind(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::String => "string",
        FieldKind::Integer | FieldKind::Reference => "integer",
        FieldKind::Number => "number",
        FieldKind::Decimal { .. } => "decimal",
        FieldKind::Boolean => "boolean",
        FieldKind::Date => "date",
        FieldKind::Time => "time",
        FieldKind::DateTime => "datetime",
        FieldKind::Uuid => "uuid",
        FieldKind::Json => "json",
    }
}
