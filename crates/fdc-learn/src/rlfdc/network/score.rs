//! Scoring: the values of many candidates that share one state.
//!
//! Eight candidates at a time, a candidate a lane.

#![expect(
    clippy::needless_range_loop,
    reason = "a kernel walks several arrays with one index"
)]

use super::backend::{Backend, Kernel};
use super::weights::{COVER_ROW, EMBEDDING, Embedding, HIDDEN, Head, SPLIT_ROW, WIDE};
use super::{Action, Network, Shape, State};

pub(super) const LANES: usize = 8;
type Lanes = [f32; LANES];

/// A state's view of a head: what the state contributes is already summed up.
#[derive(Clone, Debug)]
pub struct Scorer<'a> {
    pub(super) shape: Shape,
    pub(super) backend: Backend,
    pub(super) head: &'a Head,
    /// The first layer's bias plus the embedding's share.
    pub(super) bias: [f32; HIDDEN],
}

impl Scorer<'_> {
    /// The value of one candidate.
    pub fn value(&self, action: Action) -> f32 {
        let mut value = [0.0];
        self.values(&[action], &mut value);
        value[0]
    }

    /// The values of candidates; the same bits for a candidate wherever it stands.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn values(&self, actions: &[Action], values: &mut [f32]) {
        assert_eq!(actions.len(), values.len(), "a value per action");
        self.backend.run(Values {
            scorer: self,
            actions,
            values,
        });
    }

    /// The largest value; NaN if any value is NaN, nothing if there is no candidate.
    pub fn max(&self, actions: &[Action]) -> Option<f32> {
        self.best(actions).map(|(_, value)| value)
    }

    /// The place of the largest value and that value: the first of equal ones, and the first NaN
    /// before everything. Nothing if there is no candidate.
    pub fn best(&self, actions: &[Action]) -> Option<(usize, f32)> {
        let mut values = vec![0.0; actions.len()];
        self.values(actions, &mut values);
        let places = values.into_iter().enumerate();
        places.reduce(|best, next| {
            let nan = next.1.is_nan() && !best.1.is_nan();
            if next.1 > best.1 || nan { next } else { best }
        })
    }

    /// Up to eight candidates; lanes left over repeat the last one.
    #[inline(always)]
    fn block(&self, actions: &[Action]) -> Lanes {
        let full = match actions.first_chunk() {
            Some(full) => *full,
            None => {
                let mut full = [actions[actions.len() - 1]; LANES];
                full[..actions.len()].copy_from_slice(actions);
                full
            }
        };
        let (mut split, mut cover) = ([0.0; LANES], [0.0; LANES]);
        for lane in 0..LANES {
            [split[lane], cover[lane]] = self.shape.features(full[lane]);
        }
        self.block_values(&split, &cover)
    }

    #[inline(always)]
    fn block_values(&self, split: &Lanes, cover: &Lanes) -> Lanes {
        let Head {
            first,
            second,
            last,
        } = self.head;
        let mut hidden = [[0.0; LANES]; HIDDEN];
        for unit in 0..HIDDEN {
            for lane in 0..LANES {
                let from_split = self.bias[unit] + first.weight[SPLIT_ROW][unit] * split[lane];
                hidden[unit][lane] = relu(from_split + first.weight[COVER_ROW][unit] * cover[lane]);
            }
        }
        let mut values = [last.bias[0]; LANES];
        // Eight units at a time: as many sums as fit the registers and hide an addition's latency.
        for from in (0..WIDE).step_by(8) {
            let mut sums = [[0.0; LANES]; 8];
            for unit in 0..8 {
                sums[unit] = [second.bias[from + unit]; LANES];
            }
            for (input, weights) in hidden.iter().zip(&second.weight) {
                for unit in 0..8 {
                    for lane in 0..LANES {
                        sums[unit][lane] += weights[from + unit] * input[lane];
                    }
                }
            }
            for unit in 0..8 {
                for lane in 0..LANES {
                    values[lane] += last.weight[from + unit][0] * relu(sums[unit][lane]);
                }
            }
        }
        values
    }
}

/// As PyTorch's: NaN stays NaN.
#[inline(always)]
pub(super) fn relu(x: f32) -> f32 {
    if 0.0 > x { 0.0 } else { x }
}

/// The bias of a head's first layer plus the share of the state.
pub(super) struct Fold<'a> {
    pub network: &'a Network,
    pub head: &'a Head,
    pub state: State,
}

impl Kernel for Fold<'_> {
    type Output = [f32; HIDDEN];

    #[inline(always)]
    fn run(self) -> [f32; HIDDEN] {
        let context = if self.network.shape.embeds() {
            let Embedding { first, second } = &self.network.weights.embedding;
            let inputs = layer(&first.weight, first.bias, &self.state.inputs()).map(relu);
            layer(&second.weight, second.bias, &inputs).map(relu)
        } else {
            Network::plain_context(self.state)
        };
        let rows: &[_; EMBEDDING] = self.head.first.weight.first_chunk().expect("more rows");
        layer(rows, self.head.first.bias, &context)
    }
}

#[inline(always)]
fn layer<const IN: usize, const OUT: usize>(
    weight: &[[f32; OUT]; IN],
    bias: [f32; OUT],
    inputs: &[f32; IN],
) -> [f32; OUT] {
    let mut sums = bias;
    for (weights, input) in weight.iter().zip(inputs) {
        for unit in 0..OUT {
            sums[unit] += weights[unit] * input;
        }
    }
    sums
}

struct Values<'a> {
    scorer: &'a Scorer<'a>,
    actions: &'a [Action],
    values: &'a mut [f32],
}

impl Kernel for Values<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let values = self.values.chunks_mut(LANES);
        for (actions, values) in self.actions.chunks(LANES).zip(values) {
            let block = self.scorer.block(actions);
            values.copy_from_slice(&block[..values.len()]);
        }
    }
}
