//! [`Model`]: the declared resources with all names resolved to indices, built once at the start.
//!
//! Resources and fields are referred to by index. After a request is parsed, it contains no column
//! names.

pub mod accounts;
pub(crate) mod caching;
mod condition;
mod constraints;
pub(crate) mod custom;
pub(crate) mod exact;
mod field;
pub mod field_type;
pub(crate) mod fields;
mod filter;
pub mod id;
pub mod jwt;
mod layout;
mod link;
pub(crate) mod merge_patch;
mod names;
mod op;
mod origins;
pub mod patch;
mod place;
pub mod predicate;
mod redirects;
mod relation;
pub(crate) mod retirement;
pub mod rule;
mod selection;
pub mod slots;
mod url;
pub mod value;
pub mod watch;

use std::{any::Any, fmt, sync::Arc};

use foldhash::HashMap;
use http::HeaderValue;

pub(crate) use self::{
    caching::Caching,
    custom::{
        CustomRoute, CustomRoutes, GrantKind, GrantOperation, Phases, Placeholder, RouteCode,
    },
    layout::LayoutItem,
    link::{alone, complete, declare},
    origins::Origins,
    place::RowChange,
    retirement::Retirement,
    selection::PlacedList,
    url::{encoded, reference},
};
#[doc(inline)]
pub use nouns_declaration::{def, pattern, problem::Problem};

use self::def::{ApiDef, FieldKind, OnDelete, Operations, ResourceDef, Routes};
pub use self::{
    condition::{ComparedSubjects, ComparisonOp, ConditionTree, RelatedRows, TestSubject},
    constraints::{Breach, Constraints},
    field::{Default, FieldModel, Role},
    filter::Filter,
    layout::{Layout, LayoutList},
    link::{LinkError, LinkProblem, Subject},
    names::SeenModel,
    op::Op,
    place::{Chain, MemberPath, Place, View},
    relation::{Path, Relation, RelationIx, RelationKind},
    rule::RuleSet,
    selection::{ListSelection, RelatedRequest, RelatedSelection, RelatedSelections, Selection},
    url::Urls,
};
use crate::{
    base::error::Kind,
    http::{
        forwarded::TrustedProxies, hosts::Hosts, pages::Pages, stored_document::StoredDocument,
    },
};

/// The index of a resource in [`Model::resources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceIx(pub u16);

/// The index of a field in [`ResourceModel::fields`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldIx(pub u16);

impl FieldIx {
    /// The index of the id, which is the first field of every resource.
    pub const ID: Self = Self(0);
}

/// All resources of an interface, with their references resolved.
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::{Model, def::ApiDef};
/// static API: ApiDef = ApiDef::new("Empty");
/// assert!(Model::link(&API).unwrap().resources().is_empty());
/// ```
pub struct Model {
    /// The declaration of the interface.
    pub api: &'static ApiDef,
    /// The base path and the public URL, with which links begin.
    pub urls: Urls,
    /// A hash of the declaration without the server settings. Every hashed part may affect a
    /// representation, so a change of any such part changes the hash.
    pub fingerprint: u64,
    /// The CORS settings; `None` if no foreign origin may use the interface.
    pub(crate) origins: Option<Origins>,
    /// The value of `Strict-Transport-Security`, if it is sent.
    pub(crate) hsts: Option<HeaderValue>,
    /// The trusted proxies, from whose `X-Forwarded-*` or `Forwarded` fields the server reads the
    /// address of the client.
    pub(crate) proxies: TrustedProxies,
    /// Whether any resource pushes members with its responses.
    pub(crate) has_push: bool,
    /// The hosts that are served; `None` if any is.
    pub(crate) hosts: Option<Hosts>,
    /// The custom routes of the interface.
    pub(crate) custom: CustomRoutes,
    /// The former paths of collections, which redirect to the current paths.
    pub(crate) redirects: redirects::Redirects,
    /// The custom kinds of problem.
    own_kinds: Vec<Kind>,
    /// The user code, such as hooks. Only `store/behaviour.rs` knows the type of this value.
    pub(crate) behaviours: Arc<dyn Any + Send + Sync>,
    /// The access rules of all callers.
    rules: rule::Rules,
    /// The accounts of callers, if the API has any.
    pub accounts: Option<accounts::AccountModel>,
    /// The state of the schema file, if the program watches it.
    pub watch: watch::WatchState,
    /// The templates and files of the web pages.
    pub pages: Arc<Pages>,
    /// The OpenAPI document, which the first request for it makes.
    pub(crate) openapi: StoredDocument,
    resources: Box<[ResourceModel]>,
    roots: HashMap<&'static str, ResourceIx>,
}

