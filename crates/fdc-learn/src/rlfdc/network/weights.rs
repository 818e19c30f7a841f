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

/// A layer; `weight[i][o]` leads from input `i` to output `o` (PyTorch's transposed).
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
/// The columns of `head.0.weight` are the action's features (split, cover), then the state's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorSpec {
    /// As in PyTorch's `state_dict`.
    pub name: String,
    /// Its dimensions.
    pub shape: Vec<usize>,
    /// Inputs of the layer that the tensor belongs to.
    pub fan_in: usize,
    /// Layer and part in [`Weights::parts`].
    part: (usize, usize),
    /// Our places of PyTorch's numbers, in PyTorch's order.
    places: Vec<usize>,
}

impl TensorSpec {
    /// The tensors of a network of this shape, in PyTorch's order.
    pub fn all(shape: Shape) -> Vec<Self> {
        let split = shape.uses_split().then_some(SPLIT_ROW).into_iter();
        let cover = shape.uses_cover().then_some(COVER_ROW);
        let head_rows = split.chain(cover).chain(0..shape.context()).collect();
        // Name, our input for each of PyTorch's columns, outputs.
        let layers: [(&str, Vec<usize>, usize); 5] = [
            ("embed.0", (0..STATE_INPUTS).collect(), EMBEDDING),
            ("embed.2", (0..EMBEDDING).collect(), EMBEDDING),
            ("head.0", head_rows, HIDDEN),
            ("head.2", (0..HIDDEN).collect(), WIDE),
            ("head.4", (0..WIDE).collect(), 1),
        ];
        let skipped = if shape.embeds() { 0 } else { 2 };
        let specs = (0..).zip(layers).skip(skipped);
        let specs = specs.flat_map(|(layer, (name, rows, outputs))| {
            let fan_in = rows.len();
            let places = |output| rows.iter().map(move |row| row * outputs + output);
            let weight = Self {
                name: format!("{name}.weight"),
                shape: vec![outputs, fan_in],
                fan_in,
                part: (layer, 0),
                places: (0..outputs).flat_map(places).collect(),
            };
            let bias = Self {
                name: format!("{name}.bias"),
                shape: vec![outputs],
                fan_in,
                part: (layer, 1),
                places: (0..outputs).collect(),
            };
            [weight, bias]
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
        let tensor = |spec: TensorSpec| {
            let part = parts[spec.part.0][spec.part.1];
            Tensor {
                name: spec.name,
                shape: spec.shape,
                data: spec.places.into_iter().map(|place| part[place]).collect(),
            }
        };
        TensorSpec::all(shape).into_iter().map(tensor).collect()
    }

    /// All tensors whose names begin so, and no others, in their places; zeros elsewhere.
    pub(super) fn from_tensors(
        shape: Shape,
        prefix: &str,
        tensors: &[Tensor],
    ) -> Result<Self, TensorMismatch> {
        let mut specs = TensorSpec::all(shape);
        specs.retain(|spec| spec.name.starts_with(prefix));
        let expected = specs.iter().map(|spec| (&*spec.name, &*spec.shape));
        model_file::check_tensors(expected, tensors)?;
        let mut weights = Self::ZERO;
        let mut parts = weights.parts_mut();
        for spec in specs {
            let part = &mut parts[spec.part.0][spec.part.1];
            let tensor = tensors.iter().find(|tensor| tensor.name == spec.name);
            let data = tensor.into_iter().flat_map(|tensor| &tensor.data);
            for (place, value) in spec.places.into_iter().zip(data) {
                part[place] = *value;
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
