//! The page of a member: its fields, and links along its references, to its nested collections and
//! to the members that refer to it.

use http::HeaderValue;
use serde::Serialize;

use super::{
    column::{CellView, TableColumn, beginning, named},
    filter::parameter,
    form::{Alert, address, instructed},
    frame::{Crumb, Frame, PageUrls, crumb_text, crumbs, heading},
    reader::may_list,
    render,
};
use crate::{
    base::{error::Error, visible::is_visible},
    http::negotiate::Format,
    model::{
        Chain, FieldIx, Model, Op, ResourceModel, Role,
        def::{Operation, Routes},
        encoded,
        value::Value,
    },
    reply::{describe, path},
    request::{
        access,
        action::{Action, append},
        route::Target,
    },
    store::sink::{CellRow, CellSink},
};

/// The values of the template of a member.
#[derive(Serialize)]
struct MemberView {
    #[serde(flatten)]
    frame: Frame,
    /// The label of the member, or else its resource and its id.
    heading: String,
    /// The resource and the id, if the heading is the label.
    kind: Option<String>,
    description: Option<&'static str>,
    deprecated: bool,
    /// The form that changes the member, if the reader may change it.
    edit: Option<String>,
    /// The URL that a form deletes the member at, if the reader may delete it.
    delete: Option<String>,
    /// Why a deletion was refused.
    alert: Option<Alert>,
    fields: Vec<FieldView>,
    /// The nested collections.
    children: Vec<LinkView>,
    /// The collections of members that refer to this one.
    referrers: Vec<LinkView>,
}

#[derive(Serialize)]
struct FieldView {
    name: String,
    description: Option<&'static str>,
    value: CellView,
}

/// A link to a collection.
#[derive(Serialize)]
struct LinkView {
    name: String,
    /// The field that refers to the member; `None` for a nested collection.
    by: Option<String>,
    href: String,
}

/// Renders the page of a member.
pub(in crate::reply) fn member(
    model: &Model,
    action: &Action,
    (chain, id, tag): (&Chain, &Value, Option<HeaderValue>),
    cells: &CellSink,
) -> Result<Vec<u8>, Error> {
    let resource = model.seen(action.caller.rules(model)).resource(chain.resource);
    let id_text = id.spell(resource[FieldIx::ID].kind);
    let here = [&path(model, chain), "/", &*encoded(&id_text).to_string()].concat();
    let here = model.urls.link(&here);
    let columns: Vec<_> = cells
        .columns(model)
        .into_iter()
        .map(|column| TableColumn::new(model, action, chain, column))
        .collect();
    let row = cells.rows(model).next();
    let field = |column: &TableColumn<'_>| {
        let description = column.field.def.and_then(|def| def.description);
        let value = column.long(row?);
        Some(FieldView { name: column.field.name.to_string(), description, value })
    };
    let kind = format!("{} {id_text}", heading(resource.def.name));
    let label = row.and_then(|row| label(resource, &columns, row));
    let title =
        label.map_or_else(|| kind.clone(), |label| beginning(label, HEADING_CHARACTERS_MAX));
    let mut way = crumbs(model, action, chain, &cells.found);
    way.push(Crumb::new(label.map_or_else(|| named(id_text.clone()), crumb_text), here.clone()));
    let view = MemberView {
        edit: may_change(model, action, chain, id).then(|| address(model, chain, Some(id))),
        delete: may_delete(model, action, chain, id)
            .then(|| instructed(&here, "DELETE", tag.as_ref().and_then(|tag| tag.to_str().ok()))),
        alert: action
            .page
            .as_ref()
            .and_then(|page| page.refused.as_ref())
            .map(|refused| Alert::of(refused, &[])),
        frame: Frame::new(model, action, title.clone(), way, urls(action, resource, &here)),
        heading: title,
        kind: label.map(|_| kind.clone()),
        description: resource.def.description,
        deprecated: resource.def.deprecated.is_some(),
        fields: columns.iter().filter_map(field).collect(),
        children: children(model, action, chain, id),
        referrers: referrers(model, action, chain, &id_text),
    };
    render(model, "member.html", &view).map(String::into_bytes)
}

