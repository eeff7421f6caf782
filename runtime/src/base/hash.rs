//! [`StableHasher`]: a hash that is the same in every process, for validators (ETags, RFC 9110
//! §8.8.3).

/// The FNV-1a hash of 64 bits, with a final mixing step.
///
/// The hash has no secret key, so clients can produce collisions. Do not use it for hash tables
/// with keys from clients.
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

    /// Adds a text and the separator byte `0xff`. UTF-8 never contains this byte, so it separates
    /// the text from the next input.
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
