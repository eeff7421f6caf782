//! [`Client`]: the address of a client, and the scheme and authority of its request.

use std::net::SocketAddr;

use http::{
    header,
    request::Parts,
    uri::{Authority, Scheme},
};

/// The properties of a connection. The server adds them to the extensions of each request on the
/// connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The IP address and port of the client.
    pub address: SocketAddr,
}

/// The address of the client, and the scheme and authority that its request uses for this server.
///
/// `Forwarded` and `X-Forwarded-*` are ignored, because no proxy can be declared as trusted yet
/// (RFC 7239 §8.1). The address is not an identity: access rules use the
/// [`Caller`](crate::identify::Caller).
///
/// ```
/// # use nouns_runtime::{Error, custom::{Answer, RouteRequest}};
/// async fn address(request: RouteRequest) -> Result<Answer, Error> {
///     let address = request.client().and_then(|client| client.address);
///     Answer::json(http::StatusCode::OK, &address.map(|address| address.ip().to_string()))
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Client {
    /// The address of the client; `None` if the server adds no [`Peer`] to the extensions of
    /// requests.
    pub address: Option<SocketAddr>,
    /// The scheme of the request target: from the target in absolute form, else from the extensions
    /// of the request, else `http` (RFC 9112 §3.3).
    pub scheme: Scheme,
    /// The host and port of the request target: from the target in absolute form, else from `Host`.
    pub authority: Option<Authority>,
}

impl Client {
    /// Returns the client of the request with this head.
    pub(crate) fn of(head: &Parts) -> Self {
        let scheme = head.uri.scheme().or_else(|| head.extensions.get());
        let host = || Authority::try_from(head.headers.get(header::HOST)?.as_bytes()).ok();
        Self {
            address: head.extensions.get().map(|Peer { address }| *address),
            scheme: scheme.cloned().unwrap_or(Scheme::HTTP),
            authority: head.uri.authority().cloned().or_else(host),
        }
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn client(request: http::request::Builder) -> Client {
        Client::of(&request.body(()).unwrap().into_parts().0)
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
    fn only_the_connection_says_the_address() {
        let address = ([192, 0, 2, 7], 4711).into();
        let forwarded = || {
            let request =
                Request::get("/zoos").header("forwarded", "for=198.51.100.1;proto=https;host=evil");
            request.header("x-forwarded-for", "198.51.100.1").header("x-forwarded-proto", "https")
        };
        let nobody = Client { address: None, scheme: Scheme::HTTP, authority: None };
        assert_eq!(client(forwarded()), nobody);
        assert_eq!(
            client(forwarded().extension(Peer { address })),
            Client { address: Some(address), ..nobody }
        );
    }
}
