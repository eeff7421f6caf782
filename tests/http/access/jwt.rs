//! Tokens of another issuer: JSON Web Tokens with a signature.

use std::{path::Path, time::SystemTime};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, Header};
use ring::{
    hmac,
    rand::SystemRandom,
    rsa::KeyPair as RsaKeyPair,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, RSA_PKCS1_SHA256},
};
use serde_json::{Value as Json, json};

use super::{BLOG, add_accounts, ask, nothing, with};
use crate::{
    client::{Answer, Client},
    server::TestServer,
};

/// A key that signs, with the file of a private key.
enum Key {
    Secret(Vec<u8>),
    Rsa(&'static [u8]),
    P256(&'static [u8]),
    Ed25519(&'static [u8]),
}

/// A key of the issuer, with the id of its algorithm.
fn key(algorithm: Algorithm) -> Key {
    match algorithm {
        Algorithm::HS256 => Key::Secret(vec![7; 32]),
        Algorithm::RS256 => Key::Rsa(include_bytes!("keys/rsa.der")),
        Algorithm::ES256 => Key::P256(include_bytes!("keys/p256.der")),
        Algorithm::EdDSA => Key::Ed25519(include_bytes!("keys/ed25519.der")),
        other => panic!("there is no key for {other:?}"),
    }
}

/// A token. It is signed as an issuer would, which has no code of the server.
fn encode(header: &Header, claims: &Json, key: &Key) -> String {
    let part = |json: &Json| URL_SAFE_NO_PAD.encode(json.to_string());
    let message = format!("{}.{}", part(&serde_json::to_value(header).unwrap()), part(claims));
    let (bytes, random) = (message.as_bytes(), SystemRandom::new());
    let signature = match key {
        Key::Secret(secret) => {
            hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), bytes).as_ref().to_vec()
        }
        Key::Rsa(der) => {
            let key = RsaKeyPair::from_der(der).unwrap();
            let mut signature = vec![0; key.public().modulus_len()];
            key.sign(&RSA_PKCS1_SHA256, &random, bytes, &mut signature).unwrap();
            signature
        }
        Key::P256(der) => {
            let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der, &random);
            key.unwrap().sign(&random, bytes).unwrap().as_ref().to_vec()
        }
        Key::Ed25519(der) => {
            let key = Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).unwrap();
            key.sign(bytes).as_ref().to_vec()
        }
    };
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
}

const ALGORITHMS: [Algorithm; 4] =
    [Algorithm::HS256, Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA];

/// The public part of a key, or the secret.
fn public(algorithm: Algorithm) -> Json {
    let set: Json = serde_json::from_str(include_str!("keys/jwks.json")).unwrap();
    let named = |key: &&Json| key["kid"] == format!("{algorithm:?}");
    set["keys"].as_array().unwrap().iter().find(named).unwrap().clone()
}

fn write_keys(file: &Path, keys: &[Json]) {
    let new = file.with_extension("new");
    std::fs::write(&new, json!({ "keys": keys }).to_string()).unwrap();
    std::fs::rename(new, file).unwrap();
}

/// The blog with tokens of an issuer that has a key of each algorithm.
fn issued_blog(claims: &str) -> (TestServer, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jwks.json");
    write_keys(&file, &ALGORITHMS.map(public));
    let jwt = format!(
        "realm: The blog, jwt: {{ keys: '{}', issuer: me, audience: blog, claims: {claims} }}",
        file.display()
    );
    let server = TestServer::of(&BLOG.replace("realm: The blog", &jwt));
    add_accounts(&server, &[("ann", "reader"), ("root", "admin")]);
    let rows = "INSERT INTO blogs (name, owner_id) VALUES ('Closed', 1), ('Open', 2);
        INSERT INTO articles (blog_id, title, author_id, status) VALUES
            (1, 'a draft', 1, 'draft'), (2, 'b out', 2, 'published');";
    server.elsewhere(rows);
    (server, folder)
}

fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs()
}

/// Claims that are right, with changes. Null removes a claim.
fn claims(changes: &Json) -> Json {
    let mut claims =
        json!({ "iss": "me", "aud": "blog", "exp": now() + 600, "sub": "a-1", "login": "ann" });
    for (name, value) in changes.as_object().unwrap() {
        claims[name] = value.clone();
    }
    claims.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    claims
}

