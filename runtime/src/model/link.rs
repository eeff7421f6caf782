//! Linking: what crosses resources is checked and turned into indices, in two passes.

mod field;

use std::{collections::BTreeMap, fmt, fmt::Write as _};

use ahash::AHashMap;

use super::{FieldIx, Model, Referrer, Resource, ResourceIx, Role, SortKey, Urls};
use crate::{
    def::{ApiDef, FieldKind, OnDelete, ResourceDef, Routes},
    hash::Stable,
};

/// Everything that is wrong between the resources of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError(pub Vec<LinkProblem>);

/// One thing that is wrong: the resource, and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkProblem {
    /// The resource whose declaration is at fault.
    pub resource: &'static str,
    /// What is wrong, and what would repair it.
    pub detail: String,
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.0 {
            writeln!(f, "resource `{}`: {}", problem.resource, problem.detail)?;
        }
        Ok(())
    }
}

impl std::error::Error for LinkError {}

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
    linker.finish()?;
    let mut resources: Vec<Resource> =
        (0..).map(ResourceIx).zip(api.resources).map(|(ix, def)| linker.resource(ix, def)).collect();
    linker.finish()?;
    attach(&mut resources);
    let roots = resources.iter().filter(|one| one.at_top()).map(|one| (one.def.collection, one.ix)).collect();
    Ok(Model { api, urls: Urls::of(api), fingerprint: fingerprint(api), resources: resources.into(), roots })
}

/// Indices have a size, so nothing is counted before this has passed.
fn check_sizes(api: &ApiDef) -> Result<(), LinkError> {
    let too_many = |resource, detail| Err(LinkError(vec![LinkProblem { resource, detail }]));
    if api.resources.len() > RESOURCES_MAX {
        return too_many("", format!("an interface has at most {RESOURCES_MAX} resources"));
    }
    match api.resources.iter().find(|def| def.fields.len() > FIELDS_MAX) {
        Some(def) => too_many(def.name, format!("a resource has at most {FIELDS_MAX} fields")),
        None => Ok(()),
    }
}

/// Everything that was declared, since everything may show in a representation.
fn fingerprint(api: &ApiDef) -> u64 {
    let mut hash = Stable::new();
    write!(hash, "{api:?}").expect("a hash takes any text");
    hash.finish()
}

impl Linker {
    fn report(&mut self, resource: &'static str, detail: String) {
        self.problems.push(LinkProblem { resource, detail });
    }

    fn finish(&mut self) -> Result<(), LinkError> {
        let problems = std::mem::take(&mut self.problems);
        if problems.is_empty() { Ok(()) } else { Err(LinkError(problems)) }
    }

    /// Two resources must not share a name, a table, or a place in the URLs.
    fn check_names(&mut self) {
        let mut seen = AHashMap::new();
        for def in self.api.resources {
            let mut taken = vec![("the name", "", def.name), ("the table", "", def.table)];
            if def.parent.is_none() || def.routes != Routes::Nested {
                taken.push(("the collection", "", def.collection));
            }
            if let Some(parent) = def.parent.filter(|_| def.routes != Routes::Flat) {
                taken.push(("the collection", parent.resource, def.collection));
            }
            if ["_nouns", "sqlite_"].iter().any(|reserved| def.table.starts_with(reserved)) {
                self.report(def.name, format!("the table `{}` is reserved; choose another", def.table));
            }
            for key in taken {
                if let Some(other) = seen.insert(key, def.name) {
                    let (what, _, text) = key;
                    self.report(def.name, format!("{what} `{text}` is already that of `{other}`"));
                }
            }
        }
    }

    /// Parents exist and do not go in circles.
    fn check_chains(&mut self) {
        for def in self.api.resources {
            let mut above = def.parent;
            let mut steps = 0;
            while let Some(parent) = above {
                let Some(ix) = self.names.get(parent.resource) else {
                    self.report(def.name, format!("unknown parent `{}`", parent.resource));
                    break;
                };
                steps += 1;
                if steps > usize::from(DEPTH_MAX) {
                    self.report(def.name, format!("its parents go in a circle, or deeper than {DEPTH_MAX}"));
                    break;
                }
                above = self.api.resources[usize::from(ix.0)].parent;
            }
        }
    }

    fn resource(&mut self, ix: ResourceIx, def: &'static ResourceDef) -> Resource {
        let mut fields = vec![self.id(def)];
        fields.extend(def.parent.map(|parent| self.parent(parent.field, parent.resource)));
        for field in def.fields {
            fields.extend(self.declared(def, field));
        }
        fields.push(self.time("created_at", Role::CreatedAt, def.timestamps));
        fields.push(self.time("updated_at", Role::UpdatedAt, def.timestamps));
        let names = (0..).map(FieldIx).zip(&fields).map(|(ix, field)| (field.name.clone(), ix)).collect();
        let mut resource = Resource {
            def,
            ix,
            fields: fields.into(),
            parent: def.parent.map(|parent| (self.names[parent.resource], FieldIx(1))),
            referrers: Box::default(),
            deletes: Box::default(),
            sort: Box::default(),
            names,
            children: AHashMap::new(),
        };
        self.check_columns(&resource);
        resource.sort = self.sort(&resource);
        resource
    }

    fn check_columns(&mut self, resource: &Resource) {
        let mut columns = BTreeMap::from([("revision".to_owned(), "revision")]);
        let mut wire: BTreeMap<&str, &str> = BTreeMap::new();
        let mut clashes = vec![];
        for field in &resource.fields {
            if columns.insert(field.column.to_ascii_lowercase(), field.column).is_some() {
                clashes.push(format!("two fields have the column `{}`", field.column));
            }
            if wire.insert(&field.name, field.column).is_some() {
                clashes.push(format!("two fields are called `{}`", field.name));
            }
        }
        for clash in clashes {
            self.report(resource.def.name, clash);
        }
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
                None => self.report(resource.def.name, format!("it cannot be sorted by `{}`", sort.field)),
            }
        }
        complete(&mut keys);
        keys.into()
    }
}

/// How many ancestors a resource can have: a place in a URL counts them in 8 bits, and a statement joins them all.
const DEPTH_MAX: u8 = 16;

/// Makes an order total: ties are broken by the id.
pub(crate) fn complete(keys: &mut Vec<SortKey>) {
    if keys.iter().all(|key| key.field != FieldIx::ID) {
        keys.push(SortKey { field: FieldIx::ID, descending: false });
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
