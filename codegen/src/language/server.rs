//! The levels of `server`.

use nouns_declaration::def::{Limit, Timeout};

use super::{Key, Level, ListShape, TextShape, ValueShape, key, shape::word};
use crate::schema::{ProxyFields, Server, Synchronous};

/// An address to listen on, with examples.
const fn address(examples: &'static [&'static str]) -> TextShape {
    TextShape { examples, ..TextShape::matching("^(.+:[0-9]{1,5}|unix:.+)$") }
}

const LISTEN: TextShape = TextShape {
    usual: Some("127.0.0.1:8080"),
    ..address(&["127.0.0.1:8080", "unix:/run/nouns.sock"])
};

const PROXIES: ListShape = ListShape {
    example: &["10.0.0.0/8", "::1"],
    ..ListShape::of(&ValueShape::Text(TextShape::matching("^([0-9A-Fa-f:.]+(/[0-9]{1,3})?|unix)$")))
};

const HOSTS: ListShape = ListShape {
    example: &["zoo.example.org", "*.zoo.example.org"],
    ..ListShape::of(&ValueShape::Text(TextShape::matching("^([*]|([*][.])?[A-Za-z0-9:._-]+)$")))
};

/// The keys of the mapping `server`.
pub static SERVER: Level = Level {
    name: "`server`",
    definition: "server",
    keys: &[
        key(
            "listen",
            "The address to listen on: a host and a port, or a Unix socket like \
             `unix:/run/nouns.sock`.",
            ValueShape::Text(LISTEN),
        ),
        key(
            "drain_delay",
            "How long a stopping server still serves, while `/-/ready` is 503.",
            ValueShape::Duration(Some(0)),
        ),
        key(
            "listen_plain",
            "A second address to listen on, without TLS.",
            ValueShape::Text(address(&["0.0.0.0:80", "unix:/run/nouns.sock"])),
        ),
        key("tls", "The certificate and its key: the server uses TLS.", ValueShape::Map(&TLS)),
        key(
            "database",
            "The SQLite file, by default the name of the schema file with `.db`.",
            ValueShape::Text(TextShape::like(&["zoo.db"])),
        ),
        key(
            "synchronous",
            "Whether a write is acknowledged once it is on disk, or once the operating system has \
             it.",
            word!(Synchronous, Synchronous::Full),
        ),
        key("trace", "Whether TRACE is supported.", ValueShape::Flag(Some(false))),
        key(
            "query",
            "Whether QUERY, a GET with its query in the body, is supported.",
            ValueShape::Flag(Some(false)),
        ),
        key(
            "cors",
            "The other origins that may use the API from a browser (CORS).",
            ValueShape::Map(&CORS),
        ),
        key(
            "idempotency",
            "How long the response for an `Idempotency-Key` is stored, so that a retried request \
             is not executed twice.",
            ValueShape::Map(&IDEMPOTENCY),
        ),
        key(
            "trusted_proxies",
            "The proxies whose fields name the client: IP addresses and ranges like `10.0.0.0/8`, \
             and `unix` for those on a Unix socket.",
            ValueShape::List(PROXIES),
        ),
        key(
            "proxy_fields",
            "The fields that the trusted proxies set: `X-Forwarded-For`, `-Proto` and `-Host`, or \
             `Forwarded`.",
            word!(ProxyFields, ProxyFields::XForwarded),
        ),
        key(
            "hsts",
            "How long browsers use TLS alone for this host (Strict-Transport-Security).",
            ValueShape::Either(&[ValueShape::Duration(None), ValueShape::Map(&HSTS)], None),
        ),
        key(
            "keep_alive",
            "How long a connection waits for its next request, and how many requests it has.",
            ValueShape::Map(&KEEP_ALIVE),
        ),
        key(
            "timeouts",
            "The times within which requests and responses must come.",
            ValueShape::Map(&TIMEOUTS),
        ),
        key(
            "limits",
            "The sizes and numbers that requests must keep to.",
            ValueShape::Map(&LIMITS),
        ),
        key(
            "early_hints",
            "Whether clients of HTTP/2 that accept no server push get 103 Early Hints.",
            ValueShape::Flag(Some(false)),
        ),
        key(
            "metrics",
            "Whether `/-/metrics` is served, by default only to clients on the same machine.",
            ValueShape::Flag(None),
        ),
        key(
            "server_timing",
            "Whether clients may ask for `Server-Timing`, by default only those on the same \
             machine.",
            ValueShape::Flag(None),
        ),
        key(
            "admin_listen",
            "The address of a listener of its own for health, readiness and metrics.",
            ValueShape::Text(address(&["127.0.0.1:9090", "unix:/run/nouns.sock"])),
        ),
        key(
            "templates",
            "The directory whose files replace those of the web pages.",
            ValueShape::Text(TextShape::like(&["templates"])),
        ),
        key("hosts", "The hosts that are served; others get 421.", ValueShape::List(HOSTS)),
        key(
            "rate_limit",
            "How many requests a client and an account may send.",
            ValueShape::Map(&RATE_LIMIT),
        ),
    ],
    ..Level::PLAIN
};

