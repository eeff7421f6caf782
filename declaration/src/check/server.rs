//! Checks of CORS settings, which a program or a command-line flag can also set.

use super::{Fault, Faults};
use crate::{
    grammar::{FIELD_NAME, ORIGIN},
    outline::PlacedText,
    problem::{Problem, excerpt},
};

/// Checks the allowed origins of CORS, and the names of the allowed request header fields.
///
/// ```
/// use nouns_declaration::{check, outline::PlacedText};
/// let any = [PlacedText { text: "*", at: () }];
/// let found = check::cors(&any, true, &[]);
/// assert_eq!((found.len(), found[0].problem.code()), (1, "N024"));
/// ```
pub fn cors<P: Copy>(
    origins: &[PlacedText<'_, P>],
    credentials: bool,
    headers: &[PlacedText<'_, P>],
) -> Vec<Fault<P>> {
    let mut found = Faults(Vec::new());
    for origin in origins {
        if origin.text != "*" {
            found.extend(origin.at, ORIGIN.problem("origins", origin.text));
        } else if credentials {
            found.say(origin.at, Problem::AnyOriginWithCredentials);
        } else if let Some(other) = origins.iter().find(|other| other.text != "*") {
            found.say(origin.at, Problem::AnyOriginAndOthers { other: excerpt(other.text) });
        }
    }
    for header in headers {
        found.extend(header.at, FIELD_NAME.problem("headers", header.text));
    }
    found.0
}
