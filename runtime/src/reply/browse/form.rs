//! The forms with which people create and change members.

use std::collections::HashMap;

use http::HeaderValue;
use serde::Serialize;

use super::{
    column::named,
    frame::{Crumb, Frame, PageUrls, crumb_text, crumbs},
    input::{Conflict, FormInput, Purpose, body, inputs},
    page,
    reader::may_list,
    render,
};
use crate::{
    base::{error::Error, visible::is_visible},
    model::{Chain, FieldIx, Model, ResourceModel, def::Operation, encoded, value::Value},
    plan::FoundLookups,
    reply::{Reply, path},
    request::action::{Action, ActionKind, FormMessage, RefusedForm, append},
    store::sink::CellSink,
};

/// The values of the template of a form.
#[derive(Serialize)]
struct FormView {
    #[serde(flatten)]
    frame: Frame,
    heading: String,
    description: Option<&'static str>,
    /// The URL that the form is sent to.
    action: String,
    inputs: Vec<FormInput>,
    button: &'static str,
    /// The page that a person leaves the form for.
    cancel: String,
    alert: Option<Alert>,
    conflicts: Vec<ConflictView>,
    /// Whether the form cannot be sent, since it would have to contain a value that is too long.
    is_blocked: bool,
    /// Whether a member was created, whose page the reader may not see.
    created: bool,
}

/// Why a form was refused.
#[derive(Serialize)]
pub(super) struct Alert {
    /// The error message. It is not shown if all of it stands at inputs.
    detail: String,
    is_overtaken: bool,
    /// The number of inputs with a message.
    marked: usize,
    /// The error messages about fields that have no input.
    messages: Vec<(String, String)>,
}

#[derive(Serialize)]
struct ConflictView {
    name: String,
    #[serde(flatten)]
    conflict: Conflict,
}

impl Alert {
    pub(super) fn of(refused: &RefusedForm, inputs: &[FormInput]) -> Self {
        let has_input = |name: &str| inputs.iter().any(|input| input.name == name);
        // A message stands once: at an input, as the detail, or in the list.
        let mut messages: Vec<(String, String)> = vec![];
        for FormMessage { field, text, is_joint } in &refused.messages {
            let is_shown = has_input(field)
                || *text == refused.detail
                || *is_joint && inputs.iter().any(|input| input.has_message(text))
                || messages.iter().any(|(_, known)| known == text);
            if !is_shown {
                messages.push((field.clone(), text.clone()));
            }
        }
        Self {
            detail: refused.detail.clone(),
            is_overtaken: refused.is_overtaken(),
            marked: inputs.iter().filter(|input| input.is_wrong()).count(),
            messages,
        }
    }
}

/// The parts in which the forms differ.
struct FormParts {
    title: String,
    action: String,
    button: &'static str,
    cancel: String,
    crumbs: Vec<Crumb>,
    /// The URL that a program would use.
    url: String,
    /// The method that a program would use, and the entity tag that it would send.
    method: &'static str,
    tag: Option<String>,
}

/// Builds the response with the form for a new member.
pub(in crate::reply) fn new(
    model: &Model,
    action: &Action,
    chain: &Chain,
    found: &FoundLookups,
) -> Result<Reply, Error> {
    let resource = model.seen(action.caller.rules(model)).resource(chain.resource);
    let purpose = Purpose::New { is_nested: !chain.ids.is_empty() };
    let collection = model.urls.link(&path(model, chain));
    let mut way = crumbs(model, action, chain, found);
    way.push(Crumb::new("New".into(), address(model, chain, None)));
    let parts = FormParts {
        title: format!("New {}", resource.def.name.replace('_', " ")),
        cancel: match may_list(model, action, chain.clone()) {
            true => collection.clone(),
            false => model.urls.link("/"),
        },
        url: collection.clone(),
        action: collection,
        button: "Create",
        crumbs: way,
        method: "POST",
        tag: None,
    };
    form(model, action, resource, (purpose, parts), found)
}

