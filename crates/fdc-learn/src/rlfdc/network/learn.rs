//! One learning step: forward, backward, Adam.
//!
//! Eight samples at a time, a unit a lane: sums run over inputs, outputs or samples, never lanes.

#![expect(
    clippy::needless_range_loop,
    reason = "a kernel walks several arrays with one index"
)]

use super::adam::Adam;
use super::backend::Kernel;
use super::score::relu;
use super::weights::{
    COVER_ROW, Dense, EMBEDDING, HEAD_INPUTS, HIDDEN, SPLIT_ROW, STATE_INPUTS, WIDE, Weights,
};
use super::{Action, Network, Shape, State};

/// What the value of an action in a state should be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrainingSample {
    /// Where the pick was made.
    pub state: State,
    /// What was picked.
    pub action: Action,
    /// The value that the network should give it.
    pub goal: f32,
}

/// Samples worked on together: as many sums as fit the registers and hide an addition's latency.
const BLOCK: usize = 8;
const LANES: usize = 8;

pub(super) struct Step<'a> {
    pub network: &'a mut Network,
    pub adam: &'a mut Adam,
    pub batch: &'a [TrainingSample],
}

impl Kernel for Step<'_> {
    type Output = f32;

    #[inline(always)]
    fn run(self) -> f32 {
        if self.batch.is_empty() {
            return 0.0;
        }
        let Network { shape, weights, .. } = self.network;
        let (error, gradient) = gradient(*shape, weights, self.batch);
        if error.is_finite() {
            self.adam.apply(weights, &gradient);
        }
        error
    }
}

/// The mean squared error and its gradient.
#[inline(always)]
pub(super) fn gradient(
    shape: Shape,
    weights: &Weights,
    batch: &[TrainingSample],
) -> (f32, Weights) {
    let backward = Transposed::of(weights);
    let mut gradient = Weights::ZERO;
    let mut squares = 0.0;
    let count = batch.len() as f32;
    for samples in batch.chunks(BLOCK) {
        let activity = Activity::of(shape, weights, samples);
        let mut slopes = [0.0; BLOCK];
        for (slope, (value, sample)) in slopes.iter_mut().zip(activity.values.iter().zip(samples)) {
            let off = value - sample.goal;
            squares += off * off;
            *slope = 2.0 / count * off;
        }
        activity.add_gradient(shape, weights, &backward, &slopes, &mut gradient);
    }
    (squares / count, gradient)
}

/// A number for each unit of a layer, for each sample of a block.
type Units<const N: usize> = [[f32; N]; BLOCK];

/// The weights that errors go back through, PyTorch's way round.
struct Transposed {
    embedding_second: [[f32; EMBEDDING]; EMBEDDING],
    head_first: [[f32; EMBEDDING]; HIDDEN],
    head_second: [[f32; HIDDEN]; WIDE],
}

impl Transposed {
    #[inline(always)]
    fn of(weights: &Weights) -> Self {
        Self {
            embedding_second: transposed(&weights.embedding.second.weight),
            head_first: transposed(weights.head.first.weight.first_chunk().expect("more rows")),
            head_second: transposed(&weights.head.second.weight),
        }
    }
}

/// What the forward pass computes for a block; places beyond the samples are zero and have no say.
struct Activity {
    state: Units<STATE_INPUTS>,
    embedding_first: Units<EMBEDDING>,
    head_inputs: Units<HEAD_INPUTS>,
    hidden: Units<HIDDEN>,
    wide: Units<WIDE>,
    values: [f32; BLOCK],
}

impl Activity {
    #[inline(always)]
    fn of(shape: Shape, weights: &Weights, samples: &[TrainingSample]) -> Self {
        let mut state = [[0.0; STATE_INPUTS]; BLOCK];
        let mut head_inputs = [[0.0; HEAD_INPUTS]; BLOCK];
        for (place, sample) in samples.iter().enumerate() {
            state[place] = sample.state.inputs();
            head_inputs[place][..EMBEDDING].copy_from_slice(&Network::plain_context(sample.state));
            [head_inputs[place][SPLIT_ROW], head_inputs[place][COVER_ROW]] =
                shape.features(sample.action);
        }
        let mut embedding_first = [[0.0; EMBEDDING]; BLOCK];
        if shape.embeds() {
            forward(&weights.embedding.first, &state, &mut embedding_first);
            let mut embedding = [[0.0; EMBEDDING]; BLOCK];
            forward(&weights.embedding.second, &embedding_first, &mut embedding);
            for place in 0..BLOCK {
                head_inputs[place][..EMBEDDING].copy_from_slice(&embedding[place]);
            }
        }
        let mut hidden = [[0.0; HIDDEN]; BLOCK];
        forward(&weights.head.first, &head_inputs, &mut hidden);
        let mut wide = [[0.0; WIDE]; BLOCK];
        forward(&weights.head.second, &hidden, &mut wide);
        let last = &weights.head.last;
        let mut values = [last.bias[0]; BLOCK];
        for unit in 0..WIDE {
            for place in 0..BLOCK {
                values[place] += last.weight[unit][0] * wide[place][unit];
            }
        }
        Self {
            state,
            embedding_first,
            head_inputs,
            hidden,
            wide,
            values,
        }
    }

