//! A second network to compare with: naive loops in `f64`, one sample at a time, over the tensors
//! as PyTorch has them.

use super::{Action, Network, Shape, State, Tensor, TrainingSample};

#[derive(Clone)]
pub(super) struct Twin {
    shape: Shape,
    layers: Vec<Layer>,
}

/// A linear layer; `weight[output][input]`.
#[derive(Clone)]
struct Layer {
    weight: Vec<Vec<f64>>,
    bias: Vec<f64>,
}

impl Twin {
    pub(super) fn of(network: &Network) -> Self {
        let layers = network
            .tensors()
            .chunks(2)
            .map(|pair| Layer::of(&pair[0], &pair[1]))
            .collect();
        Self {
            shape: network.shape(),
            layers,
        }
    }

    pub(super) fn value(&self, state: State, action: Action) -> f64 {
        let outputs = self.outputs(state, action);
        outputs.last().unwrap()[0]
    }

    pub(super) fn error(&self, batch: &[TrainingSample]) -> f64 {
        let square = |sample: &TrainingSample| {
            (self.value(sample.state, sample.action) - f64::from(sample.goal)).powi(2)
        };
        batch.iter().map(square).sum::<f64>() / batch.len() as f64
    }

    /// The error's gradient, in the order of [`Network::tensors`].
    pub(super) fn gradient(&self, batch: &[TrainingSample]) -> Vec<f64> {
        let mut gradient: Vec<Layer> = self.layers.iter().map(Layer::zero).collect();
        for sample in batch {
            let outputs = self.outputs(sample.state, sample.action);
            let off = outputs.last().unwrap()[0] - f64::from(sample.goal);
            let mut errors = vec![2.0 * off / batch.len() as f64];
            for (number, layer) in self.layers.iter().enumerate().rev() {
                let inputs = self.inputs(number, &outputs, sample);
                for (output, error) in errors.iter().enumerate() {
                    gradient[number].bias[output] += error;
                    for (input, value) in inputs.iter().enumerate() {
                        gradient[number].weight[output][input] += error * value;
                    }
                }
                let back = |input: usize| -> f64 {
                    let through = layer
                        .weight
                        .iter()
                        .zip(&errors)
                        .map(|(row, error)| row[input] * error);
                    if inputs[input] > 0.0 {
                        through.sum()
                    } else {
                        0.0
                    }
                };
                let skipped = if number == self.head_start() {
                    self.shape.actions()
                } else {
                    0
                };
                errors = (skipped..inputs.len()).map(back).collect();
            }
        }
        gradient.iter().flat_map(Layer::parameters).collect()
    }

    /// The same network with one parameter moved.
    pub(super) fn nudged(&self, parameter: usize, by: f64) -> Self {
        let mut twin = self.clone();
        let mut left = parameter;
        for layer in &mut twin.layers {
            for value in layer.weight.iter_mut().flatten().chain(&mut layer.bias) {
                if left == 0 {
                    *value += by;
                    return twin;
                }
                left -= 1;
            }
        }
        panic!("no parameter {parameter}");
    }

    /// The outputs of each layer in turn, after its ReLU.
    fn outputs(&self, state: State, action: Action) -> Vec<Vec<f64>> {
        let sample = TrainingSample {
            state,
            action,
            goal: 0.0,
        };
        let mut outputs = Vec::new();
        for (number, layer) in self.layers.iter().enumerate() {
            let mut values = layer.outputs(&self.inputs(number, &outputs, &sample));
            if number + 1 < self.layers.len() {
                values.iter_mut().for_each(|value| *value = value.max(0.0));
            }
            outputs.push(values);
        }
        outputs
    }

    fn head_start(&self) -> usize {
        if self.shape.embeds() { 2 } else { 0 }
    }

    /// What a layer reads: the outputs of the one before it, the state, or the action and either.
    fn inputs(&self, number: usize, outputs: &[Vec<f64>], sample: &TrainingSample) -> Vec<f64> {
        let before = match number {
            0 => vec![
                f64::from(sample.state.added),
                f64::from(sample.state.groups),
            ],
            _ => outputs[number - 1].clone(),
        };
        if number != self.head_start() {
            return before;
        }
        let split = self
            .shape
            .uses_split()
            .then_some(f64::from(sample.action.split));
        let cover = self
            .shape
            .uses_cover()
            .then_some(f64::from(sample.action.cover));
        split.into_iter().chain(cover).chain(before).collect()
    }
}

impl Layer {
    fn of(weight: &Tensor, bias: &Tensor) -> Self {
        let wide = |values: &[f32]| values.iter().map(|&value| f64::from(value)).collect();
        Self {
            weight: weight.data.chunks(weight.shape[1]).map(wide).collect(),
            bias: wide(&bias.data),
        }
    }

    fn zero(&self) -> Self {
        Self {
            weight: vec![vec![0.0; self.weight[0].len()]; self.bias.len()],
            bias: vec![0.0; self.bias.len()],
        }
    }

    fn outputs(&self, inputs: &[f64]) -> Vec<f64> {
        let sum = |(row, bias): (&Vec<f64>, &f64)| {
            bias + row.iter().zip(inputs).map(|(w, x)| w * x).sum::<f64>()
        };
        self.weight.iter().zip(&self.bias).map(sum).collect()
    }

    fn parameters(&self) -> Vec<f64> {
        self.weight
            .iter()
            .flatten()
            .chain(&self.bias)
            .copied()
            .collect()
    }
}
