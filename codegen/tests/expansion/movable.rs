/// The values of a new `Animal`.
#[allow(dead_code, non_camel_case_types)]
#[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::default::Default)]
struct NewAnimal {
    /// The field `id`.
    id: ::core::option::Option<Id<Animal>>,
    /// The field `zoo_id`.
    zoo_id: ::core::option::Option<Id<Zoo>>,
}
#[automatically_derived]
impl NewAnimal {
    /// A new `Animal` with its required values.
    fn new() -> Self {
        Self {
            id: ::core::option::Option::None,
            zoo_id: ::core::option::Option::None,
        }
    }
}
/// A change of one `Animal`; absent fields keep their values.
#[allow(dead_code, non_camel_case_types)]
#[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::default::Default)]
struct AnimalPatch {
    /// The field `zoo_id`.
    zoo_id: ::nouns::__v1::Patch<Id<Zoo>>,
}
/// The fields of `Animal`, for filters and orders.
#[allow(dead_code, non_camel_case_types)]
struct AnimalFields {
    /// The field `id`.
    id: ::nouns::__v1::Field<Animal, Id<Animal>>,
    /// The field `zoo_id`.
    zoo_id: ::nouns::__v1::Field<Animal, Id<Zoo>>,
    /// The time of the creation.
    created_at: ::nouns::__v1::Field<Animal, ::nouns::__v1::Timestamp>,
    /// The time of the last change.
    updated_at: ::nouns::__v1::Field<Animal, ::nouns::__v1::Timestamp>,
}
const _: () = {
    use ::nouns::__v1;
    const DEFINITION: __v1::ResourceDef = __v1::ResourceDef {
        parent: __v1::Some(__v1::ParentDef {
            resource: <Zoo as __v1::Resource>::NAME,
            field: "zoo_id",
            on_delete: __v1::OnDelete::Restrict,
            movable: true,
            required: true,
        }),
        optional_id: true,
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
        const TYPES: &'static [&'static __v1::TypeDef] = &[];
        const NEIGHBOURS: &'static [&'static __v1::ResourceDef] = &[
            <Zoo as __v1::Resource>::DEF,
        ];
        type Parent = Id<Zoo>;
        type New = NewAnimal;
        type Patch = AnimalPatch;
        type Fields = AnimalFields;
        const FIELDS: AnimalFields = AnimalFields {
            id: __v1::Field::new(0),
            zoo_id: __v1::Field::new(1),
            created_at: __v1::Field::new(2),
            updated_at: __v1::Field::new(3),
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
            })
        }
        fn write(self, slots: &mut __v1::Slots<'_>) {
            <Id<Animal> as __v1::FieldType>::put(slots, 0, self.id);
            <Id<Zoo> as __v1::FieldType>::put(slots, 1, self.zoo_id);
        }
    }
    #[automatically_derived]
    impl __v1::SlotRecord for NewAnimal {
        fn read(
            slots: &mut __v1::Slots<'_>,
        ) -> __v1::Result<Self, __v1::UnreadableValue> {
            __v1::Ok(Self {
                id: <Id<Animal> as __v1::FieldType>::take_optional(slots, 0)?,
                zoo_id: <Id<Zoo> as __v1::FieldType>::take_optional(slots, 1)?,
            })
        }
        fn write(self, slots: &mut __v1::Slots<'_>) {
            <Id<Animal> as __v1::FieldType>::put_optional(slots, 0, self.id);
            <Id<Zoo> as __v1::FieldType>::put_optional(slots, 1, self.zoo_id);
        }
    }
    #[automatically_derived]
    impl __v1::SlotRecord for AnimalPatch {
        fn read(
            slots: &mut __v1::Slots<'_>,
        ) -> __v1::Result<Self, __v1::UnreadableValue> {
            __v1::Ok(Self {
                zoo_id: <Id<Zoo> as __v1::FieldType>::take_patch(slots, 1)?,
            })
        }
        fn write(self, slots: &mut __v1::Slots<'_>) {
            <Id<Zoo> as __v1::FieldType>::put_patch(slots, 1, self.zoo_id);
        }
    }
    #[automatically_derived]
    impl ::core::convert::From<Animal> for NewAnimal {
        fn from(member: Animal) -> Self {
            Self {
                id: __v1::Some(member.id),
                zoo_id: __v1::Some(member.zoo_id),
            }
        }
    }
    #[automatically_derived]
    impl ::core::convert::From<Animal> for AnimalPatch {
        fn from(member: Animal) -> Self {
            Self {
                zoo_id: __v1::Patch::Set(member.zoo_id),
            }
        }
    }
    __v1::serde_records!(Animal, New NewAnimal, Patch AnimalPatch);
};
