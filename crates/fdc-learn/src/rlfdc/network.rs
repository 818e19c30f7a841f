//! RLFDC's Q-network: what a candidate test is worth in the present state.
//!
//! The state goes through an embedding 2→16→16 (ReLU after both); the action and the embedding go
//! through a head 18→16→32→1 (ReLU, ReLU, linear). All is `f32` in one fixed order without fused
//! multiply-add, so scores and trained weights are the same bits on every machine, AVX2 or not:
//!
//! > unit = bias, then + weight · input for the inputs in order;
//! > the head's first layer takes the embedding first, then split, then cover.
//!
//! [`Network::at`] does the work that depends on the state alone once, after which a candidate
//! costs 2·16 + 16·32 + 32 multiplications. [`Network::learn`] is one step of Adam.
//!
//! The smaller networks of the ablation ([`Shape`]) run through the same code: an input that a
//! shape lacks and its weights start at zero, so their gradient is zero and Adam never moves them.

mod adam;
mod backend;
mod initial;
mod learn;
mod score;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod twin;
mod weights;

use rand_core::Rng;

use crate::model_file::{Tensor, TensorMismatch};

pub use adam::{Adam, AdamOptions};
pub use backend::Backend;
pub use learn::TrainingSample;
pub use score::Scorer;
pub use weights::TensorSpec;

use learn::Step;
use score::Fold;
use weights::{EMBEDDING, Head, STATE_INPUTS, Weights};

/// Where a selection stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// Tests added to the failing one so far; 0 at the start.
    pub added: f32,
    /// Ambiguity groups inside the suspicious elements.
    pub groups: f32,
}

/// What adding a candidate would do; the two features of the metrics of the same names.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Action {
    /// How evenly it splits the ambiguity groups.
    pub split: f32,
    /// How like the failing test it covers, 0..=1.
    pub cover: f32,
}

/// Which inputs a network has: the paper's, or one of its ablations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Split and cover as the action, the state embedded.
    #[default]
    Full,
    /// Split alone as the action, the state embedded.
    Split,
    /// Cover alone as the action, the state embedded.
    Cover,
    /// Split and cover as the action; the state goes straight into the head (4→16→32→1).
    Simple,
}

impl Shape {
    /// In the order the paper lists them.
    pub const ALL: [Self; 4] = [Self::Full, Self::Split, Self::Cover, Self::Simple];

    /// The name kept in model files; it never changes.
    pub fn id(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Split => "split",
            Self::Cover => "cover",
            Self::Simple => "simple",
        }
    }

    /// The shape with that [`Shape::id`].
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.id() == id)
    }

    /// Whether split is an input.
    pub fn uses_split(self) -> bool {
        self != Self::Cover
    }

    /// Whether cover is an input.
    pub fn uses_cover(self) -> bool {
        self != Self::Split
    }

    /// Whether the state is embedded before it reaches the head.
    pub fn embeds(self) -> bool {
        self != Self::Simple
    }

    /// Number of action features: 1 or 2.
    pub fn actions(self) -> usize {
        usize::from(self.uses_split()) + usize::from(self.uses_cover())
    }

    /// Number of values the head gets from the state: the embedding's, or the state's own.
    pub fn context(self) -> usize {
        [STATE_INPUTS, EMBEDDING][usize::from(self.embeds())]
    }

    /// The action's features as the head sees them; one that this shape lacks is 0.
    #[inline(always)]
    fn features(self, action: Action) -> [f32; 2] {
        let split = if self.uses_split() { action.split } else { 0.0 };
        let cover = if self.uses_cover() { action.cover } else { 0.0 };
        [split, cover]
    }
}

/// The online network: embedding and head.
#[derive(Clone, Debug)]
pub struct Network {
    shape: Shape,
    weights: Weights,
    backend: Backend,
}

impl Network {
    /// Fresh weights: N(0, 0.1), biases uniform in ±1/√fan-in, in [`Network::tensors`]' order.
    pub fn random(shape: Shape, rng: &mut impl Rng) -> Self {
        let specs = TensorSpec::all(shape).into_iter();
        let tensors: Vec<_> = specs.map(|spec| initial::tensor(spec, rng)).collect();
        Self::from_tensors(shape, &tensors).expect("the specs are the shape's own")
    }

