//! Routing: the conversion of a path to a [`Target`]. If the path does not exist, the error names
//! its first wrong segment.

mod redirect;
mod table;

use std::{borrow::Cow, sync::Arc};

use percent_encoding::percent_decode_str;

pub(crate) use self::table::{is_redirected, member_path};
pub use self::{
    redirect::Redirect,
    table::{Meaning, Route, collections, table},
};
pub use crate::model::Chain;
use crate::{
    base::{
        error::{Error, Kind, Text, text},
        limits,
        nearest::nearest,
    },
    http::page_file::PageFile,
    model::{
        FieldIx, Model, ResourceIx,
        def::{FieldKind, Limit, Operation, Scheme},
        value::{ExpectedValue, Value},
    },
};

/// The target that a URL refers to.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// `/`: the home document.
    Home,
    /// `*`: the server itself, in `OPTIONS *`.
    Server,
    /// `/openapi.json`: the description of the interface for programs.
    OpenApi,
    /// `/-/docs`: the description of the interface for people.
    Docs,
    /// `/-/watch`: the state of the watched schema file.
    Watch,
    /// `/-/health`: whether the process is alive.
    Health,
    /// `/-/ready`: whether the server can process requests.
    Ready,
    /// `/-/metrics`: what the server counts.
    Metrics,
    /// `/-/problems`: the list of all kinds of problem.
    Problems,
    /// `/-/problems/{slug}`: the page about a kind of problem.
    Problem(Kind),
    /// `/-/pages/{hash}/{name}`: a file of the web pages, such as their style sheet.
    PageFile(Arc<PageFile>),
    /// `/-/forms/…`: the form for a new member of a collection, or the form that changes a member.
    Form(Chain, Option<Value>),
    /// `/-/sign-in`: the form with which a person signs in.
    SignIn,
    /// The collection of a resource.
    Collection(Chain),
    /// A member of a collection, by its id.
    Member(Chain, Value),
    /// A custom route: the index of its path's shape, and the values of its placeholders.
    Custom(usize, Vec<String>),
    /// A redirect to the path without its last slash, or to the new URL of a resource that has
    /// moved.
    Redirect(Redirect),
}

/// The part of the interface that a URL belongs to. It decides some header fields of every
/// response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Built-in documents, and URLs that do not exist.
    #[default]
    Interface,
    /// The health and readiness checks, and the metrics.
    Health,
    /// A resource and its members.
    Resource(ResourceIx),
    /// A custom route.
    Custom,
}

impl Scope {
    /// The scope of a URL. It is `Interface` if the URL does not exist.
    pub(crate) fn of(model: &Model, uri: &http::Uri) -> Self {
        Target::find(model, uri).map_or(Self::Interface, |target| target.scope())
    }
}

impl Target {
    /// The part of the interface that the target belongs to.
    pub(crate) const fn scope(&self) -> Scope {
        match self {
            Self::Collection(chain) | Self::Member(chain, _) => Scope::Resource(chain.resource),
            Self::Redirect(Redirect { resource: Some(resource), .. }) => Scope::Resource(*resource),
            Self::Custom(..) => Scope::Custom,
            Self::Health | Self::Ready | Self::Metrics => Scope::Health,
            _ => Scope::Interface,
        }
    }

    /// Finds the target of a URL.
    ///
    /// # Errors
    /// 404 with the path segment that does not exist, 400 for invalid percent-encoding, 414 for a
    /// path that is too long.
    pub fn find(model: &Model, uri: &http::Uri) -> Result<Self, Error> {
        let whole = uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
        let most = model.limits().size(Limit::TargetBytes);
        if whole.len() > most {
            let detail = text!("The target has more than {most} bytes.", most);
            return Err(Error::new(Kind::URI_TOO_LONG, detail));
        }
        if whole == "*" {
            return Ok(Self::Server);
        }
        let Some(path) = model.urls.below(uri.path()) else {
            return Err(missing(text!(
                "This interface is at `{home}`.",
                home = model.urls.link("/")
            )));
        };
        if path.len() > 1 && path.ends_with('/') {
            return Redirect::without_slash(model, path, uri.query()).map(Self::Redirect);
        }
        below_base(model, path, uri.query())
    }
}

