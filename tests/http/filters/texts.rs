//! Tests of filters on text: substrings, lists with escaped commas, special characters, case.

use serde_json::json;

use super::THINGS;
use crate::{client::Client, server::TestServer};

/// Starts a server with things that have these names.
fn named(names: &[&str]) -> (TestServer, Client) {
    let server = TestServer::of(THINGS);
    let mut client = server.client();
    client.create(
        "/things",
        &names.iter().map(|name| json!({ "name": name, "label": name })).collect(),
    );
    (server, client)
}

#[test]
fn parts_of_text_are_found_where_they_stand() {
    let (_server, mut client) = named(&["otter", "ottoman", "trotter", "Otter"]);
    assert_eq!(client.names("/things?name[contains]=ott"), "otter ottoman trotter");
    assert_eq!(client.names("/things?name[starts_with]=ott"), "otter ottoman");
    assert_eq!(client.names("/things?name[ends_with]=otter"), "otter trotter");
    assert_eq!(
        client.names("/things?name[contains]="),
        "otter ottoman trotter Otter",
        "every text contains the empty text"
    );
    assert_eq!(client.names("/things?name[starts_with]="), "otter ottoman trotter Otter");
    assert_eq!(client.names("/things?name[ends_with]="), "otter ottoman trotter Otter");
    assert_eq!(client.names("/things?name[starts_with]=trotter%20and%20more"), "");
    assert_eq!(client.names("/things?name[ends_with]=a%20trotter"), "");
}

#[test]
fn no_character_is_a_wildcard() {
    let (_server, mut client) =
        named(&["100%", "a_b", "axb", "a*b", "a?b", "a[b]", "it's", r"back\slash", "a\"b"]);
    for (part, name) in [
        ("%25", "100%"),
        ("_", "a_b"),
        ("*", "a*b"),
        ("?", "a?b"),
        ("[b]", "a[b]"),
        ("'", "it's"),
        ("%5C", r"back\slash"),
        ("%22", "a\"b"),
    ] {
        assert_eq!(client.names(&format!("/things?name[contains]={part}")), name, "{part}");
    }
    assert_eq!(client.names("/things?name[starts_with]=a_"), "a_b");
    assert_eq!(client.names("/things?name[ends_with]=%25"), "100%");
}

#[test]
fn lengths_are_counted_in_characters_not_bytes() {
    let (_server, mut client) = named(&["löwe", "löwin", "höwe", "🦁löwe", "e\u{301}"]);
    assert_eq!(client.names("/things?name[starts_with]=l%C3%B6"), "löwe löwin");
    assert_eq!(client.names("/things?name[ends_with]=%C3%B6we"), "löwe höwe 🦁löwe");
    assert_eq!(client.names("/things?name[starts_with]=%F0%9F%A6%81"), "🦁löwe");
    assert_eq!(client.names("/things?name[contains]=%CC%81"), "e\u{301}");
    assert_eq!(client.names("/things?name=%C3%A9"), "", "the server must not normalize Unicode");
}

#[test]
fn a_comma_in_an_item_of_a_list_is_escaped() {
    let (_server, mut client) = named(&["a,b", "a", "b", r"c\", r"d\e", ""]);
    assert_eq!(client.names(r"/things?name[in]=a\,b,b"), "a,b b");
    assert_eq!(
        client.names("/things?name[in]=a%5C,b"),
        "a,b",
        "an encoded backslash must escape like a plain one"
    );
    assert_eq!(client.names("/things?name[in]=a,b"), "a b");
    assert_eq!(client.names(r"/things?name[in]=c\\,a"), r"a c\");
    assert_eq!(
        client.names(r"/things?name[in]=d\e"),
        r"d\e",
        "a backslash before another character must be literal"
    );
    assert_eq!(client.names("/things?name[in]="), "", "`[in]=` must be a list with one empty text");
    assert_eq!(client.get("/things?name[in]=").json()["items"].as_array().unwrap().len(), 1);
    assert_eq!(client.names(r"/things?name[nin]=a\,b,a,,c\\"), r"b d\e");
    assert_eq!(
        client.names("/things?name=a,b"),
        "a,b",
        "`=` must take the whole value as one text"
    );
    assert_eq!(
        client.names(r"/things?name[between]=a,b&name[ne]=a\,b"),
        "a,b a b",
        "the values of `between` and `ne` must not be unescaped"
    );
}

#[test]
fn what_ignores_case_is_compared_and_searched_without_it() {
    let (_server, mut client) = named(&["Otter", "OTTER", "ÖTTER", "zebra"]);
    for (test, names) in [
        ("label=otter", "Otter OTTER"),
        ("label[ne]=otter", "ÖTTER zebra"),
        ("label[in]=oTTeR,ZEBRA", "Otter OTTER zebra"),
        ("label[nin]=otter", "ÖTTER zebra"),
        ("label[contains]=tte", "Otter OTTER ÖTTER"),
        ("label[starts_with]=ott", "Otter OTTER"),
        ("label[ends_with]=Ter", "Otter OTTER ÖTTER"),
        ("label[lt]=P", "Otter OTTER"),
        ("label[gte]=ZEBRA", "ÖTTER zebra"),
        ("label[between]=OTTER,otter", "Otter OTTER"),
        ("label=%C3%B6tter", ""),
    ] {
        assert_eq!(client.names(&format!("/things?{test}")), names, "{test}");
    }
    assert_eq!(
        client.names("/things?name=otter"),
        "",
        "a field without `ignore_case` must be case-sensitive"
    );
}
