//! What `nouns serve` says when it is ready: where it is, and what to try first.

use std::{net::SocketAddr, path::Path};

use nouns_runtime::{
    Model,
    def::{FieldKind, FieldMode, Literal, Operation},
    model::{Field, Resource, Role},
    route::collections,
};

pub(super) fn banner(model: &Model, file: &Path, database: &Path, address: SocketAddr) -> String {
    let (title, version) = (model.api.title, model.api.version);
    let count = model.resources().len();
    let noun = if count == 1 { "resource" } else { "resources" };
    let url = format!("http://{address}");
    let attempt = first_line(model, &url);
    format!(
        "\n  {title} {version}\n  {count} {noun} from {}, kept in {}\n\n  {url}{}\n\n  Try:  {attempt}\n\n  \
         Everyone may do everything: the schema declares no `auth`. Ctrl-C stops.\n\n",
        file.display(),
        database.display(),
        model.urls.local("/"),
    )
}

/// A curl line that works on an empty database.
fn first_line(model: &Model, url: &str) -> String {
    let top = || model.resources().iter().filter(|resource| resource.parent.is_none());
    let creatable = top().filter(|resource| resource.def.methods.contains(Operation::Create));
    let body = creatable.filter_map(|resource| Some((resource, sample(resource)?))).next();
    let path = |resource| model.urls.local(&collections(model, resource)[0]);
    match (body, top().next()) {
        (Some((resource, body)), _) => format!("curl --json '{body}' {url}{}", path(resource)),
        (None, Some(resource)) => format!("curl {url}{}", path(resource)),
        (None, None) => format!("curl {url}{}", model.urls.local("/")),
    }
}

/// A body with the fields that a new member must have, unless it needs another member first.
fn sample(resource: &Resource) -> Option<String> {
    let needed = |field: &&Field| field.role == Role::Declared && field.required && field.default.is_none();
    let open = |field: &&Field| !matches!(field.mode, FieldMode::ReadOnly | FieldMode::Hidden);
    let mut members = vec![];
    for field in resource.fields.iter().filter(needed).filter(open) {
        if field.target.is_some() {
            return None;
        }
        let value = field.def.and_then(|def| def.example).map_or_else(|| placeholder(field.kind), json)?;
        members.push(format!("{:?}: {value}", &*field.name));
    }
    let simple = resource.fields[0].mode == FieldMode::ReadOnly;
    let body = format!("{{{}}}", members.join(", "));
    (simple && !body.contains('\'')).then_some(body)
}

fn json(literal: Literal) -> Option<String> {
    serde_json::to_string(&match literal {
        Literal::Integer(value) => serde_json::Value::from(value),
        Literal::Number(value) => value.into(),
        Literal::Boolean(value) => value.into(),
        Literal::String(value) => value.into(),
        Literal::Json(text) => return Some(text.into()),
    })
    .ok()
}

fn placeholder(kind: FieldKind) -> Option<String> {
    Some(
        match kind {
            FieldKind::String => "\"…\"",
            FieldKind::Integer | FieldKind::Number => "1",
            FieldKind::Boolean => "true",
            FieldKind::Json => "{}",
            _ => return None,
        }
        .into(),
    )
}
