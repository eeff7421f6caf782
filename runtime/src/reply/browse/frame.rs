//! The parts that every page has: its title, the way to it, its files, and the request as a command
//! line.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value as Json;

use super::{
    column::{beginning, named},
    form::instructed,
    reader::{may_get, may_list},
    sign_in_address,
    watch::WatchView,
};
use crate::{
    http::page_file::{ICON, SCRIPT, STYLE},
    model::{Chain, FieldIx, Model, encoded},
    plan::{Caller, FoundLookups},
    reply::path,
    request::{
        action::{Action, ActionKind},
        route::has_sessions,
    },
};

/// The parts that every page has.
#[derive(Serialize)]
pub(super) struct Frame {
    /// The title of the interface.
    interface: &'static str,
    /// The title of the page.
    title: String,
    style: String,
    script: String,
    icon: String,
    /// The URLs of the files of a directory of templates.
    files: BTreeMap<String, String>,
    /// The state of the schema file, if it is watched.
    watch: Option<WatchView>,
    /// The way to the page, from the home page on. The last entry is the page itself.
    crumbs: Vec<Crumb>,
    /// Where a person signs in or out; `None` if nobody can.
    session: Option<SessionView>,
    /// The request as a command line.
    curl: String,
    /// The URL of the same data in JSON.
    json: String,
}

/// Where a person signs in or out.
#[derive(Serialize)]
struct SessionView {
    /// The name that the person has signed in with; `None` if nobody has.
    login: Option<String>,
    /// The page of the account; `None` if the person may not see it.
    account: Option<String>,
    /// The form to sign in with, or the URL that a form signs out at.
    href: String,
}

/// A step on the way to a page.
#[derive(Serialize)]
pub(super) struct Crumb {
    pub(super) name: String,
    /// The page of the step; `None` if the reader may not see it.
    pub(super) href: Option<String>,
}

impl Crumb {
    /// A step to a page that the reader may see.
    pub(super) const fn new(name: String, href: String) -> Self {
        Self { name, href: Some(href) }
    }
}

/// The URL of a page, and that of the same data in JSON.
pub(super) struct PageUrls {
    /// The URL without `format`.
    pub(super) plain: String,
    /// The URL with `format=json`.
    pub(super) json: String,
}

impl Frame {
    pub(super) fn new(
        model: &Model,
        action: &Action,
        title: String,
        crumbs: Vec<Crumb>,
        urls: PageUrls,
    ) -> Self {
        let home = Crumb::new(model.api.title.to_owned(), model.urls.link("/"));
        Self {
            interface: model.api.title,
            title,
            style: model.urls.link(model.pages.path(STYLE)),
            script: model.urls.link(model.pages.path(SCRIPT)),
            icon: model.urls.link(model.pages.path(ICON)),
            files: own_files(model),
            watch: WatchView::of(model, action),
            crumbs: std::iter::once(home).chain(crumbs).collect(),
            session: session(model, action),
            curl: curl(&absolute(model, action, &urls.plain)),
            json: urls.json,
        }
    }
}

impl Frame {
    /// Shows the request of a program that writes, in place of one that reads.
    pub(super) fn writing(
        self,
        model: &Model,
        action: &Action,
        (method, url, tag): (&str, &str, Option<&str>),
        body: &Json,
    ) -> Self {
        let method = if method == "POST" { String::new() } else { format!("-X {method} ") };
        let condition = tag.map(|tag| format!("-H {} ", quoted(&format!("if-match: {tag}"))));
        let body = quoted(&body.to_string());
        let url = quoted(&absolute(model, action, url));
        let curl = format!("curl {method}{}--json {body} {url}", condition.unwrap_or_default());
        Self { curl, ..self }
    }
}

/// Returns the URLs of the files of a directory of templates, by their names.
pub(super) fn own_files(model: &Model) -> BTreeMap<String, String> {
    let url = |path: &str| model.urls.link(path);
    model.pages.own_files().iter().map(|file| (file.name.clone(), url(&file.path))).collect()
}

