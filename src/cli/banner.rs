//! The banner of `nouns serve`: the address, and a curl command to try.

use std::{net::SocketAddr, path::Path};

use nouns_runtime::{
    Model, def::Operation, model::ResourceModel, route::collections, store::Location,
};

use super::sample;

pub(super) fn banner(
    model: &Model,
    file: &Path,
    database: &Location,
    (address, admin): (SocketAddr, Option<SocketAddr>),
) -> String {
    let (title, version) = (model.api.title, model.api.version);
    let count = model.resources().len();
    let noun = if count == 1 { "resource" } else { "resources" };
    let url = format!("http://{address}");
    let attempt = first_line(model, &url);
    let access = access(model, file);
    let admin = admin.map(|admin| {
        let url = format!("http://{admin}{}", model.urls.local("/-/metrics"));
        format!("Metrics:  {url}\n\n  ")
    });
    format!(
        "\n  {title} {version}\n  {count} {noun} from {}, stored in {}\n\n  {url}{}\n\n  Try:  {attempt}\n\n  \
         {}{access}\n  \
         Ctrl-C stops.\n\n",
        file.display(),
        database,
        model.urls.local("/"),
        admin.unwrap_or_default(),
    )
}

/// Who has access, in a sentence.
fn access(model: &Model, file: &Path) -> String {
    match &model.accounts {
        None => "Every client that can reach this address has full access, because the schema has no `auth`.".to_owned(),
        Some(_) => format!(
            "Callers sign in with an account. `nouns account add {} LOGIN` adds the first one.",
            file.display()
        ),
    }
}

/// A curl command that succeeds on an empty database. With accounts, it succeeds once there is one.
fn first_line(model: &Model, url: &str) -> String {
    let served =
        |resource: &&ResourceModel| resource.parent.is_none() && resource.def.moved_to.is_none();
    let top = || model.resources().iter().filter(served);
    let creatable = top().filter(|resource| resource.def.methods.contains(Operation::Create));
    let body = creatable.filter_map(|resource| Some((resource, sample::body(resource)?))).next();
    let listed = top().find(|resource| resource.def.methods.contains(Operation::List));
    let path = |resource| model.urls.local(&collections(model, resource)[0]);
    if let (Some(resource), Some(_)) = (listed, &model.accounts) {
        return format!("curl -u LOGIN {url}{}", path(resource));
    }
    match (body, listed) {
        (Some((resource, body)), _) => format!("curl --json '{body}' {url}{}", path(resource)),
        (None, Some(resource)) => format!("curl {url}{}", path(resource)),
        (None, None) => format!("curl {url}{}", model.urls.local("/")),
    }
}
