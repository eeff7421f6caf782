const _: () = {
    use ::nouns::__v1;
    static DEF: __v1::TypeDef = __v1::TypeDef {
        choices: &[__v1::Literal::String("draft"), __v1::Literal::String("published")],
        ..__v1::TypeDef::new("status", __v1::FieldKind::String)
    };
    #[automatically_derived]
    impl __v1::FieldType for Status {
        const DEF: &'static __v1::TypeDef = &DEF;
        fn into_value(self, _: __v1::FieldKind) -> __v1::Value {
            __v1::choice::store(&DEF, self as ::core::primitive::usize)
        }
        fn from_value(_: __v1::FieldKind, value: __v1::Value) -> __v1::Option<Self> {
            __v1::choice::load(&DEF, &value, [Self::Draft, Self::Published])
        }
    }
};
