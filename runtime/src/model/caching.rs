//! The values of `Cache-Control` for representations of a resource (RFC 9111 §5.2.2). They are
//! created once, when the resource is linked.

use std::fmt::Write as _;

use http::HeaderValue;

use crate::{
    base::interner,
    model::{
        Model, ResourceIx, ResourceModel,
        def::{CacheDef, Visibility},
    },
};

/// Every cache may store the response, but must validate it before each use. If the response has an
/// entity tag and is unchanged, the validation gets a 304 without content.
pub(crate) const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

/// Only the cache of the client may store the response, and must validate it before each use.
pub(crate) const ASK_AGAIN_ALONE: HeaderValue = HeaderValue::from_static("private, no-cache");

/// No cache may store the response.
pub(crate) const NEVER: HeaderValue = HeaderValue::from_static("no-store");

/// The values of `Cache-Control` for representations of a resource.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Caching {
    /// The value for responses that are equal for all clients.
    shared: HeaderValue,
    /// The value for a client that its cookie may name (RFC 9111 §3.5). It contains `private`,
    /// unless the declaration says `public` and no rule decides what the client gets.
    by_cookie: HeaderValue,
    /// The value for a client that is named in another way. The cache of a browser does not see the
    /// credentials that the browser adds by itself, so it must validate what rules have decided.
    by_other: HeaderValue,
    /// Whether access rules decide which rows or fields a client gets.
    pub(crate) is_ruled: bool,
    /// The declaration. Without one, caches validate each response before they use it.
    def: CacheDef,
}

/// The part of a request that tells an HTTP cache who has sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    /// Nothing names the client.
    Unknown,
    /// A cookie may name the client.
    Cookie,
    /// `Authorization` may name the client, or the program does.
    Other,
}

impl Caching {
    /// Creates the values from the declaration. Without a declaration, caches may store a
    /// representation and must validate it before each use. `is_ruled` says whether access rules
    /// decide which rows or fields a client gets. Then even a `public` representation for a client
    /// that is known is for it alone.
    pub(crate) fn of(def: Option<&CacheDef>, is_ruled: bool) -> Self {
        let same = |shared: HeaderValue, known: HeaderValue| {
            let (by_cookie, def) = (known.clone(), def.copied().unwrap_or_default());
            Self { shared, by_cookie, by_other: known, is_ruled, def }
        };
        let Some(def) = def else { return same(ASK_AGAIN, ASK_AGAIN_ALONE) };
        if def.no_store {
            return same(NEVER, NEVER);
        }
        let anybody = interner::field(&spell(def));
        if def.visibility == Some(Visibility::Public) && !is_ruled {
            return same(anybody.clone(), anybody);
        }
        // `s-maxage` is for shared caches, which do not store a private response.
        let private =
            CacheDef { visibility: Some(Visibility::Private), s_maxage_seconds: None, ..*def };
        let caching = same(anybody, interner::field(&spell(&private)));
        if is_ruled { Self { by_other: ASK_AGAIN_ALONE, ..caching } } else { caching }
    }

    /// Returns the values for a response that has rows of both resources. It is stored by no cache
    /// that may not store both, and for no longer than either.
    fn strictest(&self, other: &Self) -> Self {
        let (one, other, is_ruled) = (&self.def, &other.def, self.is_ruled || other.is_ruled);
        if one == other && is_ruled == self.is_ruled {
            return self.clone();
        }
        let least = |one: Option<u32>, other: Option<u32>| Some(one?.min(other?));
        // Shared caches take `max-age` where there is no `s-maxage`.
        let of_shared = |def: &CacheDef| def.s_maxage_seconds.or(def.max_age_seconds);
        let is_for_shared = one.s_maxage_seconds.or(other.s_maxage_seconds).is_some();
        let of_shared = least(of_shared(one), of_shared(other)).filter(|_| is_for_shared);
        let visibility = [one.visibility, other.visibility];
        let def = CacheDef {
            max_age_seconds: least(one.max_age_seconds, other.max_age_seconds),
            s_maxage_seconds: of_shared,
            visibility: match visibility {
                [Some(Visibility::Public), Some(Visibility::Public)] => Some(Visibility::Public),
                _ if visibility.contains(&Some(Visibility::Private)) => Some(Visibility::Private),
                _ => None,
            },
            no_store: one.no_store || other.no_store,
            must_revalidate: one.must_revalidate || other.must_revalidate,
            stale_while_revalidate_seconds: least(
                one.stale_while_revalidate_seconds,
                other.stale_while_revalidate_seconds,
            ),
            stale_if_error_seconds: least(one.stale_if_error_seconds, other.stale_if_error_seconds),
        };
        Self::of(Some(&def), is_ruled)
    }

    /// Returns the value for a client.
    pub(crate) const fn value(&self, sender: Sender) -> &HeaderValue {
        match sender {
            Sender::Unknown => &self.shared,
            Sender::Cookie => &self.by_cookie,
            Sender::Other => &self.by_other,
        }
    }
}

impl Model {
    /// The values of `Cache-Control` for responses that have rows of a resource, and of those that
    /// are passed besides: the strictest of them.
    pub(crate) fn caching(&self, resource: &ResourceModel, passed: &[ResourceIx]) -> Caching {
        let others = passed.iter().map(|ix| &self[*ix].caching);
        others.fold(resource.caching.clone(), |strict, other| strict.strictest(other))
    }
}