/// Finds the target of a path below the base path. The path has no slash at its end.
fn below_base(model: &Model, path: &str, query: Option<&str>) -> Result<Target, Error> {
    if path.len() <= 1 {
        return Ok(Target::Home);
    }
    match path.strip_prefix("/-/") {
        Some(path) => system(model, path),
        None if path == "/openapi.json" => Ok(Target::OpenApi),
        None if !model.custom.may_match(path) => resource(model, path, query),
        None => custom(model, path)?.map_or_else(|| resource(model, path, query), Ok),
    }
}

/// Finds the custom route that matches a path; `None` if no route matches.
fn custom(model: &Model, path: &str) -> Result<Option<Target>, Error> {
    let segments = path[1..].split('/').map(decode).collect::<Result<Vec<_>, _>>()?;
    Ok(model.custom.shape(&segments).map(|(shape, values)| Target::Custom(shape, values)))
}

pub(crate) fn missing(detail: Text) -> Error {
    Error::new(Kind::NOT_FOUND, detail)
}

/// Finds the target of a path under `/-/`.
fn system(model: &Model, path: &str) -> Result<Target, Error> {
    match path.split_once('/') {
        None if path == "health" => Ok(Target::Health),
        None if path == "ready" => Ok(Target::Ready),
        None if path == "metrics" => Ok(Target::Metrics),
        None if path == "problems" => Ok(Target::Problems),
        Some(("problems", slug)) => model.kind(slug).map(Target::Problem).ok_or_else(|| {
            missing(text!("There is no such kind of problem; `/-/problems` lists them."))
        }),
        Some(("pages", path)) => model.pages.find(path).map(Target::PageFile).ok_or_else(|| {
            missing(text!("There is no such file; a page names the files that it needs."))
        }),
        Some(("forms", _)) => form(model, &path["forms".len()..]),
        None if path == "sign-in" && has_sessions(model) => Ok(Target::SignIn),
        None if path == "docs" => docs(),
        None if path == "watch" && model.watch.is_watched() => Ok(Target::Watch),
        _ => {
            Err(missing(text!("Under `/-/` there are docs, health, ready, metrics and problems.")))
        }
    }
}

/// The page at `/-/docs`, if it is compiled in.
fn docs() -> Result<Target, Error> {
    if cfg!(feature = "docs-page") {
        return Ok(Target::Docs);
    }
    Err(missing(text!(
        "This program is built without the API reference, the cargo feature `docs-page`; `/openapi.json` describes the interface."
    )))
}

/// Finds the form of a collection or of a member.
fn form(model: &Model, path: &str) -> Result<Target, Error> {
    let (chain, id) = match walk(model, path, None)? {
        Target::Collection(chain) => (chain, None),
        Target::Member(chain, id) => (chain, Some(id)),
        _ => return Err(missing(text!("This resource has moved."))),
    };
    let methods = model[chain.resource].def.methods;
    let has_form = match id {
        None => methods.contains(Operation::Create),
        // The form contains what a GET gives.
        Some(_) => {
            methods.contains(Operation::Get)
                && (methods.contains(Operation::Update) || methods.contains(Operation::Replace))
        }
    };
    if has_form {
        return Ok(Target::Form(chain, id));
    }
    let name = model[chain.resource].def.collection;
    Err(missing(text!("There is no form: clients cannot write `{name}` in this way.", name)))
}

/// Whether people can sign in with a form.
pub(crate) fn has_sessions(model: &Model) -> bool {
    model.accounts.as_ref().is_some_and(|accounts| accounts.def.has(Scheme::Session))
}

/// Finds the target of a path of resources. Former paths are tried only if the path does not exist.
fn resource(model: &Model, path: &str, query: Option<&str>) -> Result<Target, Error> {
    match walk(model, path, query) {
        Err(error) if error.kind() == Kind::NOT_FOUND => {
            match Redirect::from_former(model, path, query)? {
                Some(redirect) => Ok(Target::Redirect(redirect)),
                None => Err(error),
            }
        }
        found => found,
    }
}

