//! Adam (Kingma and Ba 2015), operation for operation as PyTorch's `torch.optim.Adam` on a CPU.

use serde::{Deserialize, Serialize};

use super::weights::Weights;
use super::{Network, Shape};
use crate::model_file::{Tensor, TensorMismatch};

/// PyTorch's defaults.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdamOptions {
    /// Size of a step.
    pub learning_rate: f64,
    /// What is kept of the mean gradient in a step.
    pub beta1: f64,
    /// What is kept of the mean squared gradient in a step.
    pub beta2: f64,
    /// Added to the root of the latter, against division by zero.
    pub epsilon: f64,
}

impl Default for AdamOptions {
    fn default() -> Self {
        Self {
            learning_rate: 1e-3,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
        }
    }
}

/// The optimiser's state: steps done, and the running means of the gradient and its square.
#[derive(Clone, Debug)]
pub struct Adam {
    options: AdamOptions,
    shape: Shape,
    steps: u64,
    mean: Weights,
    square: Weights,
}

impl Adam {
    /// Before the first step.
    pub fn new(options: AdamOptions, network: &Network) -> Self {
        Self {
            options,
            shape: network.shape(),
            steps: 0,
            mean: Weights::ZERO,
            square: Weights::ZERO,
        }
    }

    /// Goes on where another run stopped; the tensors are those of [`Adam::moments`].
    pub fn resume(
        options: AdamOptions,
        shape: Shape,
        steps: u64,
        [mean, square]: [&[Tensor]; 2],
    ) -> Result<Self, TensorMismatch> {
        Ok(Self {
            options,
            shape,
            steps,
            mean: Weights::from_tensors(shape, "", mean)?,
            square: Weights::from_tensors(shape, "", square)?,
        })
    }

    /// What it was made with.
    pub fn options(&self) -> AdamOptions {
        self.options
    }

    /// Learning steps done.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// PyTorch's `exp_avg` and `exp_avg_sq`, under the names of the weights.
    pub fn moments(&self) -> [Vec<Tensor>; 2] {
        [&self.mean, &self.square].map(|moment| moment.tensors(self.shape))
    }

    pub(super) fn shape(&self) -> Shape {
        self.shape
    }

    #[inline(always)]
    pub(super) fn apply(&mut self, weights: &mut Weights, gradient: &Weights) {
        self.steps += 1;
        let rule = Rule::of(&self.options, self.steps);
        let squares = self.square.parts_mut().into_iter().flatten();
        let moments = self.mean.parts_mut().into_iter().flatten().zip(squares);
        let gradients = gradient.parts().into_iter().flatten();
        let values = weights.parts_mut().into_iter().flatten().zip(gradients);
        for ((weight, gradient), (mean, square)) in values.zip(moments) {
            rule.update(weight, gradient, mean, square);
        }
    }
}

/// One step's factors, computed in `f64` and rounded once, as Python's scalars are.
struct Rule {
    /// 1 − β1
    mean_share: f32,
    /// β2
    square_kept: f32,
    /// 1 − β2
    square_share: f32,
    /// −(learning rate) / (1 − β1ᵗ)
    negative_step: f32,
    /// √(1 − β2ᵗ)
    square_correction: f32,
    epsilon: f32,
}

impl Rule {
    fn of(options: &AdamOptions, steps: u64) -> Self {
        let steps = steps as f64;
        let mean_correction = 1.0 - libm::pow(options.beta1, steps);
        let square_correction = 1.0 - libm::pow(options.beta2, steps);
        Self {
            mean_share: (1.0 - options.beta1) as f32,
            square_kept: options.beta2 as f32,
            square_share: (1.0 - options.beta2) as f32,
            negative_step: -(options.learning_rate / mean_correction) as f32,
            square_correction: square_correction.sqrt() as f32,
            epsilon: options.epsilon as f32,
        }
    }

    #[inline(always)]
    fn update(&self, weight: &mut [f32], gradient: &[f32], mean: &mut [f32], square: &mut [f32]) {
        let moments = mean.iter_mut().zip(square);
        for ((w, g), (m, v)) in weight.iter_mut().zip(gradient).zip(moments) {
            *m += self.mean_share * (*g - *m);
            *v = *v * self.square_kept + self.square_share * *g * *g;
            // The standard library guarantees a correctly rounded square root.
            let scale = v.sqrt() / self.square_correction + self.epsilon;
            *w += self.negative_step * *m / scale;
        }
    }
}
