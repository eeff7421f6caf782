//! Ranges of IP addresses, such as `10.0.0.0/8`.

use std::{error::Error, fmt, net::IpAddr, str::FromStr};

/// A range of IP addresses: a network and the length of its prefix in bits (RFC 4632 §3.1). A
/// single address is the range of that address alone.
///
/// ```
/// use nouns_declaration::address_range::AddressRange;
/// let range: AddressRange = "10.0.0.0/8".parse().unwrap();
/// assert!(range.contains("10.1.2.3".parse().unwrap()));
/// assert!(!range.contains("11.1.2.3".parse().unwrap()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRange {
    network: IpAddr,
    prefix_bits: u32,
}

/// The error for a text that is no range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotARange;

impl fmt::Display for NotARange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("not an IP address, and not a network with a prefix such as 10.0.0.0/8")
    }
}

impl Error for NotARange {}

impl AddressRange {
    /// Whether an address is in the range. An IPv4 address that is mapped to IPv6
    /// (`::ffff:10.0.0.7`) is the IPv4 address (RFC 4291 §2.5.5.2).
    #[must_use]
    pub fn contains(self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address.is_ipv4() == self.network.is_ipv4()
            && self.network_bits(address) == self.network_bits(self.network)
    }

    /// The bits of an address that the prefix covers, as a number.
    fn network_bits(self, address: IpAddr) -> u128 {
        let host_bits = bits_of(address) - self.prefix_bits;
        number_of(address).checked_shr(host_bits).unwrap_or(0)
    }

    /// Whether the network has a bit after its prefix.
    fn has_host_bits(self) -> bool {
        number_of(self.network).trailing_zeros() < bits_of(self.network) - self.prefix_bits
    }
}

/// An address as a number.
fn number_of(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_bits().into(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// The length of an address in bits.
const fn bits_of(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(_) => u32::BITS,
        IpAddr::V6(_) => u128::BITS,
    }
}

impl FromStr for AddressRange {
    type Err = NotARange;

    /// Parses an address, or a network and the length of its prefix: `10.0.0.7`, `fd00::/8`.
    ///
    /// # Errors
    /// [`NotARange`] for any other text, for a prefix that is too long, for a network with bits
    /// after its prefix, and for an IPv4 address that is mapped to IPv6.
    fn from_str(text: &str) -> Result<Self, NotARange> {
        let (network, prefix) = match text.split_once('/') {
            Some((network, prefix)) => (network, Some(prefix)),
            None => (text, None),
        };
        let network: IpAddr = network.parse().map_err(|_| NotARange)?;
        let bits = bits_of(network);
        let prefix_bits = match prefix {
            None => bits,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse().ok().filter(|prefix| *prefix <= bits).ok_or(NotARange)?
            }
            Some(_) => return Err(NotARange),
        };
        let range = Self { network, prefix_bits };
        let is_mapped = network != network.to_canonical();
        if is_mapped || range.has_host_bits() { Err(NotARange) } else { Ok(range) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(range: &str, address: &str) -> bool {
        range.parse::<AddressRange>().unwrap().contains(address.parse().unwrap())
    }

    #[test]
    fn a_range_contains_the_addresses_with_its_prefix() {
        for (range, address) in [
            ("10.0.0.7", "10.0.0.7"),
            ("10.0.0.7/32", "::ffff:10.0.0.7"),
            ("10.0.0.0/8", "10.255.255.255"),
            ("172.16.0.0/12", "172.31.0.1"),
            ("0.0.0.0/0", "192.0.2.1"),
            ("::1", "::1"),
            ("::/0", "2001:db8::1"),
            ("fd00::/8", "fdff::1"),
        ] {
            assert!(contains(range, address), "{range} {address}");
        }
        for (range, address) in [
            ("10.0.0.7", "10.0.0.8"),
            ("10.0.0.0/8", "11.0.0.0"),
            ("172.16.0.0/12", "172.32.0.0"),
            ("0.0.0.0/0", "::1"),
            ("::/0", "127.0.0.1"),
            ("::/0", "::ffff:127.0.0.1"),
            ("fd00::/8", "fe00::"),
        ] {
            assert!(!contains(range, address), "{range} {address}");
        }
    }

    #[test]
    fn a_text_that_is_no_range_is_refused() {
        for text in [
            "",
            "/",
            "localhost",
            "10.0.0",
            "10.0.0.0/",
            "10.0.0.0/33",
            "10.0.0.0/+8",
            "10.0.0.0/-1",
            "10.0.0.0/8/8",
            "10.0.0.1/8",
            "fd00::1/64",
            "::1/129",
            "[::1]",
            "::1%eth0",
            "::ffff:10.0.0.7",
            "::ffff:0:0/96",
            "10.0.0.0/99999999999",
            " 10.0.0.7",
        ] {
            assert_eq!(text.parse::<AddressRange>(), Err(NotARange), "{text}");
        }
    }
}