/// A resource, with the information that the declarations of other resources add, such as the
/// fields that refer to it.
#[derive(Clone)]
pub struct ResourceModel {
    /// The declaration of the resource.
    pub def: &'static ResourceDef,
    /// The index of the resource.
    pub ix: ResourceIx,
    /// The fields in this order: id, parent, the declared fields, `created_at`, `updated_at`.
    pub fields: Box<[FieldModel]>,
    /// The parent resource, and the field that holds the id of the parent.
    pub parent: Option<(ResourceIx, FieldIx)>,
    /// The fields of other resources that refer to this resource, including the parent fields of
    /// its children.
    pub referrers: Box<[Referrer]>,
    /// The relations to other resources, in this order: the parent, the references, the nested
    /// collections, and the `children` of references elsewhere.
    pub relations: Box<[Relation]>,
    /// The tables that change when a member is deleted. The table of this resource is the first.
    pub deletes: Box<[ResourceIx]>,
    /// The limits of requests.
    pub limits: &'static def::Limits,
    /// The page size: the declared one, within the limit of the server.
    pub page: def::LimitDef,
    /// The default sort order. Its last key is the id.
    pub sort: Box<[SortKey]>,
    /// The number of fields in a representation.
    shown: u16,
    /// The items of a representation.
    layout: Box<[LayoutItem]>,
    /// The values of `Cache-Control` for representations of the resource.
    pub(crate) caching: Caching,
    /// The header fields that responses to GET have in every format.
    pub(crate) headers: fields::Headers,
    /// The header fields of a deprecated resource; `None` if the resource is not deprecated.
    pub(crate) retirement: Option<Retirement>,
    /// Whether callers see different fields, because fields have access rules.
    pub(crate) has_field_rules: bool,
    /// The operations that have hooks; `None` if no operation has one.
    pub(crate) hooks: Option<Phases>,
    /// The name, in a body, of the present password beside a new one. `None` unless the members
    /// are the accounts.
    pub(crate) current_password: Option<Box<str>>,
    label: Option<FieldIx>,
    names: HashMap<Box<str>, FieldIx>,
    children: HashMap<&'static str, ResourceIx>,
}

/// A reference to a resource, from a field of this or another resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Referrer {
    /// The resource that the field belongs to.
    pub resource: ResourceIx,
    /// The field that refers to the resource.
    pub field: FieldIx,
    /// The effect of the deletion of a member on the members that refer to it.
    pub on_delete: OnDelete,
}

/// A key of a sort order: a field and a direction.
pub type SortKey = nouns_declaration::index::SortKey<FieldIx>;

