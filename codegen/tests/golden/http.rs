use nouns::{Api, Cors, Hsts, Id, ProxyFields, Resource};
use std::time::Duration;

/// One `zoo`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    cache(
        max_age = "1m",
        s_maxage = "5m",
        stale_while_revalidate = "30s",
        stale_if_error = "14d",
        visibility = public,
    ),
    moved_from = ["/old_zoos", "/v1/Zoos.all"],
)]
pub struct Zoo {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `animal`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    parent = Zoo,
    deprecated(
        since = "2026-01-01",
        sunset = "2027-01-01",
        link = "https://zoo.example.org/changes?of=animals#why",
    ),
    cache(max_age = "0s", visibility = private, must_revalidate),
    precondition = required,
    push = [references],
    moved_from = ["/old_zoos/{zoo_id}/beasts"],
)]
pub struct Animal {
    /// The id.
    pub id: Id<Self>,
    /// The `zoo` that the member belongs to.
    pub zoo_id: Id<Zoo>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `keeper`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    parent = Zoo,
    routes = both,
    cache(no_store),
    moved_from = ["/staff", "/zoos/{zoo_id}/staff"],
    "x-why" = "it is personal",
)]
pub struct Keeper {
    /// The id.
    pub id: Id<Self>,
    /// The `zoo` that the member belongs to.
    pub zoo_id: Id<Zoo>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `ticket`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    deprecated(since = "2026-01-01"),
    moved_to = "https://tickets.example.org/api",
)]
pub struct Ticket {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `visit`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(moved_from = ["/visitors"], moved_to = "/tickets-and-visits/visits")]
pub struct Visit {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `guide`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(deprecated)]
pub struct Guide {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: Option<String>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("API")
        .listen("unix:/run/zoo.sock")
        .listen_plain("0.0.0.0:80")
        .tls("/etc/zoo/fullchain.pem", "/etc/zoo/key.pem")
        .trace(true)
        .query(true)
        .cors(
            Cors::new()
                .origin("https://zoo.example.org")
                .origin("http://localhost:3000")
                .credentials(true)
                .header("X-Request-Id")
                .max_age(Duration::from_secs(3600)),
        )
        .idempotency_keep(Duration::from_secs(129600))
        .trusted_proxy("10.0.0.0/8")
        .trusted_proxy("::1")
        .proxy_fields(ProxyFields::Forwarded)
        .early_hints(true)
        .metrics(true)
        .server_timing(false)
        .admin_listen("127.0.0.1:9090")
        .templates("runtime/tests/api/templates")
        .hsts(
            Hsts::new(Duration::from_secs(31536000))
                .include_subdomains(true)
                .preload(true),
        )
        .extension("x-from", r#""certbot""#)
        .extension("x-team", r#""web""#)
        .resource::<Zoo>()
        .resource::<Animal>()
        .resource::<Keeper>()
        .resource::<Ticket>()
        .resource::<Visit>()
        .resource::<Guide>()
}
