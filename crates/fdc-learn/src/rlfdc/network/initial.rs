//! Initial weights from a seeded generator, the same on every platform.

use std::f64::consts::TAU;

use rand_core::Rng;

use super::super::random::unit;
use super::weights::TensorSpec;
use crate::model_file::Tensor;

const DEVIATION: f64 = 0.1;

/// One tensor, its elements drawn in PyTorch's order (row by row).
pub(super) fn tensor(spec: TensorSpec, rng: &mut impl Rng) -> Tensor {
    let bound = 1.0 / (spec.fan_in as f64).sqrt();
    // A bias has one dimension, a weight two.
    let is_bias = spec.shape.len() == 1;
    let mut draw = || match is_bias {
        true => (2.0 * unit(rng) - 1.0) * bound,
        false => DEVIATION * normal(rng),
    };
    Tensor {
        data: (0..spec.elements()).map(|_| draw() as f32).collect(),
        name: spec.name,
        shape: spec.shape,
    }
}

/// A standard normal deviate: the cosine half of Box and Muller's transform (1958) of two draws.
///
/// In `f64` by the `libm` crate, since the standard library's logarithm and cosine are the
/// platform's. The sine half is thrown away, so that a deviate always takes two draws.
fn normal(rng: &mut impl Rng) -> f64 {
    // 1 − u lies in (0, 1], where the logarithm is finite.
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - unit(rng)));
    radius * libm::cos(TAU * unit(rng))
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use super::*;
    use rand_pcg::Pcg64;
    use rand_pcg::rand_core::SeedableRng;

    #[test]
    fn deviates_have_mean_0_and_variance_1() {
        let mut rng = Pcg64::seed_from_u64(1);
        let draws: Vec<f64> = (0..100_000).map(|_| normal(&mut rng)).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / draws.len() as f64;
        assert!(mean.abs() < 0.015, "{mean}");
        assert!((variance - 1.0).abs() < 0.025, "{variance}");
    }

    #[test]
    fn the_same_seed_draws_the_same_bits_everywhere() {
        let mut rng = Pcg64::seed_from_u64(7);
        let bits = [(); 3].map(|()| normal(&mut rng).to_bits());
        // Recorded on x86-64 Linux; another platform must agree.
        assert_eq!(bits, RECORDED, "{bits:#x?}");
    }

    const RECORDED: [u64; 3] = [
        0x3f6e_88b1_8475_e3e2,
        0x3ff1_8a98_5f61_e4df,
        0xbfef_3208_107c_ae98,
    ];

    #[test]
    fn biases_stay_within_one_over_root_fan_in() {
        let mut specs = TensorSpec::all(Shape::Full).into_iter();
        let spec = specs.find(|spec| spec.name == "head.2.bias").unwrap();
        assert_eq!((&*spec.shape, spec.fan_in), (&[32][..], 16));
        let biases = tensor(spec, &mut Pcg64::seed_from_u64(3)).data;
        assert!(biases.iter().all(|b| b.abs() <= 0.25));
        assert!(biases.iter().any(|b| *b > 0.1) && biases.iter().any(|b| *b < -0.1));
    }
}
