//! Linking of a declaration: it checks relations between resources, and resolves names to indices.

mod access;
mod domain;
mod field;
mod names;
mod outline;
mod problem;
mod server;

use std::{fmt::Write as _, sync::Arc};

use foldhash::HashMap;
use http::HeaderValue;
use nouns_declaration::{
    check::{self, FIELDS_MAX, Fault},
    index,
    problem::{Problem, Suggestion},
};

pub(crate) use self::names::declare;
pub use self::problem::{LinkError, LinkProblem, Subject};
use super::{
    Caching, CustomRoutes, FieldIx, FieldModel, Model, Origins, Referrer, ResourceIx,
    ResourceModel, Retirement, Role, SortKey, Urls, fields::Headers, layout, redirects::Redirects,
    relation::relations, rule::Rules, watch::WatchState,
};
use crate::{
    base::{hash::StableHasher, nearest::nearest},
    http::{
        forwarded::TrustedProxies, hosts::Hosts, pages::Pages, stored_document::StoredDocument,
    },
    model::def::{
        ApiDef, Case, FieldKind, HstsDef, Limit, LimitDef, OnDelete, ResourceDef, Routes,
        ServerDef, SortDef,
    },
};

/// The maximum number of resources, as the index of a resource has 16 bits.
const RESOURCES_MAX: usize = u16::MAX as usize;

struct Linker {
    api: &'static ApiDef,
    names: HashMap<&'static str, ResourceIx>,
    problems: Vec<LinkProblem>,
}

pub(super) fn model(api: &'static ApiDef) -> Result<Model, LinkError> {
    check_sizes(api)?;
    let names = indexed(api).map(|(ix, def)| (def.name, ix)).collect();
    let mut linker = Linker { api, names, problems: vec![] };
    linker.check_twins();
    linker.check_parents();
    // If there is a problem at this point, the resources cannot be linked. After this point they
    // can be linked in spite of problems. Then the problems of each resource are reported, too.
    let is_whole = linker.problems.is_empty();
    linker.take(check::across(&outline::of(api), &mut near));
    linker.check_types();
    linker.check_server();
    if !is_whole {
        linker.finish()?;
    }
    let mut resources: Vec<ResourceModel> =
        indexed(api).map(|(ix, def)| linker.resource(ix, def)).collect();
    linker.finish()?;
    attach(&mut resources, api.case);
    let access = access::link(&mut linker, &mut resources);
    linker.finish()?;
    tell_readers_apart(&mut resources, &access.rules, api);
    let rules = access::with_fields(access.rules, &resources);
    let roots = resources
        .iter()
        .filter(|one| one.at_top())
        .map(|one| (one.def.collection, one.ix))
        .collect();
    Ok(Model {
        api,
        urls: Urls::of(api),
        fingerprint: fingerprint(api),
        origins: api.server.cors.as_ref().map(Origins::of),
        proxies: TrustedProxies::new(api.server.trusted_proxies, api.server.proxy_fields),
        has_push: api.resources.iter().any(|resource| !resource.push.is_empty()),
        hosts: Hosts::of(api.server.hosts),
        hsts: api.server.hsts.map(hsts),
        custom: api.auth.as_ref().map(CustomRoutes::of_grants).unwrap_or_default(),
        redirects: Redirects::of(&resources),
        own_kinds: vec![],
        behaviours: Arc::new(()),
        accounts: access.accounts,
        rules,
        watch: WatchState::default(),
        pages: Pages::embedded(),
        openapi: StoredDocument::default(),
        resources: resources.into(),
        roots,
    })
}

/// Lets HTTP caches tell callers apart who read different rows or fields of a resource.
pub(super) fn tell_readers_apart(resources: &mut [ResourceModel], rules: &Rules, api: &ApiDef) {
    for resource in resources {
        let has_field_rule = resource.def.fields.iter().any(|field| field.access.read.is_some());
        if has_field_rule || rules.tell_readers_apart(resource.ix) {
            resource.caching = Caching::of(resource.def.cache.as_ref(), true);
            resource.headers = Headers::new(&resource.caching, api.server.cors.is_some());
        }
    }
}

/// The value of `Strict-Transport-Security` (RFC 6797 §6.1).
fn hsts(hsts: HstsDef) -> HeaderValue {
    let subdomains = if hsts.include_subdomains { "; includeSubDomains" } else { "" };
    let preload = if hsts.preload { "; preload" } else { "" };
    let value = format!("max-age={}{subdomains}{preload}", hsts.max_age_seconds);
    HeaderValue::try_from(value).expect("the value is ASCII")
}