/// Returns where a person signs in or out. Who has identified itself in another way than by a
/// session can do neither.
fn session(model: &Model, action: &Action) -> Option<SessionView> {
    if !has_sessions(model) {
        return None;
    }
    if let Some(login) = action.caller.session_login() {
        let current = model.urls.link("/sessions/current");
        let out = instructed(&current, "DELETE", None);
        let home = encoded(&model.urls.link("/")).to_string();
        let href = [&out, "&_next=", &home].concat();
        let login = Some(named(login.to_owned()));
        return Some(SessionView { login, account: own_page(model, action), href });
    }
    let is_here = matches!(action.kind, ActionKind::SignIn { .. });
    let is_anonymous = action.caller == Caller::Anonymous && !is_here;
    let address = action.page.as_ref().map_or("/", |page| &page.address);
    is_anonymous.then(|| SessionView {
        login: None,
        account: None,
        href: sign_in_address(model, address),
    })
}

/// Returns the URL of the page of the reader's account, if the reader may see it.
fn own_page(model: &Model, action: &Action) -> Option<String> {
    let account = action.caller.account()?;
    let resource = &model[model.accounts.as_ref()?.resource];
    let chain = Chain { resource: resource.ix, ids: vec![] };
    let id = account.id.spell(resource[FieldIx::ID].kind);
    let path = [&path(model, &chain), "/", &*encoded(&id).to_string()].concat();
    (resource.at_top() && may_get(model, action, chain)).then(|| model.urls.link(&path))
}

/// Returns the absolute URL of a link: with the declared public URL, or else with the host of the
/// request.
fn absolute(model: &Model, action: &Action, link: &str) -> String {
    let origin = model.urls.origin().or_else(|| action.page.as_ref()?.origin.as_deref());
    [origin.unwrap_or("http://localhost"), link].concat()
}

/// Returns the command line that requests a URL.
fn curl(url: &str) -> String {
    ["curl ", &quoted(url)].concat()
}

/// Quotes a word for a POSIX shell, if it needs that (POSIX.1-2024, Shell §2.2.2).
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/:._-~%,".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    ["'", &word.replace('\'', r"'\''"), "'"].concat()
}

/// The longest label of a step, in characters.
const CRUMB_CHARACTERS: usize = 40;

/// Returns the text of the step to a member with a label.
pub(super) fn crumb_text(label: &str) -> String {
    beginning(label, CRUMB_CHARACTERS)
}

/// Returns the steps to a collection: each ancestor by its label, and the collection itself.
pub(super) fn crumbs(
    model: &Model,
    action: &Action,
    chain: &Chain,
    found: &FoundLookups,
) -> Vec<Crumb> {
    let mut above: Vec<_> = model.ancestors(chain.resource).take(chain.ids.len()).collect();
    above.reverse();
    let mut crumbs = vec![];
    for (at, (resource, id)) in above.into_iter().zip(&chain.ids).enumerate() {
        let chain = Chain { resource, ids: chain.ids[..at].to_vec() };
        crumbs.push(to_collection(model, action, &chain));
        let id = id.spell(model[resource][FieldIx::ID].kind);
        let href = [&path(model, &chain), "/", &*encoded(&id).to_string()].concat();
        let name = found.ancestor(at).map_or_else(|| id.clone(), crumb_text);
        let href = may_get(model, action, chain).then(|| model.urls.link(&href));
        crumbs.push(Crumb { name: named(name), href });
    }
    crumbs.push(to_collection(model, action, chain));
    crumbs
}

fn to_collection(model: &Model, action: &Action, chain: &Chain) -> Crumb {
    let href = model.urls.link(&path(model, chain));
    let href = may_list(model, action, chain.clone()).then_some(href);
    Crumb { name: model[chain.resource].def.collection.to_owned(), href }
}

/// Returns a name for people: `animal_types` is `Animal types`.
pub(super) fn heading(name: &str) -> String {
    let words = name.replace(['_', '-'], " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_safe_to_paste() {
        assert_eq!(curl("http://localhost:8080/zoos/7"), "curl http://localhost:8080/zoos/7");
        assert_eq!(curl("http://a/z?x=1&y=2"), "curl 'http://a/z?x=1&y=2'");
        assert_eq!(curl("http://a/$(x)'"), r"curl 'http://a/$(x)'\'''");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_heading_is_for_people() {
        assert_eq!(heading("animal_types"), "Animal types");
        assert_eq!(heading(""), "");
    }
}
