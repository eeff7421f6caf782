//! [`Client`]: the address of a client, and the scheme and authority of its request.

use std::net::{IpAddr, SocketAddr};

use http::{
    HeaderName, header,
    request::Parts,
    uri::{Authority, Scheme},
};

use super::forwarded::{ForwardedClient, TrustedProxies};

/// The properties of a connection. The server adds them to the extensions of each request on the
/// connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The IP address and port of the client.
    pub address: SocketAddr,
}

/// A mark in the extensions of a request: it came over a listener on a loopback address, and not
/// from a declared proxy. The server sets it only on requests for which it matters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OverLoopback;

impl OverLoopback {
    /// Whether the client of a request is on this machine, as far as the head can tell. A field of
    /// a proxy means that the client is another, and so does a host that is not this machine:
    /// some proxies add no field, but pass the host.
    pub(crate) fn is_local(head: &Parts) -> bool {
        let is_of_proxy = |name: &HeaderName| {
            let name = name.as_str();
            ["forwarded", "via", "x-real-ip"].contains(&name) || name.starts_with("x-forwarded")
        };
        head.extensions.get::<Self>().is_some()
            && !head.headers.keys().any(is_of_proxy)
            && is_this_machine(head)
    }
}

/// Whether the host of a request is a loopback address or `localhost` (RFC 6761 §6.3).
fn is_this_machine(head: &Parts) -> bool {
    let of_field = || Authority::try_from(head.headers.get(header::HOST)?.as_bytes()).ok();
    let Some(authority) = head.uri.authority().cloned().or_else(of_field) else { return false };
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    let name = host.to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}
/// The other end of a Unix socket, which has no address. The server adds it to the extensions of
/// each request on the connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnixPeer;

/// The port with TLS of a listener without it. The server adds it to the extensions of each request
/// there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SecurePort(pub(crate) u16);

/// The address of the client, and the scheme and authority that its request uses for this server.
///
/// `X-Forwarded-*`, or `Forwarded`, count only on a connection from a declared proxy
/// ([`Api::trusted_proxy`](crate::Api::trusted_proxy), RFC 7239 §8.1). The address does not
/// identify the caller: access rules use the [`Caller`](crate::identify::Caller).
///
/// ```
/// # mod nouns { pub use http; pub use nouns_runtime::*; }
/// use nouns::{Answer, Error, RouteRequest, http::StatusCode};
///
/// async fn address(request: RouteRequest) -> Result<Answer, Error> {
///     let address = request.client().and_then(|client| client.address);
///     Answer::json(StatusCode::OK, &address.map(|address| address.to_string()))
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Client {
    /// The address of the client. `None` means that the server sets no [`Peer`] in the extensions
    /// of its requests, or that a trusted proxy hides the address.
    pub address: Option<IpAddr>,
    /// The scheme that the client used. It comes from the first of these that names one: a trusted
    /// proxy, a request target in absolute form, the extensions of the request. Otherwise it is
    /// `http` (RFC 9112 §3.3).
    pub scheme: Scheme,
    /// The host and port that the client used. They come from the first of these that names them: a
    /// trusted proxy, a request target in absolute form, the field `Host`.
    pub authority: Option<Authority>,
}

impl Client {
    /// Returns the scheme that the client of a request used.
    pub(crate) fn scheme_of(head: &Parts, proxies: &TrustedProxies) -> Scheme {
        if proxies.is_empty() {
            let given = head.uri.scheme().or_else(|| head.extensions.get());
            return given.cloned().unwrap_or(Scheme::HTTP);
        }
        Self::of(head, proxies).scheme
    }

    /// The scheme that the client uses, as far as it is known: a trusted proxy has named it, or the
    /// connection uses TLS. What the target of the request says does not count. Without TLS it is
    /// not known, since a proxy that is not declared may have removed it.
    pub(crate) fn known_scheme(head: &Parts, proxies: &TrustedProxies) -> Option<Scheme> {
        let forwarded = proxies.client(head).and_then(|client| client.scheme);
        forwarded.or_else(|| head.extensions.get().cloned())
    }

