//! A hash that is the same in every process, for validators (RFC 9110 §8.8.3).

/// FNV-1a of 64 bits, with a last mix.
///
/// It has no secret, so it is not for tables that a client can fill.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StableHasher(u64);

impl StableHasher {
    pub(crate) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        self
    }

    /// Adds a text, followed by a byte that UTF-8 does not have, which separates it from what comes
    /// next.
    pub(crate) fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes()).bytes(&[0xff])
    }

    pub(crate) fn number(self, number: u64) -> Self {
        self.bytes(&number.to_le_bytes())
    }

    pub(crate) const fn finish(self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 29)
    }
}

impl std::fmt::Write for StableHasher {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        *self = self.bytes(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_same_in_every_build() {
        assert_eq!(
            StableHasher::new().text("zoos").number(7).finish(),
            StableHasher::new().text("zoos").number(7).finish()
        );
        assert_ne!(
            StableHasher::new().text("ab").text("c").finish(),
            StableHasher::new().text("a").text("bc").finish()
        );
    }
}
