//! The keys of the schema language, by level. A level is a kind of mapping, such as a resource.

use crate::diagnostic::shape;

/// A kind of mapping in a declaration, such as a resource or a field.
#[derive(Debug)]
pub struct Level {
    /// The name of the level in messages.
    pub name: &'static str,
    /// The shapes that a value of this level may have, for messages.
    pub shape: &'static str,
    /// The keys that are supported.
    pub keys: &'static [&'static str],
    /// The keys that are planned. They are refused until they are supported.
    pub later: &'static [&'static str],
}

/// The keys at the top level of a declaration.
pub static DECLARATION: Level = Level {
    name: "the declaration",
    shape: "a mapping",
    keys: &["nouns", "api", "server", "auth", "types", "resources"],
    later: &[],
};

/// The keys of the mapping `auth`.
pub static AUTH: Level = Level {
    name: "`auth`",
    shape: "a mapping",
    keys: &[
        "accounts",
        "login",
        "password",
        "role",
        "realm",
        "schemes",
        "confirm_within",
        "session",
        "jwt",
    ],
    later: &[],
};

/// The keys of the mapping `auth.session`.
pub static SESSION: Level = Level {
    name: "`session`",
    shape: "a mapping",
    keys: &[
        "store",
        "ttl",
        "idle",
        "cookie",
        "domain",
        "path",
        "secure",
        "http_only",
        "same_site",
        "url_parameter",
        "form_field",
    ],
    later: &[],
};

/// The keys of the mapping `auth.jwt`.
pub static JWT: Level = Level {
    name: "`jwt`",
    shape: "a mapping",
    keys: &["keys", "issuer", "audience", "claims"],
    later: &[],
};

/// The keys of the mapping `api`.
pub static API: Level = Level {
    name: "`api`",
    shape: "a mapping",
    keys: &[
        "title",
        "version",
        "description",
        "contact",
        "license",
        "base_path",
        "public_url",
        "case",
    ],
    later: &[],
};

/// The keys of the mapping `api.contact`.
pub static CONTACT: Level =
    Level { name: "`contact`", shape: "a mapping", keys: &["name", "url", "email"], later: &[] };

/// The keys of the mapping `api.license`.
pub static LICENSE: Level =
    Level { name: "`license`", shape: "a mapping", keys: &["name", "identifier"], later: &[] };

/// The keys of the mapping `server`.
pub static SERVER: Level = Level {
    name: "`server`",
    shape: "a mapping",
    keys: &[
        "listen",
        "drain_delay",
        "listen_plain",
        "tls",
        "database",
        "synchronous",
        "trace",
        "query",
        "cors",
        "idempotency",
        "trusted_proxies",
        "proxy_fields",
        "hsts",
        "keep_alive",
        "timeouts",
        "limits",
        "early_hints",
        "metrics",
        "server_timing",
        "admin_listen",
        "templates",
        "hosts",
        "rate_limit",
    ],
    later: &[],
};

/// The keys of the mapping `server.tls`.
pub static TLS: Level =
    Level { name: "`tls`", shape: "a mapping", keys: &["certificate", "key"], later: &[] };

/// The keys of the mapping `server.hsts`.
pub static HSTS: Level = Level {
    name: "`hsts`",
    shape: "a duration like `365d`, or a mapping",
    keys: &["max_age", "include_subdomains", "preload"],
    later: &[],
};

/// The keys of the mapping `server.cors`.
pub static CORS: Level = Level {
    name: "`cors`",
    shape: "a mapping",
    keys: &["origins", "credentials", "headers", "max_age"],
    later: &[],
};

/// The keys of the mapping `server.idempotency`.
pub static IDEMPOTENCY: Level =
    Level { name: "`idempotency`", shape: "a mapping", keys: &["keep"], later: &[] };

/// The keys of the mapping `server.rate_limit`.
pub static RATE_LIMIT: Level =
    Level { name: "`rate_limit`", shape: "a mapping", keys: &["client", "account"], later: &[] };

/// The keys of the mapping `server.keep_alive`.
pub static KEEP_ALIVE: Level =
    Level { name: "`keep_alive`", shape: "a mapping", keys: &["idle", "requests"], later: &[] };