fn signed(algorithm: Algorithm, claims: &Json) -> String {
    let header = Header { kid: Some(format!("{algorithm:?}")), ..Header::new(algorithm) };
    encode(&header, claims, &key(algorithm))
}

fn get(client: &mut Client, token: &str, target: &str) -> Answer {
    let bearer = format!("Bearer {token}");
    with(client, ("authorization", &bearer), &format!("GET {target}"), &nothing())
}

#[test]
fn a_signed_token_is_accepted_with_each_algorithm() {
    let (server, _folder) = issued_blog("{ login: login }");
    let client = &mut server.client();
    for algorithm in ALGORITHMS {
        let answer = get(client, &signed(algorithm, &claims(&json!({}))), "/users");
        assert_eq!(answer.status(), 200, "{algorithm:?} {answer:?}");
        let items = answer.json()["items"].as_array().unwrap().clone();
        assert_eq!(items.len(), 1, "ann reads her own account: {items:?}");
    }
    let several = claims(&json!({ "aud": ["zoo", "blog"], "nbf": now() }));
    assert_eq!(get(client, &signed(Algorithm::ES256, &several), "/notes").status(), 200);
    assert_eq!(client.get("/notes").status(), 401);
}

/// Texts that are no token of the issuer: each is 401, and says no more than that.
#[test]
fn a_token_that_is_not_signed_by_the_issuer_is_refused() {
    let (server, _folder) = issued_blog("{ login: login }");
    let client = &mut server.client();
    let right = signed(Algorithm::RS256, &claims(&json!({})));
    let [header, payload, signature] = right.split('.').collect::<Vec<_>>().try_into().unwrap();
    let part = |json: &Json| URL_SAFE_NO_PAD.encode(json.to_string());
    let other = part(&claims(&json!({ "login": "root" })));
    // The public key of RS256 as the secret of HS256.
    let modulus = public(Algorithm::RS256)["n"].as_str().unwrap().to_owned();
    let confused = |secret: &[u8], kid: &str| {
        let header = Header { kid: Some(kid.into()), ..Header::new(Algorithm::HS256) };
        encode(&header, &claims(&json!({})), &Key::Secret(secret.to_vec()))
    };
    let own = |header: Header, algorithm| encode(&header, &claims(&json!({})), &key(algorithm));
    let named = |kid: &str| Header { kid: Some(kid.into()), ..Header::new(Algorithm::RS256) };
    let critical = Header { crit: Some(vec!["b64".into()]), ..named("RS256") };
    let embedded = {
        let jwk =
            serde_json::from_value(json!({ "kty": "oct", "k": URL_SAFE_NO_PAD.encode([1; 32]) }));
        let header = Header { jwk: Some(jwk.unwrap()), ..Header::new(Algorithm::HS256) };
        encode(&header, &claims(&json!({})), &Key::Secret(vec![1; 32]))
    };
    for token in [
        format!("{}.{payload}.", part(&json!({ "alg": "none" }))),
        format!("{}.{payload}.{signature}", part(&json!({ "alg": "none", "kid": "RS256" }))),
        format!("{}.{payload}.{signature}", part(&json!({ "alg": "HS256", "kid": "RS256" }))),
        format!("{}.{payload}.{signature}", part(&json!({ "alg": "RS512", "kid": "RS256" }))),
        format!("{}.{payload}.{signature}", part(&json!({ "kid": "RS256" }))),
        format!("{header}.{other}.{signature}"),
        format!("{header}.{payload}."),
        format!("{header}.{payload}"),
        format!("{header}.{payload}.{signature}.{signature}"),
        format!("{header}.{payload}.{signature}{}", "A".repeat(8)),
        confused(modulus.as_bytes(), "RS256"),
        confused(&URL_SAFE_NO_PAD.decode(&modulus).unwrap(), "HS256"),
        own(named("ES256"), Algorithm::RS256),
        own(named("unknown"), Algorithm::RS256),
        own(critical, Algorithm::RS256),
        embedded,
        "a.b.c".into(),
        "...".into(),
        "x".into(),
    ] {
        let answer = get(client, &token, "/notes");
        let challenge = answer.field("www-authenticate").unwrap_or_default().to_owned();
        assert_eq!(answer.status(), 401, "{token}");
        assert!(challenge.contains("Bearer") && challenge.contains("error=\"invalid_token\""));
        let detail = answer.json()["detail"].as_str().unwrap().to_owned();
        assert_eq!(detail, "The token is not signed with a key that is accepted here.", "{token}");
    }
    assert_eq!(get(client, &right, "/notes").status(), 200);
    // Without `kid`, a token has the only key of its algorithm.
    let unnamed = own(Header::new(Algorithm::RS256), Algorithm::RS256);
    assert_eq!(get(client, &unnamed, "/notes").status(), 200);
}

