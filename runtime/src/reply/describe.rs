//! Descriptions of an interface and its resources: the home document, and the responses to OPTIONS.

pub(super) mod rules;

use http::{HeaderValue, StatusCode, header};
use serde::Serialize;

use self::rules::FieldRules;
use super::{Reply, path, vary};
use crate::{
    http::negotiate::Format,
    model::{
        Chain, FieldIx, FieldModel, Model, Op, ResourceIx, ResourceModel, Role, SortKey,
        def::{FieldKind, FieldMode, LimitDef, Operation, Scheme},
        encoded,
        value::Value,
    },
    plan::Caller,
    request::{
        access::allow,
        action::{ACCEPT_PATCH, ACCEPT_POST, ACCEPT_QUERY, Action, FORM, JSON, PATCHES},
        route::{Target, collections},
    },
    store::sql,
};

/// The home document, which lists the resources and their URLs.
#[derive(Serialize)]
struct HomeDocument {
    title: &'static str,
    version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'static str>,
    resources: Vec<ResourceEntry>,
    /// Where callers sign in, and make tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    sessions: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<String>,
    problems: String,
    openapi: String,
}

#[derive(Serialize)]
struct ResourceEntry {
    name: &'static str,
    /// The canonical URL of the collection. The ids of ancestors stand in it as names in braces.
    collection: String,
    /// The other URLs of the collection, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'static str>,
}

impl Reply {
    /// Builds the response with a document of metrics, whose format the client may choose.
    pub(crate) fn metrics(action: &Action, media_type: &'static str, document: String) -> Self {
        let mut reply = Self::new(StatusCode::OK);
        reply.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        reply.body = document.into_bytes().into();
        reply.scope = Some(action.scope);
        vary(&mut reply.headers, "accept");
        reply.compressed(action).0
    }
}

/// Builds the home document. Its header links to the OpenAPI document and the API reference (RFC
/// 8631), and to each collection whose URL contains no id.
pub(super) fn home(model: &Model) -> Reply {
    let home = HomeDocument::of(model);
    let collections =
        home.resources.iter().flat_map(|entry| [&entry.collection].into_iter().chain(&entry.also));
    let items = collections.filter(|path| !path.contains('{')).map(|path| ("item", path.clone()));
    let docs = cfg!(feature = "docs-page").then(|| ("service-doc", model.urls.link("/-/docs")));
    let description = [("service-desc", home.openapi.clone())].into_iter().chain(docs);
    let links: Vec<_> = description.chain(items).collect();
    Reply::document(StatusCode::OK, &home).linked(&links)
}

impl HomeDocument {
    fn of(model: &Model) -> Self {
        let entry = |resource: &ResourceModel| {
            let mut urls =
                collections(model, resource).into_iter().map(|path| model.urls.link(&path));
            ResourceEntry {
                name: resource.def.name,
                collection: urls.next().expect("every resource has at least one URL"),
                also: urls.collect(),
                description: resource.def.description,
            }
        };
        let of = |scheme, path| {
            let auth = model.accounts.as_ref().map(|accounts| accounts.def);
            auth.filter(|auth| auth.has(scheme)).map(|_| model.urls.link(path))
        };
        Self {
            title: model.api.title,
            version: model.api.version,
            description: model.api.description,
            resources: model.resources().iter().map(entry).collect(),
            sessions: of(Scheme::Session, "/sessions"),
            tokens: of(Scheme::Bearer, "/tokens"),
            problems: model.urls.link("/-/problems"),
            openapi: model.urls.link("/openapi.json"),
        }
    }
}

/// The description of a target in the response to OPTIONS.
#[derive(Serialize)]
struct Description<'model> {
    methods: Vec<&'model str>,
    /// The media types of the target's representations, with the default first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    formats: Vec<&'static str>,
    /// The values of the query parameter `format`, one for each of `formats`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    format: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    resource: Option<ResourceDescription<'model>>,
}

#[derive(Serialize)]
struct ResourceDescription<'model> {
    resource: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deprecated: bool,
    fields: Vec<DescribedField<'model>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sort: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<Limit>,
    /// The sets of fields whose combined values must be unique.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unique: Vec<Vec<&'model str>>,
    /// The nested collections of a member.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    collections: Vec<ChildCollection>,
}

#[derive(Serialize)]
pub(super) struct ChildCollection {
    pub(super) resource: &'static str,
    /// The URL of the nested collection. In the description of a collection, the member's id is a
    /// name in braces.
    pub(super) collection: String,
}

#[derive(Serialize)]
struct DescribedField<'model> {
    name: &'model str,
    r#type: &'static str,
    required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    references: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    rules: Option<FieldRules>,
    /// `read_only`, `write_only` or `create_only`. `None` if the field is in requests and in
    /// responses.
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
    filterable: bool,
    /// The filter operators that the field supports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    operators: Vec<&'static str>,
    sortable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'static str>,
}

#[derive(Serialize)]
struct Limit {
    default: u32,
    maximum: u32,
}

