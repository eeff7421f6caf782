//! Reproducible random numbers (the algorithm splitmix64).

/// A random number generator. The seed determines all its numbers.
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

    /// Returns a random number from 0 up to, but without, `end`.
    pub(crate) const fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Returns true with the probability 1 / `many`.
    pub(crate) const fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }

    /// Returns a random element of a slice; `None` if the slice is empty.
    pub(crate) fn of<'t, T>(&mut self, these: &'t [T]) -> Option<&'t T> {
        let count = these.len() as u64;
        (count > 0).then(|| &these[self.below(count) as usize])
    }
}

/// Reads a number, such as the number of rounds, from an environment variable. Returns the default
/// if the variable is not set.
pub(crate) fn env_number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .map_or(default, |text| text.parse().expect("the environment variable is a number"))
}

/// Returns the seed of a test, and prints it, so that a failure can be reproduced. The environment
/// variable with this name sets the seed.
pub(crate) fn seed(name: &str) -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let seed = env_number(name, now.as_nanos() as u64 % 1_000_000_007);
    println!("{name}={seed}");
    seed
}
