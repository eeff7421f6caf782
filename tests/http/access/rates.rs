//! The rates of accounts.

use super::{BLOG, PASSWORD, add_accounts, basic};
use crate::server::TestServer;

/// Conformance 55: an account has a rate of its own, wherever its requests come from.
#[test]
fn an_account_has_a_rate() {
    let rates = "nouns: 1\nserver: { rate_limit: { client: 2/1h, account: 5/1h } }\n";
    let server = TestServer::of(&BLOG.replacen("nouns: 1\n", rates, 1));
    add_accounts(&server, &[("ann", "reader")]);
    let given = basic("ann", PASSWORD);
    let mut client = server.client();
    let mut get = |fields: &[(&str, &str)]| client.request("GET", "/-/problems", fields, None);
    let statuses: Vec<_> = (0..3).map(|_| get(&[]).status()).collect();
    assert_eq!(statuses, [200, 200, 429]);
    for left in (0..5).rev() {
        let answer = get(&[("authorization", &given)]);
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.field("ratelimit-policy"), Some("\"account\";q=5;w=3600"));
        let limit = answer.field("ratelimit").unwrap();
        assert!(limit.starts_with(&format!("\"account\";r={left};t=")), "{limit}");
    }
    assert_eq!(get(&[("authorization", &given)]).status(), 429);
}
