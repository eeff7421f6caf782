//! The signatures of tokens, by `ring`. It must not know keys of issuers.

#[cfg(test)]
mod tests;

use jsonwebtoken::{
    Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind, EncodingKey,
    crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils},
    errors::{ErrorKind, Result},
    jwk::{EllipticCurve, ThumbprintHash},
    signature::{Error as SignatureError, Signer, Verifier},
};
use ring::{
    digest, hmac,
    rand::SystemRandom,
    rsa::KeyPair as RsaKeyPair,
    signature::{
        self, EcdsaKeyPair, EcdsaSigningAlgorithm, Ed25519KeyPair, KeyPair as _, RsaEncoding,
        RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
    },
};

/// The cryptography with which `jsonwebtoken` signs and verifies. It is complete, since a process
/// has only one: user code may sign tokens of its own with it.
pub(super) static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |&algorithm, key| {
        let scheme = Scheme::of(algorithm, key.family())?;
        Ok(Box::new(TokenSigner { algorithm, scheme, key: key.clone() }))
    },
    verifier_factory: |&algorithm, key| {
        let scheme = Scheme::of(algorithm, key.family())?;
        Ok(Box::new(TokenVerifier { algorithm, scheme, key: key.clone() }))
    },
    key_utils: KeyUtils {
        rsa_pub_components_from_private_key,
        // `ring` reads no public key by itself.
        rsa_pub_components_from_public_key: |_| Err(ErrorKind::InvalidKeyFormat.into()),
        ec_pub_components_from_private_key,
        ed_pub_components_from_private_key,
        compute_digest,
    },
};

/// The way in which `ring` makes and checks signatures (RFC 7518 §3.1, RFC 8037 §3.1).
#[derive(Clone, Copy)]
enum Scheme {
    Hmac(hmac::Algorithm),
    Rsa(&'static dyn RsaEncoding, &'static RsaParameters),
    Ecdsa(&'static EcdsaSigningAlgorithm, &'static dyn VerificationAlgorithm),
    Ed25519,
}

impl Scheme {
    /// # Errors
    /// If the algorithm is not supported, or needs a key of another family.
    fn of(algorithm: Algorithm, family: AlgorithmFamily) -> Result<Self> {
        let (wanted, scheme) = match algorithm {
            Algorithm::HS256 => (AlgorithmFamily::Hmac, Self::Hmac(hmac::HMAC_SHA256)),
            Algorithm::HS384 => (AlgorithmFamily::Hmac, Self::Hmac(hmac::HMAC_SHA384)),
            Algorithm::HS512 => (AlgorithmFamily::Hmac, Self::Hmac(hmac::HMAC_SHA512)),
            Algorithm::ES256 => (
                AlgorithmFamily::Ec,
                Self::Ecdsa(
                    &signature::ECDSA_P256_SHA256_FIXED_SIGNING,
                    &signature::ECDSA_P256_SHA256_FIXED,
                ),
            ),
            Algorithm::ES384 => (
                AlgorithmFamily::Ec,
                Self::Ecdsa(
                    &signature::ECDSA_P384_SHA384_FIXED_SIGNING,
                    &signature::ECDSA_P384_SHA384_FIXED,
                ),
            ),
            Algorithm::EdDSA => (AlgorithmFamily::Ed, Self::Ed25519),
            rsa => (AlgorithmFamily::Rsa, Self::rsa(rsa)?),
        };
        if wanted == family { Ok(scheme) } else { Err(ErrorKind::InvalidAlgorithm.into()) }
    }

    fn rsa(algorithm: Algorithm) -> Result<Self> {
        Ok(match algorithm {
            Algorithm::RS256 => {
                Self::Rsa(&signature::RSA_PKCS1_SHA256, &signature::RSA_PKCS1_2048_8192_SHA256)
            }
            Algorithm::RS384 => {
                Self::Rsa(&signature::RSA_PKCS1_SHA384, &signature::RSA_PKCS1_2048_8192_SHA384)
            }
            Algorithm::RS512 => {
                Self::Rsa(&signature::RSA_PKCS1_SHA512, &signature::RSA_PKCS1_2048_8192_SHA512)
            }
            Algorithm::PS256 => {
                Self::Rsa(&signature::RSA_PSS_SHA256, &signature::RSA_PSS_2048_8192_SHA256)
            }
            Algorithm::PS384 => {
                Self::Rsa(&signature::RSA_PSS_SHA384, &signature::RSA_PSS_2048_8192_SHA384)
            }
            Algorithm::PS512 => {
                Self::Rsa(&signature::RSA_PSS_SHA512, &signature::RSA_PSS_2048_8192_SHA512)
            }
            _ => return Err(ErrorKind::UnsupportedAlgorithm.into()),
        })
    }
}

struct TokenSigner {
    algorithm: Algorithm,
    scheme: Scheme,
    key: EncodingKey,
}

