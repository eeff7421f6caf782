//! Finds the client of a request in the header fields of trusted proxies: `X-Forwarded-*`, or
//! `Forwarded` (RFC 7239).
//!
//! The declaration says which of both kinds counts. A proxy sets one kind, and usually passes the
//! other on as the client wrote it.

use std::{
    net::{IpAddr, SocketAddr},
    sync::atomic::{AtomicBool, Ordering},
};

use http::{
    Extensions, HeaderMap, HeaderName, header,
    request::Parts,
    uri::{Authority, Scheme},
};
use nouns_declaration::{
    address_range::AddressRange,
    def::ProxyFields,
    grammar::{FIELD_NAME, UNIX_PROXY},
};

use super::{
    client::{Peer, UnixPeer},
    negotiate::split,
};

static X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
static X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
static X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// The maximum number of entries that are read of `Forwarded` or an `X-Forwarded-*` field, from its
/// end. A client can send any number of entries, and a proxy adds its own to them.
const ENTRIES_MAX: usize = 32;

/// The trusted proxies, from whose fields the server reads the address of the client.
#[derive(Debug, Default)]
pub(crate) struct TrustedProxies {
    ranges: Box<[AddressRange]>,
    /// Whether those on a Unix socket are trusted.
    trusts_unix: bool,
    /// The fields that the proxies set.
    fields: ProxyFields,
    /// Whether it was logged that a proxy sets the other fields.
    has_warned: AtomicBool,
}

/// A client, as trusted proxies name it. An absent part was not named, or is not valid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ForwardedClient {
    pub(crate) address: Option<IpAddr>,
    pub(crate) scheme: Option<Scheme>,
    pub(crate) authority: Option<Authority>,
}

/// An entry of a list: the sender of the request that a proxy received, and the scheme and the
/// host of that request. An absent part is empty.
#[derive(Clone, Copy, Default)]
struct Hop<'head> {
    sender: &'head str,
    scheme: &'head str,
    host: &'head str,
}

impl TrustedProxies {
    /// Parses declared address ranges. The schema checker has refused texts that are no address
    /// range.
    pub(crate) fn new(ranges: &[&str], fields: ProxyFields) -> Self {
        Self {
            ranges: ranges.iter().filter_map(|range| range.parse().ok()).collect(),
            trusts_unix: ranges.contains(&UNIX_PROXY),
            fields,
            has_warned: AtomicBool::new(false),
        }
    }

    /// Whether no proxy is trusted.
    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty() && !self.trusts_unix
    }

    /// Whether an address is that of a trusted proxy.
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.ranges.iter().any(|range| range.contains(address))
    }

    /// Whether the other end of a Unix socket is a trusted proxy.
    pub(crate) const fn trusts_unix(&self) -> bool {
        self.trusts_unix
    }

    /// Whether the other end of the connection of a request is a trusted proxy.
    pub(crate) fn trusts_peer(&self, extensions: &Extensions) -> bool {
        match extensions.get::<Peer>() {
            Some(peer) => self.trusts(peer.address.ip()),
            None => self.trusts_unix && extensions.get::<UnixPeer>().is_some(),
        }
    }

    /// Returns the client that the trusted proxies name. `None` means that the peer, which is the
    /// other end of the connection, is not trusted or names nobody.
    ///
    /// A proxy adds its entry to the end of a list. So a list is read from its end, up to the first
    /// sender that is no trusted proxy. Fields of the other kind are the client's word, and are not
    /// read.
    pub(crate) fn client(&self, head: &Parts) -> Option<ForwardedClient> {
        if !self.trusts_peer(&head.extensions) {
            return None;
        }
        let headers = &head.headers;
        let hops = match self.fields {
            ProxyFields::XForwarded => x_forwarded(headers)?,
            ProxyFields::Forwarded => forwarded(headers)?,
        };
        if hops.is_empty() {
            self.warn_of_others(headers);
        }
        self.nearest(&hops)
    }

    /// Logs once that a proxy sets the fields that are not declared.
    #[cold]
    fn warn_of_others(&self, headers: &HeaderMap) {
        let (other, word) = match self.fields {
            ProxyFields::XForwarded => (&header::FORWARDED, ProxyFields::Forwarded.word()),
            ProxyFields::Forwarded => (&X_FORWARDED_FOR, ProxyFields::XForwarded.word()),
        };
        if headers.contains_key(other) && !self.has_warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                target: "nouns",
                "a trusted proxy has sent `{other}` alone, which does not count: if it sets this field, declare `server: {{ proxy_fields: {word} }}`",
            );
        }
    }

    /// Returns the entry of the last sender that is no trusted proxy. If all senders are trusted
    /// proxies, returns the first entry. `None` if there are no entries.
    fn nearest(&self, hops: &[Hop<'_>]) -> Option<ForwardedClient> {
        let mut nearest = None;
        for hop in hops.iter().rev() {
            let address = address(hop.sender);
            nearest = Some((hop, address));
            if !address.is_some_and(|address| self.trusts(address)) {
                break;
            }
        }
        let (hop, address) = nearest?;
        let authority = Authority::try_from(hop.host).ok();
        Some(ForwardedClient { address, scheme: scheme(hop.scheme), authority })
    }
}