/// Builds the response with the form that changes a member. `tag` is the entity tag of its state.
pub(in crate::reply) fn change(
    model: &Model,
    action: &Action,
    (chain, id, tag): (&Chain, &Value, Option<HeaderValue>),
    cells: &CellSink,
) -> Result<Reply, Error> {
    let resource = model.seen(action.caller.rules(model)).resource(chain.resource);
    let columns = cells.columns(model);
    let row = cells.rows(model).next();
    let stored: HashMap<&str, Option<&str>> = row.map_or_else(HashMap::new, |row| {
        columns.iter().map(|column| (&*column.field.name, row.text(column))).collect()
    });
    let refused = action.page.as_ref().and_then(|page| page.refused.as_ref());
    let tag = match refused.filter(|refused| !refused.is_overtaken()) {
        Some(refused) => refused.if_match.clone(),
        None => tag.and_then(|tag| tag.to_str().ok().map(str::to_owned)),
    };
    let id_text = id.spell(resource[FieldIx::ID].kind);
    let member = [&path(model, chain), "/", &*encoded(&id_text).to_string()].concat();
    let member = model.urls.link(&member);
    let methods = resource.def.methods;
    let method = if methods.contains(Operation::Update) { "PATCH" } else { "PUT" };
    let mut way = crumbs(model, action, chain, &cells.found);
    let label = resource.label().map(|label| &*resource[label].name);
    let label = label.and_then(|name| stored.get(name).copied().flatten());
    let label = label.filter(|label| is_visible(label));
    let name = label.map_or_else(|| named(id_text.clone()), crumb_text);
    way.push(Crumb::new(name, member.clone()));
    way.push(Crumb::new("Edit".into(), address(model, chain, Some(id))));
    let parts = FormParts {
        title: format!("Edit {} {id_text}", resource.def.name.replace('_', " ")),
        action: instructed(&member, method, tag.as_deref()),
        button: "Save",
        url: member.clone(),
        cancel: member,
        crumbs: way,
        method,
        tag,
    };
    form(model, action, resource, (Purpose::Change(&stored), parts), &cells.found)
}

/// The name of the input for the present password: only the form of the own account has it, if the
/// password or the login can be changed there.
fn current_password<'m>(
    model: &'m Model,
    action: &Action,
    inputs: &[FormInput],
) -> Option<&'m str> {
    let ActionKind::Get { chain, id } = &action.kind else { return None };
    let accounts = model.accounts.as_ref().filter(|one| one.resource == chain.resource)?;
    let resource = &model[accounts.resource];
    action.caller.account().filter(|account| account.id == *id)?;
    let is_offered =
        |field: FieldIx| inputs.iter().any(|input| input.name == *resource[field].name);
    [accounts.login, accounts.password].into_iter().any(is_offered).then_some(())?;
    resource.current_password.as_deref()
}

fn form(
    model: &Model,
    action: &Action,
    resource: &ResourceModel,
    (purpose, parts): (Purpose<'_>, FormParts),
    found: &FoundLookups,
) -> Result<Reply, Error> {
    let refused = action.page.as_ref().and_then(|page| page.refused.as_ref());
    let mut inputs = inputs(model, resource, (purpose, refused), found);
    let current = current_password(model, action, &inputs);
    inputs.extend(current.map(|name| FormInput::current_password(name, refused)));
    let conflicts = inputs.iter().filter_map(|input| {
        let conflict = input.conflict.clone()?;
        Some(ConflictView { name: input.name.clone(), conflict })
    });
    let body = body(resource, &inputs, purpose.is_new());
    let urls =
        PageUrls { json: [&parts.cancel, "?format=json"].concat(), plain: parts.cancel.clone() };
    let request = (parts.method, &*parts.url, parts.tag.as_deref());
    let view = FormView {
        conflicts: conflicts.collect(),
        is_blocked: parts.method == "PUT" && inputs.iter().any(|input| input.is_too_long),
        alert: refused.map(|refused| Alert::of(refused, &inputs)),
        created: action.page.as_ref().is_some_and(|page| page.is_after_creation),
        frame: Frame::new(model, action, parts.title.clone(), parts.crumbs, urls)
            .writing(model, action, request, &body),
        heading: parts.title,
        description: resource.def.description,
        action: parts.action,
        button: parts.button,
        cancel: parts.cancel,
        inputs,
    };
    Ok(page(model, action, render(model, "form.html", &view)?))
}

/// Returns the URL of the form for a new member, or that of the form that changes a member.
pub(crate) fn address(model: &Model, chain: &Chain, id: Option<&Value>) -> String {
    let mut address = ["/-/forms", &path(model, chain)].concat();
    if let Some(id) = id {
        address.push('/');
        address.extend(encoded(&id.spell(model[chain.resource][FieldIx::ID].kind)));
    }
    model.urls.link(&address)
}

/// Returns a URL with the instructions that a form has no other place for.
pub(super) fn instructed(url: &str, method: &str, tag: Option<&str>) -> String {
    let mut query = String::new();
    append(&mut query, "_method", method);
    if let Some(tag) = tag {
        append(&mut query, "_if_match", tag);
    }
    [url, "?", &query].concat()
}
