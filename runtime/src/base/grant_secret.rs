//! [`GrantSecret`]: the secret of a session or a token, which is 256 random bits.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};

use super::{error::Error, secret::Secret};

/// The number of random bytes of a secret. Nobody can guess 256 bits.
const BYTES: usize = 32;

/// The number of characters of a secret as text.
pub(crate) const CHARACTERS: usize = 43;

/// The prefix of the text of a token, by which people and programs recognize a token that has
/// leaked.
const TOKEN_PREFIX: &str = "nouns_";

/// The secret of a session or a token: random bytes that only its client has.
///
/// As text it is base64 for URLs without padding, which cookies, URLs and `Authorization` can all
/// contain as it is. `Debug` does not print it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct GrantSecret([u8; BYTES]);

/// The SHA-256 digest of a secret, which is stored in its place. The secret is random, so the
/// digest needs no salt and nobody can invert it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SecretDigest(pub(crate) [u8; 32]);

impl GrantSecret {
    /// Creates a random secret.
    ///
    /// # Errors
    /// 500 if the system has no random numbers.
    pub(crate) fn random() -> Result<Self, Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|cause| Error::internal(cause.to_string()))?;
        Ok(Self(bytes))
    }

    /// Parses the text of a secret. Each secret has only one text.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let mut bytes = [0; BYTES];
        let length = (text.len() == CHARACTERS)
            .then(|| URL_SAFE_NO_PAD.decode_slice(text, &mut bytes).ok())??;
        (length == BYTES).then_some(Self(bytes))
    }

    /// Parses the text of a token.
    pub(crate) fn parse_token(text: &str) -> Option<Self> {
        Self::parse(text.strip_prefix(TOKEN_PREFIX)?.as_bytes())
    }

    /// Returns the text of the secret.
    pub(crate) fn reveal(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// Returns the text of the secret as a token.
    pub(crate) fn reveal_token(&self) -> String {
        [TOKEN_PREFIX, &self.reveal()].concat()
    }

    pub(crate) fn digest(&self) -> SecretDigest {
        SecretDigest(Sha256::digest(self.0).into())
    }
}

impl fmt::Debug for GrantSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Secret::HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_has_one_text() {
        let secret = GrantSecret::random().unwrap();
        let text = secret.reveal();
        assert_eq!(text.len(), CHARACTERS);
        assert_eq!(GrantSecret::parse(text.as_bytes()), Some(secret));
        assert_eq!(GrantSecret::parse(format!("{text}=").as_bytes()), None);
        assert_eq!(GrantSecret::parse(&text.as_bytes()[1..]), None);
        // The last character has two bits that no byte uses.
        assert_eq!(GrantSecret::parse("A".repeat(42).as_bytes()), None);
        let unused = format!("{}B", "A".repeat(42));
        assert_eq!(GrantSecret::parse(unused.as_bytes()), None);
        assert_eq!(GrantSecret::parse(format!("{}/", "A".repeat(42)).as_bytes()), None);
        assert_ne!(GrantSecret::random().unwrap(), secret);
    }

    #[test]
    fn it_is_not_printed() {
        let secret = GrantSecret([7; 32]);
        assert_eq!(format!("{secret:?}"), "[hidden]");
        assert_ne!(secret.digest().0, [7; 32]);
    }
}