/// Builds the response to OPTIONS (RFC 9110 §9.3.7). It describes the resource as the caller sees
/// it.
pub(super) fn target(model: &Model, caller: &Caller, target: &Target) -> Reply {
    let allow = allow(model, target);
    let resource = |chain: &Chain| model.seen(caller.rules(model)).resource(chain.resource);
    let resource = match target {
        Target::Collection(chain) => Some(described(model, resource(chain), chain, None)),
        Target::Member(chain, id) => Some(described(model, resource(chain), chain, Some(id))),
        _ => None,
    };
    let offered = if resource.is_some() { &Format::OF_MEMBERS[..] } else { &[] };
    let description = Description {
        methods: allow.split(", ").collect(),
        formats: offered.iter().map(|format| format.media_type()).collect(),
        format: offered.iter().map(|format| format.word()).collect(),
        resource,
    };
    let mut reply = Reply::document(StatusCode::OK, &description).with(header::ALLOW, &allow);
    if let Target::Collection(chain) | Target::Member(chain, _) = target {
        reply = reply.linked(&above(model, chain, matches!(target, Target::Member(..))));
    }
    // Only the custom handler knows which media types it accepts.
    if matches!(target, Target::Custom(..)) {
        return reply;
    }
    if allow.contains("POST") {
        reply = reply.with(ACCEPT_POST, JSON);
    }
    if allow.contains("QUERY") {
        reply = reply.with(ACCEPT_QUERY, FORM);
    }
    if allow.contains("PATCH") {
        reply = reply.with(ACCEPT_PATCH, PATCHES);
    }
    reply
}

/// Returns the links from a member or a collection to its parents. Only the response to OPTIONS has
/// these links. They are not sent with each GET, because a client can derive them from the URL.
fn above(model: &Model, chain: &Chain, of_member: bool) -> Vec<(&'static str, String)> {
    let collection = path(model, chain);
    let parent = collection.rsplit_once('/').map_or("", |(parent, _)| parent);
    let up = model.urls.link(if parent.is_empty() { "/" } else { parent });
    let collection = of_member.then(|| ("collection", model.urls.link(&collection)));
    collection.into_iter().chain([("up", up)]).collect()
}

fn described<'model>(
    model: &'model Model,
    resource: &'model ResourceModel,
    chain: &Chain,
    id: Option<&Value>,
) -> ResourceDescription<'model> {
    let shown = resource.fields.iter().filter(|field| field.mode != FieldMode::Hidden);
    let listed = resource.def.methods.contains(Operation::List);
    let LimitDef { default, maximum } = resource.page;
    ResourceDescription {
        resource: resource.def.name,
        description: resource.def.description,
        deprecated: resource.def.deprecated.is_some(),
        fields: shown
            .map(|field| described_field(model, resource.def.optional_id, field))
            .collect(),
        sort: listed.then(|| spell(resource, &resource.sort)),
        limit: listed.then_some(Limit { default, maximum }),
        unique: together(resource),
        collections: below(model, chain, id),
    }
}

/// Returns the names of each set of fields that are unique together. Sets with a hidden field are
/// left out.
fn together(resource: &ResourceModel) -> Vec<Vec<&str>> {
    let sets = sql::unique_sets(resource).into_iter().filter(|set| set.len() > 1);
    let shown = sets.filter(|set| set.iter().all(|ix| resource[*ix].mode != FieldMode::Hidden));
    shown.map(|set| set.iter().map(|ix| &*resource[*ix].name).collect()).collect()
}

/// Returns the nested collections of a member, or of any member if `id` is `None`, in the order of
/// the declaration.
pub(super) fn below(model: &Model, chain: &Chain, id: Option<&Value>) -> Vec<ChildCollection> {
    let resource = &model[chain.resource];
    let id = match id {
        Some(id) => encoded(&id.spell(resource[FieldIx::ID].kind)).to_string(),
        None => format!("{{{}_id}}", resource.def.name),
    };
    let member = [&path(model, chain), "/", &id, "/"].concat();
    let mut children: Vec<_> =
        resource.children().filter_map(|segment| resource.child(segment)).collect();
    children.sort_unstable();
    let below = |child: &ResourceIx| {
        let def = model[*child].def;
        ChildCollection {
            resource: def.name,
            collection: model.urls.link(&[&member, def.collection].concat()),
        }
    };
    children.iter().map(below).collect()
}

/// Formats a sort order as in the query parameter `sortby`.
fn spell(resource: &ResourceModel, sort: &[SortKey]) -> String {
    let key = |key: &SortKey| {
        [if key.descending { "-" } else { "" }, &*resource[key.field].name].concat()
    };
    sort.iter().map(key).collect::<Vec<_>>().join(",")
}

fn described_field<'model>(
    model: &'model Model,
    optional_id: bool,
    field: &'model FieldModel,
) -> DescribedField<'model> {
    DescribedField {
        name: &field.name,
        r#type: kind(field.kind),
        required: field.required && !(optional_id && field.role == Role::Id),
        references: field.target.map(|target| model[target].def.name),
        rules: FieldRules::of(field),
        mode: mode(field.mode),
        filterable: field.filterable,
        operators: if field.filterable { Op::names(field.kind).collect() } else { vec![] },
        sortable: field.sortable,
        description: field.def.and_then(|def| def.description),
    }
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
        FieldKind::Password => "password",
    }
}