/// The entries of `Forwarded` (RFC 7239 §4), or `None` if one is malformed. A client could leave a
/// quotation open, which would hide the entry that a proxy adds.
fn forwarded(headers: &HeaderMap) -> Option<Vec<Hop<'_>>> {
    list(headers, &header::FORWARDED, |field| split(field, b','))?.into_iter().map(hop).collect()
}

/// An entry of `Forwarded`: pairs such as `for="[2001:db8::7]:4711"`.
fn hop(entry: &str) -> Option<Hop<'_>> {
    let mut hop = Hop::default();
    for pair in split(entry, b';').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=')?;
        let value = unquoted(value).filter(|_| (FIELD_NAME.keeps)(name))?;
        let part = match name {
            _ if name.eq_ignore_ascii_case("for") => &mut hop.sender,
            _ if name.eq_ignore_ascii_case("proto") => &mut hop.scheme,
            _ if name.eq_ignore_ascii_case("host") => &mut hop.host,
            _ => continue,
        };
        if !part.is_empty() {
            return None;
        }
        *part = value;
    }
    Some(hop)
}

/// The content of a quotation, or a value without quotes. No address, scheme or host needs an
/// escape, so a value with one is malformed here.
fn unquoted(value: &str) -> Option<&str> {
    let inner = match value.strip_prefix('"') {
        Some(rest) => rest.strip_suffix('"')?,
        None => value,
    };
    (!inner.contains(['"', '\\'])).then_some(inner)
}

/// The entries of `X-Forwarded-For`. Each has the items at the same distance from the end of
/// `X-Forwarded-Proto` and `X-Forwarded-Host`. A proxy that replaces these two lists leaves one
/// value in each. `None` if a field is not ASCII.
fn x_forwarded(headers: &HeaderMap) -> Option<Vec<Hop<'_>>> {
    // These lists have no quotations, so a quote of the client hides no comma.
    let plain = |name| list(headers, name, |field| field.split(',').map(str::trim));
    let senders = plain(&X_FORWARDED_FOR)?;
    let (schemes, hosts) = (plain(&X_FORWARDED_PROTO)?, plain(&X_FORWARDED_HOST)?);
    let hops = senders.iter().enumerate().map(|(at, sender)| {
        let from_end = senders.len() - at;
        Hop { sender, scheme: nth_last(&schemes, from_end), host: nth_last(&hosts, from_end) }
    });
    Some(hops.collect())
}

/// The item at a distance from the end of a list. Returns the first item if the list is shorter,
/// and an empty text if the list is empty.
fn nth_last<'head>(items: &[&'head str], from_end: usize) -> &'head str {
    items.get(items.len().saturating_sub(from_end)).copied().unwrap_or_default()
}

/// The last [`ENTRIES_MAX`] items of all header fields with this name, or `None` if a field is not
/// ASCII.
fn list<'head, Items: Iterator<Item = &'head str>>(
    headers: &'head HeaderMap,
    name: &HeaderName,
    split: impl Fn(&'head str) -> Items,
) -> Option<Vec<&'head str>> {
    let mut items = vec![];
    for field in headers.get_all(name) {
        items.extend(split(field.to_str().ok()?).filter(|item| !item.is_empty()));
    }
    let first = items.len().saturating_sub(ENTRIES_MAX);
    Some(items.split_off(first))
}

/// The address of a sender, with or without its port. `None` for `unknown` and for a name that
/// hides the address (RFC 7239 §6).
fn address(sender: &str) -> Option<IpAddr> {
    let alone = sender.strip_prefix('[').and_then(|sender| sender.strip_suffix(']'));
    let address = alone.unwrap_or(sender).parse();
    let with_port = || sender.parse().map(|address: SocketAddr| address.ip());
    address.or_else(|_| with_port()).ok().map(|address: IpAddr| address.to_canonical())
}

fn scheme(name: &str) -> Option<Scheme> {
    [Scheme::HTTP, Scheme::HTTPS].into_iter().find(|scheme| scheme == name)
}

#[cfg(test)]
mod tests;
