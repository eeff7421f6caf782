//! Tests of the fields by which proxies name their clients.

use proptest::prelude::*;

use super::*;

fn client(fields: &[(&'static str, &str)]) -> Option<ForwardedClient> {
    client_of("10.0.0.1", fields)
}

/// The client that the kind of the first field names. Without fields, nobody does.
fn client_of(peer: &str, fields: &[(&'static str, &str)]) -> Option<ForwardedClient> {
    let kind = match fields.first() {
        Some(("forwarded", _)) => ProxyFields::Forwarded,
        _ => ProxyFields::XForwarded,
    };
    client_by(kind, peer, fields)
}

fn client_by(
    kind: ProxyFields,
    peer: &str,
    fields: &[(&'static str, &str)],
) -> Option<ForwardedClient> {
    let proxies = TrustedProxies::new(&["10.0.0.0/8", "::1"], kind);
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        headers.append(*name, value.parse().unwrap());
    }
    let (mut head, ()) = http::Request::new(()).into_parts();
    head.headers = headers;
    match peer {
        "unix" => drop(head.extensions.insert(UnixPeer)),
        peer => {
            let address = SocketAddr::new(peer.parse().unwrap(), 80);
            head.extensions.insert(Peer { address });
        }
    }
    proxies.client(&head)
}

#[test]
fn a_proxy_on_a_unix_socket_is_trusted_if_it_is_declared() {
    let client = |proxies: &[&str], unix: bool| {
        let request = http::Request::get("/").header("x-forwarded-for", "192.0.2.7");
        let (mut head, ()) = request.body(()).unwrap().into_parts();
        if unix {
            head.extensions.insert(UnixPeer);
        }
        let proxies = TrustedProxies::new(proxies, ProxyFields::XForwarded);
        proxies.client(&head).and_then(|client| client.address)
    };
    assert_eq!(client(&["unix"], true), Some([192, 0, 2, 7].into()));
    assert_eq!(client(&["unix"], false), None, "nobody knows where the request comes from");
    assert_eq!(client(&["10.0.0.0/8"], true), None);
}

/// The address, the scheme and the authority as texts; `-` if absent.
fn texts(client: Option<ForwardedClient>) -> String {
    let Some(ForwardedClient { address, scheme, authority }) = client else {
        return "nobody".into();
    };
    let address = address.map_or("-".into(), |address| address.to_string());
    let scheme = scheme.map_or("-".into(), |scheme| scheme.to_string());
    format!("{address} {scheme} {}", authority.map_or("-".into(), |host| host.to_string()))
}

/// Conformance 213: the last sender that is no trusted proxy is the client.
#[test]
fn the_last_sender_that_is_no_proxy_is_the_client() {
    for (fields, expected) in [
        (&[][..], "nobody"),
        (&[("forwarded", "for=192.0.2.7")], "192.0.2.7 - -"),
        (
            &[("forwarded", "For=\"[2001:db8::7]:4711\";Proto=HTTPS;host=a.example:8080")],
            "2001:db8::7 https a.example:8080",
        ),
        (
            &[("forwarded", "for=1.1.1.1, for=192.0.2.7;proto=https, for=10.1.2.3")],
            "192.0.2.7 https -",
        ),
        (&[("forwarded", "for=1.1.1.1"), ("forwarded", "for=192.0.2.7")], "192.0.2.7 - -"),
        (&[("forwarded", "for=10.0.0.9;host=a, for=10.0.0.8;host=b")], "10.0.0.9 - a"),
        (&[("forwarded", "for=unknown;proto=https")], "- https -"),
        (&[("forwarded", "for=1.1.1.1, for=_secret, for=10.0.0.9")], "- - -"),
        (&[("forwarded", "proto=gopher;host=\"a b\"")], "- - -"),
        (&[("x-forwarded-for", "192.0.2.7")], "192.0.2.7 - -"),
        (&[("x-forwarded-for", "192.0.2.7:4711")], "192.0.2.7 - -"),
        (&[("x-forwarded-for", "::ffff:192.0.2.7, ::1")], "192.0.2.7 - -"),
        (
            &[
                ("x-forwarded-for", "1.1.1.1, 192.0.2.7, 10.0.0.9"),
                ("x-forwarded-proto", "http, https, http"),
                ("x-forwarded-host", "a"),
            ],
            "192.0.2.7 https a",
        ),
        (&[("x-forwarded-proto", "https")], "nobody"),
    ] {
        assert_eq!(texts(client(fields)), expected, "{fields:?}");
    }
}

/// Conformance 213: the header fields of a proxy that is not trusted are ignored.
#[test]
fn a_peer_that_is_no_proxy_names_nobody() {
    for peer in ["192.0.2.1", "11.0.0.1", "::2"] {
        assert_eq!(client_of(peer, &[("forwarded", "for=192.0.2.7")]), None, "{peer}");
        assert_eq!(client_of(peer, &[("x-forwarded-for", "192.0.2.7")]), None, "{peer}");
    }
    let mapped = client_of("::ffff:10.0.0.1", &[("x-forwarded-for", "192.0.2.7")]);
    assert_eq!(texts(mapped), "192.0.2.7 - -");
}

/// A proxy passes on the fields that it does not set, as the client has written them.
#[test]
fn only_the_declared_fields_count() {
    let fields = [
        ("forwarded", "for=192.0.2.7;proto=https;host=a"),
        ("x-forwarded-for", "198.51.100.1"),
        ("x-forwarded-proto", "http"),
    ];
    let by = |kind, fields| texts(client_by(kind, "10.0.0.1", fields));
    assert_eq!(by(ProxyFields::Forwarded, &fields), "192.0.2.7 https a");
    assert_eq!(by(ProxyFields::XForwarded, &fields), "198.51.100.1 http -");
    assert_eq!(by(ProxyFields::Forwarded, &fields[1..]), "nobody");
    assert_eq!(by(ProxyFields::XForwarded, &fields[..1]), "nobody");
}

#[test]
fn it_is_logged_once_that_a_proxy_sets_other_fields() {
    let proxies = TrustedProxies::new(&["10.0.0.1"], ProxyFields::XForwarded);
    let mut headers = HeaderMap::new();
    proxies.warn_of_others(&headers);
    assert!(!proxies.has_warned.load(Ordering::Relaxed));
    headers.insert("forwarded", "for=192.0.2.7".parse().unwrap());
    proxies.warn_of_others(&headers);
    assert!(proxies.has_warned.load(Ordering::Relaxed));
}

#[test]
fn an_open_quotation_does_not_hide_what_a_proxy_adds() {
    for sent in
        ["for=1.1.1.1;a=\"", "for=1.1.1.1;a=\"\\", "\"", "for=1.1.1.1;for=\"", "for=\"1.1.1.1"]
    {
        for added in ["for=192.0.2.7", "for=\"192.0.2.7\"", "for=\"[2001:db8::7]\";by=\"x\""] {
            let list = format!("{sent}, {added}");
            assert_eq!(texts(client(&[("forwarded", &list)])), "nobody", "{list}");
            let spoofed = [("forwarded", &*list), ("x-forwarded-for", "1.1.1.1")];
            assert_eq!(texts(client(&spoofed)), "nobody", "{list}");
        }
    }
    assert_eq!(texts(client(&[("forwarded", "for=1.1.1.1;for=192.0.2.7")])), "nobody");
}

#[test]
fn a_long_list_is_read_from_its_end() {
    let list = format!("{}192.0.2.7, 10.0.0.9", "1.1.1.1, ".repeat(1000));
    assert_eq!(texts(client(&[("x-forwarded-for", &list)])), "192.0.2.7 - -");
    let proxies = format!("192.0.2.7{}", ", 10.0.0.9".repeat(1000));
    assert_eq!(texts(client(&[("x-forwarded-for", &proxies)])), "10.0.0.9 - -");
}

proptest! {
    /// Whatever a client sends, the entry that a trusted proxy adds names the client, or nobody
    /// does.
    #[test]
    fn a_client_cannot_name_itself(sent in "[ -~]{0,40}", quoted: bool) {
        let entry = if quoted { "for=\"192.0.2.7\"" } else { "for=192.0.2.7" };
        let list = format!("{sent}, {entry}");
        let named = client(&[("forwarded", &list)]).map(|client| client.address);
        prop_assert!(named.is_none() || named == Some("192.0.2.7".parse().ok()), "{named:?}");
        let list = format!("{sent}, 192.0.2.7");
        let named = client(&[("x-forwarded-for", &list)]).map(|client| client.address);
        prop_assert_eq!(named, Some("192.0.2.7".parse().ok()));
    }
}
