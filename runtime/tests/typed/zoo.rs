//! A hand-written expansion of `#[derive(Resource)]`: the resources of `schemas/zoo.yaml` that
//! these tests use.
//!
//! The expansion refers only to one hidden module of the runtime, `v1`.

#![expect(
    dead_code,
    reason = "an expansion has tokens for all fields, and the tests use only some"
)]

use jiff::civil::Date;
use nouns_runtime::{Id, Patch, v1};

/// A zoo in a city.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Zoo {
    pub(crate) id: Id<Self>,
    pub(crate) name: String,
    pub(crate) city: Option<String>,
}

/// The values of a new zoo.
#[derive(Clone, Debug)]
pub(crate) struct NewZoo {
    pub(crate) name: String,
    pub(crate) city: Option<String>,
}

impl NewZoo {
    /// Creates the values of a new zoo from the required fields.
    pub(crate) fn new(name: String) -> Self {
        Self { name, city: None }
    }
}

/// A patch of a zoo.
#[derive(Clone, Debug, Default)]
pub(crate) struct ZooPatch {
    pub(crate) name: Patch<String>,
    pub(crate) city: Patch<Option<String>>,
}

/// The fields of a zoo, for queries.
#[derive(Clone, Copy)]
pub(crate) struct ZooFields {
    pub(crate) id: v1::Field<Zoo, Id<Zoo>>,
    pub(crate) name: v1::Field<Zoo, String>,
    pub(crate) city: v1::Field<Zoo, String>,
    pub(crate) created_at: v1::Field<Zoo, v1::Timestamp>,
    pub(crate) updated_at: v1::Field<Zoo, v1::Timestamp>,
}

const _: () = {
    static DEF: v1::ResourceDef = v1::ResourceDef {
        description: Some("A zoo."),
        fields: &[
            v1::FieldDef {
                required: true,
                unique: true,
                max_length: Some(80),
                ..v1::FieldDef::new("name", v1::FieldKind::String)
            },
            v1::FieldDef { index: true, ..v1::FieldDef::new("city", v1::FieldKind::String) },
        ],
        ..v1::ResourceDef::new("zoo", "zoos", "Zoo")
    };

    impl v1::HasId for Zoo {
        const RESOURCE: &'static str = "zoo";
        type Key = i64;
    }

    impl v1::Resource for Zoo {
        const DEF: &'static v1::ResourceDef = &DEF;
        const TYPES: &'static [&'static v1::TypeDef] = &[];
        const NEIGHBOURS: &'static [&'static v1::ResourceDef] = &[];
        type Parent = v1::NoParent;
        type New = NewZoo;
        type Patch = ZooPatch;
        type Fields = ZooFields;
        const FIELDS: ZooFields = ZooFields {
            id: v1::Field::new(0),
            name: v1::Field::new(1),
            city: v1::Field::new(2),
            created_at: v1::Field::new(3),
            updated_at: v1::Field::new(4),
        };
    }

    impl v1::SlotRecord for Zoo {
        fn read(slots: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self {
                id: v1::FieldType::take(slots, 0)?,
                name: v1::FieldType::take(slots, 1)?,
                city: v1::FieldType::take(slots, 2)?,
            })
        }
        fn write(self, slots: &mut v1::Slots<'_>) {
            v1::FieldType::put(slots, 0, self.id);
            v1::FieldType::put(slots, 1, self.name);
            v1::FieldType::put(slots, 2, self.city);
        }
    }

    impl v1::SlotRecord for NewZoo {
        fn read(slots: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self {
                name: v1::FieldType::take(slots, 1)?,
                city: v1::FieldType::take_optional(slots, 2)?,
            })
        }
        fn write(self, slots: &mut v1::Slots<'_>) {
            v1::FieldType::put(slots, 1, self.name);
            v1::FieldType::put_optional(slots, 2, self.city);
        }
    }

    impl v1::SlotRecord for ZooPatch {
        fn read(slots: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self {
                name: v1::FieldType::take_patch(slots, 1)?,
                city: v1::FieldType::take_patch(slots, 2)?,
            })
        }
        fn write(self, slots: &mut v1::Slots<'_>) {
            v1::FieldType::put_patch(slots, 1, self.name);
            v1::FieldType::put_patch(slots, 2, self.city);
        }
    }
};

/// An animal of a zoo.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Animal {
    pub(crate) id: Id<Self>,
    pub(crate) zoo_id: Id<Zoo>,
    pub(crate) name: String,
    pub(crate) mother_id: Option<Id<Self>>,
    pub(crate) weight_kg: Option<f64>,
    pub(crate) born: Option<Date>,
}

/// The values of a new animal.
#[derive(Clone, Debug)]
pub(crate) struct NewAnimal {
    pub(crate) name: String,
    pub(crate) mother_id: Option<Id<Animal>>,
    pub(crate) weight_kg: Option<f64>,
    pub(crate) born: Option<Date>,
}

impl NewAnimal {
    /// Creates the values of a new animal from the required fields.
    pub(crate) fn new(name: String) -> Self {
        Self { name, mother_id: None, weight_kg: None, born: None }
    }
}

/// A patch of an animal.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnimalPatch {
    pub(crate) name: Patch<String>,
    pub(crate) mother_id: Patch<Option<Id<Animal>>>,
    pub(crate) weight_kg: Patch<Option<f64>>,
    pub(crate) born: Patch<Option<Date>>,
}