#[test]
fn a_token_counts_for_its_time_issuer_and_audience() {
    let (server, _folder) = issued_blog("{ login: login }");
    let client = &mut server.client();
    let foreign = "The token is not for this API";
    for (changes, expected) in [
        (json!({ "exp": now() - 60 }), "The token has expired."),
        (json!({ "exp": null }), foreign),
        (json!({ "exp": "never" }), foreign),
        (json!({ "nbf": now() + 600 }), "The token is not valid yet."),
        (json!({ "iss": "other" }), foreign),
        (json!({ "iss": null }), foreign),
        (json!({ "iss": ["me"] }), foreign),
        (json!({ "iss": ["other", "me"] }), foreign),
        (json!({ "nbf": "tomorrow" }), foreign),
        (json!({ "nbf": (now() + 600).to_string() }), foreign),
        (json!({ "aud": "zoo" }), foreign),
        (json!({ "aud": ["zoo"] }), foreign),
        (json!({ "aud": null }), foreign),
        (json!({ "login": "nobody" }), "The token names no account."),
        (json!({ "login": null }), "The token names no account."),
        (json!({ "login": ["ann"] }), "The token names no account."),
    ] {
        let answer = get(client, &signed(Algorithm::EdDSA, &claims(&changes)), "/notes");
        assert_eq!(answer.status(), 401, "{changes}");
        let detail = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.starts_with(expected), "{changes}: {detail}");
    }
}

/// A remembered token ends when its time is over, also with a cached response.
#[test]
fn a_token_ends_on_time() {
    let (server, _folder) = issued_blog("{ login: login }");
    let client = &mut server.client();
    // The clock of the issuer may differ by 30 seconds.
    let token = signed(Algorithm::HS256, &claims(&json!({ "exp": now() - 28 })));
    let first = get(client, &token, "/users/1");
    assert_eq!(first.status(), 200);
    let tag = first.field("etag").unwrap().to_owned();
    let bearer = format!("Bearer {token}");
    let fields = [("authorization", &*bearer), ("if-none-match", &*tag)];
    let ended = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        client.request("GET", "/users/1", &fields, None).status() == 401
    });
    assert!(ended);
}

#[test]
fn claims_set_values_for_rules() {
    let (server, _folder) = issued_blog("{ login: login, role: /realm/roles }");
    let client = &mut server.client();
    let mut seen = |roles: Json| {
        let token = signed(Algorithm::ES256, &claims(&json!({ "realm": { "roles": roles } })));
        get(client, &token, "/articles?count=true").json()["items"].as_array().unwrap().len()
    };
    // Ann is a reader in the database. The token decides, since it sets the role.
    assert_eq!(seen(json!("reader")), 2);
    assert_eq!(seen(json!(["offline_access", "admin"])), 2);
    let delete = |client: &mut Client, roles: Json, id: u32| {
        let token = signed(Algorithm::ES256, &claims(&json!({ "realm": { "roles": roles } })));
        let bearer = format!("Bearer {token}");
        let request = format!("DELETE /articles/{id}");
        with(client, ("authorization", &bearer), &request, &nothing()).status()
    };
    for none in [json!("reader"), json!([]), json!(null), json!("root"), json!({ "0": "admin" })] {
        assert_eq!(delete(client, none.clone(), 2), 403, "{none}");
    }
    assert_eq!(delete(client, json!(["offline_access", "admin"]), 2), 204);
}

