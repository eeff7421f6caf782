//! The macro that makes the enum of all mistakes from a table of codes, facts and messages.

/// Generates the enum `Problem`, its codes and its [`Display`](std::fmt::Display) from a table.
macro_rules! problems {
    ($(
        $(#[$doc:meta])*
        $code:ident $name:ident $({ $($fact:ident: $type:ty),* $(,)? })? => $sentence:literal,
    )*) => {
        /// A mistake in a declaration, as facts. The wording is only in its
        /// [`Display`](std::fmt::Display).
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the message of each variant explains its fields")]
        pub enum Problem {
            $($(#[$doc])* $name $({ $($fact: $type),* })?,)*
        }

        impl Problem {
            /// The codes of the table, one for each variant in order. A code may occur more than
            /// once.
            pub const CODES: &'static [&'static str] = &[$(stringify!($code)),*];

            /// The code of this problem, such as `N012`. A code never changes.
            #[must_use]
            pub const fn code(&self) -> &'static str {
                match self {
                    $(Self::$name { .. } => stringify!($code),)*
                }
            }
        }

        impl std::fmt::Display for Problem {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(Self::$name $({ $($fact),* })? => {
                        // Some facts are not in the message, but in the help text.
                        $($(let _ = $fact;)*)?
                        write!(formatter, $sentence)
                    })*
                }
            }
        }
    };
}

pub(super) use problems;
