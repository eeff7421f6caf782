//! [`HostRule`]: which hosts are served on a loopback address, if the declaration names none.

use http::{Request, Uri};

use crate::{
    http::{hosts::is_local, request_head::authority},
    service::Service,
};

/// The hosts that are served on a loopback address.
#[derive(Clone, Copy, Debug)]
pub(super) enum HostRule {
    /// Any host, or those that the service knows.
    Any,
    /// The hosts of this machine, addresses, and the host of the public URL. A page of another site
    /// cannot have these, so it cannot use the server through the browser of a developer.
    Local { public: Option<&'static str> },
}

impl HostRule {
    /// The rule for connections to a loopback address that are not from a declared proxy. Declared
    /// hosts are those of the other listeners, not of the admin listener.
    pub(super) fn of(service: &Service) -> Self {
        let model = service.store().model();
        if !model.api.server.hosts.is_empty() && !service.is_admin() {
            return Self::Any;
        }
        let public = model.api.public_url.and_then(|url| url.split("//").nth(1));
        Self::Local { public: public.and_then(|rest| rest.split(['/', '?']).next()) }
    }

    /// Whether the host of a request is served.
    #[inline]
    pub(super) fn serves<B>(self, request: &Request<B>) -> bool {
        let Self::Local { public } = self else { return true };
        let Some(given) = authority(request.uri(), request.headers()) else { return true };
        is_local(given.as_bytes())
            || public.is_some_and(|public| given.eq_ignore_ascii_case(public))
            || is_health(request.uri())
    }
}

/// Whether a path is that of a health check, which may name any host.
#[cold]
fn is_health(uri: &Uri) -> bool {
    uri.path().ends_with("/-/health") || uri.path().ends_with("/-/ready")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_another_site_cannot_name_a_local_server() {
        let rule = HostRule::Local { public: Some("zoo.example:8443") };
        let serves = |host: &str, path: &str| {
            rule.serves(&Request::get(path).header("host", host).body(()).unwrap())
        };
        for host in ["localhost:8080", "127.0.0.1", "[::1]:80", "ZOO.example:8443"] {
            assert!(serves(host, "/zoos"), "{host}");
        }
        assert!(!serves("evil.example", "/zoos") && !serves("zoo.example", "/zoos"));
        assert!(serves("evil.example", "/-/health"));
        assert!(rule.serves(&Request::get("/zoos").body(()).unwrap()), "HTTP/1.0 names no host");
        let absolute = Request::get("http://evil.example/zoos").header("host", "localhost");
        assert!(!rule.serves(&absolute.body(()).unwrap()));
    }
}
