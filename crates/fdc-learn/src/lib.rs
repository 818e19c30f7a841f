//! RLFDC: a fault-diagnosis-capability metric learned by reinforcement from past bugs.
//!
//! | concept | home |
//! |---|---|
//! | every hyper-parameter | [`hyperparameters`] |
//! | the whole training loop | [`train`] |
//! | many bugs, with checkpoints | [`course`] |
//! | the memory of past picks | `replay` |
//! | one bug as a place to act in | [`environment`] |
//! | the network: scoring, learning | [`network`] |
//! | model files and checkpoints | [`model_file`] |
//! | ONNX export | [`onnx`] |
//! | every metric by name, learned or hand-made | [`catalogue`] |
//! | the metric that a network makes | [`rlfdc`] |
//! | what a network learned, to look at | [`landscape`] |
//! | which bugs train and which test | [`protocol`] |

pub mod catalogue;
pub mod course;
pub mod environment;
pub mod hyperparameters;
pub mod landscape;
pub mod model_file;
pub mod network;
pub mod onnx;
pub mod protocol;
mod random;
mod replay;
pub mod rlfdc;
pub mod sharp;
#[cfg(test)]
mod subjects;
pub mod train;

pub use hyperparameters::Hyperparameters;
pub use model_file::Model;
pub use rlfdc::Rlfdc;
