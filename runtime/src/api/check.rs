//! What is wrong with the facts about an interface, in the sentences of the checker.

use super::Api;
use crate::model::{LinkProblem, Problem, Subject, is_path, is_web_url};

/// What is wrong with them.
pub(super) fn facts(api: &Api) -> impl Iterator<Item = LinkProblem> {
    let base_path = api.base_path.as_deref().filter(|path| !is_path(path));
    let public_url = api.public_url.as_deref().filter(|url| !is_web_url(url));
    let path = "a path like `/api/v1`: `/`, then segments of letters, digits, `-`, `.`, `_` and `~`";
    let url =
        "an absolute `http` or `https` URL without user, query and fragment, like `https://zoo.example.org`";
    let ruled = [("base_path", base_path, path), ("public_url", public_url, url)];
    let bad = ruled.into_iter().filter_map(|(key, text, rule)| Some((key, text?, rule)));
    let bad = bad.map(|(key, text, rule)| ruled_out(key, text.to_owned(), rule));
    let contact = api.contact.iter().map(|contact| &contact.extensions);
    let license = api.license.iter().map(|license| &license.extensions);
    let extensions = [&api.extensions].into_iter().chain(contact).chain(license);
    let found = bad.chain(durations(api)).chain(extensions.flat_map(|given| self::extensions(given)));
    found.map(|problem| LinkProblem::new(Subject::Interface, problem))
}

fn ruled_out(key: &str, text: String, rule: &'static str) -> Problem {
    Problem::BadText { key: key.to_owned(), text, rule }
}

/// What is wrong with `x-…` keys.
fn extensions(given: &[(String, String)]) -> Vec<Problem> {
    let mut problems = vec![];
    for (at, (name, json)) in given.iter().enumerate() {
        if !name.starts_with("x-") || name.len() < 3 {
            problems.push(Problem::BadExtension { name: name.clone() });
        }
        if given[..at].iter().any(|(other, _)| other == name) {
            problems.push(Problem::DuplicateKey { key: name.clone() });
        }
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(json) {
            problems.push(Problem::ExtensionNotJson { name: name.clone(), reason: error.to_string() });
        }
    }
    problems
}

/// What is wrong with durations, which a declaration counts in whole seconds.
fn durations(api: &Api) -> impl Iterator<Item = Problem> {
    let max_age = api.cors.as_ref().and_then(|cors| cors.max_age);
    let given = [("max_age", max_age), ("keep", api.idempotency_keep)].into_iter();
    given.filter_map(|(key, duration)| {
        let duration = duration?;
        let rule = match duration {
            _ if duration.subsec_nanos() > 0 => "a duration in whole seconds, like `1s`",
            _ if duration.as_secs() > SECONDS_MAX => "a duration of at most 2147483648 seconds",
            _ if key == "keep" && duration.is_zero() => "a duration of at least one second",
            _ => return None,
        };
        let said = if duration.is_zero() { "0s".into() } else { format!("{duration:?}") };
        Some(ruled_out(key, said, rule))
    })
}

/// The longest duration in seconds: what RFC 9111 §1.2.2 asks every cache to understand.
const SECONDS_MAX: u64 = 1 << 31;
