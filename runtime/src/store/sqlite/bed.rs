//! The API declaration that the tests of the SQLite engine use.

use crate::model::def::{
    AccessDef, ApiDef, FieldDef, FieldKind, IdKind, LimitDef, Operations, Precondition,
    ResourceDef, Routes,
};

static NOTE: ResourceDef = ResourceDef {
    name: "note",
    collection: "notes",
    table: "notes",
    rust: "Note",
    description: None,
    parent: None,
    routes: Routes::Nested,
    id: IdKind::Integer,
    optional_id: false,
    fields: &[FieldDef::new("text", FieldKind::String)],
    methods: Operations::DEFAULT,
    sort: &[],
    limit: LimitDef::DEFAULT,
    unique: &[],
    indexes: &[],
    timestamps: true,
    label: None,
    deprecated: None,
    cache: None,
    precondition: Precondition::Optional,
    push: &[],
    moved_from: &[],
    moved_to: None,
    access: AccessDef::EMPTY,
    extensions: &[],
};

/// An API with one resource, `note`, which has one string field, `text`.
pub(crate) static API: ApiDef = ApiDef { resources: &[&NOTE], ..ApiDef::new("Notes") };