fn may_change(model: &Model, action: &Action, chain: &Chain, id: &Value) -> bool {
    let methods = model[chain.resource].def.methods;
    let target = Target::Form(chain.clone(), Some(id.clone()));
    (methods.contains(Operation::Update) || methods.contains(Operation::Replace))
        && action.caller.may_use(&http::Method::PATCH)
        && access::may(model, &target, &action.caller, &http::Method::GET)
}

fn may_delete(model: &Model, action: &Action, chain: &Chain, id: &Value) -> bool {
    let target = Target::Member(chain.clone(), id.clone());
    model[chain.resource].def.methods.contains(Operation::Delete)
        && action.caller.may_use(&http::Method::DELETE)
        && access::may(model, &target, &action.caller, &http::Method::DELETE)
}

/// The maximum number of characters of a heading.
const HEADING_CHARACTERS_MAX: usize = 100;

/// Returns the label of the member, if the page has that field.
fn label<'c>(
    resource: &ResourceModel,
    columns: &[TableColumn<'_>],
    row: CellRow<'c>,
) -> Option<&'c str> {
    let name = &resource[resource.label()?].name;
    let column = columns.iter().find(|column| column.field.name == *name)?;
    column.text(row).filter(|label| is_visible(label))
}

/// Returns the URLs of the page, with the selected fields.
fn urls(action: &Action, resource: &ResourceModel, here: &str) -> PageUrls {
    let mut query = String::new();
    let fields = action.preferences.fields.as_deref();
    if let Some(fields) = fields.filter(|fields| fields.len() < resource.visible().count()) {
        let names: Vec<_> = fields.iter().map(|ix| &*resource[*ix].name).collect();
        append(&mut query, "fields", &names.join(","));
    }
    let url =
        |query: &str| if query.is_empty() { here.into() } else { [here, "?", query].concat() };
    let plain = url(&query);
    append(&mut query, "format", Format::Json.word());
    PageUrls { plain, json: url(&query) }
}

/// Returns the nested collections that the caller may read.
fn children(model: &Model, action: &Action, chain: &Chain, id: &Value) -> Vec<LinkView> {
    let ids: Vec<_> = chain.ids.iter().chain([id]).cloned().collect();
    let may_read = |name: &str| {
        let child = model.resources().iter().find(|resource| resource.def.name == name);
        child.is_some_and(|child| {
            may_list(model, action, Chain { resource: child.ix, ids: ids.clone() })
        })
    };
    let below = describe::below(model, chain, Some(id)).into_iter();
    below
        .filter(|child| may_read(child.resource))
        .map(|child| {
            let name = child.collection.rsplit('/').next().unwrap_or_default();
            LinkView { name: heading(name), by: None, href: child.collection }
        })
        .collect()
}

/// Returns the collections of members that refer to this one, each with a filter. A parent is a
/// reference, too, where its children have no collection below it.
fn referrers(model: &Model, action: &Action, chain: &Chain, id: &str) -> Vec<LinkView> {
    let rules = action.caller.rules(model);
    let found = model[chain.resource].referrers.iter().filter_map(|referrer| {
        let resource = model.seen(rules).resource(referrer.resource);
        let field = &resource[referrer.field];
        let is_offered = resource.at_top()
            && (field.role != Role::Parent || resource.def.routes == Routes::Flat)
            && field.filterable
            && field.visible()
            && may_list(model, action, Chain { resource: resource.ix, ids: vec![] });
        is_offered.then(|| {
            let mut query = String::new();
            append(&mut query, &parameter(&field.name, Op::Eq), id);
            let path = model.urls.link(&["/", resource.def.collection].concat());
            LinkView {
                name: heading(resource.def.collection),
                by: Some(field.name.to_string()),
                href: [&path, "?", &query].concat(),
            }
        })
    });
    found.collect()
}
