//! The declared resources, linked once: what the runtime runs on.
//!
//! Everything is found by index; after parsing a request no name of a column is left in it.

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
use crate::base::error::Kind;

/// The place of a resource in [`Model::resources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceIx(pub u16);

/// The place of a field in [`ResourceModel::fields`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldIx(pub u16);

impl FieldIx {
    /// Every resource has its id first.
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
    /// The one function for links.
    pub urls: Urls,
    /// Changes with the declaration, whatever in it changes: every part of it may show in a
    /// representation.
    pub fingerprint: u64,
    /// Which other origins may use it from a browser.
    pub(crate) origins: Option<Origins>,
    /// The routes of the author's own.
    pub(crate) custom: CustomRoutes,
    /// Former paths of collections.
    pub(crate) redirects: redirects::Redirects,
    /// The kinds of problem of the author's own.
    own_kinds: Vec<Kind>,
    /// The code of the author's own, which the model only carries; `store/behaviour.rs` knows what
    /// it is.
    pub(crate) behaviours: Arc<dyn Any + Send + Sync>,
    /// The access rules.
    rules: rule::Rules,
    resources: Box<[ResourceModel]>,
    roots: AHashMap<&'static str, ResourceIx>,
}

/// One resource with what the others say of it.
pub struct ResourceModel {
    /// The declaration.
    pub def: &'static ResourceDef,
    /// Where it stands.
    pub ix: ResourceIx,
    /// Id, parent, the declared fields, `created_at` and `updated_at`, in this order.
    pub fields: Box<[FieldModel]>,
    /// The resource it is nested under, and the field that says under which member.
    pub parent: Option<(ResourceIx, FieldIx)>,
    /// Who points here, parents included.
    pub referrers: Box<[Referrer]>,
    /// The tables that change when a member is deleted, this one first.
    pub deletes: Box<[ResourceIx]>,
    /// The default order, complete with the id.
    pub sort: Box<[SortKey]>,
    /// How many of its fields a representation has.
    shown: u16,
    /// For how long its representations may be kept.
    pub(crate) caching: Caching,
    /// What answers to who reads it have in their header, whatever they show.
    pub(crate) headers: fields::Headers,
    /// That it is on its way out.
    pub(crate) retirement: Option<Retirement>,
    /// Which of its operations have hooks, where any has.
    pub(crate) hooks: Option<Phases>,
    names: AHashMap<Box<str>, FieldIx>,
    children: AHashMap<&'static str, ResourceIx>,
}

/// A field of another resource that points here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Referrer {
    /// The resource that points.
    pub resource: ResourceIx,
    /// Its field.
    pub field: FieldIx,
    /// What a deletion here does there.
    pub on_delete: OnDelete,
}

/// One key of an order.
pub type SortKey = nouns_declaration::index::SortKey<FieldIx>;

/// A column with all that reading, checking and writing it needs.
pub struct FieldModel {
    /// Its name on the wire.
    pub name: Box<str>,
    /// Its column.
    pub column: &'static str,
    /// What its values are; a reference has the kind of the id it holds.
    pub kind: FieldKind,
    /// Which part it plays.
    pub role: Role,
    /// In which directions it travels.
    pub mode: FieldMode,
    /// Whether null is refused.
    pub required: bool,
    /// Whether ASCII letters compare without case.
    pub ignore_case: bool,
    /// Whether a request may filter by it.
    pub filterable: bool,
    /// Whether a request may sort by it.
    pub sortable: bool,
    /// The resource it points at.
    pub target: Option<ResourceIx>,
    /// The value of a new member that does not say one.
    pub default: Option<Default>,
    /// What its values must satisfy.
    pub constraints: Constraints,
    /// `,"name":`, escaped.
    pub prefix: Box<[u8]>,
    /// The declaration, for a declared field.
    pub def: Option<&'static FieldDef>,
}

/// Which part a field plays.
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

/// The value of a new member that does not say one.
#[derive(Clone, Debug, PartialEq)]
pub enum Default {
    /// This value.
    Value(Value),
    /// The time of the request.
    Now,
}

