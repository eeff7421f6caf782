//! The linked model: the declared resources with everything resolved, built once at the start.
//!
//! Everything is found by index. After a request is parsed, it contains no column names.

pub(crate) mod caching;
mod constraints;
pub(crate) mod custom;
pub(crate) mod exact;
mod field;
pub mod field_type;
pub(crate) mod fields;
mod filter;
mod format;
pub mod id;
mod link;
pub(crate) mod merge_patch;
mod op;
mod origins;
pub mod patch;
mod place;
pub mod predicate;
mod redirects;
pub(crate) mod retirement;
pub mod rule;
pub mod slots;
mod url;
pub mod value;

use std::{any::Any, fmt, sync::Arc};

use ahash::AHashMap;

pub(crate) use self::{
    caching::Caching,
    custom::{CustomRoute, CustomRoutes, Phases, Placeholder},
    link::{alone, complete, declare},
    origins::Origins,
    retirement::Retirement,
    url::{encoded, reference},
};
#[doc(inline)]
pub use nouns_declaration::{def, problem::Problem};

pub use self::{
    constraints::{Breach, Constraints},
    filter::Filter,
    link::{LinkError, LinkProblem, Subject},
    op::Op,
    place::{Chain, MemberPath, Place, View},
    rule::RuleSet,
    url::Urls,
};
use self::{
    def::{ApiDef, FieldDef, FieldKind, FieldMode, OnDelete, Operations, ResourceDef, Routes},
    value::Value,
};
use crate::{base::error::Kind, http::forwarded::TrustedProxies};

/// The index of a resource in [`Model::resources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceIx(pub u16);

/// The index of a field in [`ResourceModel::fields`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldIx(pub u16);

impl FieldIx {
    /// The id, which is the first field of every resource.
    pub const ID: Self = Self(0);
}

/// All resources of an interface, linked.
///
/// ```
/// use nouns_runtime::{model::Model, def::ApiDef};
/// static API: ApiDef = ApiDef::new("Empty");
/// assert!(Model::link(&API).unwrap().resources().is_empty());
/// ```
pub struct Model {
    /// The declaration.
    pub api: &'static ApiDef,
    /// The URLs of links.
    pub urls: Urls,
    /// A hash of the whole declaration. It changes with every part of it, because every part may
    /// affect a representation.
    pub fingerprint: u64,
    /// The other origins that may use the interface from a browser (CORS).
    pub(crate) origins: Option<Origins>,
    /// The proxies whose `Forwarded` and `X-Forwarded-*` name the client.
    pub(crate) proxies: TrustedProxies,
    /// The custom routes.
    pub(crate) custom: CustomRoutes,
    /// Former paths of collections.
    pub(crate) redirects: redirects::Redirects,
    /// The custom kinds of problem.
    own_kinds: Vec<Kind>,
    /// The user code. The model only carries it; `store/behaviour.rs` knows its type.
    pub(crate) behaviours: Arc<dyn Any + Send + Sync>,
    /// The access rules.
    rules: rule::Rules,
    resources: Box<[ResourceModel]>,
    roots: AHashMap<&'static str, ResourceIx>,
}

/// A resource, and what the declarations of others add to it.
pub struct ResourceModel {
    /// The declaration.
    pub def: &'static ResourceDef,
    /// Its index.
    pub ix: ResourceIx,
    /// The fields: id, parent, the declared fields, `created_at` and `updated_at`, in this order.
    pub fields: Box<[FieldModel]>,
    /// The parent resource, and the field that holds the id of the parent.
    pub parent: Option<(ResourceIx, FieldIx)>,
    /// The fields that refer to this resource, those of its children included.
    pub referrers: Box<[Referrer]>,
    /// The tables that change when a member is deleted; this one is the first.
    pub deletes: Box<[ResourceIx]>,
    /// The default sort order, with the id as the last key.
    pub sort: Box<[SortKey]>,
    /// The number of fields in a representation.
    shown: u16,
    /// The values of `Cache-Control` for its representations.
    pub(crate) caching: Caching,
    /// The header fields of responses to reads, whatever the representation.
    pub(crate) headers: fields::Headers,
    /// The deprecation of the resource, if it is deprecated.
    pub(crate) retirement: Option<Retirement>,
    /// The operations that have hooks, if any do.
    pub(crate) hooks: Option<Phases>,
    names: AHashMap<Box<str>, FieldIx>,
    children: AHashMap<&'static str, ResourceIx>,
}

