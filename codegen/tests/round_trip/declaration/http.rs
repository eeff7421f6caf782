//! Generates the parts of a declaration about HTTP.

use super::{Genes, Map, Value, list, text};
use nouns_declaration::def::{Limit, Timeout};

/// Durations in unusual but valid forms.
const DURATIONS: &[&str] =
    &["0s", "1s", "007s", "60s", "5m", "24h", "14d", "90m", "2000ms", "2147483648s"];

fn hsts(genes: &mut Genes<'_>) -> Value {
    if genes.once_in(2) {
        return text(genes.pick(DURATIONS));
    }
    let mut hsts = Map::default();
    hsts.put("max_age", text("366d"));
    hsts.flag("include_subdomains", genes);
    hsts.extension(genes);
    hsts.value()
}

pub(super) fn server(server: &mut Map, genes: &mut Genes<'_>) {
    if genes.once_in(3) {
        server.put("listen_plain", text(genes.pick(&["[::]:80", "unix:/run/\"z\".sock"])));
        let mut tls = Map::default();
        tls.put("certificate", text("a.pem"));
        tls.put("key", text("/etc/b \\.pem"));
        tls.extension(genes);
        server.put("tls", tls.value());
    }
    if genes.once_in(3) {
        server.put("hsts", hsts(genes));
    }
    server.flag("trace", genes);
    server.flag("early_hints", genes);
    server.flag("query", genes);
    if genes.once_in(3) {
        server.put("cors", cors(genes));
    }
    if genes.once_in(3) {
        let mut idempotency = Map::default();
        if genes.once_in(2) {
            idempotency.put("keep", text(genes.pick(&DURATIONS[1..])));
        }
        idempotency.extension(genes);
        server.put("idempotency", idempotency.value());
    }
    if genes.once_in(3) {
        let hosts = ["zoo.example.org", "*.example.org", "fd00::1", "*"];
        server.put("hosts", list(genes.some_of(&hosts).into_iter().map(text)));
    }
    if genes.once_in(3) {
        let mut rates = Map::default();
        for key in ["client", "account"] {
            if genes.once_in(2) {
                rates.put(key, text(genes.pick(&["1/1s", "600/1m", "1000000/1d"])));
            }
        }
        rates.extension(genes);
        server.put("rate_limit", rates.value());
    }
    for group in ["keep_alive", "timeouts", "limits"] {
        if genes.once_in(3) {
            server.put(group, limits(group, genes));
        }
    }
}

/// Some limits of a group, each with its smallest or largest value.
fn limits(group: &str, genes: &mut Genes<'_>) -> Value {
    let mut map = Map::default();
    for limit in Limit::ALL.iter().filter(|limit| limit.group() == group) {
        if genes.once_in(3) {
            let (least, most) = limit.range();
            let value = genes.pick(&[least, most]).to_string();
            map.put(limit.key(), Value::Number(value));
        }
    }
    for timeout in Timeout::ALL.iter().filter(|timeout| timeout.group() == group) {
        if genes.once_in(3) {
            let (least, most) = timeout.range();
            map.put(timeout.key(), text(format!("{}ms", genes.pick(&[least, most]))));
        }
    }
    map.extension(genes);
    map.value()
}

fn cors(genes: &mut Genes<'_>) -> Value {
    let mut cors = Map::default();
    if genes.once_in(3) {
        cors.put("origins", list([text("*")]));
        cors.put("credentials", Value::Boolean(false));
    } else {
        let origins = ["https://zoo.example.org", "http://[::1]:3000", "app+zoo://localhost"];
        cors.put("origins", list(genes.some_of(&origins).into_iter().map(text)));
        cors.flag("credentials", genes);
    }
    if genes.once_in(2) {
        let headers = ["X-Request-Id", "!#$%&'*+-.^_`|~", "r"];
        cors.put("headers", list(genes.some_of(&headers).into_iter().map(text)));
    }
    duration("max_age", &mut cors, genes);
    cors.extension(genes);
    cors.value()
}

pub(super) fn resource(map: &mut Map, is_at_top: bool, genes: &mut Genes<'_>) {
    if genes.once_in(3) {
        map.put("cache", cache(genes));
    }
    if genes.once_in(3) {
        map.put("precondition", text(genes.pick(&["optional", "required"])));
    }
    if genes.once_in(3) {
        map.put("push", list([text("references")]));
    }
    if is_at_top && genes.once_in(3) {
        let path = format!("/old-{}", genes.fresh());
        let other = format!("/~v1/Old.{}", genes.fresh());
        let paths = genes.some_of(&[path, other]);
        map.put(
            "moved_from",
            if genes.once_in(2) { text(&paths[0]) } else { list(paths.into_iter().map(text)) },
        );
    }
    if genes.once_in(4) {
        let places = ["https://zoo.example.org/", "http://[::1]:8080/a~b", "/elsewhere/for-now/"];
        map.put("moved_to", text(genes.pick(&places)));
    }
    match genes.below(4) {
        1 => map.put("deprecated", Value::Boolean(genes.once_in(2))),
        2 => map.put("deprecated", deprecated(genes)),
        _ => {}
    }
}

fn cache(genes: &mut Genes<'_>) -> Value {
    let mut cache = Map::default();
    if genes.once_in(4) {
        cache.put("no_store", Value::Boolean(true));
    } else {
        cache.put("no_store", Value::Boolean(false));
        for key in ["max_age", "stale_while_revalidate", "stale_if_error"] {
            duration(key, &mut cache, genes);
        }
        match genes.below(3) {
            1 => cache.put("visibility", text("private")),
            2 => {
                cache.put("visibility", text("public"));
                duration("s_maxage", &mut cache, genes);
            }
            _ => {}
        }
    }
    cache.flag("must_revalidate", genes);
    cache.extension(genes);
    cache.value()
}

fn deprecated(genes: &mut Genes<'_>) -> Value {
    let mut deprecated = Map::default();
    for (key, value) in [
        ("since", "2026-01-01"),
        ("sunset", "2026-01-01"),
        ("link", "https://zoo.example.org/?a#b"),
    ] {
        if genes.once_in(2) {
            deprecated.put(key, text(value));
        }
    }
    deprecated.extension(genes);
    deprecated.value()
}

fn duration(key: &str, map: &mut Map, genes: &mut Genes<'_>) {
    if genes.once_in(3) {
        map.put(key, text(genes.pick(DURATIONS)));
    }
}
