//! Generates accounts and the settings of sessions.

use super::super::genes::Genes;
use super::super::values::{Map, list, node, number, text};
use nouns_codegen::draft::{Draft, Source, Value};

/// Durations that are valid as `idle`, shortest first.
const IDLES: &[&str] = &["2m", "150s", "30m", "24h"];

/// Durations that are valid as `ttl` beside every `idle`.
const TTLS: &[&str] = &["24h", "36h", "14d", "400d"];

/// Declares one resource that has the accounts, and `auth` with any of its keys.
pub(in super::super) fn accounts(genes: &mut Genes<'_>) -> Draft {
    let mut root = Map::default();
    root.put("nouns", number(1));
    root.put("auth", auth(genes));
    let mut fields = Map::default();
    for (name, kind) in [("nick", "string"), ("secret", "password"), ("rank", "string")] {
        let mut field = Map::default();
        field.put("type", text(kind));
        field.put("required", Value::Boolean(true));
        if name == "nick" {
            field.put("unique", Value::Boolean(true));
        }
        fields.put(name, field.value());
    }
    let (mut user, mut resources) = (Map::default(), Map::default());
    user.put("fields", fields.value());
    resources.put("user", user.value());
    root.put("resources", resources.value());
    Draft { source: Source::default(), root: node(root.value()), problems: Vec::new() }
}

fn auth(genes: &mut Genes<'_>) -> Value {
    let mut auth = Map::default();
    auth.put("accounts", text("user"));
    auth.put("login", text("nick"));
    auth.put("password", text("secret"));
    if genes.once_in(2) {
        auth.put("role", text("rank"));
    }
    if genes.once_in(2) {
        auth.put("realm", text(genes.pick(&["Zoo", "It's {a} // realm"])));
    }
    let (mut has_sessions, mut has_tokens) = (true, true);
    if genes.once_in(2) {
        let schemes = genes.some_of(&["session", "bearer", "basic"]);
        has_sessions = schemes.contains(&"session");
        has_tokens = schemes.contains(&"bearer");
        auth.put("schemes", list(schemes.into_iter().map(text)));
    }
    if genes.once_in(3) {
        auth.put("confirm_within", text(genes.pick(&["0s", "15m", "1h"])));
    }
    if has_sessions && genes.below(4) > 0 {
        auth.put("session", session(genes));
    }
    if has_tokens && genes.once_in(2) {
        auth.put("jwt", jwt(genes));
    }
    auth.extension(genes);
    auth.value()
}

fn jwt(genes: &mut Genes<'_>) -> Value {
    let mut jwt = Map::default();
    jwt.put("keys", text(genes.pick(&["jwks.json", "/run/secrets/keys"])));
    jwt.put("issuer", text(genes.pick(&["https://id.example.org", "it's {me}"])));
    jwt.put("audience", text(genes.pick(&["zoo", "\"zoo\""])));
    if genes.once_in(2) {
        let mut claims = Map::default();
        for field in genes.some_of(&["id", "nick", "rank"]) {
            claims.put(field, text(genes.pick(&["sub", "/a/0", "/a~1b", "https://a.example/b"])));
        }
        jwt.put("claims", claims.value());
    }
    jwt.extension(genes);
    jwt.value()
}

fn session(genes: &mut Genes<'_>) -> Value {
    let mut session = Map::default();
    if genes.once_in(2) {
        session.put("store", text(genes.pick(&["memory", "file", "database"])));
    }
    if genes.once_in(2) {
        session.put("ttl", text(genes.pick(TTLS)));
    }
    if genes.once_in(2) {
        session.put("idle", text(genes.pick(IDLES)));
    }
    let is_secure = genes.once_in(2);
    if is_secure || genes.once_in(2) {
        session.put("secure", Value::Boolean(is_secure));
    }
    let cookies: &[&str] =
        if is_secure { &["sid", "a.b!", "__Secure-sid"] } else { &["sid", "a.b!"] };
    if genes.once_in(2) {
        session.put("cookie", text(genes.pick(cookies)));
    }
    if genes.once_in(2) {
        session.put("domain", text(genes.pick(&["example.org", "localhost"])));
    }
    if genes.once_in(2) {
        session.put("path", text(genes.pick(&["/", "/a/b", "/\"\\"])));
    }
    if genes.once_in(2) {
        session.put("http_only", Value::Boolean(genes.once_in(2)));
    }
    if genes.once_in(2) {
        let sites: &[&str] =
            if is_secure { &["strict", "lax", "none"] } else { &["strict", "lax"] };
        session.put("same_site", text(genes.pick(sites)));
    }
    for key in ["url_parameter", "form_field"] {
        if genes.once_in(3) {
            session.put(key, text(genes.pick(&["sid", "off", "_s-1"])));
        }
    }
    session.extension(genes);
    session.value()
}