/// The fields of an animal, for queries.
#[derive(Clone, Copy)]
pub(crate) struct AnimalFields {
    pub(crate) id: v1::Field<Animal, Id<Animal>>,
    pub(crate) zoo_id: v1::Field<Animal, Id<Zoo>>,
    pub(crate) name: v1::Field<Animal, String>,
    pub(crate) mother_id: v1::Field<Animal, Id<Animal>>,
    pub(crate) weight_kg: v1::Field<Animal, f64>,
    pub(crate) born: v1::Field<Animal, Date>,
    pub(crate) created_at: v1::Field<Animal, v1::Timestamp>,
    pub(crate) updated_at: v1::Field<Animal, v1::Timestamp>,
}

const _: () = {
    static DEF: v1::ResourceDef = v1::ResourceDef {
        parent: Some(v1::ParentDef {
            resource: <Zoo as v1::Resource>::NAME,
            field: "zoo_id",
            on_delete: v1::OnDelete::Restrict,
            movable: false,
            required: true,
        }),
        fields: &[
            v1::FieldDef { required: true, ..v1::FieldDef::new("name", v1::FieldKind::String) },
            v1::FieldDef {
                reference: Some(v1::ReferenceDef {
                    resource: <Animal as v1::Resource>::NAME,
                    alias: "mother",
                    on_delete: v1::OnDelete::SetNull,
                    children: None,
                }),
                ..v1::FieldDef::new("mother_id", v1::FieldKind::Reference)
            },
            v1::FieldDef {
                minimum: Some(v1::Literal::Number(0.0)),
                ..v1::FieldDef::new("weight_kg", v1::FieldKind::Number)
            },
            v1::FieldDef::new("born", v1::FieldKind::Date),
        ],
        sort: &[v1::SortDef { field: "name", descending: false }],
        ..v1::ResourceDef::new("animal", "animals", "Animal")
    };

    impl v1::HasId for Animal {
        const RESOURCE: &'static str = "animal";
        type Key = i64;
    }

    impl v1::Resource for Animal {
        const DEF: &'static v1::ResourceDef = &DEF;
        const TYPES: &'static [&'static v1::TypeDef] = &[];
        const NEIGHBOURS: &'static [&'static v1::ResourceDef] =
            &[<Zoo as v1::Resource>::DEF, <Animal as v1::Resource>::DEF];
        type Parent = Id<Zoo>;
        type New = NewAnimal;
        type Patch = AnimalPatch;
        type Fields = AnimalFields;
        const FIELDS: AnimalFields = AnimalFields {
            id: v1::Field::new(0),
            zoo_id: v1::Field::new(1),
            name: v1::Field::new(2),
            mother_id: v1::Field::new(3),
            weight_kg: v1::Field::new(4),
            born: v1::Field::new(5),
            created_at: v1::Field::new(6),
            updated_at: v1::Field::new(7),
        };
    }

    impl v1::SlotRecord for Animal {
        fn read(slots: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self {
                id: v1::FieldType::take(slots, 0)?,
                zoo_id: v1::FieldType::take(slots, 1)?,
                name: v1::FieldType::take(slots, 2)?,
                mother_id: v1::FieldType::take(slots, 3)?,
                weight_kg: v1::FieldType::take(slots, 4)?,
                born: v1::FieldType::take(slots, 5)?,
            })
        }
        fn write(self, slots: &mut v1::Slots<'_>) {
            v1::FieldType::put(slots, 0, self.id);
            v1::FieldType::put(slots, 1, self.zoo_id);
            v1::FieldType::put(slots, 2, self.name);
            v1::FieldType::put(slots, 3, self.mother_id);
            v1::FieldType::put(slots, 4, self.weight_kg);
            v1::FieldType::put(slots, 5, self.born);
        }
    }

    impl v1::SlotRecord for NewAnimal {
        fn read(slots: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self {
                name: v1::FieldType::take(slots, 2)?,
                mother_id: v1::FieldType::take_optional(slots, 3)?,
                weight_kg: v1::FieldType::take_optional(slots, 4)?,
                born: v1::FieldType::take_optional(slots, 5)?,
            })
        }
        fn write(self, slots: &mut v1::Slots<'_>) {
            v1::FieldType::put(slots, 2, self.name);
            v1::FieldType::put_optional(slots, 3, self.mother_id);
            v1::FieldType::put_optional(slots, 4, self.weight_kg);
            v1::FieldType::put_optional(slots, 5, self.born);
        }
    }

    impl v1::SlotRecord for AnimalPatch {
        fn read(slots: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self {
                name: v1::FieldType::take_patch(slots, 2)?,
                mother_id: v1::FieldType::take_patch(slots, 3)?,
                weight_kg: v1::FieldType::take_patch(slots, 4)?,
                born: v1::FieldType::take_patch(slots, 5)?,
            })
        }
        fn write(self, slots: &mut v1::Slots<'_>) {
            v1::FieldType::put_patch(slots, 2, self.name);
            v1::FieldType::put_patch(slots, 3, self.mother_id);
            v1::FieldType::put_patch(slots, 4, self.weight_kg);
            v1::FieldType::put_patch(slots, 5, self.born);
        }
    }
};
