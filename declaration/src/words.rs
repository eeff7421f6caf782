//! Enums whose variants have a name in the schema language.

/// Generates an enum, and the name of each variant in the schema language.
#[doc(hidden)]
#[macro_export]
macro_rules! words {
    ($(#[$doc:meta])* pub enum $name:ident {
        $($(#[$inner:meta])* $variant:ident = $word:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$inner])* $variant,)*
        }

        impl $name {
            /// Each name in the schema language with its variant.
            pub const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant)),*];

            /// The name of this variant in the schema language.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }
    };
}
