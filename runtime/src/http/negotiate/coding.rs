//! The negotiation of compression by `Accept-Encoding` (RFC 9110 §12.5.3).

use http::{HeaderMap, header};

use super::weighted;

/// A content coding, which is an algorithm of compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coding {
    /// No compression.
    Identity,
    /// gzip (RFC 1952).
    Gzip,
    /// Brotli (RFC 7932).
    #[cfg(feature = "brotli")]
    Br,
    /// Zstandard (RFC 8878).
    #[cfg(feature = "zstd")]
    Zstd,
}

impl Coding {
    /// All codings that are compiled in. If a client gives several codings the same weight, the
    /// earliest in this list is used.
    pub const ALL: &[Self] = &[
        #[cfg(feature = "zstd")]
        Self::Zstd,
        #[cfg(feature = "brotli")]
        Self::Br,
        Self::Gzip,
        Self::Identity,
    ];

    /// The names of all codings, as text for header fields and messages.
    pub(crate) const NAMES: &str = match (cfg!(feature = "brotli"), cfg!(feature = "zstd")) {
        (true, true) => "gzip, br, zstd, identity",
        (true, false) => "gzip, br, identity",
        (false, true) => "gzip, zstd, identity",
        (false, false) => "gzip, identity",
    };

    /// The name of the coding in header fields and in entity tags.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            #[cfg(feature = "brotli")]
            Self::Br => "br",
            #[cfg(feature = "zstd")]
            Self::Zstd => "zstd",
        }
    }

    /// Returns the coding with this name, in upper or lower case. `x-gzip` means gzip.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("x-gzip") {
            return Some(Self::Gzip);
        }
        Self::ALL.iter().copied().find(|coding| coding.word().eq_ignore_ascii_case(name))
    }
}

/// The content codings that a client accepts. The array has the weight of each coding in
/// thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Codings([u16; Coding::ALL.len()]);

impl Codings {
    /// The weights of a client that accepts only uncompressed content.
    pub const IDENTITY: Self = Self::only(Coding::Identity);

    /// Parses `Accept-Encoding`. Without the field, content is not compressed.
    ///
    /// A coding that the field does not name has the weight of `*`. If there is no `*` either, the
    /// coding is refused. The exception is identity, which then has the lowest weight.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        if !headers.contains_key(header::ACCEPT_ENCODING) {
            return Self::IDENTITY;
        }
        let mut named = [None; Coding::ALL.len()];
        let mut others = None;
        for member in weighted::members(headers, header::ACCEPT_ENCODING) {
            let of = match Coding::from_name(member.name) {
                Some(coding) => &mut named[coding as usize],
                None if member.name == "*" => &mut others,
                None => continue,
            };
            *of = (*of).max(Some(member.quality));
        }
        let unnamed = |coding| if coding == Coding::Identity { UNNAMED_IDENTITY } else { 0 };
        let mut codings = Self([0; Coding::ALL.len()]);
        for &coding in Coding::ALL {
            let quality = named[coding as usize].or(others);
            codings.0[coding as usize] = quality.unwrap_or_else(|| unnamed(coding));
        }
        codings
    }

    /// Returns codings of which only one is accepted: the preferred coding for content that is not
    /// small, or identity if the client refuses all codings.
    pub(crate) fn always(self) -> Self {
        Self::only(self.best(false).unwrap_or(Coding::Identity))
    }

    const fn only(coding: Coding) -> Self {
        let mut weights = [0; Coding::ALL.len()];
        weights[coding as usize] = weighted::FULL;
        Self(weights)
    }

    /// Whether the client accepts the coding.
    pub(crate) const fn accepts(self, coding: Coding) -> bool {
        self.0[coding as usize] > 0
    }

    /// The preferred coding; `None` if the client refuses every coding. Small content is not
    /// compressed unless the client refuses identity.
    pub(crate) fn best(self, small: bool) -> Option<Coding> {
        if small && self.accepts(Coding::Identity) {
            return Some(Coding::Identity);
        }
        let weight = |coding: &Coding| self.0[*coding as usize];
        // `max_by_key` returns the last of several equal weights, so the order is reversed.
        let accepted = Coding::ALL.iter().copied().filter(|coding| self.accepts(*coding));
        accepted.rev().max_by_key(weight)
    }
}