/// Follows the segments of a path: a collection, and then alternately an id and a collection.
fn walk(model: &Model, path: &str, query: Option<&str>) -> Result<Target, Error> {
    let mut segments = path[1..].split('/');
    let first = decode(segments.next().unwrap_or_default())?;
    let Some(root) = model.root(&first) else { return Err(no_root(model, &first)) };
    let mut chain = Chain { resource: root, ids: vec![] };
    loop {
        if let Some(place) = model[chain.resource].def.moved_to {
            let from = (chain.resource, place);
            return Redirect::away(model, from, below(path, &chain), query).map(Target::Redirect);
        }
        let Some(segment) = segments.next() else { return Ok(Target::Collection(chain)) };
        let id = id(model, chain.resource, &decode(segment)?)?;
        let Some(segment) = segments.next() else { return Ok(Target::Member(chain, id)) };
        let segment = decode(segment)?;
        let Some(child) = model[chain.resource].child(&segment) else {
            return Err(no_child(model, chain.resource, &segment));
        };
        chain.resource = child;
        chain.ids.push(id);
    }
}

/// The part of a path that follows the collection of a chain.
fn below<'path>(path: &'path str, chain: &Chain) -> &'path str {
    let walked = 1 + 2 * chain.ids.len();
    path.match_indices('/').nth(walked).map_or("", |(at, _)| &path[at..])
}

/// Percent-decodes a path segment. An encoded slash does not separate segments (RFC 3986 §2.2).
fn decode(segment: &str) -> Result<Cow<'_, str>, Error> {
    if !segment.as_bytes().contains(&b'%') {
        return Ok(Cow::Borrowed(segment));
    }
    let broken = || {
        Error::new(
            Kind::MALFORMED_REQUEST,
            text!("`{segment}` is not valid percent-encoded UTF-8.", segment),
        )
    };
    if !escapes_are_whole(segment) {
        return Err(broken());
    }
    percent_decode_str(segment).decode_utf8().map_err(|_| broken())
}

/// Whether two hexadecimal digits follow each `%` (RFC 3986 §2.1).
pub(crate) fn escapes_are_whole(text: &str) -> bool {
    text.split('%').skip(1).all(|rest| {
        rest.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

/// Parses the id in a path segment. Each id has only one valid spelling, but the digits of a UUID
/// may be in upper case (RFC 9562 §4).
pub(crate) fn id(model: &Model, resource: ResourceIx, segment: &str) -> Result<Value, Error> {
    let kind = model[resource][FieldIx::ID].kind;
    let value = Value::parse(kind, segment).ok().filter(|value| match value {
        Value::Integer(id) if kind == FieldKind::Integer => {
            itoa::Buffer::new().format(*id) == segment
        }
        value if kind == FieldKind::Uuid => value.spell(kind).eq_ignore_ascii_case(segment),
        value => value.spell(kind) == segment,
    });
    value.filter(Value::is_id).ok_or_else(|| {
        let name = model[resource].def.name;
        let expected = match kind {
            FieldKind::Integer => text!("a positive whole number"),
            FieldKind::Uuid => ExpectedValue::Kind(kind).into(),
            _ => text!(
                "a text of 1 to {most} characters without control characters, and not `.` or `..`",
                most = limits::STRING_ID_CHARS_MAX,
            ),
        };
        missing(text!(
            "`{segment}` is not an id of `{name}`; an id is {expected}.",
            segment,
            name,
            expected
        ))
    })
}

fn no_root(model: &Model, segment: &str) -> Error {
    let nested =
        model.resources().iter().find(|one| one.def.collection == segment && one.parent.is_some());
    if let Some(nested) = nested {
        let above =
            model.ancestors(nested.ix).next().map_or("", |above| model[above].def.collection);
        return missing(text!(
            "The collection `{segment}` is below a member of `{above}`.",
            segment,
            above
        ));
    }
    missing(text!(
        "There is no collection `{segment}`{end}",
        segment,
        end = nearest_known(segment, model.roots())
    ))
}

fn no_child(model: &Model, resource: ResourceIx, segment: &str) -> Error {
    let resource = &model[resource];
    let (above, end) = (resource.def.collection, nearest_known(segment, resource.children()));
    missing(text!("A member of `{above}` has no collection `{segment}`{end}", above, segment, end))
}

/// The end of a sentence about an unknown name: a suggestion if a name is close, or a full stop.
fn nearest_known<'name>(name: &str, names: impl Iterator<Item = &'name str>) -> Text {
    nearest(name, names).map_or_else(|| ".".into(), |near| text!("; did you mean `{near}`?", near))
}
