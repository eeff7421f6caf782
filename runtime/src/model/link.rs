//! Linking: what crosses resources is checked and turned into indices, in two passes.

mod chains;
mod domain;
mod field;
mod names;
mod problem;
mod redirects;
mod server;

use std::{fmt::Write as _, sync::Arc};

use ahash::AHashMap;

pub use self::problem::{LinkError, LinkProblem};
use super::{
    Caching, CustomRoutes, FieldIx, Model, Origins, Referrer, Resource, ResourceIx, Retirement, Role,
    SortKey, Urls, fields::Headers, redirects::Redirects, rule::Rules,
};
use crate::{
    base::{hash::Stable, nearest::nearest},
    model::def::{ApiDef, FieldKind, OnDelete, ResourceDef, Routes, ServerDef},
};

/// Every resource has an index of 16 bits.
const RESOURCES_MAX: usize = u16::MAX as usize;

/// Fields of a resource: a table of SQLite has at most 2,000 columns, some of which are ours.
const FIELDS_MAX: usize = 1000;

struct Linker {
    api: &'static ApiDef,
    names: AHashMap<&'static str, ResourceIx>,
    problems: Vec<LinkProblem>,
}

pub(super) fn model(api: &'static ApiDef) -> Result<Model, LinkError> {
    check_sizes(api)?;
    let names = (0..).map(ResourceIx).zip(api.resources).map(|(ix, def)| (def.name, ix)).collect();
    let mut linker = Linker { api, names, problems: vec![] };
    linker.check_names();
    linker.check_chains();
    linker.check_types();
    linker.finish()?;
    linker.check_server();
    linker.check_redirects();
    let mut resources: Vec<Resource> =
        (0..).map(ResourceIx).zip(api.resources).map(|(ix, def)| linker.resource(ix, def)).collect();
    linker.finish()?;
    attach(&mut resources);
    let roots = resources.iter().filter(|one| one.at_top()).map(|one| (one.def.collection, one.ix)).collect();
    Ok(Model {
        api,
        urls: Urls::of(api),
        fingerprint: fingerprint(api),
        origins: api.server.cors.as_ref().map(Origins::of),
        custom: CustomRoutes::default(),
        redirects: Redirects::of(&resources),
        own_kinds: vec![],
        carried: Arc::new(()),
        rules: Rules::default(),
        resources: resources.into(),
        roots,
    })
}

