//! [`TagCipher`]: the cipher that hides the counters of a database in its entity tags.
//!
//! A tag must change with each change, but nobody may count the changes of others, or learn from
//! two tags how many writes lie between them. So the number in a tag is a permutation of the number
//! that the database counts, under a key that is derived from the secret of the database:
//! Speck64/128 (Beaulieu et al., 2013). All nodes have the same key, and a restart keeps it.

use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

const ROUNDS: usize = 27;

/// The purpose of the key, so that it is unlike other values that are derived from the secret of a
/// database.
const PURPOSE: &[u8] = b"entity tags";

/// A secret permutation of numbers, as the keys of its rounds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TagCipher([u32; ROUNDS]);

/// The keys are secret, so they are not printed.
impl fmt::Debug for TagCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TagCipher")
    }
}

impl TagCipher {
    /// Derives the permutation from the secret of a database.
    #[must_use]
    pub fn of(secret: &[u8]) -> Self {
        let mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes a key of any length");
        let key = mac.chain_update(PURPOSE).finalize().into_bytes();
        let word = |at: usize| u32::from_le_bytes([key[at], key[at + 1], key[at + 2], key[at + 3]]);
        Self::of_key([word(0), word(4), word(8), word(12)])
    }

    /// Derives the keys of the rounds from a key, whose last word comes first.
    fn of_key([mut key, mut next, mut second, mut third]: [u32; 4]) -> Self {
        let mut keys = [0; ROUNDS];
        for (round, to) in (0..).zip(&mut keys) {
            *to = key;
            let new = key.wrapping_add(next.rotate_right(8)) ^ round;
            key = key.rotate_left(3) ^ new;
            (next, second, third) = (second, third, new);
        }
        Self(keys)
    }

    /// Returns the number that a tag has for a number of the database.
    #[inline]
    #[must_use]
    pub fn encrypt(&self, number: u64) -> u64 {
        let (mut left, mut right) = ((number >> 32) as u32, number as u32);
        for key in &self.0 {
            left = left.rotate_right(8).wrapping_add(right) ^ key;
            right = right.rotate_left(3) ^ left;
        }
        u64::from(left) << 32 | u64::from(right)
    }

    /// Returns the number of the database that [`encrypt`](Self::encrypt) has hidden.
    #[must_use]
    pub fn decrypt(&self, encrypted: u64) -> u64 {
        let (mut left, mut right) = ((encrypted >> 32) as u32, encrypted as u32);
        for key in self.0.iter().rev() {
            right = (right ^ left).rotate_right(3);
            left = (left ^ key).wrapping_sub(right).rotate_left(8);
        }
        u64::from(left) << 32 | u64::from(right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vector of Speck64/128 in the paper.
    #[test]
    fn it_is_the_cipher_of_the_paper() {
        let cipher = TagCipher::of_key([0x0302_0100, 0x0b0a_0908, 0x1312_1110, 0x1b1a_1918]);
        assert_eq!(cipher.encrypt(0x3b72_6574_7475_432d), 0x8c6f_a548_454e_028b);
        assert_eq!(cipher.decrypt(0x8c6f_a548_454e_028b), 0x3b72_6574_7475_432d);
    }

    #[test]
    fn each_number_has_one_of_its_own_in_each_database() {
        let (one, other) = (TagCipher::of(b"one"), TagCipher::of(b"other"));
        for number in (0..1000).chain([u64::MAX, i64::MAX as u64]) {
            assert_eq!(one.decrypt(one.encrypt(number)), number);
            assert_ne!(one.encrypt(number), other.encrypt(number));
            // The next number is not near.
            assert!(one.encrypt(number).abs_diff(one.encrypt(number.wrapping_add(1))) > 1 << 20);
        }
        assert_eq!(TagCipher::of(b"one"), one);
        assert!(!format!("{one:?}").contains(|letter: char| letter.is_ascii_digit()));
    }
}
