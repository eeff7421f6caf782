//! A sequence of random numbers that a seed decides, on every machine.

/// A generator of random numbers: SplitMix64 (Steele, Lea and Flood, 2014).
pub(super) struct Random(u64);

impl Random {
    pub(super) const fn of(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a limit; 0 if the limit is 0.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        let limit = limit.max(1) as u64;
        usize::try_from(self.next() % limit).unwrap_or_default()
    }

    /// A number of a range that includes both ends. If the ends are the wrong way round, it is the
    /// first.
    pub(super) fn between(&mut self, from: i64, to: i64) -> i64 {
        let width = to.saturating_sub(from).max(0).unsigned_abs();
        let step = self.next() % width.saturating_add(1);
        from.saturating_add_unsigned(step)
    }

    /// Whether an event of this percentage happens.
    pub(super) fn chance(&mut self, percent: u32) -> bool {
        self.next() % 100 < u64::from(percent)
    }

    pub(super) fn choose<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_the_numbers() {
        let numbers = |seed| {
            let mut random = Random::of(seed);
            (0..20).map(|_| random.between(-3, 3)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
        assert!(numbers(7).iter().all(|number| (-3..=3).contains(number)));
        let mut random = Random::of(1);
        assert_eq!((random.below(0), random.between(5, 2)), (0, 5));
        random.between(i64::MIN, i64::MAX);
        assert_eq!(random.choose::<u8>(&[]), None);
    }
}
