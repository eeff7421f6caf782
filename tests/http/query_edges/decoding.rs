//! Tests of the decoding of a query string into names and values.

use super::zoos;

/// Conformance 192: an empty value of a text field is the empty string.
#[test]
fn an_empty_value_is_a_value() {
    let (_server, mut client) = zoos();
    assert_eq!(client.names("/zoos?city="), "a&b=c", "`city=` must match the empty string");
    assert_eq!(
        client.names("/zoos?city"),
        "a&b=c",
        "`city` without `=` must match the empty string"
    );
    assert_eq!(
        client.get("/zoos/1/animals?weight_kg=").faults(),
        "weight_kg type",
        "an empty value must not be a number"
    );
    assert_eq!(client.get("/zoos/1/animals?born=").faults(), "born type");
    assert_eq!(client.get("/zoos?id=").faults(), "id type");
    assert_eq!(
        client.names("/zoos?"),
        "a b a+b a&b=c",
        "a `?` without a query must change nothing"
    );
    assert_eq!(client.names("/zoos?&&id=1&"), "a b", "empty parameters must be ignored");
}

/// Conformance 193: names are compared after percent-decoding, and `+` is a space.
#[test]
fn values_and_names_are_decoded_once() {
    let (_server, mut client) = zoos();
    assert_eq!(client.names("/zoos?name=a+b"), "a b", "`+` must be a space");
    assert_eq!(client.names("/zoos?name=a%20b"), "a b");
    assert_eq!(client.names("/zoos?name=a%2Bb"), "a+b");
    assert_eq!(
        client.names("/zoos?name=a%2bb"),
        "a+b",
        "lower-case hexadecimal digits must be accepted"
    );
    assert_eq!(client.names("/zoos?name=a%26b%3Dc"), "a&b=c");
    assert_eq!(client.names("/zoos?name=a%26b=c"), "a&b=c", "the first `=` must end the name");
    assert_eq!(client.names("/zoos?n%61me=a+b"), "a b");
    assert_eq!(client.names("/zoos?name=a%252Bb"), "", "a value must be decoded only once");
}

/// Conformance 37: an invalid percent-encoding in a query is 400.
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
            format!("`{broken}` is not valid percent-encoded UTF-8 (a literal `%` is `%25`).")
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
