//! [`Random`]: a generator of pseudo-random numbers with a seed.

/// Knuth's MMIX.
pub(crate) struct Random(u64);

/// The seed from `SOAK_SEED`.
pub(crate) fn seed() -> u64 {
    let seed = std::env::var("SOAK_SEED").ok();
    let seed = seed.map_or(1, |seed| seed.parse().expect("SOAK_SEED is a number"));
    println!("SOAK_SEED={seed}");
    seed
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}
