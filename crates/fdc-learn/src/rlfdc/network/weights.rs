//! The weights as the kernels want them, and their exchange under PyTorch's names and shapes.

use super::Shape;
use crate::model_file::{self, Tensor, TensorMismatch};

pub(super) const STATE_INPUTS: usize = 2;
pub(super) const EMBEDDING: usize = 16;
/// The embedding, then split, then cover.
pub(super) const HEAD_INPUTS: usize = EMBEDDING + 2;
pub(super) const SPLIT_ROW: usize = EMBEDDING;
pub(super) const COVER_ROW: usize = EMBEDDING + 1;
pub(super) const HIDDEN: usize = 16;
pub(super) const WIDE: usize = 32;

/// A layer; `weight[i][o]` leads from input `i` to output `o` (PyTorch's transposed), so that all
/// outputs of an input lie side by side.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub(super) struct Dense<const IN: usize, const OUT: usize> {
    pub weight: [[f32; OUT]; IN],
    pub bias: [f32; OUT],
}

#[derive(Clone, Debug)]
pub(super) struct Embedding {
    pub first: Dense<STATE_INPUTS, EMBEDDING>,
    pub second: Dense<EMBEDDING, EMBEDDING>,
}

#[derive(Clone, Debug)]
pub(super) struct Head {
    pub first: Dense<HEAD_INPUTS, HIDDEN>,
    pub second: Dense<HIDDEN, WIDE>,
    pub last: Dense<WIDE, 1>,
}

/// One number per weight: the weights themselves, their gradients, or one of Adam's moments.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    pub embedding: Embedding,
    pub head: Head,
}

/// What a tensor of a network must look like.
///
/// `embed` and `head` are `nn.Sequential`s with a ReLU between the layers, hence the even numbers.
/// The columns of `head.0.weight` are the action's features (split, cover), then what comes from
/// the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorSpec {
    /// As in PyTorch's `state_dict`.
    pub name: String,
    /// Its dimensions.
    pub shape: Vec<usize>,
    /// Inputs of the layer that the tensor belongs to.
    pub fan_in: usize,
}

impl TensorSpec {
    /// The tensors of a network of this shape, in PyTorch's order.
    pub fn all(shape: Shape) -> Vec<Self> {
        let specs = layers(shape).into_iter().flat_map(|layer| {
            let fan_in = layer.rows.len();
            let spec = |name, shape| Self {
                name,
                shape,
                fan_in,
            };
            [
                spec(layer.weight_name(), vec![layer.outputs, fan_in]),
                spec(layer.bias_name(), vec![layer.outputs]),
            ]
        });
        specs.collect()
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }
}

impl Weights {
    pub(super) const ZERO: Self = Self {
        embedding: Embedding {
            first: Dense::ZERO,
            second: Dense::ZERO,
        },
        head: Head {
            first: Dense::ZERO,
            second: Dense::ZERO,
            last: Dense::ZERO,
        },
    };

    /// Weight and bias of the five layers in turn; a weight lies input by input.
    #[inline(always)]
    pub(super) fn parts(&self) -> [[&[f32]; 2]; 5] {
        let Self { embedding, head } = self;
        [
            embedding.first.parts(),
            embedding.second.parts(),
            head.first.parts(),
            head.second.parts(),
            head.last.parts(),
        ]
    }

    /// [`Weights::parts`], to change.
    #[inline(always)]
    pub(super) fn parts_mut(&mut self) -> [[&mut [f32]; 2]; 5] {
        let Self { embedding, head } = self;
        [
            embedding.first.parts_mut(),
            embedding.second.parts_mut(),
            head.first.parts_mut(),
            head.second.parts_mut(),
            head.last.parts_mut(),
        ]
    }

    pub(super) fn tensors(&self, shape: Shape) -> Vec<Tensor> {
        let parts = self.parts();
        let data = layers(shape).into_iter().flat_map(|layer| {
            let [weight, bias] = parts[layer.number];
            let weight = layer.places().map(|place| weight[place]).collect();
            [weight, bias.to_vec()]
        });
        let tensors = TensorSpec::all(shape).into_iter().zip(data);
        let tensor = |(spec, data): (TensorSpec, Vec<f32>)| Tensor {
            name: spec.name,
            shape: spec.shape,
            data,
        };
        tensors.map(tensor).collect()
    }

    /// The tensors whose names begin so, all of them and no others, in their places; zeros
    /// elsewhere.
    pub(super) fn from_tensors(
        shape: Shape,
        prefix: &str,
        tensors: &[Tensor],
    ) -> Result<Self, TensorMismatch> {
        let mut specs = TensorSpec::all(shape);
        specs.retain(|spec| spec.name.starts_with(prefix));
        let expected = specs.iter().map(|spec| (&*spec.name, &*spec.shape));
        model_file::check_tensors(expected, tensors)?;
        let named = |name: String| tensors.iter().find(|tensor| tensor.name == name);
        let mut weights = Self::ZERO;
        let mut parts = weights.parts_mut();
        for layer in layers(shape) {
            let [weight, bias] = &mut parts[layer.number];
            if let Some(tensor) = named(layer.weight_name()) {
                for (place, value) in layer.places().zip(&tensor.data) {
                    weight[place] = *value;
                }
            }
            if let Some(tensor) = named(layer.bias_name()) {
                bias.copy_from_slice(&tensor.data);
            }
        }
        Ok(weights)
    }
}

impl<const IN: usize, const OUT: usize> Dense<IN, OUT> {
    const ZERO: Self = Self {
        weight: [[0.0; OUT]; IN],
        bias: [0.0; OUT],
    };

    #[inline(always)]
    fn parts(&self) -> [&[f32]; 2] {
        [self.weight.as_flattened(), &self.bias]
    }

    #[inline(always)]
    fn parts_mut(&mut self) -> [&mut [f32]; 2] {
        [self.weight.as_flattened_mut(), &mut self.bias]
    }
}

/// A layer that a shape has: where its tensors are in [`Weights::parts`].
struct Layer {
    name: &'static str,
    number: usize,
    /// Our input for each of PyTorch's columns.
    rows: Vec<usize>,
    outputs: usize,
}

impl Layer {
    fn weight_name(&self) -> String {
        format!("{}.weight", self.name)
    }

    fn bias_name(&self) -> String {
        format!("{}.bias", self.name)
    }

    /// Our places of PyTorch's weights, in PyTorch's order.
    fn places(&self) -> impl Iterator<Item = usize> {
        (0..self.outputs)
            .flat_map(move |output| self.rows.iter().map(move |row| row * self.outputs + output))
    }
}

fn layers(shape: Shape) -> Vec<Layer> {
    let split = shape.uses_split().then_some(SPLIT_ROW).into_iter();
    let cover = shape.uses_cover().then_some(COVER_ROW);
    let head_rows = split.chain(cover).chain(0..shape.context()).collect();
    let layer = |name, number, rows, outputs| Layer {
        name,
        number,
        rows,
        outputs,
    };
    let all = [
        layer("embed.0", 0, (0..STATE_INPUTS).collect(), EMBEDDING),
        layer("embed.2", 1, (0..EMBEDDING).collect(), EMBEDDING),
        layer("head.0", 2, head_rows, HIDDEN),
        layer("head.2", 3, (0..HIDDEN).collect(), WIDE),
        layer("head.4", 4, (0..WIDE).collect(), 1),
    ];
    let skipped = if shape.embeds() { 0 } else { 2 };
    all.into_iter().skip(skipped).collect()
}