/// The keys of the mapping `server.tls`.
pub static TLS: Level = Level {
    name: "`tls`",
    definition: "tls",
    keys: &[
        key(
            "certificate",
            "The PEM file with the certificate, and those that have signed it.",
            ValueShape::Text(TextShape::like(&["/etc/zoo/fullchain.pem"])),
        ),
        key(
            "key",
            "The PEM file with the key of the certificate.",
            ValueShape::Text(TextShape::like(&["/etc/zoo/key.pem"])),
        ),
    ],
    required: &["certificate", "key"],
    ..Level::PLAIN
};

/// The keys of the mapping `server.hsts`.
pub static HSTS: Level = Level {
    name: "`hsts`",
    definition: "hsts",
    shape: "a duration like `365d`, or a mapping",
    keys: &[
        key("max_age", "How long browsers remember it.", ValueShape::Duration(None)),
        key(
            "include_subdomains",
            "Whether it holds for all subdomains, too.",
            ValueShape::Flag(Some(false)),
        ),
        key(
            "preload",
            "Whether browsers may be shipped with it, which needs `include_subdomains` and a year.",
            ValueShape::Flag(Some(false)),
        ),
    ],
    required: &["max_age"],
    ..Level::PLAIN
};

const ORIGIN: ValueShape = ValueShape::Text(TextShape {
    except: Some("^(http://.*:80|https://.*:443)$"),
    examples: &["https://zoo.example.org"],
    ..TextShape::matching(r"^(\*|[a-z][a-z0-9+.-]*://[a-z0-9.:\[\]-]+)$")
});

const HEADER: ValueShape = ValueShape::Text(TextShape::matching("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"));

/// The keys of the mapping `server.cors`.
pub static CORS: Level = Level {
    name: "`cors`",
    definition: "cors",
    keys: &[
        key(
            "origins",
            "The allowed origins, or `*` alone for any.",
            ValueShape::List(ListShape::of(&ORIGIN)),
        ),
        key(
            "credentials",
            "Whether cross-origin requests may carry cookies and credentials.",
            ValueShape::Flag(Some(false)),
        ),
        key(
            "headers",
            "Header fields that cross-origin requests may have, in addition to those that the \
             server reads.",
            ValueShape::List(ListShape::of(&HEADER)),
        ),
        key(
            "max_age",
            "How long a browser may cache the response to a preflight request.",
            ValueShape::Duration(Some(600)),
        ),
    ],
    required: &["origins"],
    ..Level::PLAIN
};

/// The keys of the mapping `server.idempotency`.
pub static IDEMPOTENCY: Level = Level {
    name: "`idempotency`",
    definition: "idempotency",
    keys: &[key(
        "keep",
        "How long the first response is stored for retries of its request.",
        ValueShape::SomeDuration(Server::IDEMPOTENCY_KEEP_SECONDS),
    )],
    ..Level::PLAIN
};

/// A number of requests in a time, with an example.
const fn rate(examples: &'static [&'static str]) -> ValueShape {
    ValueShape::Text(TextShape {
        examples,
        ..TextShape::matching("^[1-9][0-9]{0,6}/[1-9][0-9]*(s|m|h|d)$")
    })
}

/// The keys of the mapping `server.rate_limit`.
pub static RATE_LIMIT: Level = Level {
    name: "`rate_limit`",
    definition: "rate_limit",
    keys: &[
        key(
            "client",
            "The requests of an address, or a `/64` of IPv6, in a time.",
            rate(&["600/1m"]),
        ),
        key(
            "account",
            "The requests of an account in a time; if absent, they count for the client.",
            rate(&["6000/1m"]),
        ),
    ],
    ..Level::PLAIN
};

/// The keys of the mapping `server.keep_alive`.
pub static KEEP_ALIVE: Level = Level {
    name: "`keep_alive`",
    definition: "keep_alive",
    keys: &[timeout(Timeout::KeepAliveIdle), limit(Limit::KeepAliveRequests)],
    ..Level::PLAIN
};

/// The keys of the mapping `server.timeouts`.
pub static TIMEOUTS: Level = Level {
    name: "`timeouts`",
    definition: "timeouts",
    keys: &[
        timeout(Timeout::Head),
        timeout(Timeout::Body),
        timeout(Timeout::WriteStall),
        timeout(Timeout::Request),
        timeout(Timeout::Queue),
    ],
    ..Level::PLAIN
};

/// The keys of the mapping `server.limits`.
pub static LIMITS: Level = Level {
    name: "`limits`",
    definition: "limits",
    keys: &[
        limit(Limit::TargetBytes),
        limit(Limit::HeaderBytes),
        limit(Limit::Headers),
        limit(Limit::BodyBytes),
        limit(Limit::BodyRate),
        limit(Limit::JsonDepth),
        limit(Limit::Parameters),
        limit(Limit::Filters),
        limit(Limit::FilterValues),
        limit(Limit::ListValues),
        limit(Limit::PageMembers),
        limit(Limit::Connections),
        limit(Limit::ClientConnections),
        limit(Limit::Requests),
        limit(Limit::ClientRequests),
    ],
    ..Level::PLAIN
};

const fn limit(limit: Limit) -> Key {
    key(limit.key(), limit.meaning(), ValueShape::Limit(limit))
}

const fn timeout(timeout: Timeout) -> Key {
    key(timeout.key(), timeout.meaning(), ValueShape::Timeout(timeout))
}
