//! Tests of invalid cursors, and of cursors of other queries.

use serde_json::{Value, json};

use super::{
    super::links::{link, zoo},
    cursor,
};
use crate::server::TestServer;

#[test]
fn a_cursor_goes_with_its_own_query_alone() {
    let (_server, mut client) = zoo();
    client.create("/zoos", &json!({ "name": "Aquarium" }));
    let next =
        link(&client.get("/zoos/1/animals?weight_kg=1&sortby=name&limit=2"), "next").unwrap();
    let cursor = cursor(&next);
    assert_eq!(client.get(&next).status(), 200);
    let detail =
        "`after` is a cursor of another collection, filter or order; use it with its own query.";
    for other in [
        "/zoos/1/animals?sortby=name",
        "/zoos/1/animals?weight_kg=2&sortby=name",
        "/zoos/1/animals?weight_kg[gte]=1&sortby=name",
        "/zoos/1/animals?weight_kg=1&sortby=-name",
        "/zoos/1/animals?weight_kg=1&sortby=name,weight_kg",
        "/zoos/1/animals?weight_kg=1&sortby=id",
        "/zoos/2/animals?weight_kg=1&sortby=name",
        "/zoos?sortby=name",
    ] {
        let answer = client.get(&format!("{other}&after={cursor}"));
        assert_eq!(
            (answer.faults().as_str(), answer.detail().as_str()),
            ("after conflict", detail),
            "{other}"
        );
    }
    let missing = client.get(&format!("/zoos/9/animals?sortby=name&limit=2&after={cursor}"));
    assert_eq!(
        missing.status(),
        400,
        "a missing parent must take precedence over a cursor of another query"
    );
}

/// Conformance 187: a cursor together with an offset or a page number is 400.
#[test]
fn a_place_does_not_mix_with_numbers() {
    let (_server, mut client) = zoo();
    let next = link(&client.get("/zoos/1/animals?limit=2"), "next").unwrap();
    let cursor = cursor(&next);
    for mixed in ["offset=0", "page=1", "per_page=2", "limit=2&offset=1"] {
        for name in ["after", "before"] {
            let answer = client.get(&format!("/zoos/1/animals?{mixed}&{name}={cursor}"));
            assert_eq!(
                (answer.status(), answer.faults()),
                (400, format!("{name} conflict")),
                "{mixed}"
            );
            let rule =
                "cannot be combined with `offset`, `page` and `per_page`; use `limit` with it.";
            assert_eq!(answer.detail(), format!("`{name}` {rule}"));
        }
    }
    let both = client.get(&format!("/zoos/1/animals?after={cursor}&before={cursor}"));
    assert_eq!((both.status(), both.faults().as_str()), (400, "before conflict"));
    let twice = client.get(&format!("/zoos/1/animals?after={cursor}&after={cursor}"));
    assert_eq!((twice.status(), twice.faults().as_str()), (400, "after repeated"));
    let operator = client.get(&format!("/zoos/1/animals?after[eq]={cursor}"));
    assert_eq!((operator.status(), operator.faults().as_str()), (400, "after[eq] unknown"));
    let deletion = client.request("DELETE", &format!("/zoos/1/animals?after={cursor}"), &[], None);
    assert_ne!(deletion.status(), 204);
}

#[test]
fn what_is_no_cursor_is_refused() {
    let (_server, mut client) = zoo();
    let next = link(&client.get("/zoos/1/animals?sortby=weight_kg&limit=2"), "next").unwrap();
    let cursor = cursor(&next).to_owned();
    let mut refused = |cursor: &str| {
        for name in ["after", "before"] {
            let answer = client.get(&format!("/zoos/1/animals?sortby=weight_kg&{name}={cursor}"));
            assert_eq!(
                (answer.status(), answer.faults()),
                (400, format!("{name} type")),
                "{cursor}"
            );
            let rule = "must be a cursor from the links of a page.";
            assert_eq!(answer.detail(), format!("`{name}` {rule}"));
        }
    };
    for wrong in
        ["", "0", "abc", "%00", "zzz%20zzz", "AAAAAAAAAAA", "AAAAAAAAAABbXQ==", &"A".repeat(1025)]
    {
        refused(wrong);
    }
    refused(&format!("{cursor}="));
    refused(&cursor[..cursor.len() - 1]);
    let forged = |values: &str| {
        let mut bytes = base64(&cursor)[..8].to_vec();
        bytes.extend_from_slice(values.as_bytes());
        spelled(&bytes)
    };
    for values in [
        "[\"x\",\"1\"]",
        "[\"1e999\",\"1\"]",
        "[\"1\",\"1.5\"]",
        "[\"1\",null]",
        "[1,2]",
        "[\"1\"]",
        "[\"1\",\"1\",\"1\"]",
        "{}",
        "[]-1",
        "[]x",
        "[]99999999999",
    ] {
        refused(&forged(values));
    }
    for values in ["[\"1\",\"7\"]", "[null,\"7\"]", "[]", "[]3", "[\"-1e300\",\"-7\"]"] {
        let target = format!("/zoos/1/animals?sortby=weight_kg&after={}", forged(values));
        assert_eq!(
            client.get(&target).status(),
            200,
            "a forged cursor with valid values must only select members, as a filter does: {values}"
        );
    }
    let broken = client.get("/zoos/1/animals?sortby=nam&after=x&limit=0");
    assert_eq!(
        broken.faults(),
        "sortby unknown, after type, limit range",
        "the other errors must be listed, too"
    );
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Decodes base64url (RFC 4648 §5), without the server's code.
pub(super) fn base64(text: &str) -> Vec<u8> {
    let bits = text.bytes().flat_map(|byte| {
        let six = ALPHABET.iter().position(|known| *known == byte).unwrap();
        (0..6).rev().map(move |at| (six >> at & 1) as u8)
    });
    let bits: Vec<u8> = bits.collect();
    bits.chunks_exact(8).map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | bit)).collect()
}

pub(super) fn spelled(bytes: &[u8]) -> String {
    let mut bits: Vec<u8> =
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1)).collect();
    bits.resize(bits.len().div_ceil(6) * 6, 0);
    let six = |bits: &[u8]| bits.iter().fold(0, |six, bit| six << 1 | usize::from(*bit));
    bits.chunks_exact(6).map(|bits| char::from(ALPHABET[six(bits)])).collect()
}

/// Conformance 194: no link contains a hidden value. So the links of an order by a hidden field
/// have offsets instead of cursors.
#[test]
fn an_order_by_a_hidden_field_has_counted_pages() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  thing:
    fields:
      name: { type: string, required: true }
      weight: { type: integer, write_only: true }
    sort: [weight]
    limit: { default: 2, maximum: 9 }
",
    );
    let mut client = server.client();
    let things = ["c", "a", "b"].map(|name| json!({ "name": name, "weight": name.as_bytes()[0] }));
    client.create("/things", &Value::from(things.to_vec()));
    let page = client.get("/things");
    assert_eq!(link(&page, "next").unwrap(), "/things?limit=2&offset=2");
    assert_eq!(
        (client.names("/things").as_str(), client.names("/things?limit=2&offset=2").as_str()),
        ("a b", "c")
    );
    let by_name = link(&client.get("/things?sortby=name"), "next").unwrap();
    let refused = client.get(&format!("/things?after={}", cursor(&by_name)));
    assert_eq!((refused.status(), refused.faults().as_str()), (400, "after unknown"));
    assert_eq!(
        refused.detail(),
        "`after` is not supported by this request; its order supports only `offset` pagination."
    );
}
