//! Hashes of passwords: Argon2id (RFC 9106), as text in the PHC string format.
//!
//! A hash takes about 20 milliseconds and 19 MiB, so only the threads of `store/passwords.rs`
//! compute it.

use argon2::{
    Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version,
    password_hash::phc::PasswordHash,
};

use super::error::Error;

/// The memory of one hash, in KiB. The OWASP Password Storage Cheat Sheet recommends this value
/// with two passes and one lane.
const MEMORY_KIB: u32 = 19 * 1024;

/// The number of passes of a hash through the memory.
const PASSES: u32 = 2;

/// The largest memory, in KiB, of a hash that another program computed.
const FOREIGN_MEMORY_KIB_MAX: u32 = 64 * 1024;

/// The largest product of memory in KiB and passes of a hash that another program computed. To
/// compare a password then takes a few times as long as with our own parameters.
const FOREIGN_WORK_MAX: u32 = 4 * 64 * 1024;

/// The prefix of each hash.
pub(crate) const PREFIX: &str = "$argon2id$";

/// Hashes a password, with a random salt.
///
/// # Errors
/// An internal error if the system has no random numbers or no memory.
pub(crate) fn hash(password: &str) -> Result<String, Error> {
    let params = Params::new(MEMORY_KIB, PASSES, 1, None).map_err(Error::internal)?;
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let hash = argon2.hash_password(password.as_bytes()).map_err(Error::internal)?;
    Ok(hash.to_string())
}

/// Whether a hash is the hash of a password. The time does not depend on where they differ.
pub(crate) fn is_of(hash: &str, password: &str) -> bool {
    let hash = parse(hash);
    hash.is_some_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
}

/// Whether a text is a hash that [`is_of`] can compare with a password.
pub(crate) fn is_hash(text: &str) -> bool {
    parse(text).is_some()
}

/// Parses a hash. Returns `None` for another algorithm, and for parameters that would take too much
/// memory or time.
fn parse(hash: &str) -> Option<PasswordHash> {
    if !hash.starts_with(PREFIX) {
        return None;
    }
    let hash = PasswordHash::new(hash).ok()?;
    let params = Params::try_from(&hash).ok()?;
    let work = params.m_cost().checked_mul(params.t_cost())?;
    let is_bounded = params.m_cost() <= FOREIGN_MEMORY_KIB_MAX && work <= FOREIGN_WORK_MAX;
    (hash.salt.is_some() && hash.hash.is_some() && is_bounded).then_some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_of_its_password_alone() {
        let [one, other] = [(); 2].map(|()| hash("correct horse").unwrap());
        assert!(one.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{one}");
        assert_ne!(one, other, "each hash has its own salt");
        assert!(is_hash(&one) && is_of(&one, "correct horse"));
        assert!(!is_of(&one, "correct horsf") && !is_of(&one, ""));
    }

    #[test]
    fn a_hash_of_another_program_is_bounded() {
        let of = |parameters: &str| {
            format!("$argon2id$v=19${parameters}$c29tZXNhbHRzb21l$AAAAAAAAAAAAAAAAAAAAAA")
        };
        assert!(is_hash(&of("m=65536,t=3,p=4")), "what most libraries use");
        for refused in ["m=4194304,t=1,p=1", "m=65536,t=5,p=1", "m=8,t=4294967295,p=1"] {
            assert!(!is_hash(&of(refused)), "{refused}");
            assert!(!is_of(&of(refused), "x"), "{refused}");
        }
        let bcrypt = "$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW";
        for refused in ["", "secret", "$argon2id$", bcrypt, "$argon2i$v=19$m=16,t=2,p=1$c2FsdA$AA"]
        {
            assert!(!is_hash(refused), "{refused}");
        }
    }
}