/// The weight of identity if neither identity nor `*` is in the field. It is lower than the weight
/// of any coding in the field, since the client prefers those codings.
const UNNAMED_IDENTITY: u16 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    fn codings(field: &str) -> Codings {
        Codings::of(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, field.parse().unwrap())]))
    }

    /// Conformance 95: the coding with the highest weight is used, and `*` and refused identity
    /// count (RFC 9110 §12.5.3).
    #[cfg(all(feature = "brotli", feature = "zstd"))]
    #[test]
    fn the_most_welcome_coding_is_chosen() {
        use Coding::{Br, Gzip, Identity, Zstd};
        for (field, expected) in [
            ("", Some(Identity)),
            ("gzip", Some(Gzip)),
            ("GZIP", Some(Gzip)),
            ("x-gzip", Some(Gzip)),
            ("xgzip, gzipx, gz", Some(Identity)),
            ("gzip;q=0", Some(Identity)),
            ("gzip;q=0.001", Some(Gzip)),
            ("gzip, deflate, br, zstd", Some(Zstd)),
            ("gzip, deflate, br", Some(Br)),
            ("gzip;q=1.0, br;q=0.9, zstd;q=0.8", Some(Gzip)),
            ("deflate", Some(Identity)),
            ("*", Some(Zstd)),
            ("*;q=0, gzip", Some(Gzip)),
            ("gzip;q=0.5, identity", Some(Identity)),
            ("gzip;q=0.5, identity;q=0.5", Some(Gzip)),
            ("zstd;q=0, *;q=0.3, identity;q=0.2", Some(Br)),
            ("identity;q=0", None),
            ("*;q=0", None),
            ("identity;q=0, gzip;q=0", None),
            ("identity;q=0, *", Some(Zstd)),
            ("*;q=0, identity", Some(Identity)),
        ] {
            assert_eq!(codings(field).best(false), expected, "{field}");
        }
    }

    /// Conformance 95: a coding that is not compiled in is like a coding that does not exist.
    #[cfg(not(any(feature = "brotli", feature = "zstd")))]
    #[test]
    fn what_is_not_compiled_in_is_not_offered() {
        use Coding::{Gzip, Identity};
        for (field, expected) in [
            ("gzip, deflate, br, zstd", Some(Gzip)),
            ("zstd, br;q=0.9, gzip;q=0.1", Some(Gzip)),
            ("zstd, br", Some(Identity)),
            ("zstd, identity;q=0", None),
            ("*", Some(Gzip)),
            ("", Some(Identity)),
        ] {
            assert_eq!(codings(field).best(false), expected, "{field}");
        }
        for name in ["br", "zstd"] {
            assert_eq!(Coding::from_name(name), None);
            assert!(!Coding::NAMES.contains(name));
        }
    }

    /// Every coding is named once, in the list and in the text.
    #[test]
    fn the_text_names_the_codings_of_the_list() {
        let mut names: Vec<_> = Coding::NAMES.split(", ").collect();
        names.sort_unstable();
        let mut listed: Vec<_> = Coding::ALL.iter().map(|coding| coding.word()).collect();
        listed.sort_unstable();
        assert_eq!(names, listed);
    }

    /// Conformance 95: a client that sends no `Accept-Encoding` gets uncompressed content.
    #[test]
    fn without_a_field_content_is_as_it_is() {
        assert_eq!(Codings::of(&HeaderMap::new()).best(false), Some(Coding::Identity));
        assert!(!Codings::of(&HeaderMap::new()).accepts(Coding::Gzip));
    }

    /// Conformance 95: small content is not compressed unless the client refuses identity.
    #[test]
    fn what_is_small_is_not_coded() {
        for (field, expected) in [
            ("gzip", Some(Coding::Identity)),
            ("gzip, identity;q=0.1", Some(Coding::Identity)),
            ("gzip, identity;q=0", Some(Coding::Gzip)),
            ("*;q=0", None),
        ] {
            assert_eq!(codings(field).best(true), expected, "{field}");
        }
    }
}
