//! The header fields with digests of content and of representations (RFC 9530). They are structured
//! fields (RFC 9651).

use http::{HeaderMap, HeaderName, HeaderValue};
use sfv::{BareItem, Dictionary, ListEntry, Parser, RefBareItem};
use sha2::{Digest as _, Sha256, Sha512};

/// The digest of the bytes in the message body.
pub(crate) const CONTENT_DIGEST: HeaderName = HeaderName::from_static("content-digest");
/// The digest of the whole representation, even if the response contains only a part of it.
pub(crate) const REPR_DIGEST: HeaderName = HeaderName::from_static("repr-digest");
/// The request field in which a client asks for [`CONTENT_DIGEST`].
pub(crate) const WANT_CONTENT_DIGEST: HeaderName = HeaderName::from_static("want-content-digest");
/// The request field in which a client asks for [`REPR_DIGEST`].
pub(crate) const WANT_REPR_DIGEST: HeaderName = HeaderName::from_static("want-repr-digest");

/// A secure hash algorithm. The other algorithms in the registry are deprecated (RFC 9530 §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    /// SHA-256 (FIPS 180-4).
    Sha256,
    /// SHA-512 (FIPS 180-4).
    Sha512,
}

impl Algorithm {
    /// The key of the algorithm in digest fields. Keys of structured fields are in lower case.
    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::Sha256 => "sha-256",
            Self::Sha512 => "sha-512",
        }
    }

    fn of(key: &str) -> Option<Self> {
        [Self::Sha256, Self::Sha512].into_iter().find(|algorithm| algorithm.key() == key)
    }

    /// The value of a digest field for these bytes, such as `sha-256=:…:`.
    pub(crate) fn field(self, bytes: &[u8]) -> HeaderValue {
        let mut text = String::new();
        let key = sfv::KeyRef::constant(self.key());
        let mut dictionary = sfv::DictSerializer::with_buffer(&mut text);
        dictionary.bare_item(key, RefBareItem::ByteSequence(&self.digest(bytes)));
        HeaderValue::try_from(text).expect("the text of a structured field is ASCII")
    }

    fn digest(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha256 => Sha256::digest(bytes).to_vec(),
            Self::Sha512 => Sha512::digest(bytes).to_vec(),
        }
    }
}

/// Compares the digest of bytes with the digests in a header field.
///
/// Digests of unknown algorithms are ignored. A field that cannot be parsed is ignored as a whole
/// (RFC 9651 §4.2).
///
/// # Errors
///
/// The algorithm whose digest is different.
pub(crate) fn verify(
    headers: &HeaderMap,
    field: &HeaderName,
    bytes: &[u8],
) -> Result<(), Algorithm> {
    for (key, entry) in dictionary(headers, field).into_iter().flatten() {
        let Some(algorithm) = Algorithm::of(key.as_str()) else { continue };
        let ListEntry::Item(item) = entry else { continue };
        let BareItem::ByteSequence(given) = item.bare_item else { continue };
        if given != algorithm.digest(bytes) {
            return Err(algorithm);
        }
    }
    Ok(())
}

/// The supported algorithm with the highest weight in a `Want-…` field; `None` if there is none.
/// Weights are from 1 to 10. The weight 0 means that the client does not want the algorithm.
pub(crate) fn preferred_algorithm(headers: &HeaderMap, field: &HeaderName) -> Option<Algorithm> {
    let entries = dictionary(headers, field)?;
    let mut best = None;
    for (key, entry) in entries {
        let Some(algorithm) = Algorithm::of(key.as_str()) else { continue };
        let ListEntry::Item(item) = entry else { continue };
        let BareItem::Integer(weight) = item.bare_item else { continue };
        let weight = i64::from(weight);
        if (1..=WEIGHT_MAX).contains(&weight) && best.is_none_or(|(least, _)| weight > least) {
            best = Some((weight, algorithm));
        }
    }
    best.map(|(_, algorithm)| algorithm)
}

/// The highest weight of an algorithm in a `Want-…` field (RFC 9530 §4).
const WEIGHT_MAX: i64 = 10;

