//! The hosts that are served (RFC 9110 §7.4, §15.5.20).
//!
//! A page of any site can let its own host name lead to an address of the machine or the network of
//! its reader (DNS rebinding). The browser then sends requests to a server there, as if the page
//! belonged to it. The name in `Host` gives this away.

use std::net::Ipv6Addr;

/// The declared names of the hosts that are served.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hosts(&'static [&'static str]);

impl Hosts {
    /// Returns the declared hosts. `None` if any host is served.
    pub(crate) fn of(declared: &'static [&'static str]) -> Option<Self> {
        (!declared.is_empty() && !declared.contains(&"*")).then_some(Self(declared))
    }

    /// Whether an authority, a host with an optional port, is served.
    pub(crate) fn serve(&self, authority: &str) -> bool {
        let host = host(authority);
        self.0.iter().any(|known| is_served(known, host))
    }
}

fn is_served(known: &str, host: &str) -> bool {
    if let Some(domain) = known.strip_prefix("*.") {
        let begin = host.len().checked_sub(domain.len() + 1);
        return begin.filter(|begin| *begin > 0).is_some_and(|begin| {
            let (below, name) = host.split_at_checked(begin).unwrap_or_default();
            !below.is_empty()
                && name.strip_prefix('.').is_some_and(|name| name.eq_ignore_ascii_case(domain))
        });
    }
    if known.eq_ignore_ascii_case(host) {
        return true;
    }
    // An address of IPv6 has several spellings.
    host.contains(':') && known.parse::<Ipv6Addr>().is_ok_and(|address| host.parse() == Ok(address))
}

/// Whether a valid authority is one of this machine, or an address. No page of another site has
/// these in its URL.
#[inline]
pub(crate) fn is_local(authority: &[u8]) -> bool {
    match authority.split_first_chunk() {
        // This is most of them.
        Some((name, [] | [b':', ..])) if *name == LOCALHOST => true,
        _ => is_address(authority) || is_named_local(authority),
    }
}

const LOCALHOST: [u8; 9] = *b"localhost";

/// Whether an authority is an address, with an optional port.
fn is_address(authority: &[u8]) -> bool {
    let is_of_address = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b':');
    authority.starts_with(b"[") || authority.iter().all(is_of_address)
}

/// Whether an authority is a name of this machine (RFC 6761 §6.3), with an optional port.
fn is_named_local(authority: &[u8]) -> bool {
    let name = authority.split(|byte| *byte == b':').next().unwrap_or_default();
    let name = name.strip_suffix(b".").unwrap_or(name);
    let Some((above, last)) = name.split_last_chunk::<{ LOCALHOST.len() }>() else { return false };
    last.eq_ignore_ascii_case(&LOCALHOST)
        && (above.is_empty() || above.len() > 1 && above.ends_with(b"."))
}

/// The host of an authority, without its port, brackets and a dot at the end.
fn host(authority: &str) -> &str {
    let host = match authority.strip_prefix('[') {
        Some(rest) => return rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host.strip_suffix('.').unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_served_under_its_names() {
        let hosts =
            Hosts::of(&["zoo.example.org", "*.zoo.example.org", "10.0.0.1", "fd00::1"]).unwrap();
        for served in [
            "zoo.example.org",
            "ZOO.example.org:8080",
            "zoo.example.org.",
            "api.zoo.example.org",
            "a.b.zoo.example.org:1",
            "10.0.0.1:80",
            "[fd00::1]:80",
            "[fd00:0:0::1]",
        ] {
            assert!(hosts.serve(served), "{served}");
        }
        for other in [
            "",
            "example.org",
            "xzoo.example.org",
            ".zoo.example.org",
            "zoo.example.org.evil.example",
            "10.0.0.11",
            "localhost",
            "[::1]",
        ] {
            assert!(!hosts.serve(other), "{other}");
        }
        assert!(Hosts::of(&[]).is_none() && Hosts::of(&["a.example", "*"]).is_none());
    }

    #[test]
    fn addresses_and_localhost_are_local() {
        for local in [
            "",
            "localhost",
            "LOCALHOST:8080",
            "localhost.",
            "localhost.:80",
            "zoo.localhost",
            "Zoo.Localhost.:8080",
            "127.0.0.1:80",
            "192.168.0.1",
            "[::1]:80",
        ] {
            assert!(is_local(local.as_bytes()), "{local}");
        }
        for other in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:80",
            "xlocalhost",
            "a1",
        ] {
            assert!(!is_local(other.as_bytes()), "{other}");
        }
    }
}
