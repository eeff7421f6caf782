//! All names that expansions of the derive use. The module is versioned, so that the expansion of
//! one release finds the names that it knows.

pub use std::{
    option::Option::{self, None, Some},
    result::Result::{self, Ok},
    string::String,
};

pub use jiff::Timestamp;
pub use uuid::Uuid;

pub use crate::{
    code::{
        resource::{Resource, Stored},
        typed::Field,
    },
    model::{
        def::{
            CacheDef, DefaultDef, DeprecationDef, ExtensionDef, FieldDef, FieldKind, FieldMode,
            Format, IdKind, LimitDef, Literal, OnDelete, Operation, Operations, ParentDef,
            Precondition, ReferenceDef, ResourceDef, Routes, SortDef, TypeDef, Visibility,
        },
        field_type::{FieldType, choice},
        id::{Id, Keyed, NoParent},
        patch::Patch,
        slots::{Slots, Unreadable},
        value::Value,
    },
};