/// Formats the directives in the order of RFC 9111 and RFC 5861, separated by commas.
fn spell(def: &CacheDef) -> String {
    let mut text = String::new();
    match def.visibility {
        Some(Visibility::Public) => text.push_str("public, "),
        Some(Visibility::Private) => text.push_str("private, "),
        None => {}
    }
    // Without `max-age`, a cache may estimate how long the response is fresh (RFC 9111 §4.2.2).
    match (def.max_age_seconds, def.s_maxage_seconds) {
        (Some(seconds), _) => age(&mut text, "max-age", Some(seconds)),
        (None, Some(_)) => age(&mut text, "max-age", Some(0)),
        (None, None) => text.push_str("no-cache, "),
    }
    age(&mut text, "s-maxage", def.s_maxage_seconds);
    if def.must_revalidate {
        text.push_str("must-revalidate, ");
    }
    age(&mut text, "stale-while-revalidate", def.stale_while_revalidate_seconds);
    age(&mut text, "stale-if-error", def.stale_if_error_seconds);
    text.truncate(text.len() - ", ".len());
    text
}

fn age(text: &mut String, directive: &str, seconds: Option<u32>) {
    if let Some(seconds) = seconds {
        write!(text, "{directive}={seconds}, ").expect("writing to a String never fails");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(def: CacheDef) -> (String, String) {
        let caching = Caching::of(Some(&def), false);
        let text = |sender| caching.value(sender).to_str().unwrap().to_owned();
        assert_eq!(text(Sender::Cookie), text(Sender::Other));
        (text(Sender::Unknown), text(Sender::Cookie))
    }

    fn both(anybody: &str, somebody: &str) -> (String, String) {
        (anybody.to_owned(), somebody.to_owned())
    }

    #[test]
    fn what_is_not_declared_public_is_private_to_somebody() {
        let hour = CacheDef { max_age_seconds: Some(3600), ..CacheDef::default() };
        assert_eq!(made(hour), both("max-age=3600", "private, max-age=3600"));
        let public = CacheDef { visibility: Some(Visibility::Public), ..hour };
        assert_eq!(made(public), both("public, max-age=3600", "public, max-age=3600"));
        let private = CacheDef { visibility: Some(Visibility::Private), ..hour };
        assert_eq!(made(private), both("private, max-age=3600", "private, max-age=3600"));
        let shared = CacheDef { s_maxage_seconds: Some(60), ..CacheDef::default() };
        assert_eq!(made(shared), both("max-age=0, s-maxage=60", "private, no-cache"));
    }

    /// Conformance 106: what rules decide for a known client is for it alone.
    #[test]
    fn what_rules_decide_is_private_to_somebody_whatever_is_declared() {
        for (visibility, shared) in
            [(None, "max-age=60"), (Some(Visibility::Public), "public, max-age=60")]
        {
            let def = CacheDef { max_age_seconds: Some(60), visibility, ..CacheDef::default() };
            let caching = Caching::of(Some(&def), true);
            let text = |sender| caching.value(sender).to_str().unwrap().to_owned();
            let all = [Sender::Unknown, Sender::Cookie, Sender::Other].map(text);
            assert_eq!(all, [shared, "private, max-age=60", "private, no-cache"]);
        }
        let never = CacheDef { no_store: true, ..CacheDef::default() };
        assert_eq!(Caching::of(Some(&never), true).value(Sender::Other), "no-store");
    }

    #[test]
    fn rows_of_several_resources_have_the_strictest_directives() {
        let hour = CacheDef { max_age_seconds: Some(3600), ..CacheDef::default() };
        let public = CacheDef { visibility: Some(Visibility::Public), ..hour };
        let minute = CacheDef { max_age_seconds: Some(60), s_maxage_seconds: Some(90), ..public };
        let private = CacheDef { visibility: Some(Visibility::Private), ..hour };
        let never = CacheDef { no_store: true, ..CacheDef::default() };
        let both = |one: Option<CacheDef>, other: Option<CacheDef>, is_ruled| {
            let [one, other] = [one, other].map(|def| Caching::of(def.as_ref(), false));
            let strict = [one.strictest(&other), other.strictest(&one)];
            assert_eq!(strict[0], strict[1]);
            let ruled = strict[0].strictest(&Caching::of(None, is_ruled));
            let values = if is_ruled { ruled } else { strict[0].clone() };
            [Sender::Unknown, Sender::Cookie, Sender::Other]
                .map(|sender| values.value(sender).to_str().unwrap().to_owned())
        };
        assert_eq!(both(Some(public), Some(minute), false), ["public, max-age=60, s-maxage=90"; 3]);
        let seconds = CacheDef { s_maxage_seconds: Some(10), ..public };
        let strict = "public, max-age=3600, s-maxage=10";
        assert_eq!(both(Some(public), Some(seconds), false), [strict; 3]);
        assert_eq!(both(Some(public), Some(private), false), ["private, max-age=3600"; 3]);
        let alone = "private, max-age=3600";
        assert_eq!(both(Some(public), Some(hour), false), ["max-age=3600", alone, alone]);
        let asked = ["no-cache", "private, no-cache", "private, no-cache"];
        assert_eq!(both(Some(public), None, false), asked);
        assert_eq!(both(Some(public), Some(never), false), ["no-store"; 3]);
        assert_eq!(both(Some(public), Some(public), true), asked);
    }

    #[test]
    fn every_directive_is_spelled_where_it_is_declared_and_nowhere_else() {
        let all = CacheDef {
            max_age_seconds: Some(1),
            s_maxage_seconds: Some(2),
            visibility: Some(Visibility::Public),
            no_store: false,
            must_revalidate: true,
            stale_while_revalidate_seconds: Some(3),
            stale_if_error_seconds: Some(4),
        };
        let spelled = "public, max-age=1, s-maxage=2, must-revalidate, stale-while-revalidate=3, stale-if-error=4";
        assert_eq!(made(all).0, spelled);
        assert_eq!(made(CacheDef { no_store: true, ..all }), both("no-store", "no-store"));
        assert_eq!(made(CacheDef::default()), both("no-cache", "private, no-cache"));
    }
}
