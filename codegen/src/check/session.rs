//! Reads the key `auth.session`: the settings of sessions.

use super::context::Context;
use super::extensions::Extensions;
use super::map::Map;
use super::ruled::{ruled, seconds};
use crate::diagnostic::Problem;
use crate::draft::{Origin, Value};
use crate::language;
use crate::schema::{SameSite, Scheme, Session, SessionStore, duration};
use nouns_declaration::check::{self, SessionOutline};
use nouns_declaration::grammar::{COOKIE_DOMAIN, COOKIE_NAME, COOKIE_PATH, ENCLOSED_NAME, Rule};
use nouns_declaration::outline::{Mention, PlacedText};

/// The positions of the names with which a request may enclose the secret of a session.
#[derive(Clone, Copy, Default)]
pub(super) struct EnclosedPlaces {
    url_parameter: Option<Origin>,
    form_field: Option<Origin>,
}

impl EnclosedPlaces {
    /// The names in the settings, with their positions, for the checks across resources.
    pub(super) fn names(self, session: &Session) -> Vec<Mention<'_, Origin>> {
        let names = [
            ("url_parameter", session.url_parameter.as_deref(), self.url_parameter),
            ("form_field", session.form_field.as_deref(), self.form_field),
        ];
        let names = names.into_iter();
        names
            .filter_map(|(key, text, at)| {
                Some(Mention { key, field: PlacedText { text: text?, at: at? } })
            })
            .collect()
    }
}

/// Reads `session` in `auth`. Returns the positions of its names and its `x-…` keys separately.
pub(super) fn read(
    auth: &Map<'_>,
    schemes: &[Scheme],
    context: &mut Context,
) -> (Session, EnclosedPlaces, Extensions) {
    let Some(map) = auth.inner("session", &language::SESSION, context) else {
        return Default::default();
    };
    if !schemes.contains(&Scheme::Session) {
        let (key, text) = ("schemes".to_owned(), words(schemes));
        let rule = "a list with `session`, because `session` has settings";
        context.report(auth.place("schemes"), Problem::BadText { key, text, rule });
    }
    let mut text = |key, rule: Rule| ruled(&map, key, rule.says, rule.keeps, context);
    let cookie = text("cookie", COOKIE_NAME);
    let domain = text("domain", COOKIE_DOMAIN);
    let path = text("path", COOKIE_PATH);
    let usual = Session::default();
    let session = Session {
        store: map.word("store", SessionStore::WORDS, context).unwrap_or(usual.store),
        ttl_seconds: seconds(&map, "ttl", context).unwrap_or(usual.ttl_seconds),
        idle_seconds: idle(&map, context),
        cookie: cookie.unwrap_or(usual.cookie),
        domain,
        path: path.unwrap_or(usual.path),
        secure: map.holds("secure", context),
        http_only: map.holds("http_only", context),
        same_site: map.word("same_site", SameSite::WORDS, context).unwrap_or(usual.same_site),
        url_parameter: enclosed(&map, "url_parameter", context),
        form_field: enclosed(&map, "form_field", context),
    };
    for (key, problem) in check::sessions(&outline(&session)) {
        context.report(map.place(key), problem);
    }
    let place = |key| map.entry(key).map(|_| map.place(key));
    let places =
        EnclosedPlaces { url_parameter: place("url_parameter"), form_field: place("form_field") };
    (session, places, map.extensions)
}

/// The time between two requests. Without the key it is never longer than the session.
fn idle(map: &Map<'_>, context: &mut Context) -> u32 {
    let usual = Session::default();
    let given = map.entry("idle").and_then(|_| seconds(map, "idle", context));
    given.unwrap_or_else(|| {
        let ttl = map.entry("ttl").and_then(|entry| match &entry.value.value {
            Value::Text(text) => duration::seconds(text).ok(),
            _ => None,
        });
        ttl.map_or(usual.idle_seconds, |ttl| ttl.min(usual.idle_seconds))
    })
}

/// Reads the name of a query parameter or a form field. `off` is the same as none.
fn enclosed(map: &Map<'_>, key: &'static str, context: &mut Context) -> Option<String> {
    let name = ruled(map, key, ENCLOSED_NAME.says, ENCLOSED_NAME.keeps, context)?;
    if name == "off" {
        return None;
    }
    context.report(map.place(key), Problem::EnclosedSession { key });
    Some(name)
}

fn outline(session: &Session) -> SessionOutline<'_> {
    SessionOutline {
        ttl_seconds: session.ttl_seconds,
        idle_seconds: session.idle_seconds,
        cookie: &session.cookie,
        has_domain: session.domain.is_some(),
        path: &session.path,
        secure: session.secure,
        same_site: session.same_site,
    }
}

fn words(schemes: &[Scheme]) -> String {
    schemes.iter().map(|scheme| scheme.word()).collect::<Vec<_>>().join(", ")
}
