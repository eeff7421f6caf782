//! Reads the key `server`, the settings of the server.

use super::context::Context;
use super::extensions::Extensions;
use super::limits::limits;
use super::map::Map;
use super::ruled::{report, ruled, seconds};
use crate::draft::{Origin, Spanned, Value};
use crate::language;
use crate::schema::{Cors, HstsDef, ProxyFields, Server, Synchronous, Tls};
use nouns_declaration::check::{self, Fault};
use nouns_declaration::def::RateLimitDef;
use nouns_declaration::duration::NO_TIME;
use nouns_declaration::grammar::{LISTEN, RATE, TEMPLATES, TLS_FILE, rate};
use nouns_declaration::outline::PlacedText;

/// Reads `server`, and returns its `x-…` keys separately.
pub(super) fn server(declaration: &Map<'_>, context: &mut Context) -> (Server, Extensions) {
    let Some(map) = declaration.inner("server", &language::SERVER, context) else {
        return Default::default();
    };
    let (tls, of_tls) = tls(&map, context);
    let (cors, of_cors) = cors(&map, context);
    let (hsts, of_hsts) = hsts(&map, context);
    let (keep, of_idempotency) = idempotency(&map, context);
    let proxies = map.texts("trusted_proxies", context).unwrap_or_default();
    for Fault { at, problem } in check::trusted_proxies(&place_texts(&proxies)) {
        context.report(at, problem);
    }
    let (limits, of_limits) = limits(&map, context);
    let (rate_limit, of_rates) = rate_limit(&map, context);
    let hosts = map.texts("hosts", context).unwrap_or_default();
    for Fault { at, problem } in check::hosts(&place_texts(&hosts)) {
        context.report(at, problem);
    }
    let server = Server {
        listen: ruled(&map, "listen", LISTEN.says, LISTEN.keeps, context),
        drain_delay_seconds: seconds(&map, "drain_delay", context).unwrap_or_default(),
        listen_plain: ruled(&map, "listen_plain", LISTEN.says, LISTEN.keeps, context),
        tls,
        database: map.owned("database", context),
        synchronous: map.word("synchronous", Synchronous::WORDS, context).unwrap_or_default(),
        trace: map.holds("trace", context),
        query: map.holds("query", context),
        cors,
        idempotency_keep_seconds: keep.unwrap_or(Server::IDEMPOTENCY_KEEP_SECONDS),
        trusted_proxies: owned(&proxies),
        proxy_fields: map.word("proxy_fields", ProxyFields::WORDS, context).unwrap_or_default(),
        hsts,
        limits,
        early_hints: map.holds("early_hints", context),
        metrics: map.flag("metrics", context),
        server_timing: map.flag("server_timing", context),
        admin_listen: ruled(&map, "admin_listen", LISTEN.says, LISTEN.keeps, context),
        templates: ruled(&map, "templates", TEMPLATES.says, TEMPLATES.keeps, context),
        hosts: owned(&hosts),
        rate_limit,
    };
    (
        server,
        [map.extensions, of_tls, of_cors, of_idempotency, of_hsts, of_limits, of_rates].concat(),
    )
}

/// Reads the files of the certificate and its key.
fn tls(map: &Map<'_>, context: &mut Context) -> (Option<Tls>, Extensions) {
    let Some(map) = map.inner("tls", &language::TLS, context) else { return Default::default() };
    let mut file = |key| {
        map.needed(key, context);
        ruled(&map, key, TLS_FILE.says, TLS_FILE.keeps, context)
    };
    let tls = file("certificate").zip(file("key"));
    (tls.map(|(certificate, key)| Tls { certificate, key }), map.extensions)
}

/// Reads `hsts: 365d`, or the mapping.
fn hsts(map: &Map<'_>, context: &mut Context) -> (Option<HstsDef>, Extensions) {
    let Some(entry) = map.entry("hsts") else { return Default::default() };
    let of =
        |max_age| HstsDef { max_age_seconds: max_age, include_subdomains: false, preload: false };
    if let Value::Text(_) = entry.value.value {
        return (seconds(map, "hsts", context).map(of), Extensions::new());
    }
    let Some(map) = map.inner("hsts", &language::HSTS, context) else { return Default::default() };
    map.needed("max_age", context);
    let include_subdomains = map.holds("include_subdomains", context);
    let preload = map.holds("preload", context);
    let hsts = seconds(&map, "max_age", context).map(|max_age| HstsDef {
        include_subdomains,
        preload,
        ..of(max_age)
    });
    if let Some(problem) = hsts.and_then(check::hsts) {
        context.report(map.place("preload"), problem);
    }
    (hsts, map.extensions)
}

/// Reads how long the response for an `Idempotency-Key` is stored, in seconds.
fn idempotency(map: &Map<'_>, context: &mut Context) -> (Option<u32>, Extensions) {
    let Some(map) = map.inner("idempotency", &language::IDEMPOTENCY, context) else {
        return Default::default();
    };
    let keep = seconds(&map, "keep", context);
    if keep == Some(0) {
        report("keep", "0s", NO_TIME, map.place("keep"), context);
    }
    (keep, map.extensions)
}

/// Reads how many requests a client and an account may send.
fn rate_limit(map: &Map<'_>, context: &mut Context) -> (RateLimitDef, Extensions) {
    let Some(map) = map.inner("rate_limit", &language::RATE_LIMIT, context) else {
        return Default::default();
    };
    let mut read = |key| ruled(&map, key, RATE.says, RATE.keeps, context);
    let rates = [read("client"), read("account")];
    let [client, account] = rates.map(|text| text.and_then(|text| rate(&text)));
    (RateLimitDef { client, account }, map.extensions)
}

/// Reads the CORS settings: origins, credentials, headers and the lifetime of preflight responses.
fn cors(map: &Map<'_>, context: &mut Context) -> (Option<Cors>, Extensions) {
    let Some(map) = map.inner("cors", &language::CORS, context) else { return Default::default() };
    map.needed("origins", context);
    let origins = map.texts("origins", context).unwrap_or_default();
    let credentials = map.holds("credentials", context);
    let headers = map.texts("headers", context).unwrap_or_default();
    for Fault { at, problem } in
        check::cors(&place_texts(&origins), credentials, &place_texts(&headers))
    {
        context.report(at, problem);
    }
    let max_age = seconds(&map, "max_age", context);
    let cors = Cors {
        credentials,
        headers: owned(&headers),
        max_age_seconds: max_age.unwrap_or(Cors::MAX_AGE_SECONDS),
        ..Cors::of(owned(&origins))
    };
    (Some(cors), map.extensions)
}

fn place_texts<'d>(texts: &[Spanned<&'d str>]) -> Vec<PlacedText<'d, Origin>> {
    texts.iter().map(|text| PlacedText { text: text.value, at: text.at }).collect()
}

fn owned(texts: &[Spanned<&str>]) -> Vec<String> {
    texts.iter().map(|text| text.value.to_owned()).collect()
}
