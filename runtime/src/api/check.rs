//! Checks of the interface's own settings. The error messages are the same as those for a YAML
//! schema.

use nouns_declaration::{
    check,
    duration::{NO_TIME, whole_seconds},
    grammar::{
        BASE_PATH, COOKIE_DOMAIN, COOKIE_NAME, COOKIE_PATH, ENCLOSED_NAME, PUBLIC_URL, REALM,
    },
};

use super::Api;
use crate::model::{LinkProblem, Problem, Subject, def::Scheme};

/// The errors in the base path, the public URL, the realm, the extensions and the durations.
pub(super) fn facts(api: &Api) -> impl Iterator<Item = LinkProblem> {
    let base_path = api.base_path.as_deref().and_then(|path| BASE_PATH.problem("base_path", path));
    let public_url =
        api.public_url.as_deref().and_then(|url| PUBLIC_URL.problem("public_url", url));
    let realm = api.auth.as_ref().and_then(|auth| REALM.problem("realm", auth.def().realm));
    let bad =
        base_path.into_iter().chain(public_url).chain(realm).chain(sessions(api)).chain(jwt(api));
    let contact = api.contact.iter().map(|contact| &contact.extensions);
    let license = api.license.iter().map(|license| &license.extensions);
    let extensions = [&api.extensions].into_iter().chain(contact).chain(license);
    let found =
        bad.chain(durations(api)).chain(extensions.flat_map(|given| self::extensions(given)));
    found.map(|problem| LinkProblem::new(Subject::Interface, problem))
}

/// The errors in the settings of sessions.
fn sessions(api: &Api) -> Vec<Problem> {
    let Some(auth) = &api.auth else { return vec![] };
    let def = auth.def();
    let session = def.session;
    let mut problems = vec![];
    if auth.session.is_some() && !def.has(Scheme::Session) {
        let text = def.schemes.iter().map(|scheme| scheme.word()).collect::<Vec<_>>().join(", ");
        let rule = "a list with `session`, because `session` has settings";
        problems.push(Problem::BadText { key: "schemes".to_owned(), text, rule });
    }
    problems.extend(COOKIE_NAME.problem("cookie", session.cookie));
    problems.extend(session.domain.and_then(|domain| COOKIE_DOMAIN.problem("domain", domain)));
    problems.extend(COOKIE_PATH.problem("path", session.path));
    for (key, name) in
        [("url_parameter", session.url_parameter), ("form_field", session.form_field)]
    {
        problems.extend(name.and_then(|name| ENCLOSED_NAME.problem(key, name)));
    }
    problems.extend(check::sessions(&(&session).into()).into_iter().map(|(_, problem)| problem));
    problems
}

/// The errors in the settings of tokens of another issuer.
fn jwt(api: &Api) -> Vec<Problem> {
    let Some((auth, jwt)) = api.auth.as_ref().and_then(|auth| Some((auth, auth.jwt.as_ref()?)))
    else {
        return vec![];
    };
    let mut problems = jwt.problems();
    let def = auth.def();
    if !def.has(Scheme::Bearer) {
        let text = def.schemes.iter().map(|scheme| scheme.word()).collect::<Vec<_>>().join(", ");
        let rule = "a list with `bearer`, because `jwt` has settings";
        problems.push(Problem::BadText { key: "schemes".to_owned(), text, rule });
    }
    problems
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

/// The errors in the durations of the CORS policy, of `Idempotency-Key` and of sessions.
fn durations(api: &Api) -> impl Iterator<Item = Problem> {
    let max_age = api.cors.as_ref().and_then(|cors| cors.max_age);
    let sessions = api.auth.as_ref().and_then(|auth| auth.session.as_ref());
    let confirm_within = api.auth.as_ref().and_then(|auth| auth.confirm_within);
    let (ttl, idle) = sessions.map_or((None, None), |given| (given.ttl, given.idle));
    let given = [
        ("max_age", max_age),
        ("keep", api.idempotency_keep),
        ("confirm_within", confirm_within),
        ("ttl", ttl),
        ("idle", idle),
        ("max_age", api.hsts.map(|hsts| hsts.max_age)),
    ];
    let given = given.into_iter();
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
