//! Checks the settings of sessions that depend on each other.

use crate::{
    def::{SameSite, SessionDef},
    problem::{Problem, excerpt},
};

/// The longest `ttl`, in seconds. Browsers keep no cookie for longer (RFC 6265bis §5.5).
const TTL_SECONDS_MAX: u32 = 400 * 24 * 60 * 60;

/// The settings of sessions that the checks compare.
#[derive(Clone, Copy, Debug)]
pub struct SessionOutline<'a> {
    /// The longest time that a session lasts, in seconds.
    pub ttl_seconds: u32,
    /// The longest time between two requests, in seconds.
    pub idle_seconds: u32,
    /// The name of the cookie.
    pub cookie: &'a str,
    /// Whether the cookie has the attribute `Domain`.
    pub has_domain: bool,
    /// The attribute `Path`.
    pub path: &'a str,
    /// Whether the cookie always has the attribute `Secure`.
    pub secure: bool,
    /// The attribute `SameSite`.
    pub same_site: SameSite,
}

impl From<&SessionDef> for SessionOutline<'_> {
    fn from(def: &SessionDef) -> Self {
        Self {
            ttl_seconds: def.ttl_seconds,
            idle_seconds: def.idle_seconds,
            cookie: def.cookie,
            has_domain: def.domain.is_some(),
            path: def.path,
            secure: def.secure,
            same_site: def.same_site,
        }
    }
}

/// Checks the settings of sessions. Returns the problems, each with the key that it is about.
///
/// ```
/// use nouns_declaration::{check, def::SessionDef};
/// assert!(check::sessions(&(&SessionDef::DEFAULT).into()).is_empty());
/// let short = SessionDef { idle_seconds: 60, ..SessionDef::DEFAULT };
/// assert_eq!(check::sessions(&(&short).into())[0].0, "idle");
/// ```
#[must_use]
pub fn sessions(given: &SessionOutline<'_>) -> Vec<(&'static str, Problem)> {
    let mut found = Vec::new();
    let mut say = |key: &'static str, text: String, rule| {
        found.push((key, Problem::BadText { key: key.to_owned(), text, rule }));
    };
    let seconds = |seconds: u32| match seconds {
        0 => "0s".to_owned(),
        _ if seconds.is_multiple_of(86_400) => format!("{}d", seconds / 86_400),
        _ if seconds.is_multiple_of(3_600) => format!("{}h", seconds / 3_600),
        _ if seconds.is_multiple_of(60) => format!("{}m", seconds / 60),
        _ => format!("{seconds}s"),
    };
    if given.ttl_seconds < SessionDef::IDLE_SECONDS_MIN {
        let rule = "a duration of at least `2m`, the shortest `idle`";
        say("ttl", seconds(given.ttl_seconds), rule);
    } else if given.idle_seconds < SessionDef::IDLE_SECONDS_MIN {
        let rule = "a duration of at least `2m`, because the last use is stored once a minute";
        say("idle", seconds(given.idle_seconds), rule);
    } else if given.idle_seconds > given.ttl_seconds {
        say("idle", seconds(given.idle_seconds), "a duration of at most `ttl`");
    }
    if given.ttl_seconds > TTL_SECONDS_MAX {
        let rule = "a duration of at most `400d`, because browsers keep no cookie for longer";
        say("ttl", seconds(given.ttl_seconds), rule);
    }
    // Browsers ignore the case of the prefixes (RFC 6265bis §5.7).
    let has_prefix = |prefix: &str| {
        let start = given.cookie.get(..prefix.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    let is_of_host = given.secure && given.path == "/" && !given.has_domain;
    if has_prefix("__Host-") && !is_of_host {
        let rule = "a name without `__Host-`, unless `secure` is true, `path` is `/`, and there is \
                    no `domain`";
        say("cookie", excerpt(given.cookie), rule);
    }
    if has_prefix("__Secure-") && !given.secure {
        let rule = "a name without `__Secure-`, unless `secure` is true";
        say("cookie", excerpt(given.cookie), rule);
    }
    if given.same_site == SameSite::None && !given.secure {
        say("same_site", "none".to_owned(), "`strict` or `lax`, unless `secure` is true");
    }
    found
}
