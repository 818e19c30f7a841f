//! Seeded random numbers from a generator's raw output: the same with every version of a library.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// The generator of one training version (0 for the initial weights): streams do not depend on how
/// many numbers another version drew, so a training can go on from any version.
pub(super) fn generator(seed: u64, version: u64) -> Pcg64 {
    Pcg64::seed_from_u64(seed ^ version.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// Uniform in 0..bound, by the upper bits of a 128-bit product; the bias is below bound / 2^64.
pub(super) fn below(rng: &mut impl Rng, bound: usize) -> usize {
    ((u128::from(rng.next_u64()) * bound as u128) >> 64) as usize
}

/// Uniform in [0, 1): the upper 53 bits of a draw.
pub(super) fn unit(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}
