//! Each algorithm signs and verifies, by keys of its own family alone.

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, jwk::Jwk};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair},
};

use super::PROVIDER;

const ALGORITHMS: [Algorithm; 12] = [
    Algorithm::HS256,
    Algorithm::HS384,
    Algorithm::HS512,
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// A new key for the algorithm.
fn key(algorithm: Algorithm) -> EncodingKey {
    let random = SystemRandom::new();
    let ec = |signing| EcdsaKeyPair::generate_pkcs8(signing, &random).unwrap();
    match algorithm {
        Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512 => {
            EncodingKey::from_secret(&[7; 64])
        }
        Algorithm::ES256 => EncodingKey::from_ec_der(ec(&ECDSA_P256_SHA256_FIXED_SIGNING).as_ref()),
        Algorithm::ES384 => EncodingKey::from_ec_der(ec(&ECDSA_P384_SHA384_FIXED_SIGNING).as_ref()),
        Algorithm::EdDSA => EncodingKey::from_ed_der(include_bytes!(
            "../../../../../tests/http/access/keys/ed25519.der"
        )),
        _ => EncodingKey::from_rsa_der(include_bytes!(
            "../../../../../tests/http/access/keys/rsa.der"
        )),
    }
}

/// The key that verifies, read from the JWK of a key.
fn public(key: &EncodingKey, algorithm: Algorithm) -> DecodingKey {
    // Only one provider can be installed, and each test does.
    let _ = PROVIDER.install_default();
    DecodingKey::from_jwk(&Jwk::from_encoding_key(key, algorithm).unwrap()).unwrap()
}

#[test]
fn what_is_signed_is_verified_and_nothing_else() {
    for algorithm in ALGORITHMS {
        let key = key(algorithm);
        let signer = (PROVIDER.signer_factory)(&algorithm, &key).unwrap();
        let signature = signer.sign(b"claims");
        let verify = |key: &EncodingKey, message: &[u8], signature: &[u8]| {
            let public = public(key, algorithm);
            let verifier = (PROVIDER.verifier_factory)(&algorithm, &public).unwrap();
            verifier.verify(message, &signature.to_vec()).is_ok()
        };
        assert!(verify(&key, b"claims", &signature), "{algorithm:?}");
        assert!(!verify(&key, b"other claims", &signature), "{algorithm:?}");
        assert!(!verify(&key, b"claims", &signature[1..]), "{algorithm:?}");
        assert!(!verify(&key, b"claims", b""), "{algorithm:?}");
    }
}

#[test]
fn a_key_of_another_family_is_refused() {
    for algorithm in ALGORITHMS {
        for other in ALGORITHMS {
            let key = key(other);
            let is_same = key.family().algorithms().contains(&algorithm);
            assert_eq!((PROVIDER.signer_factory)(&algorithm, &key).is_ok(), is_same);
            let public = public(&key, other);
            assert_eq!((PROVIDER.verifier_factory)(&algorithm, &public).is_ok(), is_same);
        }
    }
}
