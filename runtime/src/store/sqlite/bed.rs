//! The declaration that the tests of this engine use.

use crate::model::def::{
    ApiDef, FieldDef, FieldKind, IdKind, LimitDef, Operations, Precondition, ResourceDef, Routes,
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
    deprecated: None,
    cache: None,
    precondition: Precondition::Optional,
    moved_from: &[],
    moved_to: None,
    extensions: &[],
};

/// Notes with one text each.
pub(crate) static API: ApiDef = ApiDef { resources: &[&NOTE], ..ApiDef::new("Notes") };
