//! Converts the parts of a schema about HTTP to static definitions.

use nouns_codegen::schema;
use nouns_runtime::def::{CacheDef, CorsDef, DeprecationDef, ServerDef};

use super::{optional, texts};

pub(super) fn server_def(server: &schema::Server) -> ServerDef {
    ServerDef {
        trace: server.trace,
        query: server.query,
        cors: server.cors.as_ref().map(cors_def),
        idempotency_keep_seconds: server.idempotency_keep_seconds,
        trusted_proxies: texts(&server.trusted_proxies),
        proxy_fields: server.proxy_fields,
        hsts: server.hsts,
        limits: server.limits,
        early_hints: server.early_hints,
        metrics: server.metrics,
        server_timing: server.server_timing,
        hosts: texts(&server.hosts),
        rate_limit: server.rate_limit,
    }
}

fn cors_def(cors: &schema::Cors) -> CorsDef {
    CorsDef {
        origins: texts(&cors.origins),
        credentials: cors.credentials,
        headers: texts(&cors.headers),
        max_age_seconds: cors.max_age_seconds,
    }
}

pub(super) fn cache_def(cache: &schema::Cache) -> CacheDef {
    CacheDef {
        max_age_seconds: cache.max_age_seconds,
        s_maxage_seconds: cache.s_maxage_seconds,
        visibility: cache.visibility,
        no_store: cache.no_store,
        must_revalidate: cache.must_revalidate,
        stale_while_revalidate_seconds: cache.stale_while_revalidate_seconds,
        stale_if_error_seconds: cache.stale_if_error_seconds,
    }
}

pub(super) fn deprecation_def(deprecation: &schema::Deprecation) -> DeprecationDef {
    DeprecationDef {
        since: optional(deprecation.since.as_deref()),
        sunset: optional(deprecation.sunset.as_deref()),
        link: optional(deprecation.link.as_deref()),
    }
}
