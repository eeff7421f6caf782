//! Checks of the interface's own settings. The error messages are the same as those for a YAML
//! schema.

use nouns_declaration::{
    duration::{NO_TIME, whole_seconds},
    grammar::{BASE_PATH, PUBLIC_URL, REALM},
};

use super::Api;
use crate::model::{LinkProblem, Problem, Subject};

/// The errors in the base path, the public URL, the realm, the extensions and the durations.
pub(super) fn facts(api: &Api) -> impl Iterator<Item = LinkProblem> {
    let base_path = api.base_path.as_deref().and_then(|path| BASE_PATH.problem("base_path", path));
    let public_url =
        api.public_url.as_deref().and_then(|url| PUBLIC_URL.problem("public_url", url));
    let realm = api.auth.as_ref().and_then(|auth| REALM.problem("realm", auth.def().realm));
    let bad = base_path.into_iter().chain(public_url).chain(realm);
    let contact = api.contact.iter().map(|contact| &contact.extensions);
    let license = api.license.iter().map(|license| &license.extensions);
    let extensions = [&api.extensions].into_iter().chain(contact).chain(license);
    let found =
        bad.chain(durations(api)).chain(extensions.flat_map(|given| self::extensions(given)));
    found.map(|problem| LinkProblem::new(Subject::Interface, problem))
}

/// The errors in extensions, which are keys that begin with `x-`.
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
            problems
                .push(Problem::ExtensionNotJson { name: name.clone(), reason: error.to_string() });
        }
    }
    problems
}

/// The errors in the durations of the CORS policy and of `Idempotency-Key`.
fn durations(api: &Api) -> impl Iterator<Item = Problem> {
    let max_age = api.cors.as_ref().and_then(|cors| cors.max_age);
    let given = [("max_age", max_age), ("keep", api.idempotency_keep)].into_iter();
    given.filter_map(|(key, duration)| {
        let duration = duration?;
        let rule = match whole_seconds(duration) {
            Err(rule) => rule,
            Ok(0) if key == "keep" => NO_TIME,
            Ok(_) => return None,
        };
        let text = if duration.is_zero() { "0s".into() } else { format!("{duration:?}") };
        Some(Problem::BadText { key: key.to_owned(), text, rule })
    })
}