/// Parses all header fields of this name as one dictionary; `None` if there is no such field, or if
/// the dictionary is malformed.
fn dictionary(headers: &HeaderMap, field: &HeaderName) -> Option<Dictionary> {
    let mut lines = headers.get_all(field).iter();
    let first = lines.next()?;
    // A dictionary may continue in a further field of the same name, so the fields are joined
    // before parsing (RFC 9651 §4.2).
    let mut joined = first.as_bytes().to_vec();
    for line in lines {
        joined.extend_from_slice(b", ");
        joined.extend_from_slice(line.as_bytes());
    }
    Parser::new(&joined).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example content of RFC 9530 §2.
    const HELLO: &[u8] = b"{\"hello\": \"world\"}\n";
    const HELLO_SHA_256: &str = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:";

    fn headers(field: &HeaderName, lines: &[&str]) -> HeaderMap {
        lines.iter().map(|line| (field.clone(), line.parse().unwrap())).collect()
    }

    fn verified(lines: &[&str]) -> Result<(), Algorithm> {
        let mut fields = HeaderMap::new();
        for line in lines {
            fields.append(CONTENT_DIGEST, line.parse().unwrap());
        }
        verify(&fields, &CONTENT_DIGEST, HELLO)
    }

    /// Conformance 162: a digest that differs from the digest of the bytes is an error. Unknown
    /// algorithms are ignored.
    #[test]
    fn a_wrong_digest_is_found() {
        let sha_512 = Algorithm::Sha512.field(HELLO);
        for lines in [
            &[HELLO_SHA_256][..],
            &[sha_512.to_str().unwrap()],
            &[HELLO_SHA_256, sha_512.to_str().unwrap()],
            &["unknown=:AAAA:", HELLO_SHA_256],
            &["md5=:AAAA:"],
            &["sha-256=5"],
            &[],
        ] {
            assert_eq!(verified(lines), Ok(()), "{lines:?}");
        }
        assert_eq!(verified(&["sha-256=:AAAA:"]), Err(Algorithm::Sha256));
        assert_eq!(verified(&[HELLO_SHA_256, "sha-512=:AAAA:"]), Err(Algorithm::Sha512));
        assert_eq!(
            verified(&[HELLO_SHA_256, "sha-256=:AAAA:"]),
            Err(Algorithm::Sha256),
            "of two entries with the same key, the last counts"
        );
    }

    /// Conformance 162: the server's digest of the RFC's example content is equal to the RFC's
    /// digest.
    #[test]
    fn a_digest_is_spelled_as_in_the_standard() {
        assert_eq!(Algorithm::Sha256.field(HELLO), HELLO_SHA_256);
    }

    /// Conformance 215: a field that cannot be parsed is ignored as a whole, including its valid
    /// entries.
    #[test]
    fn a_field_that_cannot_be_read_is_passed_over() {
        for line in [
            "sha-256=:AAAA:,",
            "sha-256=:AAAA:, B=1",
            "sha-256=:AAAA:; ;",
            "sha-256=:AA*A:",
            "sha-256=:AAAA",
        ] {
            assert_eq!(verified(&[line]), Ok(()), "{line}");
        }
        assert_eq!(verified(&["sha-256=:AAAA:", ", ,"]), Ok(()));
        // Dates and Display Strings are types that RFC 9651 added to structured fields.
        assert_eq!(
            verified(&["at=@1659578233, name=%\"f%c3%bc\", sha-256=:AAAA:"]),
            Err(Algorithm::Sha256)
        );
    }

    /// Conformance 162: the server uses the algorithm with the highest weight in
    /// `Want-Content-Digest` and `Want-Repr-Digest`.
    #[test]
    fn the_best_liked_algorithm_is_wanted() {
        for (line, expected) in [
            ("sha-256=1", Some(Algorithm::Sha256)),
            ("sha-256=3, sha-512=10, unixsum=0", Some(Algorithm::Sha512)),
            ("sha-512=5, sha-256=5", Some(Algorithm::Sha512)),
            ("sha-256=0", None),
            ("sha-256", None),
            ("sha-256=11", None),
            ("md5=10", None),
            ("sha-256=1,", None),
        ] {
            assert_eq!(
                preferred_algorithm(&headers(&WANT_REPR_DIGEST, &[line]), &WANT_REPR_DIGEST),
                expected,
                "{line}"
            );
        }
        assert_eq!(preferred_algorithm(&HeaderMap::new(), &WANT_CONTENT_DIGEST), None);
        assert_eq!(
            preferred_algorithm(&headers(&REPR_DIGEST, &["sha-256=1"]), &WANT_REPR_DIGEST),
            None
        );
    }
}
