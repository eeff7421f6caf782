//! The URLs of a model, written out: for people, and for the documents that describe an interface.

use crate::{
    def::{Operation, Routes},
    model::{Model, Resource},
};

/// One method at one URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The method.
    pub method: &'static str,
    /// The URL, with the names of ids in braces.
    pub path: String,
    /// What it does, and with which resource: `list zoo`; nothing where it is a route of the author's own.
    pub operation: Option<(Operation, &'static str)>,
}

/// The methods of a collection, then those of a member.
const METHODS: [(&str, Operation, bool); 7] = [
    ("GET", Operation::List, false),
    ("POST", Operation::Create, false),
    ("DELETE", Operation::DeleteMany, false),
    ("GET", Operation::Get, true),
    ("PUT", Operation::Replace, true),
    ("PATCH", Operation::Update, true),
    ("DELETE", Operation::Delete, true),
];

/// Every URL that is served, with its methods: those of the resources in the order of the declaration, then the author's own.
#[must_use]
pub fn table(model: &Model) -> Vec<Route> {
    let own = model.custom.iter().map(|route| Route {
        method: route.method,
        path: model.urls.local(&route.path),
        operation: None,
    });
    model.resources().iter().flat_map(|resource| routes(model, resource)).chain(own).collect()
}

fn routes(model: &Model, resource: &Resource) -> Vec<Route> {
    let mut routes = vec![];
    for collection in collections(model, resource) {
        if redirects(model, resource, &collection) {
            continue;
        }
        for (method, operation, member) in METHODS {
            if resource.def.methods.contains(operation) {
                let path = if member { member_path(&collection, resource) } else { collection.clone() };
                let path = model.urls.local(&path);
                routes.push(Route { method, path, operation: Some((operation, resource.def.name)) });
            }
        }
    }
    routes
}

/// Whether a collection, or one above it in this path, is elsewhere for the time being.
fn redirects(model: &Model, resource: &Resource, path: &str) -> bool {
    let above = path.matches('{').count();
    let away = |resource: &Resource| resource.def.moved_to.is_some();
    away(resource) || model.ancestors(resource.ix).take(above).any(|above| away(&model[above]))
}

fn member_path(collection: &str, resource: &Resource) -> String {
    format!("{collection}/{{{}_id}}", resource.def.name)
}

/// The URLs of a collection below the base, the canonical one first.
#[must_use]
pub fn collections(model: &Model, resource: &Resource) -> Vec<String> {
    let mut paths = vec![];
    if let Some((above, _)) = resource.parent.filter(|_| resource.def.routes != Routes::Flat) {
        let above = &model[above];
        for parent in collections(model, above) {
            paths.push(format!("{}/{}", member_path(&parent, above), resource.def.collection));
        }
    }
    if resource.at_top() {
        paths.push(format!("/{}", resource.def.collection));
    }
    paths
}
