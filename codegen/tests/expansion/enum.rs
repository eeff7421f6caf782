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
            __v1::choice::load(&DEF, &value, VARIANTS)
        }
    }
    const VARIANTS: &[Status] = &[Status::Draft, Status::Published];
    #[automatically_derived]
    #[allow(dead_code)]
    impl Status {
        /// All values of `Status`, as declared.
        const ALL: &'static [Self] = VARIANTS;
        /// The declared value, as text.
        #[must_use]
        const fn as_str(&self) -> &'static ::core::primitive::str {
            match self {
                Self::Draft => "draft",
                Self::Published => "published",
            }
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Display for Status {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.pad(self.as_str())
        }
    }
    #[automatically_derived]
    impl ::core::str::FromStr for Status {
        type Err = __v1::UnknownChoice;
        fn from_str(text: &::core::primitive::str) -> __v1::Result<Self, Self::Err> {
            __v1::choice::parse(&DEF, text, VARIANTS)
        }
    }
    __v1::serde_choice!(Status);
};