impl Signer<Vec<u8>> for TokenSigner {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, SignatureError> {
        let (key, random) = (self.key.as_bytes(), SystemRandom::new());
        Ok(match self.scheme {
            Scheme::Hmac(algorithm) => {
                hmac::sign(&hmac::Key::new(algorithm, key), message).as_ref().to_vec()
            }
            Scheme::Rsa(encoding, _) => {
                let key = RsaKeyPair::from_der(key).map_err(|_| SignatureError::new())?;
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(encoding, &random, message, &mut signature)
                    .map_err(|_| SignatureError::new())?;
                signature
            }
            Scheme::Ecdsa(algorithm, _) => {
                let key = EcdsaKeyPair::from_pkcs8(algorithm, key, &random)
                    .map_err(|_| SignatureError::new())?;
                let signature = key.sign(&random, message).map_err(|_| SignatureError::new())?;
                signature.as_ref().to_vec()
            }
            Scheme::Ed25519 => {
                let key = Ed25519KeyPair::from_pkcs8_maybe_unchecked(key)
                    .map_err(|_| SignatureError::new())?;
                key.sign(message).as_ref().to_vec()
            }
        })
    }
}

impl JwtSigner for TokenSigner {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

struct TokenVerifier {
    algorithm: Algorithm,
    scheme: Scheme,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for TokenVerifier {
    fn verify(
        &self,
        message: &[u8],
        signature: &Vec<u8>,
    ) -> std::result::Result<(), SignatureError> {
        let unparsed = |algorithm: &'static dyn VerificationAlgorithm, key: &[u8]| {
            UnparsedPublicKey::new(algorithm, key).verify(message, signature)
        };
        let result = match (self.scheme, self.key.kind()) {
            (Scheme::Hmac(algorithm), DecodingKeyKind::SecretOrDer(secret)) => {
                hmac::verify(&hmac::Key::new(algorithm, secret), message, signature)
            }
            (Scheme::Rsa(_, algorithm), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(algorithm, message, signature)
            }
            (Scheme::Rsa(_, algorithm), DecodingKeyKind::SecretOrDer(key)) => {
                unparsed(algorithm, key)
            }
            (Scheme::Ecdsa(_, algorithm), DecodingKeyKind::SecretOrDer(key)) => {
                unparsed(algorithm, key)
            }
            (Scheme::Ed25519, DecodingKeyKind::SecretOrDer(key)) => {
                unparsed(&signature::ED25519, key)
            }
            _ => Err(ring::error::Unspecified),
        };
        result.map_err(|_| SignatureError::new())
    }
}

impl JwtVerifier for TokenVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

fn rsa_pub_components_from_private_key(key: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
    let key =
        RsaKeyPair::from_der(key).map_err(|error| ErrorKind::InvalidRsaKey(error.to_string()))?;
    let public = RsaPublicKeyComponents::<Vec<u8>>::from(key.public());
    Ok((public.n, public.e))
}

fn ec_pub_components_from_private_key(
    key: &[u8],
    algorithm: Algorithm,
) -> Result<(EllipticCurve, Vec<u8>, Vec<u8>)> {
    let (signing, curve) = match algorithm {
        Algorithm::ES256 => (&signature::ECDSA_P256_SHA256_FIXED_SIGNING, EllipticCurve::P256),
        Algorithm::ES384 => (&signature::ECDSA_P384_SHA384_FIXED_SIGNING, EllipticCurve::P384),
        _ => return Err(ErrorKind::InvalidEcdsaKey.into()),
    };
    let key = EcdsaKeyPair::from_pkcs8(signing, key, &SystemRandom::new())
        .map_err(|_| ErrorKind::InvalidEcdsaKey)?;
    // An uncompressed point (SEC 1 §2.3.3) is the byte 4, x, and y.
    let point = key.public_key().as_ref().split_first();
    let (_, coordinates) =
        point.filter(|(form, _)| **form == 4).ok_or(ErrorKind::InvalidEcdsaKey)?;
    let (x, y) = coordinates.split_at(coordinates.len() / 2);
    Ok((curve, x.to_vec(), y.to_vec()))
}

fn ed_pub_components_from_private_key(key: &[u8], curve: &EllipticCurve) -> Result<Vec<u8>> {
    if *curve != EllipticCurve::Ed25519 {
        return Err(ErrorKind::InvalidAlgorithm.into());
    }
    let key =
        Ed25519KeyPair::from_pkcs8_maybe_unchecked(key).map_err(|_| ErrorKind::InvalidEddsaKey)?;
    Ok(key.public_key().as_ref().to_vec())
}

#[expect(clippy::needless_pass_by_value, reason = "the library says so")]
fn compute_digest(content: &[u8], hash: ThumbprintHash) -> Result<Vec<u8>> {
    let algorithm = match hash {
        ThumbprintHash::SHA256 => &digest::SHA256,
        ThumbprintHash::SHA384 => &digest::SHA384,
        ThumbprintHash::SHA512 => &digest::SHA512,
        _ => return Err(ErrorKind::UnsupportedAlgorithm.into()),
    };
    Ok(digest::digest(algorithm, content).as_ref().to_vec())
}
