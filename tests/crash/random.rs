//! Reproducible random numbers: splitmix64.

/// A source of random numbers, determined by its seed.
#[derive(Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A random number below this one.
    pub(crate) const fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Returns true with a probability of one in this many.
    pub(crate) const fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }

    /// A random element.
    pub(crate) fn of<'t, T>(&mut self, these: &'t [T]) -> Option<&'t T> {
        let count = these.len() as u64;
        (count > 0).then(|| &these[self.below(count) as usize])
    }
}

/// A number from the environment, such as the number of rounds or the seed.
pub(crate) fn asked(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number is asked for"))
}

/// The seed of a test. It is printed, so that a failure can be reproduced.
pub(crate) fn seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let seed = asked("NOUNS_CRASH_SEED", now.as_nanos() as u64 % 1_000_000_007);
    println!("NOUNS_CRASH_SEED={seed}");
    seed
}
