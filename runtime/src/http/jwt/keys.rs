//! The keys of an issuer, and tokens that are signed with them.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{
    Algorithm, DecodingKey, Validation, decode, decode_header,
    errors::ErrorKind,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse},
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{TokenFault, TokenPurpose, VerifiedToken, signature::PROVIDER};
use crate::base::{error::excerpt, limits};

/// The shortest RSA key, in bits (RFC 7518 §3.3).
const RSA_BITS_MIN: usize = 2048;

/// The shortest key for HS256, in bytes (RFC 7518 §3.2).
const SECRET_BYTES_MIN: usize = 32;

/// The length of the coordinates of a key for ES256 and of a key for EdDSA, in bytes.
const COORDINATE_BYTES: usize = 32;

/// The keys of an issuer: each algorithm has at most one key with a certain id.
#[derive(Debug)]
pub(crate) struct IssuerKeys(Vec<IssuerKey>);

#[derive(Debug)]
struct IssuerKey {
    /// The id, which a token may name.
    id: Option<String>,
    algorithm: Algorithm,
    key: DecodingKey,
    /// The requirements for a token that is signed with this key.
    validation: Validation,
}

/// A JWK Set (RFC 7517 §5), whose keys are not read yet.
#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

impl IssuerKeys {
    /// Parses a JWK Set. Keys for other purposes, and of kinds that are not supported, are ignored
    /// (RFC 7517 §5).
    ///
    /// # Errors
    /// The problem of the keys, which continues a sentence after the name of the file.
    pub(crate) fn parse(text: &[u8], purpose: TokenPurpose) -> Result<Self, String> {
        // Another crate of the program may have enabled another library for signatures.
        let _ = PROVIDER.install_default();
        let set: KeySet = serde_json::from_slice(text)
            .map_err(|error| format!("is no JWK Set, such as {{\"keys\": […]}}: {error}"))?;
        if set.keys.len() > limits::JWT_KEYS_MAX {
            return Err(format!("has more than {} keys", limits::JWT_KEYS_MAX));
        }
        let mut keys: Vec<IssuerKey> = vec![];
        for (at, key) in set.keys.into_iter().enumerate() {
            let Ok(jwk) = serde_json::from_value::<Jwk>(key) else { continue };
            let named = match &jwk.common.key_id {
                Some(id) => format!("the key `{}`", excerpt(id)),
                None => format!("key {} without `kid`", at + 1),
            };
            let Some(key) =
                issuer_key(&jwk, purpose).map_err(|why| format!("has {named}, {why}"))?
            else {
                continue;
            };
            let is_taken =
                keys.iter().any(|one| one.id == key.id && one.algorithm == key.algorithm);
            if is_taken {
                return Err(format!(
                    "has {named} twice for {:?}; give each another `kid`",
                    key.algorithm
                ));
            }
            keys.push(key);
        }
        if keys.is_empty() {
            return Err("has no key for RS256, ES256, EdDSA or HS256".to_owned());
        }
        Ok(Self(keys))
    }

    /// Checks the signature of a token, its time, its issuer and its audience.
    ///
    /// The key determines the algorithm: a token with another one is not signed by the issuer, nor
    /// is one with `none`. At most one signature is computed.
    ///
    /// # Errors
    /// What is wrong with the token.
    pub(crate) fn verify(&self, token: &str) -> Result<VerifiedToken, TokenFault> {
        let header = decode_header(token).map_err(|_| TokenFault::Unsigned)?;
        // No extension of RFC 7515 §4.1.11 is supported.
        if header.crit.is_some() {
            return Err(TokenFault::Unsigned);
        }
        let key = self.find(header.alg, header.kid.as_deref()).ok_or(TokenFault::Unsigned)?;
        let decoded = decode::<Map<String, Value>>(token, &key.key, &key.validation);
        let claims = decoded.map_err(|error| fault(error.kind()))?.claims;
        // The library accepts several issuers, of which one is right, and ignores a time that is no
        // number (RFC 7519 §4.1.1, §4.1.5).
        let issuers = key.validation.iss.as_ref();
        let issuer = claims.get("iss").and_then(Value::as_str);
        let is_of_issuer = issuer.zip(issuers).is_some_and(|(one, all)| all.contains(one));
        if !is_of_issuer || claims.get("nbf").is_some_and(|time| !time.is_number()) {
            return Err(TokenFault::Foreign);
        }
        let end = claims.get("exp").and_then(Value::as_f64).ok_or(TokenFault::Foreign)?;
        // The conversion saturates.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a fraction of a second does not count"
        )]
        let end = end as i64;
        Ok(VerifiedToken { claims, until: end.saturating_add(limits::JWT_LEEWAY_SECONDS) })
    }

    /// The key that a token names. A token that names none has the only key of its algorithm.
    fn find(&self, algorithm: Algorithm, id: Option<&str>) -> Option<&IssuerKey> {
        let mut all = self.0.iter().filter(|one| one.algorithm == algorithm);
        let Some(id) = id else { return all.next().filter(|_| all.next().is_none()) };
        let named = all.clone().find(|one| one.id.as_deref() == Some(id));
        named.or_else(|| all.find(|one| one.id.is_none()))
    }
}