    /// Whether the client uses TLS up to this server, or up to a trusted proxy.
    pub(crate) fn is_encrypted(head: &Parts, proxies: &TrustedProxies) -> bool {
        Self::known_scheme(head, proxies) == Some(Scheme::HTTPS)
    }

    /// The address that a request counts for: that of the client, or that of the proxy which does
    /// not name it.
    pub(crate) fn counted_address(head: &Parts, proxies: &TrustedProxies) -> Option<IpAddr> {
        let peer = || head.extensions.get().map(|peer: &Peer| peer.address.ip().to_canonical());
        Self::of(head, proxies).address.or_else(peer)
    }

    /// The address for which wrong passwords count. A connection from this machine has none: it may
    /// be one of a proxy that is not declared, which all clients share. What came through a
    /// declared proxy always has one.
    pub(crate) fn guessing_address(head: &Parts, proxies: &TrustedProxies) -> Option<IpAddr> {
        let address = Self::counted_address(head, proxies)?;
        (!address.is_loopback() || proxies.trusts_peer(&head.extensions)).then_some(address)
    }

    /// Returns the client of the request with this head.
    pub(crate) fn of(head: &Parts, proxies: &TrustedProxies) -> Self {
        let peer = head.extensions.get().map(|Peer { address }| *address);
        let forwarded = proxies.client(head);
        let address = match &forwarded {
            Some(client) => client.address,
            None => peer.map(|peer| peer.ip().to_canonical()),
        };
        let ForwardedClient { scheme, authority, .. } = forwarded.unwrap_or_default();
        let used_scheme = || head.uri.scheme().or_else(|| head.extensions.get()).cloned();
        let host = || Authority::try_from(head.headers.get(header::HOST)?.as_bytes()).ok();
        let used_authority = || head.uri.authority().cloned().or_else(host);
        Self {
            address,
            scheme: scheme.or_else(used_scheme).unwrap_or(Scheme::HTTP),
            authority: authority.or_else(used_authority),
        }
    }
}

/// The network of an address: a client may have a whole `/64` of IPv6.
pub(crate) fn network(address: IpAddr) -> [u8; 8] {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let [a, b, c, d] = address.octets();
            [0, 0, 0, 0, a, b, c, d]
        }
        IpAddr::V6(address) => {
            let mut network = [0; 8];
            network.copy_from_slice(&address.octets()[..8]);
            network
        }
    }
}

#[cfg(test)]
mod tests {
    use http::Request;
    use nouns_declaration::def::ProxyFields;

    use super::*;

    fn client(request: http::request::Builder) -> Client {
        by(ProxyFields::XForwarded, request)
    }

    fn by(fields: ProxyFields, request: http::request::Builder) -> Client {
        let proxies = TrustedProxies::new(&["10.0.0.1"], fields);
        Client::of(&request.body(()).unwrap().into_parts().0, &proxies)
    }

    #[test]
    fn the_head_says_the_scheme_and_the_authority() {
        let of = |client: Client| {
            (client.scheme, client.authority.map(|authority| authority.to_string()))
        };
        let (plain, secure) = (Scheme::HTTP, Scheme::HTTPS);
        let host = || Request::get("/zoos").header("host", "zoo.example:8080");
        assert_eq!(of(client(host())), (plain.clone(), Some("zoo.example:8080".into())));
        assert_eq!(of(client(host().extension(Scheme::HTTPS))).0, secure);
        let absolute = Request::get("https://a.example/zoos").header("host", "b.example");
        assert_eq!(of(client(absolute)), (secure, Some("a.example".into())));
        assert_eq!(of(client(Request::get("/zoos"))), (plain, None));
    }

