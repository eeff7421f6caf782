//! A hand-written expansion of `#[derive(Resource)]` for the resource `keeper`. It has fields of
//! every kind and mode, and clients choose its ids.

#![expect(
    dead_code,
    reason = "an expansion has tokens for all fields, and the tests use only some"
)]

use nouns_runtime::{Id, Patch, v1};
use rust_decimal::Decimal;
use serde_json::Value as Json;

use super::zoo::Zoo;

/// A keeper of a zoo.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Keeper {
    pub(crate) id: Id<Self>,
    pub(crate) name: String,
    pub(crate) rank: i64,
    pub(crate) secret: Option<String>,
    pub(crate) badge: Option<String>,
    pub(crate) pin: Option<String>,
    pub(crate) pay: Option<Decimal>,
    pub(crate) notes: Option<Json>,
    pub(crate) active: bool,
    pub(crate) limit: Option<i32>,
    pub(crate) zoo_id: Option<Id<Zoo>>,
}

/// The values of a new keeper.
#[derive(Clone, Debug)]
pub(crate) struct NewKeeper {
    pub(crate) id: Id<Keeper>,
    pub(crate) name: String,
    pub(crate) rank: Option<i64>,
    pub(crate) secret: Option<String>,
    pub(crate) badge: Option<String>,
    pub(crate) pin: Option<String>,
    pub(crate) pay: Option<Decimal>,
    pub(crate) notes: Option<Json>,
    pub(crate) active: Option<bool>,
    pub(crate) limit: Option<i32>,
    pub(crate) zoo_id: Option<Id<Zoo>>,
}

impl NewKeeper {
    /// Creates the values of a new keeper from the required fields.
    pub(crate) fn new(id: Id<Keeper>, name: String) -> Self {
        Self {
            id,
            name,
            rank: None,
            secret: None,
            badge: None,
            pin: None,
            pay: None,
            notes: None,
            active: None,
            limit: None,
            zoo_id: None,
        }
    }
}

/// A patch of a keeper.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeeperPatch {
    pub(crate) name: Patch<String>,
    pub(crate) rank: Patch<i64>,
    pub(crate) secret: Patch<Option<String>>,
    pub(crate) pin: Patch<Option<String>>,
    pub(crate) pay: Patch<Option<Decimal>>,
    pub(crate) notes: Patch<Option<Json>>,
    pub(crate) active: Patch<bool>,
    pub(crate) limit: Patch<Option<i32>>,
    pub(crate) zoo_id: Patch<Option<Id<Zoo>>>,
}

/// The fields of a keeper, for queries.
#[derive(Clone, Copy)]
pub(crate) struct KeeperFields {
    pub(crate) id: v1::Field<Keeper, Id<Keeper>>,
    pub(crate) name: v1::Field<Keeper, String>,
    pub(crate) rank: v1::Field<Keeper, i64>,
    pub(crate) secret: v1::Field<Keeper, String>,
    pub(crate) badge: v1::Field<Keeper, String>,
    pub(crate) pin: v1::Field<Keeper, String>,
    pub(crate) pay: v1::Field<Keeper, Decimal>,
    pub(crate) notes: v1::Field<Keeper, Json>,
    pub(crate) active: v1::Field<Keeper, bool>,
    pub(crate) limit: v1::Field<Keeper, i32>,
    pub(crate) zoo_id: v1::Field<Keeper, Id<Zoo>>,
    pub(crate) created_at: v1::Field<Keeper, v1::Timestamp>,
    pub(crate) updated_at: v1::Field<Keeper, v1::Timestamp>,
}

