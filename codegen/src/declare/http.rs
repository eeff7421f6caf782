//! Writes the HTTP settings of a resource: deprecation, caching, preconditions and former URLs.

use super::keys::Keys;
use super::value::{list, text, word};
use crate::schema::{Cache, Deprecation, Precondition, Resource, duration};

/// Adds the keys for the HTTP settings of a resource to its attribute.
pub(super) fn keys(resource: &Resource, keys: &mut Keys) {
    if let Some(deprecation) = &resource.deprecated {
        keys.flag("deprecated", *deprecation == Deprecation::default());
        keys.group("deprecated", deprecated(deprecation));
    }
    if let Some(given) = &resource.cache {
        keys.group("cache", cache(given));
    }
    let precondition = resource.precondition;
    keys.pair(
        "precondition",
        (precondition != Precondition::default()).then(|| word(precondition.word())),
    );
    let push = resource.push.iter().map(|push| word(push.word()));
    keys.pair("push", (!resource.push.is_empty()).then(|| list(push)));
    let paths = resource.moved_from.iter().map(|path| text(path));
    keys.pair("moved_from", (!resource.moved_from.is_empty()).then(|| list(paths)));
    keys.pair("moved_to", resource.moved_to.as_deref().map(text));
}

fn deprecated(deprecation: &Deprecation) -> Keys {
    let mut keys = Keys::of("resource");
    keys.pair("since", deprecation.since.as_deref().map(text));
    keys.pair("sunset", deprecation.sunset.as_deref().map(text));
    keys.pair("link", deprecation.link.as_deref().map(text));
    keys
}

fn cache(cache: &Cache) -> Keys {
    let mut keys = Keys::of("resource");
    for (key, seconds) in cache.durations() {
        keys.pair(key, seconds.map(|seconds| text(&duration::text(seconds))));
    }
    keys.pair("visibility", cache.visibility.map(|visibility| word(visibility.word())));
    keys.flag("no_store", cache.no_store);
    keys.flag("must_revalidate", cache.must_revalidate);
    keys
}
