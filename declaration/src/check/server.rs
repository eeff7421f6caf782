//! Checks of CORS settings, which a program or a command-line flag can also set.

use super::{Fault, Faults};
use crate::{
    grammar::{FIELD_NAME, ORIGIN, PROXY},
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

/// Checks the addresses of the trusted proxies.
///
/// ```
/// use nouns_declaration::{check, outline::PlacedText};
/// let found = check::trusted_proxies(&[PlacedText { text: "10.0.0.0/33", at: () }]);
/// assert_eq!((found.len(), found[0].problem.code()), (1, "N021"));
/// ```
pub fn trusted_proxies<P: Copy>(proxies: &[PlacedText<'_, P>]) -> Vec<Fault<P>> {
    let mut found = Faults(Vec::new());
    for proxy in proxies {
        found.extend(proxy.at, PROXY.problem("trusted_proxies", proxy.text));
    }
    found.0
}
