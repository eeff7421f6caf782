/// The values of a new `Animal`.
#[allow(dead_code, non_camel_case_types)]
#[derive(::core::clone::Clone, ::core::fmt::Debug)]
pub struct NewAnimal {
    /// The field `name`.
    pub name: String,
    /// The field `mother_id`.
    pub mother_id: ::core::option::Option<Id<Animal>>,
    /// The field `weight_kg`.
    weight_kg: ::core::option::Option<f64>,
    /// How well it is.
    pub health: ::core::option::Option<Health>,
    /// The field `type`.
    pub r#type: String,
    /// The field `born`.
    pub(crate) born: ::nouns::__v1::Patch<Option<Date>>,
}
#[automatically_derived]
impl NewAnimal {
    /// A new `Animal` with its required values.
    pub fn new(name: String, r#type: String) -> Self {
        Self {
            name,
            mother_id: ::core::option::Option::None,
            weight_kg: ::core::option::Option::None,
            health: ::core::option::Option::None,
            r#type,
            born: ::nouns::__v1::Patch::Keep,
        }
    }
}
/// A change of one `Animal`; absent fields keep their values.
#[allow(dead_code, non_camel_case_types)]
#[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::default::Default)]
pub struct AnimalPatch {
    /// The field `name`.
    pub name: ::nouns::__v1::Patch<String>,
    /// The field `mother_id`.
    pub mother_id: ::nouns::__v1::Patch<Option<Id<Animal>>>,
    /// The field `weight_kg`.
    weight_kg: ::nouns::__v1::Patch<Option<f64>>,
    /// How well it is.
    pub health: ::nouns::__v1::Patch<Health>,
    /// The field `born`.
    pub(crate) born: ::nouns::__v1::Patch<Option<Date>>,
}
/// The fields of `Animal`, for filters and orders.
#[allow(dead_code, non_camel_case_types)]
pub struct AnimalFields {
    /// The field `id`.
    pub id: ::nouns::__v1::Field<Animal, Id<Animal>>,
    /// The field `zoo_id`.
    pub zoo_id: ::nouns::__v1::Field<Animal, Id<Zoo>>,
    /// The field `name`.
    pub name: ::nouns::__v1::Field<Animal, String>,
    /// The field `mother_id`.
    pub mother_id: ::nouns::__v1::Field<Animal, Id<Animal>>,
    /// The field `weight_kg`.
    weight_kg: ::nouns::__v1::Field<Animal, f64>,
    /// How well it is.
    pub health: ::nouns::__v1::Field<Animal, Health>,
    /// The field `type`.
    pub r#type: ::nouns::__v1::Field<Animal, String>,
    /// The field `born`.
    pub(crate) born: ::nouns::__v1::Field<Animal, Date>,
    /// The time of the creation.
    pub created_at: ::nouns::__v1::Field<Animal, ::nouns::__v1::Timestamp>,
    /// The time of the last change.
    pub updated_at: ::nouns::__v1::Field<Animal, ::nouns::__v1::Timestamp>,
}
const _: () = {
    use ::nouns::__v1;
    const DEFINITION: __v1::ResourceDef = __v1::ResourceDef {
        description: __v1::Some("An animal."),
        parent: __v1::Some(__v1::ParentDef {
            resource: <Zoo as __v1::Resource>::NAME,
            field: "zoo_id",
            on_delete: __v1::OnDelete::Restrict,
            movable: false,
            required: true,
        }),
        fields: &[
            __v1::FieldDef {
                required: true,
                ..__v1::FieldDef::new("name", __v1::FieldKind::String)
            },
            __v1::FieldDef {
                reference: __v1::Some(__v1::ReferenceDef {
                    resource: <__v1::Same<Animal> as __v1::Resource>::NAME,
                    alias: "mother",
                    on_delete: __v1::OnDelete::SetNull,
                    children: __v1::None,
                }),
                ..__v1::FieldDef::new("mother_id", __v1::FieldKind::Reference)
            },
            __v1::FieldDef {
                minimum: __v1::Some(__v1::Literal::Number(0.0)),
                ..__v1::FieldDef::new("weight_kg", __v1::FieldKind::Number)
            },
            __v1::FieldDef {
                required: true,
                default: __v1::Some(
                    __v1::DefaultDef::Value(
                        __v1::Literal::Integer(0)
                            .fitted(
                                <Health as __v1::FieldType>::DEF.kind,
                                "0.000000000000000000",
                            ),
                    ),
                ),
                description: __v1::Some("How well it is."),
                ..__v1::FieldDef::typed("health", <Health as __v1::FieldType>::DEF)
            },
            __v1::FieldDef {
                rust: "r#type",
                required: true,
                mode: __v1::FieldMode::CreateOnly,
                ..__v1::FieldDef::new("type", __v1::FieldKind::String)
            },
            __v1::FieldDef {
                default: __v1::Some(__v1::DefaultDef::Now),
                ..__v1::FieldDef::new("born", __v1::FieldKind::Date)
            },
        ],
        sort: &[
            __v1::SortDef {
                field: "weight_kg",
                descending: true,
            },
        ],
        ..__v1::ResourceDef::new("animal", "animals", "Animal")
    };
    static DEF: __v1::ResourceDef = DEFINITION;
    #[automatically_derived]
    impl __v1::HasId for Animal {
        const RESOURCE: &'static ::core::primitive::str = "animal";
        type Key = ::core::primitive::i64;
    }
    #[automatically_derived]
    impl __v1::Resource for Animal {
        const DEF: &'static __v1::ResourceDef = &DEF;
        const TYPES: &'static [&'static __v1::TypeDef] = &[
            <Health as __v1::FieldType>::DEF,
        ];
        const NEIGHBOURS: &'static [&'static __v1::ResourceDef] = &[
            <Zoo as __v1::Resource>::DEF,
            <__v1::Same<Animal> as __v1::Resource>::DEF,
        ];
        type Parent = Id<Zoo>;
        type New = NewAnimal;
        type Patch = AnimalPatch;
        type Fields = AnimalFields;
        const FIELDS: AnimalFields = AnimalFields {
            id: __v1::Field::new(0),
            zoo_id: __v1::Field::new(1),
            name: __v1::Field::new(2),
            mother_id: __v1::Field::new(3),
            weight_kg: __v1::Field::new(4),
            health: __v1::Field::new(5),
            r#type: __v1::Field::new(6),
            born: __v1::Field::new(7),
            created_at: __v1::Field::new(8),
            updated_at: __v1::Field::new(9),
        };
    }
    #[automatically_derived]
    impl __v1::SlotRecord for Animal {
        fn read(
            slots: &mut __v1::Slots<'_>,
        ) -> __v1::Result<Self, __v1::UnreadableValue> {
            __v1::Ok(Self {
                id: <Id<Animal> as __v1::FieldType>::take(slots, 0)?,
                zoo_id: <Id<Zoo> as __v1::FieldType>::take(slots, 1)?,
                name: <String as __v1::FieldType>::take(slots, 2)?,
                mother_id: <Option<Id<Animal>> as __v1::FieldType>::take(slots, 3)?,
                weight_kg: <Option<f64> as __v1::FieldType>::take(slots, 4)?,
                health: <Health as __v1::FieldType>::take(slots, 5)?,
                r#type: <String as __v1::FieldType>::take(slots, 6)?,
                born: <Option<Date> as __v1::FieldType>::take(slots, 7)?,
            })
        }
        fn write(self, slots: &mut __v1::Slots<'_>) {
            <Id<Animal> as __v1::FieldType>::put(slots, 0, self.id);
            <Id<Zoo> as __v1::FieldType>::put(slots, 1, self.zoo_id);
            <String as __v1::FieldType>::put(slots, 2, self.name);
            <Option<Id<Animal>> as __v1::FieldType>::put(slots, 3, self.mother_id);
            <Option<f64> as __v1::FieldType>::put(slots, 4, self.weight_kg);
            <Health as __v1::FieldType>::put(slots, 5, self.health);
            <String as __v1::FieldType>::put(slots, 6, self.r#type);
            <Option<Date> as __v1::FieldType>::put(slots, 7, self.born);
        }
    }
    #[automatically_derived]
    impl __v1::SlotRecord for NewAnimal {
        fn read(
            slots: &mut __v1::Slots<'_>,
        ) -> __v1::Result<Self, __v1::UnreadableValue> {
            __v1::Ok(Self {
                name: <String as __v1::FieldType>::take(slots, 2)?,
                mother_id: <Id<Animal> as __v1::FieldType>::take_optional(slots, 3)?,
                weight_kg: <f64 as __v1::FieldType>::take_optional(slots, 4)?,
                health: <Health as __v1::FieldType>::take_optional(slots, 5)?,
                r#type: <String as __v1::FieldType>::take(slots, 6)?,
                born: <Option<Date> as __v1::FieldType>::take_patch(slots, 7)?,
            })
        }
        fn write(self, slots: &mut __v1::Slots<'_>) {
            <String as __v1::FieldType>::put(slots, 2, self.name);
            <Id<Animal> as __v1::FieldType>::put_optional(slots, 3, self.mother_id);
            <f64 as __v1::FieldType>::put_optional(slots, 4, self.weight_kg);
            <Health as __v1::FieldType>::put_optional(slots, 5, self.health);
            <String as __v1::FieldType>::put(slots, 6, self.r#type);
            <Option<Date> as __v1::FieldType>::put_patch(slots, 7, self.born);
        }
    }
    #[automatically_derived]
    impl __v1::SlotRecord for AnimalPatch {
        fn read(
            slots: &mut __v1::Slots<'_>,
        ) -> __v1::Result<Self, __v1::UnreadableValue> {
            __v1::Ok(Self {
                name: <String as __v1::FieldType>::take_patch(slots, 2)?,
                mother_id: <Option<
                    Id<Animal>,
                > as __v1::FieldType>::take_patch(slots, 3)?,
                weight_kg: <Option<f64> as __v1::FieldType>::take_patch(slots, 4)?,
                health: <Health as __v1::FieldType>::take_patch(slots, 5)?,
                born: <Option<Date> as __v1::FieldType>::take_patch(slots, 7)?,
            })
        }
        fn write(self, slots: &mut __v1::Slots<'_>) {
            <String as __v1::FieldType>::put_patch(slots, 2, self.name);
            <Option<Id<Animal>> as __v1::FieldType>::put_patch(slots, 3, self.mother_id);
            <Option<f64> as __v1::FieldType>::put_patch(slots, 4, self.weight_kg);
            <Health as __v1::FieldType>::put_patch(slots, 5, self.health);
            <Option<Date> as __v1::FieldType>::put_patch(slots, 7, self.born);
        }
    }
    #[automatically_derived]
    impl ::core::convert::From<Animal> for NewAnimal {
        fn from(member: Animal) -> Self {
            Self {
                name: member.name,
                mother_id: member.mother_id,
                weight_kg: member.weight_kg,
                health: __v1::Some(member.health),
                r#type: member.r#type,
                born: __v1::Patch::Set(member.born),
            }
        }
    }
    #[automatically_derived]
    impl ::core::convert::From<Animal> for AnimalPatch {
        fn from(member: Animal) -> Self {
            Self {
                name: __v1::Patch::Set(member.name),
                mother_id: __v1::Patch::Set(member.mother_id),
                weight_kg: __v1::Patch::Set(member.weight_kg),
                health: __v1::Patch::Set(member.health),
                born: __v1::Patch::Set(member.born),
            }
        }
    }
    __v1::serde_records!(Animal, New NewAnimal, Patch AnimalPatch);
};