/// A field of another resource that refers to this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Referrer {
    /// The resource that refers to this one.
    pub resource: ResourceIx,
    /// Its field.
    pub field: FieldIx,
    /// The effect of a deletion on its members.
    pub on_delete: OnDelete,
}

/// One key of a sort order.
pub type SortKey = nouns_declaration::index::SortKey<FieldIx>;

/// A field with all that is needed to read, check and write it.
pub struct FieldModel {
    /// The name in JSON and in queries.
    pub name: Box<str>,
    /// The name of the column.
    pub column: &'static str,
    /// The kind of the values; a reference has the kind of the id that it holds.
    pub kind: FieldKind,
    /// The role of the field.
    pub role: Role,
    /// Whether clients may read and write the field.
    pub mode: FieldMode,
    /// Whether null is refused.
    pub required: bool,
    /// Whether ASCII letters compare without case.
    pub ignore_case: bool,
    /// Whether a request may filter by it.
    pub filterable: bool,
    /// Whether a request may sort by it.
    pub sortable: bool,
    /// The resource that the field refers to.
    pub target: Option<ResourceIx>,
    /// The default of a new member.
    pub default: Option<Default>,
    /// The constraints of the values.
    pub constraints: Constraints,
    /// The name as it precedes a value in JSON: `,"name":`, escaped.
    pub prefix: Box<[u8]>,
    /// The declaration, for a declared field.
    pub def: Option<&'static FieldDef>,
}

/// The role of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The id.
    Id,
    /// The id of the parent.
    Parent,
    /// A declared field.
    Declared,
    /// The time of creation.
    CreatedAt,
    /// The time of the last change.
    UpdatedAt,
}

/// The default of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Default {
    /// This value.
    Value(Value),
    /// The time of the request.
    Now,
}

impl Model {
    /// Links a declaration. On failure it reports all problems between its resources.
    ///
    /// # Errors
    /// Unknown parents and references, cycles, and names that clash, all at once.
    pub fn link(api: &'static ApiDef) -> Result<Self, LinkError> {
        link::model(api)
    }

    /// The kind of problem with this slug, built in or custom.
    #[must_use]
    pub fn kind(&self, slug: &str) -> Option<Kind> {
        self.kinds().find(|kind| kind.slug == slug)
    }