const _: () = {
    static DEF: v1::ResourceDef = v1::ResourceDef {
        id: v1::IdKind::String,
        fields: &[
            v1::FieldDef {
                required: true,
                unique: true,
                ignore_case: true,
                ..v1::FieldDef::new("name", v1::FieldKind::String)
            },
            v1::FieldDef {
                required: true,
                default: Some(v1::DefaultDef::Value(v1::Literal::Integer(1))),
                minimum: Some(v1::Literal::Integer(1)),
                mode: v1::FieldMode::ReadOnly,
                ..v1::FieldDef::new("rank", v1::FieldKind::Integer)
            },
            v1::FieldDef {
                mode: v1::FieldMode::Hidden,
                ..v1::FieldDef::new("secret", v1::FieldKind::String)
            },
            v1::FieldDef {
                mode: v1::FieldMode::CreateOnly,
                ..v1::FieldDef::new("badge", v1::FieldKind::String)
            },
            v1::FieldDef {
                mode: v1::FieldMode::WriteOnly,
                ..v1::FieldDef::new("pin", v1::FieldKind::String)
            },
            v1::FieldDef::new("pay", v1::FieldKind::Decimal { scale: 2 }),
            v1::FieldDef::new("notes", v1::FieldKind::Json),
            v1::FieldDef {
                required: true,
                default: Some(v1::DefaultDef::Value(v1::Literal::Boolean(true))),
                ..v1::FieldDef::new("active", v1::FieldKind::Boolean)
            },
            v1::FieldDef::new("limit", v1::FieldKind::Integer),
            v1::FieldDef {
                reference: Some(v1::ReferenceDef {
                    resource: <Zoo as v1::Resource>::NAME,
                    alias: "zoo",
                    on_delete: v1::OnDelete::Restrict,
                    children: None,
                }),
                ..v1::FieldDef::new("zoo_id", v1::FieldKind::Reference)
            },
        ],
        sort: &[v1::SortDef { field: "rank", descending: true }],
        ..v1::ResourceDef::new("keeper", "keepers", "Keeper")
    };

    impl v1::HasId for Keeper {
        const RESOURCE: &'static str = "keeper";
        type Key = String;
    }

    impl v1::Resource for Keeper {
        const DEF: &'static v1::ResourceDef = &DEF;
        const TYPES: &'static [&'static v1::TypeDef] = &[];
        const NEIGHBOURS: &'static [&'static v1::ResourceDef] = &[<Zoo as v1::Resource>::DEF];
        type Parent = v1::NoParent;
        type New = NewKeeper;
        type Patch = KeeperPatch;
        type Fields = KeeperFields;
        const FIELDS: KeeperFields = KeeperFields {
            id: v1::Field::new(0),
            name: v1::Field::new(1),
            rank: v1::Field::new(2),
            secret: v1::Field::new(3),
            badge: v1::Field::new(4),
            pin: v1::Field::new(5),
            pay: v1::Field::new(6),
            notes: v1::Field::new(7),
            active: v1::Field::new(8),
            limit: v1::Field::new(9),
            zoo_id: v1::Field::new(10),
            created_at: v1::Field::new(11),
            updated_at: v1::Field::new(12),
        };
    }

    impl v1::SlotRecord for Keeper {
        fn read(slots: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self {
                id: v1::FieldType::take(slots, 0)?,
                name: v1::FieldType::take(slots, 1)?,
                rank: v1::FieldType::take(slots, 2)?,
                secret: v1::FieldType::take(slots, 3)?,
                badge: v1::FieldType::take(slots, 4)?,
                pin: v1::FieldType::take(slots, 5)?,
                pay: v1::FieldType::take(slots, 6)?,
                notes: v1::FieldType::take(slots, 7)?,
                active: v1::FieldType::take(slots, 8)?,
                limit: v1::FieldType::take(slots, 9)?,
                zoo_id: v1::FieldType::take(slots, 10)?,
            })
        }
        fn write(self, slots: &mut v1::Slots<'_>) {
            v1::FieldType::put(slots, 0, self.id);
            v1::FieldType::put(slots, 1, self.name);
            v1::FieldType::put(slots, 2, self.rank);
            v1::FieldType::put(slots, 3, self.secret);
            v1::FieldType::put(slots, 4, self.badge);
            v1::FieldType::put(slots, 5, self.pin);
            v1::FieldType::put(slots, 6, self.pay);
            v1::FieldType::put(slots, 7, self.notes);
            v1::FieldType::put(slots, 8, self.active);
            v1::FieldType::put(slots, 9, self.limit);
            v1::FieldType::put(slots, 10, self.zoo_id);
        }
    }

    impl v1::SlotRecord for NewKeeper {
        fn read(slots: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self {
                id: v1::FieldType::take(slots, 0)?,
                name: v1::FieldType::take(slots, 1)?,
                rank: v1::FieldType::take_optional(slots, 2)?,
                secret: v1::FieldType::take_optional(slots, 3)?,
                badge: v1::FieldType::take_optional(slots, 4)?,
                pin: v1::FieldType::take_optional(slots, 5)?,
                pay: v1::FieldType::take_optional(slots, 6)?,
                notes: v1::FieldType::take_optional(slots, 7)?,
                active: v1::FieldType::take_optional(slots, 8)?,
                limit: v1::FieldType::take_optional(slots, 9)?,
                zoo_id: v1::FieldType::take_optional(slots, 10)?,
            })
        }
        fn write(self, slots: &mut v1::Slots<'_>) {
            v1::FieldType::put(slots, 0, self.id);
            v1::FieldType::put(slots, 1, self.name);
            v1::FieldType::put_optional(slots, 2, self.rank);
            v1::FieldType::put_optional(slots, 3, self.secret);
            v1::FieldType::put_optional(slots, 4, self.badge);
            v1::FieldType::put_optional(slots, 5, self.pin);
            v1::FieldType::put_optional(slots, 6, self.pay);
            v1::FieldType::put_optional(slots, 7, self.notes);
            v1::FieldType::put_optional(slots, 8, self.active);
            v1::FieldType::put_optional(slots, 9, self.limit);
            v1::FieldType::put_optional(slots, 10, self.zoo_id);
        }
    }

    impl v1::SlotRecord for KeeperPatch {
        fn read(slots: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self {
                name: v1::FieldType::take_patch(slots, 1)?,
                rank: v1::FieldType::take_patch(slots, 2)?,
                secret: v1::FieldType::take_patch(slots, 3)?,
                pin: v1::FieldType::take_patch(slots, 5)?,
                pay: v1::FieldType::take_patch(slots, 6)?,
                notes: v1::FieldType::take_patch(slots, 7)?,
                active: v1::FieldType::take_patch(slots, 8)?,
                limit: v1::FieldType::take_patch(slots, 9)?,
                zoo_id: v1::FieldType::take_patch(slots, 10)?,
            })
        }
        fn write(self, slots: &mut v1::Slots<'_>) {
            v1::FieldType::put_patch(slots, 1, self.name);
            v1::FieldType::put_patch(slots, 2, self.rank);
            v1::FieldType::put_patch(slots, 3, self.secret);
            v1::FieldType::put_patch(slots, 5, self.pin);
            v1::FieldType::put_patch(slots, 6, self.pay);
            v1::FieldType::put_patch(slots, 7, self.notes);
            v1::FieldType::put_patch(slots, 8, self.active);
            v1::FieldType::put_patch(slots, 9, self.limit);
            v1::FieldType::put_patch(slots, 10, self.zoo_id);
        }
    }
};
