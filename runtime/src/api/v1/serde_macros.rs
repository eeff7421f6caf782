//! Macros that generated code calls to implement `Serialize` and `Deserialize`. Without the feature
//! `serde` they expand to nothing, so the derives generate the same code with and without it.

/// Implements `Serialize` and `Deserialize` for the structs of new members and of patches.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_records {
    ($resource:ty, $($form:ident $record:ty),*) => {$(
        #[automatically_derived]
        impl $crate::api::v1::wire::Serialize for $record {
            fn serialize<__S: $crate::api::v1::wire::Serializer>(
                &self,
                serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                let record = ::core::clone::Clone::clone(self);
                let form = $crate::api::v1::wire::WireForm::$form;
                $crate::api::v1::wire::serialize::<$resource, _, _>(record, form, serializer)
            }
        }

        #[automatically_derived]
        impl<'de> $crate::api::v1::wire::Deserialize<'de> for $record {
            fn deserialize<__D: $crate::api::v1::wire::Deserializer<'de>>(
                deserializer: __D,
            ) -> ::core::result::Result<Self, __D::Error> {
                let form = $crate::api::v1::wire::WireForm::$form;
                $crate::api::v1::wire::deserialize::<$resource, _, _>(form, deserializer)
            }
        }
    )*};
}

/// Implements `Serialize` and `Deserialize` for a newtype, as its inner type does.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_newtype {
    ($newtype:ty, $inner:ty) => {
        #[automatically_derived]
        impl $crate::api::v1::wire::Serialize for $newtype {
            fn serialize<__S: $crate::api::v1::wire::Serializer>(
                &self,
                serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                <$inner as $crate::api::v1::wire::Serialize>::serialize(&self.0, serializer)
            }
        }

        #[automatically_derived]
        impl<'de> $crate::api::v1::wire::Deserialize<'de> for $newtype {
            fn deserialize<__D: $crate::api::v1::wire::Deserializer<'de>>(
                deserializer: __D,
            ) -> ::core::result::Result<Self, __D::Error> {
                <$inner as $crate::api::v1::wire::Deserialize<'de>>::deserialize(deserializer)
                    .map(Self)
            }
        }
    };
}

/// Implements `Serialize` and `Deserialize` for an enum, by the values of its variants.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_choice {
    ($choice:ty) => {
        #[automatically_derived]
        impl $crate::api::v1::wire::Serialize for $choice {
            fn serialize<__S: $crate::api::v1::wire::Serializer>(
                &self,
                serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                $crate::api::v1::choice::serialize(self, serializer)
            }
        }

        #[automatically_derived]
        impl<'de> $crate::api::v1::wire::Deserialize<'de> for $choice {
            fn deserialize<__D: $crate::api::v1::wire::Deserializer<'de>>(
                deserializer: __D,
            ) -> ::core::result::Result<Self, __D::Error> {
                $crate::api::v1::choice::deserialize(deserializer)
            }
        }
    };
}

/// Expands to nothing, since the feature `serde` is off.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_records {
    ($($tokens:tt)*) => {};
}

/// Expands to nothing, since the feature `serde` is off.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_newtype {
    ($($tokens:tt)*) => {};
}

/// Expands to nothing, since the feature `serde` is off.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_choice {
    ($($tokens:tt)*) => {};
}

pub use __serde_choice as serde_choice;
pub use __serde_newtype as serde_newtype;
pub use __serde_records as serde_records;