/// Links one resource alone. Of the `neighbours`, to which the resource refers, only their names
/// and kinds of id are used.
pub(crate) fn alone(
    def: &'static ResourceDef,
    neighbours: &[&'static ResourceDef],
) -> Result<ResourceModel, LinkError> {
    let mut resources = vec![def];
    for neighbour in neighbours {
        if resources.iter().all(|known| known.name != neighbour.name) {
            resources.push(neighbour);
        }
    }
    let api: &'static ApiDef =
        Box::leak(Box::new(ApiDef { resources: resources.leak(), ..ApiDef::new("") }));
    check_sizes(api)?;
    let names = indexed(api).map(|(ix, def)| (def.name, ix)).collect();
    let mut linker = Linker { api, names, problems: vec![] };
    if let Some(parent) = def.parent {
        linker.is_declared(parent.resource, Subject::Resource(def.name));
    }
    linker.take(check::alone(&outline::noun(def), &mut near));
    linker.finish()?;
    let resource = linker.resource(ResourceIx(0), def);
    linker.finish()?;
    Ok(resource)
}

/// All resources with their indices. Even with the maximum number of resources, the counter does
/// not overflow.
fn indexed(api: &'static ApiDef) -> impl Iterator<Item = (ResourceIx, &'static ResourceDef)> {
    api.resources.iter().zip((0..).map(ResourceIx)).map(|(def, ix)| (ix, *def))
}

/// Checks that the numbers of resources and of fields fit into 16 bits. The check must run before
/// the indices are assigned.
fn check_sizes(api: &ApiDef) -> Result<(), LinkError> {
    let too_many = |subject, problem| Err(LinkError(vec![LinkProblem::new(subject, problem)]));
    if api.resources.len() > RESOURCES_MAX {
        return too_many(Subject::Interface, Problem::TooManyResources { maximum: RESOURCES_MAX });
    }
    let Some(def) = api.resources.iter().find(|def| def.fields.len() > FIELDS_MAX) else {
        return Ok(());
    };
    let (resource, count) = (def.name.to_owned(), def.fields.len());
    let problem = Problem::TooManyFields { resource, count, maximum: FIELDS_MAX };
    too_many(Subject::Resource(def.name), problem)
}

/// A hash of all declarations, since each of them may affect a representation. The server settings
/// are excluded, because command line flags may change them at each start.
fn fingerprint(api: &ApiDef) -> u64 {
    let mut hash = StableHasher::new();
    let api = ApiDef { server: ServerDef::DEFAULT, ..*api };
    write!(hash, "{api:?}").expect("writing to a hash never fails");
    hash.finish()
}

impl Linker {
    fn take(&mut self, found: Vec<Fault<Subject>>) {
        // Warnings are for `nouns check`, which reads the declaration, too.
        let mistakes = found.into_iter().filter(|fault| !fault.problem.is_warning());
        self.problems.extend(mistakes.map(|fault| LinkProblem::new(fault.at, fault.problem)));
    }

    fn finish(&mut self) -> Result<(), LinkError> {
        let problems = std::mem::take(&mut self.problems);
        if problems.is_empty() { Ok(()) } else { Err(LinkError(problems)) }
    }

    fn resource(&mut self, ix: ResourceIx, def: &'static ResourceDef) -> ResourceModel {
        let mut fields = vec![self.id(def)];
        fields.extend(def.parent.map(|parent| self.parent(parent)));
        for field in def.fields {
            fields.extend(self.declared(def, field));
        }
        fields.push(self.time("created_at", Role::CreatedAt, def.timestamps));
        fields.push(self.time("updated_at", Role::UpdatedAt, def.timestamps));
        let caching = Caching::of(def.cache.as_ref(), false);
        let names =
            (0..).map(FieldIx).zip(&fields).map(|(ix, field)| (field.name.clone(), ix)).collect();
        let mut resource = ResourceModel {
            def,
            ix,
            fields: fields.into(),
            parent: def.parent.map(|parent| (self.names[parent.resource], FieldIx(1))),
            referrers: Box::default(),
            relations: Box::default(),
            deletes: Box::default(),
            limits: &self.api.server.limits,
            page: self.page(def.limit),
            sort: Box::default(),
            shown: 0,
            layout: Box::default(),
            headers: Headers::new(&caching, self.api.server.cors.is_some()),
            caching,
            retirement: def.deprecated.as_ref().map(Retirement::of),
            has_field_rules: def.has_field_rules(),
            hooks: None,
            current_password: None,
            label: None,
            names,
            children: HashMap::default(),
        };
        resource.sort = self.sort(&resource);
        resource.label = self.label(&resource);
        resource.shown = resource.visible().count().try_into().unwrap_or(u16::MAX);
        resource.layout = layout::shown(&resource, None);
        resource
    }

    /// The declared page size, within the limit of the server.
    fn page(&self, declared: LimitDef) -> LimitDef {
        let most = self.api.server.limits.get(Limit::PageMembers);
        let within = |members: u32| members.min(u32::try_from(most).unwrap_or(u32::MAX));
        LimitDef { default: within(declared.default), maximum: within(declared.maximum) }
    }

    /// The declared label, or else the first required and unique text. There is none if the
    /// declared label is the id.
    fn label(&self, resource: &ResourceModel) -> Option<FieldIx> {
        let is_usual = |field: &FieldModel| {
            let is_unique = field.def.is_some_and(|def| def.unique);
            field.kind == FieldKind::String && field.required && is_unique && field.visible()
        };
        match resource.def.label {
            Some(name) => resource.field(&self.wire(name)).filter(|label| *label != FieldIx::ID),
            None => resource.indexed().find(|(_, field)| is_usual(field)).map(|(ix, _)| ix),
        }
    }

    /// The declared default sort order, with the id as its last key.
    fn sort(&self, resource: &ResourceModel) -> Box<[SortKey]> {
        let key = |sort: &SortDef| {
            let field = resource.field(&self.wire(sort.field))?;
            Some(SortKey { field, descending: sort.descending })
        };
        // `check::across` reports unknown fields, so they are skipped.
        let mut keys = resource.def.sort.iter().filter_map(key).collect();
        complete(&mut keys);
        keys.into()
    }
}

impl Linker {
    /// Checks the constraints of each named type once, and not again for each field that uses the
    /// type.
    fn check_types(&mut self) {
        for def in self.api.types {
            let base = self.api.types.iter().find(|base| Some(base.name) == def.base);
            self.problems.extend(domain::check_type(def, base.copied()));
        }
    }
}

/// Suggests the valid name that is closest to a mistyped name.
fn near(name: &str, names: &[&str]) -> Suggestion {
    Suggestion(nearest(name, names.iter().copied()).map(str::to_owned))
}

/// Adds the id as the last key of a sort order, unless the order has the id already. So no two
/// members are equal in all keys.
pub(crate) fn complete(keys: &mut Vec<SortKey>) {
    index::complete(keys, FieldIx::ID);
}

/// Adds to each resource its child resources, the fields that refer to it, and its relations.
fn attach(resources: &mut [ResourceModel], case: Case) {
    let mut children = vec![HashMap::default(); resources.len()];
    let mut referrers = vec![vec![]; resources.len()];
    for resource in &*resources {
        if let Some((parent, _)) = resource.parent.filter(|_| resource.def.routes != Routes::Flat) {
            children[usize::from(parent.0)].insert(resource.def.collection, resource.ix);
        }
        for (ix, field) in resource.indexed() {
            let Some(target) = field.target else { continue };
            let declared =
                field.def.and_then(|def| def.reference).map(|reference| reference.on_delete);
            let on_delete =
                declared.or(resource.def.parent.map(|parent| parent.on_delete)).unwrap_or_default();
            referrers[usize::from(target.0)].push(Referrer {
                resource: resource.ix,
                field: ix,
                on_delete,
            });
        }
    }
    for (resource, children) in resources.iter_mut().zip(children) {
        resource.children = children;
        resource.deletes = deletes(resource.ix, &referrers);
    }
    for (resource, referrers) in resources.iter_mut().zip(referrers) {
        resource.referrers = referrers.into();
    }
    let relations = relations(resources, case);
    for (resource, relations) in resources.iter_mut().zip(relations) {
        resource.relations = relations;
    }
}

/// The tables that the deletion of a member changes: the member's table, the tables to which the
/// deletion cascades at any depth, and tables with references that are set to null.
fn deletes(of: ResourceIx, referrers: &[Vec<Referrer>]) -> Box<[ResourceIx]> {
    let mut changed = vec![of];
    let mut gone = vec![of];
    let mut at = 0;
    while let Some(table) = gone.get(at) {
        for referrer in &referrers[usize::from(table.0)] {
            let table = referrer.resource;
            if referrer.on_delete == OnDelete::Cascade && !gone.contains(&table) {
                gone.push(table);
            }
            if referrer.on_delete != OnDelete::Restrict && !changed.contains(&table) {
                changed.push(table);
            }
        }
        at += 1;
    }
    changed.into()
}