    /// Adds the block's share to `gradient`, given the error's slope in each value.
    #[inline(always)]
    fn add_gradient(
        &self,
        shape: Shape,
        weights: &Weights,
        backward: &Transposed,
        slopes: &[f32; BLOCK],
        gradient: &mut Weights,
    ) {
        let mut wide = [[0.0; WIDE]; BLOCK];
        let last = &mut gradient.head.last;
        for place in 0..BLOCK {
            last.bias[0] += slopes[place];
            for unit in 0..WIDE {
                last.weight[unit][0] += slopes[place] * self.wide[place][unit];
                let back = slopes[place] * weights.head.last.weight[unit][0];
                wide[place][unit] = if self.wide[place][unit] > 0.0 {
                    back
                } else {
                    0.0
                };
            }
        }
        add_layer_gradient(&mut gradient.head.second, &self.hidden, &wide);

        let hidden = passed_back(&backward.head_second, &wide, &self.hidden);
        add_layer_gradient(&mut gradient.head.first, &self.head_inputs, &hidden);

        if shape.embeds() {
            let inputs = self.head_inputs;
            let embedded = inputs.map(|inputs| *inputs.first_chunk().expect("more inputs"));
            let embedding = passed_back(&backward.head_first, &hidden, &embedded);
            let first = &self.embedding_first;
            add_layer_gradient(&mut gradient.embedding.second, first, &embedding);

            let first = passed_back(&backward.embedding_second, &embedding, first);
            add_layer_gradient(&mut gradient.embedding.first, &self.state, &first);
        }
    }
}

/// A layer and its ReLU.
#[inline(always)]
fn forward<const IN: usize, const OUT: usize>(
    layer: &Dense<IN, OUT>,
    inputs: &Units<IN>,
    outputs: &mut Units<OUT>,
) {
    for from in (0..OUT).step_by(LANES) {
        let mut sums = [[0.0; LANES]; BLOCK];
        for place in 0..BLOCK {
            sums[place].copy_from_slice(&layer.bias[from..from + LANES]);
        }
        for input in 0..IN {
            for place in 0..BLOCK {
                for lane in 0..LANES {
                    sums[place][lane] += layer.weight[input][from + lane] * inputs[place][input];
                }
            }
        }
        for place in 0..BLOCK {
            for lane in 0..LANES {
                outputs[place][from + lane] = relu(sums[place][lane]);
            }
        }
    }
}

/// Errors of a layer's outputs, passed back to its inputs and through the ReLU that made these.
#[inline(always)]
fn passed_back<const OUT: usize, const IN: usize>(
    transposed: &[[f32; IN]; OUT],
    errors: &Units<OUT>,
    inputs: &Units<IN>,
) -> Units<IN> {
    let mut back = [[0.0; IN]; BLOCK];
    for from in (0..IN).step_by(LANES) {
        let mut sums = [[0.0; LANES]; BLOCK];
        for output in 0..OUT {
            for place in 0..BLOCK {
                for lane in 0..LANES {
                    sums[place][lane] += transposed[output][from + lane] * errors[place][output];
                }
            }
        }
        for place in 0..BLOCK {
            for lane in 0..LANES {
                let passes = inputs[place][from + lane] > 0.0;
                back[place][from + lane] = if passes { sums[place][lane] } else { 0.0 };
            }
        }
    }
    back
}

#[inline(always)]
fn add_layer_gradient<const IN: usize, const OUT: usize>(
    gradient: &mut Dense<IN, OUT>,
    inputs: &Units<IN>,
    errors: &Units<OUT>,
) {
    for from in (0..OUT).step_by(LANES) {
        for input in 0..IN {
            for place in 0..BLOCK {
                for lane in 0..LANES {
                    gradient.weight[input][from + lane] +=
                        inputs[place][input] * errors[place][from + lane];
                }
            }
        }
        for place in 0..BLOCK {
            for lane in 0..LANES {
                gradient.bias[from + lane] += errors[place][from + lane];
            }
        }
    }
}

#[inline(always)]
fn transposed<const IN: usize, const OUT: usize>(weight: &[[f32; OUT]; IN]) -> [[f32; IN]; OUT] {
    let mut transposed = [[0.0; IN]; OUT];
    for input in 0..IN {
        for output in 0..OUT {
            transposed[output][input] = weight[input][output];
        }
    }
    transposed
}
