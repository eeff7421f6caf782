::core::compile_error! {
    "N065: unknown field `nmae` of `zoo`; did you mean `name`?"
}
/// The values of a new `Zoo`.
#[allow(dead_code, non_camel_case_types)]
#[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::default::Default)]
struct NewZoo {
    /// The field `name`.
    name: ::core::option::Option<String>,
}
#[automatically_derived]
impl NewZoo {
    /// A new `Zoo` with its required values.
    fn new() -> Self {
        Self {
            name: ::core::option::Option::None,
        }
    }
}
/// A change of one `Zoo`; absent fields keep their values.
#[allow(dead_code, non_camel_case_types)]
#[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::default::Default)]
struct ZooPatch {
    /// The field `name`.
    name: ::nouns::__v1::Patch<Option<String>>,
}
/// The fields of `Zoo`, for filters and orders.
#[allow(dead_code, non_camel_case_types)]
struct ZooFields {
    /// The field `id`.
    id: ::nouns::__v1::Field<Zoo, Id<Zoo>>,
    /// The field `name`.
    name: ::nouns::__v1::Field<Zoo, String>,
    /// The time of the creation.
    created_at: ::nouns::__v1::Field<Zoo, ::nouns::__v1::Timestamp>,
    /// The time of the last change.
    updated_at: ::nouns::__v1::Field<Zoo, ::nouns::__v1::Timestamp>,
}
const _: () = {
    use ::nouns::__v1;
    #[automatically_derived]
    impl __v1::HasId for Zoo {
        const RESOURCE: &'static ::core::primitive::str = "zoo";
        type Key = ::core::primitive::i64;
    }
    static DEF: __v1::ResourceDef = __v1::ResourceDef::new("zoo", "zoo", "Zoo");
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
            name: __v1::Field::new(1),
            created_at: __v1::Field::new(2),
            updated_at: __v1::Field::new(3),
        };
    }
    #[automatically_derived]
    impl __v1::SlotRecord for Zoo {
        fn read(_: &mut __v1::Slots<'_>) -> __v1::Result<Self, __v1::UnreadableValue> {
            ::core::unreachable!()
        }
        fn write(self, _: &mut __v1::Slots<'_>) {}
    }
    #[automatically_derived]
    impl __v1::SlotRecord for NewZoo {
        fn read(_: &mut __v1::Slots<'_>) -> __v1::Result<Self, __v1::UnreadableValue> {
            ::core::unreachable!()
        }
        fn write(self, _: &mut __v1::Slots<'_>) {}
    }
    #[automatically_derived]
    impl __v1::SlotRecord for ZooPatch {
        fn read(_: &mut __v1::Slots<'_>) -> __v1::Result<Self, __v1::UnreadableValue> {
            ::core::unreachable!()
        }
        fn write(self, _: &mut __v1::Slots<'_>) {}
    }
    #[automatically_derived]
    impl ::core::convert::From<Zoo> for NewZoo {
        fn from(member: Zoo) -> Self {
            Self { name: member.name }
        }
    }
    #[automatically_derived]
    impl ::core::convert::From<Zoo> for ZooPatch {
        fn from(member: Zoo) -> Self {
            Self {
                name: __v1::Patch::Set(member.name),
            }
        }
    }
    __v1::serde_records!(Zoo, New NewZoo, Patch ZooPatch);
};
