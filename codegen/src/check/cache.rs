//! Reads the keys `cache` and `deprecated` of a resource.

use super::constraints::{Bound, report_empty_range};
use super::context::Context;
use super::domain::read_literal;
use super::extensions::Extensions;
use super::map::Map;
use super::ruled::{ruled, seconds};
use crate::diagnostic::Problem;
use crate::draft::Value;
use crate::language;
use crate::schema::{Cache, Deprecation, FieldKind, Format, Literal, Visibility};
use nouns_declaration::format::has_format;

/// Reads `cache: { max_age: 60s, visibility: public }`.
pub(super) fn cache(map: &Map<'_>, context: &mut Context) -> (Option<Cache>, Extensions) {
    let Some(entry) = map.entry("cache") else { return Default::default() };
    let Some(map) = map.inner("cache", &language::CACHE, context) else {
        return Default::default();
    };
    if matches!(&entry.value.value, Value::Map(entries) if entries.is_empty()) {
        context.report(entry.key.at, Problem::Nothing { key: "cache".to_owned() });
    }
    let cache = Cache {
        max_age_seconds: seconds(&map, "max_age", context),
        s_maxage_seconds: seconds(&map, "s_maxage", context),
        visibility: map.word("visibility", Visibility::WORDS, context),
        no_store: map.holds("no_store", context),
        must_revalidate: map.holds("must_revalidate", context),
        stale_while_revalidate_seconds: seconds(&map, "stale_while_revalidate", context),
        stale_if_error_seconds: seconds(&map, "stale_if_error", context),
    };
    check_contradictions(&cache, &map, context);
    (Some(cache).filter(|cache| *cache != Cache::default()), map.extensions)
}

/// Reports cache directives that contradict each other: `no_store` with a lifetime, and `private`
/// with `s_maxage`.
fn check_contradictions(cache: &Cache, map: &Map<'_>, context: &mut Context) {
    let mut report_exclusive = |first, second| {
        context.report(map.key_place(first), Problem::Exclusive { first, second });
    };
    if cache.no_store {
        let lifetimes = cache.durations().into_iter().filter(|(_, seconds)| seconds.is_some());
        lifetimes.for_each(|(key, _)| report_exclusive(key, "no_store"));
    } else if cache.visibility == Some(Visibility::Private) && cache.s_maxage_seconds.is_some() {
        report_exclusive("s_maxage", "private");
    }
}

/// Reads `deprecated: true` or `deprecated: { since: 2026-01-01, sunset: 2027-01-01, link:
/// https://… }`.
pub(super) fn deprecation(
    map: &Map<'_>,
    context: &mut Context,
) -> (Option<Deprecation>, Extensions) {
    let Some(entry) = map.entry("deprecated") else { return Default::default() };
    if let Value::Boolean(flag) = entry.value.value {
        return (flag.then(Deprecation::default), Extensions::new());
    }
    let Some(map) = map.inner("deprecated", &language::DEPRECATED, context) else {
        return Default::default();
    };
    let (since, sunset) = (date(&map, "since", context), date(&map, "sunset", context));
    // Dates in canonical form sort like text.
    if let (Some(since), Some(sunset)) = (&since, &sunset)
        && sunset < since
    {
        let low = Bound { key: "since", value: since.clone() };
        let high = Bound { key: "sunset", value: sunset.clone() };
        report_empty_range(&map, low, high, context);
    }
    let link = ruled(&map, "link", "an absolute URL", |url| has_format(Format::Uri, url), context);
    (Some(Deprecation { since, sunset, link }), map.extensions)
}

fn date(map: &Map<'_>, key: &'static str, context: &mut Context) -> Option<String> {
    match read_literal(key, &map.entry(key)?.value, Some(FieldKind::Date), context)? {
        Literal::String(date) => Some(date),
        _ => None,
    }
}