impl Model {
    /// Links a declaration, or says everything that is wrong between its resources.
    ///
    /// # Errors
    /// Unknown parents and references, cycles, and names that clash, all of them at once.
    pub fn link(api: &'static ApiDef) -> Result<Self, LinkError> {
        link::model(api)
    }

    /// The kind of problem with this slug: one of every server, or one of the author's own.
    #[must_use]
    pub fn kind(&self, slug: &str) -> Option<Kind> {
        self.kinds().find(|kind| kind.slug == slug)
    }

    /// Every kind of problem that has a page.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        Kind::ALL.iter().chain(&self.own_kinds).copied()
    }

    /// Attaches what no definition says: code of the author's own, what is known of it, and the
    /// problems that it answers with.
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

    /// Whether anything is to be run after a write.
    pub(crate) fn has_after_hooks(&self) -> bool {
        let after = |phases: Phases| phases.after != Operations::NONE;
        self.resources.iter().filter_map(|resource| resource.hooks).any(after)
    }

    /// Whether any code of the author's may ask who is at the other end of a connection.
    pub(crate) fn has_code(&self) -> bool {
        !self.custom.is_empty() || self.resources.iter().any(|resource| resource.hooks.is_some())
    }

    /// All resources, in the order of their declaration.
    #[must_use]
    pub fn resources(&self) -> &[ResourceModel] {
        &self.resources
    }

    /// The resource whose collection stands at the top under this segment.
    #[must_use]
    pub fn root(&self, segment: &str) -> Option<ResourceIx> {
        self.roots.get(segment).copied()
    }

    /// The segments of the collections at the top, unordered.
    pub fn roots(&self) -> impl Iterator<Item = &'static str> {
        self.roots.keys().copied()
    }

    /// The ancestors of a resource, nearest first.
    pub fn ancestors(&self, of: ResourceIx) -> impl Iterator<Item = ResourceIx> + Clone {
        std::iter::successors(self[of].parent, |(above, _)| self[*above].parent)
            .map(|(above, _)| above)
    }

    /// The resource of a place, and the ancestors that it names, nearest first.
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
    /// The field of this name on the wire.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<FieldIx> {
        self.names.get(name).copied()
    }

    /// The resource whose collection is nested under this segment.
    #[must_use]
    pub fn child(&self, segment: &str) -> Option<ResourceIx> {
        self.children.get(segment).copied()
    }

    /// The segments of the nested collections, unordered.
    pub fn children(&self) -> impl Iterator<Item = &'static str> {
        self.children.keys().copied()
    }

    /// Whether its collection stands at the top.
    #[must_use]
    pub const fn at_top(&self) -> bool {
        self.def.parent.is_none() || !matches!(self.def.routes, Routes::Nested)
    }

    /// Its fields with their places.
    pub fn indexed(&self) -> impl Iterator<Item = (FieldIx, &FieldModel)> {
        (0..).map(FieldIx).zip(&self.fields)
    }

    /// The fields of a representation with their places, the id first.
    pub fn visible(&self) -> impl Iterator<Item = (FieldIx, &FieldModel)> {
        self.indexed().filter(|(_, field)| field.visible())
    }

    /// Whether a representation has a field of any JSON, whose bytes no Rust value keeps.
    pub(crate) fn shows_json(&self) -> bool {
        self.visible().any(|(_, field)| field.kind == FieldKind::Json)
    }

    /// The fields that a statement returns, with their places, the id first.
    pub fn viewed(&self, view: View) -> impl Iterator<Item = (FieldIx, &FieldModel)> {
        self.indexed().filter(move |(_, field)| view == View::Whole || field.visible())
    }

    /// How many fields a representation has.
    pub(crate) fn visible_count(&self) -> usize {
        usize::from(self.shown)
    }

    /// Whether a representation has the times of a member.
    #[must_use]
    pub fn shows_times(&self) -> bool {
        self.def.timestamps
    }

    /// The place of the field that plays a part that every resource has once.
    ///
    /// # Panics
    /// Never for the id and the times, which every linked resource has.
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
