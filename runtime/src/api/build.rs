//! The conversion of a builder to a model: declaration data, linked resources, hooks and routes.

use std::sync::Arc;

use nouns_declaration::problem::Suggestion;

use super::{Api, HookAttachment, cors::seconds, fact::extensions};
use crate::{
    base::{
        error::Kind,
        interner::{Interner, optional, text},
        nearest::nearest,
    },
    code::custom::{self, DeclaredRoute},
    http::pages::{Pages, TemplateFault, TemplatesError},
    model::{
        LinkError, LinkProblem, Model, Problem, ResourceIx, Subject, declare,
        def::{ApiDef, Operation, ResourceDef, ServerDef, TypeDef},
    },
    store::behaviour::{Behaviour, ResourceHooks},
};

/// Converts the builder to declaration data.
pub(super) fn def(api: &Api) -> &'static ApiDef {
    static APIS: Interner<ApiDef> = Interner::new();
    static TYPES: Interner<[&'static TypeDef]> = Interner::new();
    static RESOURCES: Interner<[&'static ResourceDef]> = Interner::new();
    let trimmed =
        |path: &str| Some(path.trim_end_matches('/')).filter(|path| !path.is_empty()).map(text);
    APIS.intern(Box::new(ApiDef {
        title: text(&api.title),
        version: api.version.as_deref().map_or("1.0.0", text),
        description: optional(api.description.as_deref()),
        contact: api.contact.as_ref().map(super::Contact::def),
        license: api.license.as_ref().map(super::License::def),
        base_path: api.base_path.as_deref().and_then(trimmed).unwrap_or("/"),
        public_url: api.public_url.as_deref().and_then(trimmed),
        case: api.case,
        server: server(api),
        auth: api.auth.as_ref().map(super::Auth::def),
        types: TYPES.intern(types(api).into()),
        resources: RESOURCES.intern(api.resources.clone().into()),
        extensions: extensions(&api.extensions),
    }))
}

/// The server settings of the builder.
fn server(api: &Api) -> ServerDef {
    let usual = ServerDef::DEFAULT;
    ServerDef {
        trace: api.trace,
        early_hints: api.early_hints,
        query: api.query,
        cors: api.cors.as_ref().map(super::Cors::def),
        idempotency_keep_seconds: api
            .idempotency_keep
            .map_or(usual.idempotency_keep_seconds, seconds),
        trusted_proxies: super::cors::texts(&api.trusted_proxies),
        proxy_fields: api.proxy_fields,
        hsts: api.hsts.map(super::Hsts::def),
        limits: api.limits,
        metrics: api.metrics,
        server_timing: api.server_timing,
        hosts: super::cors::texts(&api.hosts),
        rate_limit: api.rate_limit,
    }
}

/// The custom field types that the builder declares, and the other custom types that its resources
/// use.
fn types(api: &Api) -> Vec<&'static TypeDef> {
    let mut types = api.types.clone();
    for used in &api.used_types {
        if !types.contains(used) {
            types.push(used);
        }
    }
    types
}

/// Builds the model, or returns all errors of the declaration.
pub(super) fn model(api: Api) -> Result<Arc<Model>, LinkError> {
    let mut problems: Vec<_> = super::check::facts(&api).collect();
    problems.extend(kinds(&api.kinds));
    problems.extend(neighbours(&api));
    let linked = Model::link(def(&api));
    let mut model = match linked {
        Ok(model) => model,
        Err(LinkError(linked)) => {
            problems.extend(linked.into_iter().map(|problem| told_apart(&api, problem)));
            return Err(LinkError(problems));
        }
    };
    let mut hooks: Vec<(ResourceIx, Arc<dyn ResourceHooks>)> = vec![];
    for hooking in api.hooks {
        let name = hooking.resource.name;
        match attached(&model, hooking) {
            Ok((ix, _)) if hooks.iter().any(|(known, _)| *known == ix) => {
                let problem = Problem::HookedTwice { resource: name.to_owned() };
                problems.push(LinkProblem::new(Subject::Interface, problem));
            }
            Ok(attached) => hooks.push(attached),
            Err(found) => problems.extend(found),
        }
    }
    match api.settings.templates.as_ref().map(|folder| Pages::read(folder.as_ref())) {
        Some(Ok(pages)) => model.pages = Arc::new(pages),
        Some(Err(TemplatesError(faults))) => problems.extend(faults.iter().map(template_fault)),
        None => {}
    }
    let (routes, found) = custom::check(&model, &api.routes);
    problems.extend(found);
    if !problems.is_empty() {
        return Err(LinkError(problems));
    }
    let phases = hooks.iter().map(|(ix, hooks)| (*ix, hooks.phases())).collect();
    let handlers = api.routes.into_iter().map(DeclaredRoute::handler).collect();
    let behaviour = Behaviour::new(model.resources().len(), hooks, handlers);
    model.attach(routes, phases, Arc::new(behaviour), api.kinds);
    Ok(Arc::new(model))
}