/// Returns the key for signatures that a JWK describes; `None` if it is for something else.
fn issuer_key(jwk: &Jwk, purpose: TokenPurpose) -> Result<Option<IssuerKey>, &'static str> {
    let common = &jwk.common;
    let is_for_signatures = common
        .public_key_use
        .as_ref()
        .is_none_or(|one| *one == PublicKeyUse::Signature)
        && common.key_operations.as_ref().is_none_or(|all| all.contains(&KeyOperations::Verify));
    let (algorithm, named) = match &jwk.algorithm {
        _ if !is_for_signatures => return Ok(None),
        AlgorithmParameters::RSA(_) => (Algorithm::RS256, KeyAlgorithm::RS256),
        AlgorithmParameters::EllipticCurve(one) if one.curve == EllipticCurve::P256 => {
            (Algorithm::ES256, KeyAlgorithm::ES256)
        }
        AlgorithmParameters::OctetKeyPair(one) if one.curve == EllipticCurve::Ed25519 => {
            (Algorithm::EdDSA, KeyAlgorithm::EdDSA)
        }
        AlgorithmParameters::OctetKey(_) => (Algorithm::HS256, KeyAlgorithm::HS256),
        _ => return Ok(None),
    };
    if common.key_algorithm.is_some_and(|algorithm| algorithm != named) {
        return Ok(None);
    }
    if let Some(fault) = key_fault(&jwk.algorithm) {
        return Err(fault);
    }
    let key = DecodingKey::from_jwk(jwk).map_err(|_| "which is not base64url")?;
    Ok(Some(IssuerKey {
        id: common.key_id.clone(),
        algorithm,
        key,
        validation: validation(algorithm, purpose),
    }))
}

/// Returns the error in the numbers of a key. The library checks them only with the first token.
fn key_fault(parameters: &AlgorithmParameters) -> Option<&'static str> {
    let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap_or_default();
    let is_coordinate = |text: &str| bytes(text).len() == COORDINATE_BYTES;
    let (is_right, fault) = match parameters {
        AlgorithmParameters::RSA(key) => (
            bits(&bytes(&key.n)) >= RSA_BITS_MIN && !bytes(&key.e).is_empty(),
            "whose `n` must be base64url of at least 2048 bits",
        ),
        AlgorithmParameters::EllipticCurve(key) => (
            is_coordinate(&key.x) && is_coordinate(&key.y),
            "whose `x` and `y` must be base64url of 32 bytes each",
        ),
        AlgorithmParameters::OctetKeyPair(key) => {
            (is_coordinate(&key.x), "whose `x` must be base64url of 32 bytes")
        }
        AlgorithmParameters::OctetKey(key) => (
            bytes(&key.value).len() >= SECRET_BYTES_MIN,
            "whose `k` must be base64url of at least 32 bytes",
        ),
        _ => return None,
    };
    (!is_right).then_some(fault)
}

/// The number of bits of an integer without leading zeros.
fn bits(integer: &[u8]) -> usize {
    let zeros = integer.iter().take_while(|byte| **byte == 0).count();
    let rest = &integer[zeros..];
    rest.first().map_or(0, |first| rest.len() * 8 - first.leading_zeros() as usize)
}

/// Returns the requirements for a token (RFC 8725 §3.8 and §3.9).
fn validation(algorithm: Algorithm, purpose: TokenPurpose) -> Validation {
    let mut validation = Validation::new(algorithm);
    validation.set_required_spec_claims(&["exp", "iss", "aud"]);
    validation.set_issuer(&[purpose.issuer]);
    validation.set_audience(&[purpose.audience]);
    validation.validate_nbf = true;
    validation.leeway = limits::JWT_LEEWAY_SECONDS.unsigned_abs();
    validation
}

fn fault(kind: &ErrorKind) -> TokenFault {
    match kind {
        ErrorKind::ExpiredSignature => TokenFault::Expired,
        ErrorKind::ImmatureSignature => TokenFault::Early,
        ErrorKind::MissingRequiredClaim(_)
        | ErrorKind::InvalidClaimFormat(_)
        | ErrorKind::InvalidIssuer
        | ErrorKind::InvalidAudience => TokenFault::Foreign,
        _ => TokenFault::Unsigned,
    }
}