impl Model {
    /// The limits and timeouts of the server.
    #[must_use]
    pub const fn limits(&self) -> &'static def::Limits {
        &self.api.server.limits
    }

    /// Links a declaration, which resolves its names to indices.
    ///
    /// # Errors
    /// All problems of the declaration, such as unknown parents, cycles and repeated names.
    pub fn link(api: &'static ApiDef) -> Result<Self, LinkError> {
        link::model(api)
    }

    /// The built-in or custom kind of problem with this slug.
    #[must_use]
    pub fn kind(&self, slug: &str) -> Option<Kind> {
        self.kinds().find(|kind| kind.slug == slug)
    }

    /// All kinds of problem, built-in and custom. Each has a page.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        Kind::ALL.iter().chain(&self.own_kinds).copied()
    }

    /// Adds the parts of the model that come from user code: routes, hooks and kinds of problem.
    pub(crate) fn attach(
        &mut self,
        routes: CustomRoutes,
        phases: Vec<(ResourceIx, Phases)>,
        carried: Arc<dyn Any + Send + Sync>,
        kinds: Vec<Kind>,
    ) {
        for (ix, phases) in phases {
            self.resources[usize::from(ix.0)].hooks = Some(phases);
            self.rules.attach(ix, phases);
        }
        (self.custom, self.behaviours, self.own_kinds) = (routes, carried, kinds);
    }

    /// Whether any resource has hooks that run after a write.
    pub(crate) fn has_after_hooks(&self) -> bool {
        let after = |phases: Phases| phases.after != Operations::NONE;
        self.resources.iter().filter_map(|resource| resource.hooks).any(after)
    }

    /// Whether the program has custom routes or hooks, which may read the address of a client.
    pub(crate) fn has_code(&self) -> bool {
        self.custom.has_code() || self.resources.iter().any(|resource| resource.hooks.is_some())
    }

    /// All resources, in the order of their declaration.
    #[must_use]
    pub fn resources(&self) -> &[ResourceModel] {
        &self.resources
    }

    /// The resource whose top-level collection has this path segment.
    #[must_use]
    pub fn root(&self, segment: &str) -> Option<ResourceIx> {
        self.roots.get(segment).copied()
    }

    /// The path segments of all top-level collections, unordered.
    pub fn roots(&self) -> impl Iterator<Item = &'static str> {
        self.roots.keys().copied()
    }

    /// The ancestors of a resource, from its parent upwards.
    pub fn ancestors(&self, of: ResourceIx) -> impl Iterator<Item = ResourceIx> + Clone {
        std::iter::successors(self[of].parent, |(above, _)| self[*above].parent)
            .map(|(above, _)| above)
    }

    /// The resource that an SQL statement reads or writes, and then the ancestors in the URL of the
    /// request, from the parent upwards.
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
    /// The index of the field with this name in JSON.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<FieldIx> {
        self.names.get(name).copied()
    }

    /// The child resource whose nested collection has this path segment.
    #[must_use]
    pub fn child(&self, segment: &str) -> Option<ResourceIx> {
        self.children.get(segment).copied()
    }

    /// The path segments of the nested collections, unordered.
    pub fn children(&self) -> impl Iterator<Item = &'static str> {
        self.children.keys().copied()
    }

    /// Whether the resource has a top-level collection.
    #[must_use]
    pub const fn at_top(&self) -> bool {
        self.def.parent.is_none() || !matches!(self.def.routes, Routes::Nested)
    }

    /// All fields with their indices.
    pub fn indexed(&self) -> impl Iterator<Item = (FieldIx, &FieldModel)> {
        (0..).map(FieldIx).zip(&self.fields)
    }

    /// The field by which people recognize a member: the declared label, or else the first required
    /// and unique text. `None` if members have ids alone.
    pub(crate) const fn label(&self) -> Option<FieldIx> {
        self.label
    }

    /// The fields of a representation with their indices. The id is the first.
    pub fn visible(&self) -> impl Iterator<Item = (FieldIx, &FieldModel)> {
        self.indexed().filter(|(_, field)| field.visible())
    }

    /// Whether a representation has a field of type `json`. The JSON text of such a field may
    /// change when it is converted to a Rust value.
    pub(crate) fn shows_json(&self) -> bool {
        self.visible().any(|(_, field)| field.kind == FieldKind::Json)
    }

    /// The fields that an SQL statement returns for this [`View`]: all fields, or only those of a
    /// representation. Each field has its index; the id is the first.
    pub fn viewed(&self, view: View) -> impl Iterator<Item = (FieldIx, &FieldModel)> {
        self.indexed().filter(move |(_, field)| view == View::Whole || field.visible())
    }

    /// The number of fields in a representation.
    pub(crate) fn visible_count(&self) -> usize {
        usize::from(self.shown)
    }

    /// Whether a representation has the fields `created_at` and `updated_at`.
    #[must_use]
    pub fn shows_times(&self) -> bool {
        self.def.timestamps
    }

    /// The index of the field with this role. Call it only for a role that every resource has once.
    ///
    /// # Panics
    /// It panics if the resource has no field with this role. Every linked resource has an id and
    /// the two times.
    #[must_use]
    pub fn system(&self, role: Role) -> FieldIx {
        self.indexed()
            .find(|(_, field)| field.role == role)
            .map(|(ix, _)| ix)
            .expect("every linked resource has an id and both timestamps")
    }
}

impl std::ops::Index<RelationIx> for ResourceModel {
    type Output = Relation;

    fn index(&self, ix: RelationIx) -> &Relation {
        &self.relations[usize::from(ix.0)]
    }
}

impl std::ops::Index<FieldIx> for ResourceModel {
    type Output = FieldModel;

    fn index(&self, ix: FieldIx) -> &FieldModel {
        &self.fields[usize::from(ix.0)]
    }
}