/// One resource by itself, of which the others need only be known by name and kind of id.
pub(crate) fn alone(
    def: &'static ResourceDef,
    neighbours: &[&'static ResourceDef],
) -> Result<Resource, LinkError> {
    let mut resources = vec![def];
    for neighbour in neighbours {
        if resources.iter().all(|known| known.name != neighbour.name) {
            resources.push(neighbour);
        }
    }
    let api: &'static ApiDef = Box::leak(Box::new(ApiDef { resources: resources.leak(), ..ApiDef::new("") }));
    check_sizes(api)?;
    let names = (0..).map(ResourceIx).zip(api.resources).map(|(ix, def)| (def.name, ix)).collect();
    let mut linker = Linker { api, names, problems: vec![] };
    if let Some(parent) = def.parent {
        linker.known(parent.resource, def.name);
    }
    linker.finish()?;
    let resource = linker.resource(ResourceIx(0), def);
    linker.finish()?;
    Ok(resource)
}

/// Indices have a size, so nothing is counted before this has passed.
fn check_sizes(api: &ApiDef) -> Result<(), LinkError> {
    let too_many = |problem| Err(LinkError(vec![problem]));
    if api.resources.len() > RESOURCES_MAX {
        let detail = format!("an interface has at most {RESOURCES_MAX} resources; make two of it");
        return too_many(LinkProblem::new("N098", detail));
    }
    let Some(def) = api.resources.iter().find(|def| def.fields.len() > FIELDS_MAX) else { return Ok(()) };
    let (name, count) = (def.name, def.fields.len());
    let detail =
        format!("`{name}` has {count} fields; a resource has at most {FIELDS_MAX}, so split it in two");
    too_many(LinkProblem::of("N023", name, detail))
}

/// Everything that was declared, since everything may show in a representation; but for the settings of the server, which
/// a flag may change from one start to the next.
fn fingerprint(api: &ApiDef) -> u64 {
    let mut hash = Stable::new();
    let api = ApiDef { server: ServerDef::DEFAULT, ..*api };
    write!(hash, "{api:?}").expect("a hash takes any text");
    hash.finish()
}

impl Linker {
    fn report(&mut self, code: &'static str, resource: &'static str, detail: String) {
        self.problems.push(LinkProblem::of(code, resource, detail));
    }

    fn finish(&mut self) -> Result<(), LinkError> {
        let problems = std::mem::take(&mut self.problems);
        if problems.is_empty() { Ok(()) } else { Err(LinkError(problems)) }
    }

    fn resource(&mut self, ix: ResourceIx, def: &'static ResourceDef) -> Resource {
        self.check_sets(def);
        let mut fields = vec![self.id(def)];
        fields.extend(def.parent.map(|parent| self.parent(parent)));
        for field in def.fields {
            fields.extend(self.declared(def, field));
        }
        fields.push(self.time("created_at", Role::CreatedAt, def.timestamps));
        fields.push(self.time("updated_at", Role::UpdatedAt, def.timestamps));
        let caching = Caching::of(def.cache.as_ref());
        let names = (0..).map(FieldIx).zip(&fields).map(|(ix, field)| (field.name.clone(), ix)).collect();
        let mut resource = Resource {
            def,
            ix,
            fields: fields.into(),
            parent: def.parent.map(|parent| (self.names[parent.resource], FieldIx(1))),
            referrers: Box::default(),
            deletes: Box::default(),
            sort: Box::default(),
            shown: 0,
            headers: Headers::new(&caching, self.api.server.cors.is_some()),
            caching,
            retirement: def.deprecated.as_ref().map(Retirement::of),
            hooks: None,
            names,
            children: AHashMap::new(),
        };
        resource.sort = self.sort(&resource);
        resource.shown = resource.visible().count().try_into().unwrap_or(u16::MAX);
        resource
    }

    /// The declared default order, completed by the id.
    fn sort(&mut self, resource: &Resource) -> Box<[SortKey]> {
        let mut keys = vec![];
        for sort in resource.def.sort {
            // The author may order by what a request may not ask for.
            let ordered = |ix: &FieldIx| resource[*ix].kind != FieldKind::Json;
            let found = resource.field(&self.wire(sort.field)).filter(ordered);
            match found {
                Some(field) => keys.push(SortKey { field, descending: sort.descending }),
                None => self.unsortable(resource, sort.field),
            }
        }
        complete(&mut keys);
        keys.into()
    }
}

impl Linker {
    fn unsortable(&mut self, resource: &Resource, name: &str) {
        let of = resource.def.name;
        if resource.field(&self.wire(name)).is_some() {
            let detail =
                format!("`{name}` is `json`, which has no order, so it cannot stand in `sort`; take it out");
            return self.report("N066", of, detail);
        }
        let fields = resource.fields.iter().map(|field| field.column);
        let near = nearest(name, fields).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        self.report("N065", of, format!("unknown field `{name}` of `{of}`{near}"));
    }

    /// What is wrong with a type is said of it alone, and not of every field that has it.
    fn check_types(&mut self) {
        for def in self.api.types {
            let base = self.api.types.iter().find(|base| Some(base.name) == def.base);
            self.problems.extend(domain::check_type(def, base.copied()));
        }
    }

    /// The fields of sets that are unique or indexed together are declared ones.
    fn check_sets(&mut self, def: &'static ResourceDef) {
        let parent = def.parent.map(|parent| parent.field);
        let known: Vec<_> = def.fields.iter().map(|field| field.name).chain(parent).collect();
        for name in def.unique.iter().chain(def.indexes).copied().flatten() {
            let system = ["id", "created_at", "updated_at"].contains(name);
            if !system && !known.contains(name) {
                let near = nearest(name, known.iter().copied());
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                self.report("N065", def.name, format!("unknown field `{name}` of `{}`{near}", def.name));
            }
        }
    }
}

/// How many ancestors a resource can have: a place in a URL counts them in 8 bits, and a statement joins them all.
const DEPTH_MAX: u8 = 16;

/// Makes an order total: ties are broken by the id, in the direction of the last key. So an order that is turned round is the
/// same read backwards, and one index serves both, however many members share a value.
pub(crate) fn complete(keys: &mut Vec<SortKey>) {
    if keys.iter().all(|key| key.field != FieldIx::ID) {
        let descending = keys.last().is_some_and(|last| last.descending);
        keys.push(SortKey { field: FieldIx::ID, descending });
    }
}

/// Tells each resource who is below it and who points at it.
fn attach(resources: &mut [Resource]) {
    let mut children = vec![AHashMap::new(); resources.len()];
    let mut referrers = vec![vec![]; resources.len()];
    for resource in &*resources {
        if let Some((parent, _)) = resource.parent.filter(|_| resource.def.routes != Routes::Flat) {
            children[usize::from(parent.0)].insert(resource.def.collection, resource.ix);
        }
        for (ix, field) in resource.indexed() {
            let Some(target) = field.target else { continue };
            let declared = field.def.and_then(|def| def.reference).map(|reference| reference.on_delete);
            let on_delete =
                declared.or(resource.def.parent.map(|parent| parent.on_delete)).unwrap_or_default();
            referrers[usize::from(target.0)].push(Referrer { resource: resource.ix, field: ix, on_delete });
        }
    }
    for (resource, children) in resources.iter_mut().zip(children) {
        resource.children = children;
        resource.deletes = deletes(resource.ix, &referrers);
    }
    for (resource, referrers) in resources.iter_mut().zip(referrers) {
        resource.referrers = referrers.into();
    }
}

/// The tables that change when a member of one is deleted: through cascades to any depth, and one beyond by set-null.
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