    #[test]
    fn a_host_or_a_field_tells_that_the_client_is_another() {
        let local = |request: http::request::Builder| {
            OverLoopback::is_local(&request.body(()).unwrap().into_parts().0)
        };
        let marked = || Request::get("/").extension(OverLoopback);
        for host in ["localhost", "LOCALHOST:8080", "a.localhost", "127.0.0.9:1", "[::1]:8080"] {
            assert!(local(marked().header("host", host)), "{host}");
            assert!(!local(Request::get("/").header("host", host)), "{host}");
            for field in ["forwarded", "x-forwarded-for", "X-Forwarded-Port", "via", "x-real-ip"] {
                assert!(!local(marked().header("host", host).header(field, "")), "{field}");
            }
        }
        let hosts = ["zoo.example", "localhost.example", "10.0.0.1", "[::2]", "127.0.0.1.nip.io"];
        for host in hosts {
            assert!(!local(marked().header("host", host)), "{host}");
        }
        assert!(!local(marked()), "no host");
    }

    #[test]
    fn only_the_connection_says_the_address() {
        let address: SocketAddr = ([192, 0, 2, 7], 4711).into();
        let forwarded = || {
            let request =
                Request::get("/zoos").header("forwarded", "for=198.51.100.1;proto=https;host=evil");
            request.header("x-forwarded-for", "198.51.100.1").header("x-forwarded-proto", "https")
        };
        let nobody = Client { address: None, scheme: Scheme::HTTP, authority: None };
        assert_eq!(client(forwarded()), nobody);
        assert_eq!(
            client(forwarded().extension(Peer { address })),
            Client { address: Some(address.ip()), ..nobody.clone() }
        );
    }

    /// Wrong passwords count for each client of a declared proxy, whatever address it has.
    #[test]
    fn nothing_that_came_through_a_proxy_is_exempt_from_the_limit_on_guesses() {
        let proxies = TrustedProxies::new(&["127.0.0.1"], ProxyFields::XForwarded);
        let address = |peer: [u8; 4], fields: &[(&str, &str)], proxies: &TrustedProxies| {
            let request = Request::get("/").extension(Peer { address: (peer, 80).into() });
            let add = |request: http::request::Builder, (name, value): &(&str, &str)| {
                request.header(*name, *value)
            };
            let request = fields.iter().fold(request, add).body(()).unwrap();
            let (head, ()) = request.into_parts();
            let counted = Client::counted_address(&head, proxies).map(|one| one.to_string());
            let guessing = Client::guessing_address(&head, proxies).map(|one| one.to_string());
            (counted, guessing)
        };
        let both = |text: &str| (Some(text.to_owned()), Some(text.to_owned()));
        let none = TrustedProxies::default();
        let local = (Some("127.0.0.1".to_owned()), None);
        assert_eq!(address([127, 0, 0, 1], &[], &none), local);
        assert_eq!(address([127, 0, 0, 1], &[("x-forwarded-for", "192.0.2.7")], &none), local);
        assert_eq!(address([192, 0, 2, 1], &[], &none), both("192.0.2.1"));
        for (sent, expected) in [
            ("192.0.2.7", "192.0.2.7"),
            ("127.0.0.2", "127.0.0.2"),
            ("unknown", "127.0.0.1"),
            ("", "127.0.0.1"),
        ] {
            let fields = [("x-forwarded-for", sent), ("forwarded", "for=198.51.100.1")];
            assert_eq!(address([127, 0, 0, 1], &fields, &proxies), both(expected), "{sent}");
        }
    }

    /// Conformance 213: the address, scheme and host come from the fields of a trusted proxy.
    #[test]
    fn a_trusted_proxy_names_the_client() {
        let peer = Peer { address: ([10, 0, 0, 1], 80).into() };
        let request = || Request::get("/zoos").header("host", "inner:8080").extension(peer);
        let field = "for=192.0.2.7;proto=https;host=zoo.example";
        let client = |request| by(ProxyFields::Forwarded, request);
        assert_eq!(
            client(request().header("forwarded", field)),
            Client {
                address: Some([192, 0, 2, 7].into()),
                scheme: Scheme::HTTPS,
                authority: Some(Authority::from_static("zoo.example")),
            }
        );
        let inner = Some(Authority::from_static("inner:8080"));
        assert_eq!(
            client(request().header("forwarded", "for=unknown")),
            Client { address: None, scheme: Scheme::HTTP, authority: inner.clone() }
        );
        assert_eq!(
            client(request()),
            Client { address: Some([10, 0, 0, 1].into()), scheme: Scheme::HTTP, authority: inner }
        );
    }
}