/// The keys of the mapping `server.timeouts`.
pub static TIMEOUTS: Level = Level {
    name: "`timeouts`",
    shape: "a mapping",
    keys: &["head", "body", "write_stall", "request", "queue"],
    later: &[],
};

/// The keys of the mapping `server.limits`.
pub static LIMITS: Level = Level {
    name: "`limits`",
    shape: "a mapping",
    keys: &[
        "target_bytes",
        "header_bytes",
        "headers",
        "body_bytes",
        "body_rate",
        "json_depth",
        "parameters",
        "filters",
        "filter_values",
        "list_values",
        "page_members",
        "connections",
        "client_connections",
        "requests",
        "client_requests",
    ],
    later: &[],
};

/// The keys of a named type.
pub static TYPE: Level = Level {
    name: "a type",
    shape: "a type or a mapping",
    keys: &[
        "type",
        "enum",
        "minimum",
        "maximum",
        "min_length",
        "max_length",
        "pattern",
        "format",
        "scale",
        "ignore_case",
        "description",
        "example",
    ],
    later: &[],
};

/// The keys of a resource.
pub static RESOURCE: Level = Level {
    name: "a resource",
    shape: "a mapping",
    keys: &[
        "collection",
        "table",
        "description",
        "parent",
        "routes",
        "id",
        "fields",
        "methods",
        "sort",
        "limit",
        "unique",
        "indexes",
        "timestamps",
        "label",
        "noun",
        "deprecated",
        "cache",
        "precondition",
        "push",
        "moved_from",
        "moved_to",
        "access",
    ],
    later: &["search"],
};

/// The keys of the mapping `cache` in a resource.
pub static CACHE: Level = Level {
    name: "`cache`",
    shape: "a mapping",
    keys: &[
        "max_age",
        "s_maxage",
        "visibility",
        "no_store",
        "must_revalidate",
        "stale_while_revalidate",
        "stale_if_error",
    ],
    later: &[],
};

/// The keys of the mapping `deprecated` in a resource.
pub static DEPRECATED: Level = Level {
    name: "`deprecated`",
    shape: shape::FLAG_OR_MAPPING,
    keys: &["since", "sunset", "link"],
    later: &[],
};

/// The keys of the mapping `access` in a resource.
pub static ACCESS: Level = Level {
    name: "`access`",
    shape: "a mapping",
    keys: &["read", "create", "update", "delete"],
    later: &[],
};

/// The keys of the mapping `access` in a field.
pub static FIELD_ACCESS: Level =
    Level { name: "`access`", shape: "a mapping", keys: &["read", "write"], later: &[] };

/// The keys of an access rule.
pub static RULE: Level = Level {
    name: "a rule",
    shape: "`public`, `signed_in` or a mapping",
    keys: &["role", "where", "any", "all", "not"],
    later: &[],
};

/// The keys of the mapping `id` in a resource.
pub static ID: Level =
    Level { name: "`id`", shape: "a type or a mapping", keys: &["type", "assigned"], later: &[] };

/// The keys of the mapping `parent` in a resource.
pub static PARENT: Level = Level {
    name: "`parent`",
    shape: "a resource or a mapping",
    keys: &["resource", "field", "on_delete", "movable", "required"],
    later: &[],
};

/// The keys of the mapping `limit` in a resource.
pub static LIMIT: Level =
    Level { name: "`limit`", shape: "a mapping", keys: &["default", "maximum"], later: &[] };

/// The keys of a field.
pub static FIELD: Level = Level {
    name: "a field",
    shape: "a type or a mapping",
    keys: &[
        "type",
        "references",
        "required",
        "default",
        "unique",
        "index",
        "ignore_case",
        "minimum",
        "maximum",
        "min_length",
        "max_length",
        "pattern",
        "enum",
        "format",
        "scale",
        "read_only",
        "write_only",
        "create_only",
        "hidden",
        "filterable",
        "sortable",
        "column",
        "description",
        "example",
        "deprecated",
        "access",
    ],
    later: &[],
};

/// The keys of the mapping `references` in a field.
pub static REFERENCES: Level = Level {
    name: "`references`",
    shape: "a resource or a mapping",
    keys: &["resource", "as", "on_delete", "children"],
    later: &[],
};

/// The types that are planned. They are refused until they are supported.
pub static LATER_TYPES: &[&str] = &["file"];