fn template_fault(fault: &TemplateFault) -> LinkProblem {
    LinkProblem::new(Subject::Interface, Problem::BadTemplate { fault: fault.to_string() })
}

/// If a problem is that two resources have one name, names their Rust types by full paths. The
/// types often have the same name, too.
fn told_apart(api: &Api, mut problem: LinkProblem) -> LinkProblem {
    if let (Problem::DuplicateKey { .. }, Subject::Resource(name)) =
        (&problem.problem, problem.subject)
    {
        let named = api.resources.iter().zip(&api.type_names);
        let mut types: Vec<_> =
            named.filter(|(def, _)| def.name == name).map(|(_, path)| *path).collect();
        types.dedup();
        if let [first, .., last] = types.as_slice() {
            problem.advice = format!(
                ", or give one of the structs, `{first}` or `{last}`, a name of its own: `#[resource(name = \"…\")]`"
            );
        }
    }
    problem
}

/// An error for each reference to a resource whose declaration differs from the one that the
/// interface serves under the same name.
fn neighbours(api: &Api) -> Vec<LinkProblem> {
    let served = |name: &str| api.resources.iter().copied().find(|def| def.name == name);
    let other = api
        .neighbours
        .iter()
        .filter(|(_, def)| served(def.name).is_some_and(|known| known != *def));
    let say = |(of, def): &(&'static str, &'static ResourceDef)| {
        let problem = Problem::OtherNeighbour { resource: def.name.to_owned() };
        LinkProblem::new(Subject::Resource(of), problem)
    };
    other.map(say).collect()
}

/// Returns the hooks of a resource and the resource's index in the model, or the errors in the
/// hooks.
fn attached(
    model: &Model,
    hooking: HookAttachment,
) -> Result<(ResourceIx, Arc<dyn ResourceHooks>), Vec<LinkProblem>> {
    let name = hooking.resource.name;
    let resources = model.resources();
    let Some(resource) = resources.iter().find(|known| known.def == hooking.resource) else {
        let (resource, known) = (name.to_owned(), resources.iter().map(|known| known.def.name));
        if known.clone().any(|known| known == name) {
            return Err(vec![LinkProblem::new(
                Subject::Interface,
                Problem::OtherHooked { resource },
            )]);
        }
        let nearest = Suggestion(nearest(name, known).map(str::to_owned));
        let advice = declare(hooking.resource.rust, &nearest);
        let problem = Problem::UnknownHooked { resource, nearest };
        return Err(vec![LinkProblem { advice, ..LinkProblem::new(Subject::Interface, problem) }]);
    };
    let problems = replaced(&*hooking.hooks, resource.def);
    if problems.is_empty() { Ok((resource.ix, hooking.hooks.into())) } else { Err(problems) }
}

/// The errors in handlers that replace operations of a resource.
fn replaced(hooks: &dyn ResourceHooks, def: &'static ResourceDef) -> Vec<LinkProblem> {
    let say = |problem| LinkProblem::new(Subject::Resource(def.name), problem);
    let twice = |operation: &Operation| say(Problem::ReplacedTwice { operation: operation.word() });
    let mut problems: Vec<_> = hooks.doubled().iter().map(twice).collect();
    let replaced = hooks.phases().replaced;
    for operation in Operation::ALL {
        if replaced.contains(operation) && !def.methods.contains(operation) {
            problems.push(say(Problem::ReplacedUnoffered { operation: operation.word() }));
        }
    }
    if replaced.contains(Operation::Delete) && def.methods.contains(Operation::DeleteMany) {
        problems.push(say(Problem::ReplacedOneOfMany));
    }
    problems
}

/// The errors in the custom kinds of problem.
fn kinds(kinds: &[Kind]) -> Vec<LinkProblem> {
    let mut problems = vec![];
    let mut say = |problem| problems.push(LinkProblem::new(Subject::Interface, problem));
    for (at, kind) in kinds.iter().enumerate() {
        let slug = kind.slug;
        let word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if slug.is_empty() || !slug.bytes().all(word) {
            say(Problem::BadSlug { slug: slug.to_owned() });
        }
        if Kind::ALL.iter().chain(&kinds[..at]).any(|known| known.slug == slug) {
            say(Problem::SlugTaken { slug: slug.to_owned() });
        }
        if !kind.status.is_client_error() && !kind.status.is_server_error() {
            say(Problem::NoError { slug: slug.to_owned(), status: kind.status.as_u16() });
        }
    }
    problems
}
