//! The resource `pen`, with a flat and a nested collection, a field of type `json` and a hidden
//! field. The file also has structs that declare the resource name of another struct.

use nouns_runtime::{Id, Patch, v1};
use serde_json::Value as Json;

use super::bed::{Audit, AuditPatch, NewAudit};
use crate::typed::zoo::Zoo;

/// A pen of a zoo.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pen {
    pub(crate) id: Id<Self>,
    pub(crate) zoo_id: Id<Zoo>,
    pub(crate) plan: Option<Json>,
    pub(crate) code: Option<String>,
}

/// The values of a new pen.
#[derive(Clone, Debug)]
pub(crate) struct NewPen {
    pub(crate) plan: Option<Json>,
    pub(crate) code: Option<String>,
}

/// A patch of a pen.
#[derive(Clone, Debug, Default)]
pub(crate) struct PenPatch {
    pub(crate) plan: Patch<Option<Json>>,
    pub(crate) code: Patch<Option<String>>,
}

const _: () = {
    static DEF: v1::ResourceDef = v1::ResourceDef {
        fields: &[
            v1::FieldDef::new("plan", v1::FieldKind::Json),
            v1::FieldDef {
                mode: v1::FieldMode::Hidden,
                max_length: Some(3),
                ..v1::FieldDef::new("code", v1::FieldKind::String)
            },
        ],
        parent: Some(v1::ParentDef {
            resource: "zoo",
            field: "zoo_id",
            on_delete: v1::OnDelete::Cascade,
            movable: false,
            required: true,
        }),
        routes: v1::Routes::Both,
        ..v1::ResourceDef::new("pen", "pens", "Pen")
    };

    impl v1::HasId for Pen {
        const RESOURCE: &'static str = "pen";
        type Key = i64;
    }

    impl v1::Resource for Pen {
        const DEF: &'static v1::ResourceDef = &DEF;
        const TYPES: &'static [&'static v1::TypeDef] = &[];
        const NEIGHBOURS: &'static [&'static v1::ResourceDef] = &[<Zoo as v1::Resource>::DEF];
        type Parent = Id<Zoo>;
        type New = NewPen;
        type Patch = PenPatch;
        type Fields = ();
        const FIELDS: () = ();
    }

    impl v1::SlotRecord for Pen {
        fn read(slots: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self {
                id: v1::FieldType::take(slots, 0)?,
                zoo_id: v1::FieldType::take(slots, 1)?,
                plan: v1::FieldType::take(slots, 2)?,
                code: v1::FieldType::take(slots, 3)?,
            })
        }
        fn write(self, slots: &mut v1::Slots<'_>) {
            v1::FieldType::put(slots, 0, self.id);
            v1::FieldType::put(slots, 1, self.zoo_id);
            v1::FieldType::put(slots, 2, self.plan);
            v1::FieldType::put(slots, 3, self.code);
        }
    }

    impl v1::SlotRecord for NewPen {
        fn read(slots: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self {
                plan: v1::FieldType::take_optional(slots, 2)?,
                code: v1::FieldType::take_optional(slots, 3)?,
            })
        }
        fn write(self, slots: &mut v1::Slots<'_>) {
            v1::FieldType::put_optional(slots, 2, self.plan);
            v1::FieldType::put_optional(slots, 3, self.code);
        }
    }

    impl v1::SlotRecord for PenPatch {
        fn read(slots: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self {
                plan: v1::FieldType::take_patch(slots, 2)?,
                code: v1::FieldType::take_patch(slots, 3)?,
            })
        }
        fn write(self, slots: &mut v1::Slots<'_>) {
            v1::FieldType::put_patch(slots, 2, self.plan);
            v1::FieldType::put_patch(slots, 3, self.code);
        }
    }
};

/// A second struct for a resource name that already has a struct. If `OF_AUDIT` is true, the
/// declaration equals that of [`Audit`]. Otherwise it declares the name `zoo` with different
/// contents.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Twin<const OF_AUDIT: bool>;

const _: () = {
    static ZOO: v1::ResourceDef = v1::ResourceDef::new("zoo", "zoos", "Park");

    impl<const OF_AUDIT: bool> v1::HasId for Twin<OF_AUDIT> {
        const RESOURCE: &'static str = <Self as v1::Resource>::DEF.name;
        type Key = i64;
    }

    impl<const OF_AUDIT: bool> v1::Resource for Twin<OF_AUDIT> {
        const DEF: &'static v1::ResourceDef =
            if OF_AUDIT { <Audit as v1::Resource>::DEF } else { &ZOO };
        const TYPES: &'static [&'static v1::TypeDef] = &[];
        const NEIGHBOURS: &'static [&'static v1::ResourceDef] = &[];
        type Parent = v1::NoParent;
        type New = NewAudit;
        type Patch = AuditPatch;
        type Fields = ();
        const FIELDS: () = ();
    }

    impl<const OF_AUDIT: bool> v1::SlotRecord for Twin<OF_AUDIT> {
        fn read(_: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self)
        }
        fn write(self, _: &mut v1::Slots<'_>) {}
    }
};
