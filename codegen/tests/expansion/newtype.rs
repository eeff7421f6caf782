const _: () = {
    use ::nouns::__v1;
    static DEF: __v1::TypeDef = __v1::TypeDef {
        max_length: __v1::Some(254),
        format: __v1::Some(__v1::Format::Email),
        ..__v1::TypeDef::new("email", __v1::FieldKind::String)
    };
    #[automatically_derived]
    impl __v1::FieldType for Email {
        const DEF: &'static __v1::TypeDef = &DEF;
        fn into_value(self, kind: __v1::FieldKind) -> __v1::Value {
            <String as __v1::FieldType>::into_value(self.0, kind)
        }
        fn into_operand(self, kind: __v1::FieldKind) -> __v1::Value {
            <String as __v1::FieldType>::into_operand(self.0, kind)
        }
        fn from_value(kind: __v1::FieldKind, value: __v1::Value) -> __v1::Option<Self> {
            <String as __v1::FieldType>::from_value(kind, value).map(Self)
        }
    }
    #[automatically_derived]
    impl ::core::convert::From<String> for Email {
        fn from(inner: String) -> Self {
            Self(inner)
        }
    }
    #[automatically_derived]
    impl ::core::convert::From<&::core::primitive::str> for Email {
        fn from(text: &::core::primitive::str) -> Self {
            Self(__v1::String::from(text))
        }
    }
    __v1::serde_newtype!(Email, String);
};
