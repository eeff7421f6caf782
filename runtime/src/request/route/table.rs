//! The URLs of a model as a table, for the command line and for descriptions of the interface.

use crate::model::{
    Model, ResourceModel, RouteCode,
    def::{Operation, Routes},
};

/// A method at a URL, and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The method; `*` means any method.
    pub method: &'static str,
    /// The URL. The names of ids are in braces; `*` means any path.
    pub path: String,
    /// The resource whose URL it is; `None` for custom routes, and for those of the server.
    pub resource: Option<&'static str>,
    /// The action of the method.
    pub meaning: Meaning,
}

/// The action of a method at a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Executes an operation of a resource, such as `list zoo`.
    Operation(Operation, &'static str),
    /// Calls a custom handler.
    Own,
    /// Works with sessions or tokens, such as `sign in`.
    Grant(&'static str),
    /// Returns the request itself (TRACE).
    Trace,
    /// Redirects to this URL, with the rest of the path appended.
    Redirect(String),
}

/// The method QUERY: a GET whose query string is in the body. The declaration must enable it.
const QUERY: &str = "QUERY";

/// The methods of a collection (`false`) and of a member (`true`).
const METHODS: [(&str, Operation, bool); 8] = [
    ("GET", Operation::List, false),
    (QUERY, Operation::List, false),
    ("POST", Operation::Create, false),
    ("DELETE", Operation::DeleteMany, false),
    ("GET", Operation::Get, true),
    ("PUT", Operation::Replace, true),
    ("PATCH", Operation::Update, true),
    ("DELETE", Operation::Delete, true),
];

/// All URLs of the server with their methods: resources in the order of their declaration, and then
/// custom routes.
#[must_use]
pub fn table(model: &Model) -> Vec<Route> {
    let own = model.custom.iter().map(|route| Route {
        method: route.method,
        path: model.urls.local(&route.path),
        resource: None,
        meaning: match route.handler {
            RouteCode::Custom(_) => Meaning::Own,
            RouteCode::Grant(operation) => Meaning::Grant(operation.words()),
        },
    });
    let trace =
        Route { method: "TRACE", path: "*".into(), resource: None, meaning: Meaning::Trace };
    let trace = model.api.server.trace.then_some(trace);
    let of_resources = model
        .resources()
        .iter()
        .flat_map(|resource| routes(model, resource).into_iter().chain(moved(model, resource)));
    of_resources.chain(own).chain(trace).collect()
}

/// The URLs of a resource that redirect to other URLs.
fn moved(model: &Model, resource: &ResourceModel) -> Vec<Route> {
    let route = |path: &str, to: String| Route {
        method: "*",
        path: model.urls.local(path),
        resource: Some(resource.def.name),
        meaning: Meaning::Redirect(to),
    };
    let urls = collections(model, resource);
    let away =
        resource.def.moved_to.map(|to| urls.iter().map(move |path| route(path, to.to_owned())));
    let former = resource.def.moved_from.iter().map(|path| {
        // A former path leads to the URL of the collection with the same ids.
        let ids = |path: &str| path.matches('{').count();
        let to = urls.iter().find(|url| ids(url) == ids(path));
        route(path, to.map_or_else(String::new, |to| model.urls.local(to)))
    });
    away.into_iter().flatten().chain(former).collect()
}

fn routes(model: &Model, resource: &ResourceModel) -> Vec<Route> {
    let mut routes = vec![];
    for collection in collections(model, resource) {
        if is_redirected(model, resource, &collection) {
            continue;
        }
        for (method, operation, member) in METHODS {
            let is_offered = method != QUERY || model.api.server.query;
            if is_offered && resource.def.methods.contains(operation) {
                let path =
                    if member { member_path(&collection, resource) } else { collection.clone() };
                let path = model.urls.local(&path);
                routes.push(Route {
                    method,
                    path,
                    resource: Some(resource.def.name),
                    meaning: Meaning::Operation(operation, resource.def.name),
                });
            }
        }
    }
    routes
}

/// Whether a collection, or a collection above it in this path, has moved temporarily.
pub(crate) fn is_redirected(model: &Model, resource: &ResourceModel, path: &str) -> bool {
    let above = path.matches('{').count();
    let away = |resource: &ResourceModel| resource.def.moved_to.is_some();
    away(resource) || model.ancestors(resource.ix).take(above).any(|above| away(&model[above]))
}

/// The path of a member of a collection with this path.
#[must_use]
pub(crate) fn member_path(collection: &str, resource: &ResourceModel) -> String {
    format!("{collection}/{{{}_id}}", resource.def.name)
}

/// The paths of a resource's collection, below the base path. The canonical path is the first.
#[must_use]
pub fn collections(model: &Model, resource: &ResourceModel) -> Vec<String> {
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
