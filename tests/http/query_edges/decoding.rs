//! The decoding of a query's bytes to names and values.

use super::zoos;

/// HTTP 192: the empty string, if the field is text.
#[test]
fn an_empty_value_is_a_value() {
    let (_server, mut client) = zoos();
    assert_eq!(client.names("/zoos?city="), "a&b=c", "the empty text");
    assert_eq!(client.names("/zoos?city"), "a&b=c", "a name alone has the empty value");
    assert_eq!(
        client.get("/zoos/1/animals?weight_kg=").faults(),
        "weight_kg type",
        "no number is empty"
    );
    assert_eq!(client.get("/zoos/1/animals?born=").faults(), "born type");
    assert_eq!(client.get("/zoos?id=").faults(), "id type");
    assert_eq!(client.names("/zoos?"), "a b a+b a&b=c", "an empty query is none");
    assert_eq!(client.names("/zoos?&&id=1&"), "a b", "between two ampersands stands nothing");
}

/// HTTP 193: names are compared after decoding, and `+` is a blank.
#[test]
fn values_and_names_are_decoded_once() {
    let (_server, mut client) = zoos();
    assert_eq!(client.names("/zoos?name=a+b"), "a b", "a plus is a blank");
    assert_eq!(client.names("/zoos?name=a%20b"), "a b");
    assert_eq!(client.names("/zoos?name=a%2Bb"), "a+b");
    assert_eq!(client.names("/zoos?name=a%2bb"), "a+b", "in any case");
    assert_eq!(client.names("/zoos?name=a%26b%3Dc"), "a&b=c");
    assert_eq!(client.names("/zoos?name=a%26b=c"), "a&b=c", "the first `=` ends the name");
    assert_eq!(client.names("/zoos?n%61me=a+b"), "a b");
    assert_eq!(client.names("/zoos?name=a%252Bb"), "", "what is encoded twice is another text");
}

/// HTTP 37: in a query too.
#[test]
fn broken_escapes_are_a_bad_request() {
    let (_server, mut client) = zoos();
    for broken in [
        "name=%zz",
        "name=%",
        "name=a%2",
        "name=100%",
        "%zz=1",
        "name=%ff",
        "name=%c0%af",
        "name=%ED%A0%80",
    ] {
        let answer = client.get(&format!("/zoos?{broken}"));
        assert_eq!(answer.status_line, "HTTP/1.1 400 Bad Request", "{broken}");
        assert_eq!(answer.problem(), "invalid-parameter");
        assert_eq!(
            answer.detail(),
            format!("`{broken}` is not percent-encoded UTF-8 (a literal `%` is `%25`).")
        );
    }
}

#[test]
fn no_text_holds_a_nul() {
    let (_server, mut client) = zoos();
    assert_eq!(client.get("/zoos?name=%00").faults(), "name type");
    assert_eq!(client.get("/zoos?name[contains]=a%00").faults(), "name[contains] type");
    assert_eq!(client.get("/zoos?id=1%00").faults(), "id type");
    let unknown = client.get("/zoos?na%00me=1");
    assert_eq!((unknown.status(), unknown.faults().as_str()), (400, "na\0me unknown"));
}
