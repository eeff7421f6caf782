/// The values of a new `Zoo`.
#[allow(dead_code, non_camel_case_types)]
#[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::default::Default)]
struct NewZoo {}
#[automatically_derived]
impl NewZoo {
    /// A new `Zoo` with its required values.
    fn new() -> Self {
        Self {}
    }
}
/// A change of one `Zoo`; absent fields keep their values.
#[allow(dead_code, non_camel_case_types)]
#[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::default::Default)]
struct ZooPatch {}
/// The fields of `Zoo`, for filters and orders.
#[allow(dead_code, non_camel_case_types)]
struct ZooFields {
    /// The field `id`.
    id: ::nouns::__v1::Field<Zoo, Id<Zoo>>,
    /// The time of the creation.
    created_at: ::nouns::__v1::Field<Zoo, ::nouns::__v1::Timestamp>,
    /// The time of the last change.
    updated_at: ::nouns::__v1::Field<Zoo, ::nouns::__v1::Timestamp>,
}
const _: () = {
    use ::nouns::__v1;
    const DEFINITION: __v1::ResourceDef = __v1::ResourceDef {
        deprecated: __v1::Some(__v1::DeprecationDef {
            since: __v1::Some("2026-01-01"),
            sunset: __v1::Some("2027-01-01"),
            ..__v1::DeprecationDef::UNDATED
        }),
        cache: __v1::Some(__v1::CacheDef {
            max_age_seconds: __v1::Some(60),
            visibility: __v1::Some(__v1::Visibility::Public),
            must_revalidate: true,
            ..__v1::CacheDef::EMPTY
        }),
        precondition: __v1::Precondition::Required,
        moved_from: &["/old_zoos", "/v1/zoos"],
        moved_to: __v1::Some("https://zoo.example/zoos"),
        ..__v1::ResourceDef::new("zoo", "zoos", "Zoo")
    };
    static DEF: __v1::ResourceDef = DEFINITION;
    #[automatically_derived]
    impl __v1::HasId for Zoo {
        const RESOURCE: &'static ::core::primitive::str = "zoo";
        type Key = ::core::primitive::i64;
    }
    #[automatically_derived]
    impl __v1::Resource for Zoo {
        const DEF: &'static __v1::ResourceDef = &DEF;
        const TYPES: &'static [&'static __v1::TypeDef] = &[];
        const NEIGHBOURS: &'static [&'static __v1::ResourceDef] = &[];
        type Parent = __v1::NoParent;
        type New = NewZoo;
        type Patch = ZooPatch;
        type Fields = ZooFields;
        const FIELDS: ZooFields = ZooFields {
            id: __v1::Field::new(0),
            created_at: __v1::Field::new(1),
            updated_at: __v1::Field::new(2),
        };
    }
    #[automatically_derived]
    impl __v1::SlotRecord for Zoo {
        fn read(
            slots: &mut __v1::Slots<'_>,
        ) -> __v1::Result<Self, __v1::UnreadableValue> {
            __v1::Ok(Self {
                id: <Id<Zoo> as __v1::FieldType>::take(slots, 0)?,
            })
        }
        fn write(self, slots: &mut __v1::Slots<'_>) {
            <Id<Zoo> as __v1::FieldType>::put(slots, 0, self.id);
        }
    }
    #[automatically_derived]
    impl __v1::SlotRecord for NewZoo {
        fn read(
            _slots: &mut __v1::Slots<'_>,
        ) -> __v1::Result<Self, __v1::UnreadableValue> {
            __v1::Ok(Self {})
        }
        fn write(self, _slots: &mut __v1::Slots<'_>) {}
    }
    #[automatically_derived]
    impl __v1::SlotRecord for ZooPatch {
        fn read(
            _slots: &mut __v1::Slots<'_>,
        ) -> __v1::Result<Self, __v1::UnreadableValue> {
            __v1::Ok(Self {})
        }
        fn write(self, _slots: &mut __v1::Slots<'_>) {}
    }
    #[automatically_derived]
    impl ::core::convert::From<Zoo> for NewZoo {
        fn from(_: Zoo) -> Self {
            Self {}
        }
    }
    #[automatically_derived]
    impl ::core::convert::From<Zoo> for ZooPatch {
        fn from(_: Zoo) -> Self {
            Self {}
        }
    }
    __v1::serde_records!(Zoo, New NewZoo, Patch ZooPatch);
};