/// Without a claim for the id or the login, the caller is `sub`, with the values of the claims.
#[test]
fn a_token_needs_no_account() {
    let (server, _folder) = issued_blog("{ role: role }");
    let client = &mut server.client();
    let editor = signed(Algorithm::ES256, &claims(&json!({ "role": "editor" })));
    let nobody = signed(Algorithm::ES256, &claims(&json!({ "sub": "b-2" })));
    let titles = |answer: &Answer| super::all(answer, "title");
    assert_eq!(titles(&get(client, &editor, "/articles")), ["a draft", "b out"]);
    assert_eq!(titles(&get(client, &nobody, "/articles")), ["b out"]);
    assert_eq!(get(client, &nobody, "/users").json()["items"], json!([]));
    assert_eq!(get(client, &nobody, "/notes").status(), 200);
    let nameless = signed(Algorithm::ES256, &claims(&json!({ "sub": null })));
    assert_eq!(get(client, &nameless, "/notes").status(), 401);
    // Two callers may use one `Idempotency-Key`.
    for (token, text) in
        [(&editor, "one"), (&signed(Algorithm::ES256, &claims(&json!({ "sub": "c" }))), "two")]
    {
        let bearer = format!("Bearer {token}");
        let fields = [
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
            ("idempotency-key", "\"k\""),
        ];
        let body = json!({ "text": text }).to_string();
        let answer = client.request("POST", "/notes", &fields, Some(body.as_bytes()));
        assert_eq!((answer.status(), &answer.json()["text"]), (201, &json!(text)));
    }
}

/// A token of another issuer makes nothing that lasts longer than itself.
#[test]
fn a_token_of_another_issuer_makes_no_tokens() {
    for claims_of in ["{ login: login }", "{ role: role }"] {
        let (server, _folder) = issued_blog(claims_of);
        let client = &mut server.client();
        let bearer = format!("Bearer {}", signed(Algorithm::ES256, &claims(&json!({}))));
        for (request, body) in [
            ("POST /tokens", json!({ "name": "more" })),
            ("GET /tokens", nothing()),
            ("GET /sessions", nothing()),
            ("DELETE /sessions/current", nothing()),
        ] {
            let answer = with(client, ("authorization", &bearer), request, &body);
            assert_eq!(answer.status(), 403, "{request} {answer:?}");
        }
    }
}

/// A token of another issuer does not become the account.
#[test]
fn a_token_of_another_issuer_changes_no_password_alone() {
    let (server, _folder) = issued_blog("{ login: login }");
    let client = &mut server.client();
    let token = signed(Algorithm::ES256, &claims(&json!({})));
    let authorization = format!("Bearer {token}");
    let mut change = |body: &Json| {
        with(client, ("authorization", &authorization), "PATCH /users/1", body).status()
    };
    for body in [json!({ "password": "another horse" }), json!({ "login": "eva" })] {
        assert_eq!(change(&body), 403, "{body}");
    }
    let confirmed = json!({ "password": "another horse", "current_password": super::PASSWORD });
    assert_eq!(change(&confirmed), 200);
}

/// A token is refused once its account or its key is gone. New keys count without a restart, and a
/// file that is damaged changes nothing.
#[test]
fn accounts_and_keys_that_are_gone_end_tokens() {
    let (server, folder) = issued_blog("{ login: login }");
    let client = &mut server.client();
    let file = folder.path().join("jwks.json");
    let es = signed(Algorithm::ES256, &claims(&json!({ "login": "root" })));
    let hs = signed(Algorithm::HS256, &claims(&json!({})));
    for token in [&es, &hs] {
        assert_eq!(get(client, token, "/notes").status(), 200);
    }
    std::fs::write(&file, "{").unwrap();
    std::thread::sleep(std::time::Duration::from_secs(5));
    assert_eq!(get(client, &es, "/notes").status(), 200);
    write_keys(&file, &[public(Algorithm::ES256)]);
    let changed = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        get(client, &hs, "/notes").status() == 401
    });
    assert!(changed);
    assert_eq!(get(client, &es, "/notes").status(), 200);
    assert_eq!(ask(client, "root", "DELETE /users/2", &nothing()).status(), 409);
    server.elsewhere("UPDATE users SET login = 'ruth' WHERE id = 2");
    assert_eq!(get(client, &es, "/notes").status(), 401);
}
