//! Whether the host of a request is served (RFC 9110 §7.4).

use http::{request::Parts, uri::Authority};

use super::Service;
use crate::http::{client::Client, hosts::Hosts, request_head::authority};

impl Service {
    /// Whether the host that a request names is served. Health checks often name an address, and so
    /// do those who read the metrics of the admin listener.
    #[cold]
    pub(super) fn serves(&self, hosts: &Hosts, head: &Parts) -> bool {
        let model = &self.0.model;
        let serves = |name: Option<&str>| name.is_none_or(|name| hosts.serve(name));
        let is_served = match model.proxies.is_empty() {
            true => serves(authority(&head.uri, &head.headers)),
            false => {
                let client = Client::of(head, &model.proxies);
                serves(client.authority.as_ref().map(Authority::as_str))
            }
        };
        is_served || self.is_admin() || is_health(model.urls.below(head.uri.path()))
    }
}

/// Whether a path below the base path is that of a health check.
fn is_health(path: Option<&str>) -> bool {
    matches!(path, Some("/-/health" | "/-/ready"))
}