    /// Takes weights over from elsewhere (a model file, PyTorch); the tensors may come in any
    /// order, but each of [`TensorSpec::all`] exactly once and nothing else.
    pub fn from_tensors(shape: Shape, tensors: &[Tensor]) -> Result<Self, TensorMismatch> {
        let weights = Weights::from_tensors(shape, "", tensors)?;
        Ok(Self {
            shape,
            weights,
            backend: Backend::detect(),
        })
    }

    /// All weights under PyTorch's names and shapes, in the order of [`TensorSpec::all`].
    pub fn tensors(&self) -> Vec<Tensor> {
        self.weights.tensors(self.shape)
    }

    /// Which inputs it has.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Computes with `backend` from now on; the results stay the same bits.
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// The values of candidates in `state`.
    pub fn at(&self, state: State) -> Scorer<'_> {
        self.scorer(&self.weights.head, state)
    }

    /// The values of candidates in `state` by the target's head over this network's embedding.
    ///
    /// # Panics
    /// If the target was made from a network of another shape.
    pub fn at_by<'a>(&'a self, target: &'a TargetHead, state: State) -> Scorer<'a> {
        assert_eq!(
            self.shape, target.shape,
            "the target belongs to another network"
        );
        self.scorer(&target.head, state)
    }

    /// One step of Adam on the mean squared error between the values of the samples and their
    /// goals; returns that error as it was before the step.
    ///
    /// The goals are constants: no gradient goes through them. If the error is NaN or infinite it
    /// is returned and *nothing is learned*: weights and Adam stay as they were. The caller
    /// decides what that means. An empty batch has error 0 and teaches nothing.
    pub fn learn(&mut self, adam: &mut Adam, batch: &[TrainingSample]) -> f32 {
        assert_eq!(
            adam.shape(),
            self.shape,
            "this optimiser state belongs to another network"
        );
        self.backend.run(Step {
            network: self,
            adam,
            batch,
        })
    }

    fn scorer<'a>(&'a self, head: &'a Head, state: State) -> Scorer<'a> {
        let (shape, backend, network) = (self.shape, self.backend, self);
        let bias = backend.run(Fold {
            network,
            head,
            state,
        });
        Scorer {
            shape,
            backend,
            head,
            bias,
        }
    }

    /// The head's inputs of a network without embedding: the state's two numbers, then zeros.
    #[inline(always)]
    fn plain_context(state: State) -> [f32; EMBEDDING] {
        let mut context = [0.0; EMBEDDING];
        context[..STATE_INPUTS].copy_from_slice(&state.inputs());
        context
    }
}

impl State {
    #[inline(always)]
    fn inputs(self) -> [f32; STATE_INPUTS] {
        [self.added, self.groups]
    }
}

/// A frozen copy of a network's head, which values the goals while the network learns.
#[derive(Clone, Debug)]
pub struct TargetHead {
    shape: Shape,
    head: Head,
}

impl TargetHead {
    /// As the network's head is now.
    pub fn of(online: &Network) -> Self {
        Self {
            shape: online.shape,
            head: online.weights.head.clone(),
        }
    }

    /// Goes on where another run stopped; takes the tensors of [`TargetHead::tensors`].
    pub fn from_tensors(shape: Shape, tensors: &[Tensor]) -> Result<Self, TensorMismatch> {
        Ok(Self {
            shape,
            head: Weights::from_tensors(shape, "head.", tensors)?.head,
        })
    }

    /// The head's weights under the names they have in [`Network::tensors`].
    pub fn tensors(&self) -> Vec<Tensor> {
        let (head, embedding) = (self.head.clone(), Weights::ZERO.embedding);
        let mut tensors = Weights { embedding, head }.tensors(self.shape);
        tensors.retain(|tensor| tensor.name.starts_with("head."));
        tensors
    }
}