    /// Every kind of problem that has a page.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        Kind::ALL.iter().chain(&self.own_kinds).copied()
    }

    /// Attaches what no definition has: the user code, the routes and hooks that it defines, and
    /// its kinds of problem.
    pub(crate) fn attach(
        &mut self,
        routes: CustomRoutes,
        phases: Vec<(ResourceIx, Phases)>,
        carried: Arc<dyn Any + Send + Sync>,
        kinds: Vec<Kind>,
    ) {
        for (ix, phases) in phases {
            self.resources[usize::from(ix.0)].hooks = Some(phases);
        }
        (self.custom, self.behaviours, self.own_kinds) = (routes, carried, kinds);
    }

    /// Whether any resource has hooks that run after a write.
    pub(crate) fn has_after_hooks(&self) -> bool {
        let after = |phases: Phases| phases.after != Operations::NONE;
        self.resources.iter().filter_map(|resource| resource.hooks).any(after)
    }

    /// Whether there is user code, which may read the address of a client.
    pub(crate) fn has_code(&self) -> bool {
        !self.custom.is_empty() || self.resources.iter().any(|resource| resource.hooks.is_some())
    }

    /// All resources, in the order of their declaration.
    #[must_use]
    pub fn resources(&self) -> &[ResourceModel] {
        &self.resources
    }

    /// The resource whose top-level collection has this segment.
    #[must_use]
    pub fn root(&self, segment: &str) -> Option<ResourceIx> {
        self.roots.get(segment).copied()
    }

    /// The segments of the top-level collections, unordered.
    pub fn roots(&self) -> impl Iterator<Item = &'static str> {
        self.roots.keys().copied()
    }

    /// The ancestors of a resource, nearest first.
    pub fn ancestors(&self, of: ResourceIx) -> impl Iterator<Item = ResourceIx> + Clone {
        std::iter::successors(self[of].parent, |(above, _)| self[*above].parent)
            .map(|(above, _)| above)
    }

    /// The resource of a place, and the ancestors that the URL names, nearest first.
    pub(crate) fn lineage(
        &self,
        Place { resource, depth, .. }: Place,
    ) -> impl Iterator<Item = ResourceIx> + Clone {
        std::iter::once(resource).chain(self.ancestors(resource).take(depth.into()))
    }
}

impl std::ops::Index<ResourceIx> for Model {
    type Output = ResourceModel;

    fn index(&self, ix: ResourceIx) -> &ResourceModel {
        &self.resources[usize::from(ix.0)]
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Model({}, {:016x})", self.api.title, self.fingerprint)
    }
}

impl ResourceModel {
    /// The field with this name in JSON.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<FieldIx> {
        self.names.get(name).copied()
    }

    /// The child resource whose nested collection has this segment.
    #[must_use]
    pub fn child(&self, segment: &str) -> Option<ResourceIx> {
        self.children.get(segment).copied()
    }

    /// The segments of the nested collections, unordered.
    pub fn children(&self) -> impl Iterator<Item = &'static str> {
        self.children.keys().copied()
    }

    /// Whether the collection is at the top level.
    #[must_use]
    pub const fn at_top(&self) -> bool {
        self.def.parent.is_none() || !matches!(self.def.routes, Routes::Nested)
    }

    /// The fields with their indices.
    pub fn indexed(&self) -> impl Iterator<Item = (FieldIx, &FieldModel)> {
        (0..).map(FieldIx).zip(&self.fields)
    }

    /// The fields of a representation with their indices, the id first.
    pub fn visible(&self) -> impl Iterator<Item = (FieldIx, &FieldModel)> {
        self.indexed().filter(|(_, field)| field.visible())
    }

    /// Whether a representation has a field of type `json`, whose bytes a Rust value does not
    /// preserve.
    pub(crate) fn shows_json(&self) -> bool {
        self.visible().any(|(_, field)| field.kind == FieldKind::Json)
    }

    /// The fields that a statement returns, with their indices, the id first.
    pub fn viewed(&self, view: View) -> impl Iterator<Item = (FieldIx, &FieldModel)> {
        self.indexed().filter(move |(_, field)| view == View::Whole || field.visible())
    }

    /// The number of fields in a representation.
    pub(crate) fn visible_count(&self) -> usize {
        usize::from(self.shown)
    }

    /// Whether a representation has the times of a member.
    #[must_use]
    pub fn shows_times(&self) -> bool {
        self.def.timestamps
    }

    /// The index of the field with a role that every resource has once.
    ///
    /// # Panics
    /// It does not panic for the id and the times, which every linked resource has.
    #[must_use]
    pub fn system(&self, role: Role) -> FieldIx {
        self.indexed()
            .find(|(_, field)| field.role == role)
            .map(|(ix, _)| ix)
            .expect("linking adds the system fields")
    }
}

impl std::ops::Index<FieldIx> for ResourceModel {
    type Output = FieldModel;

    fn index(&self, ix: FieldIx) -> &FieldModel {
        &self.fields[usize::from(ix.0)]
    }
}
