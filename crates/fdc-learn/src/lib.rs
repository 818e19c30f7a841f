//! Learned metrics, and every metric by name.
//!
//! | concept | home |
//! |---|---|
//! | the table of learned metrics | [`LEARNERS`] |
//! | what a learned metric can do | [`learner`] |
//! | a network trained by reinforcement | [`rlfdc`] |
//! | a distribution over suspicious methods | [`sharp`] |
//! | model files | [`model_file`] |
//! | every metric by name, learned or hand-made | [`catalogue`] |
//! | which bugs train and which test | [`protocol`] |

pub mod catalogue;
pub mod learner;
pub mod model_file;
pub mod protocol;
pub mod rlfdc;
pub mod sharp;

pub use learner::{LearnedModel, Learner};

/// The learned metrics. To add one, write its folder, declare it above, and add a line here.
pub static LEARNERS: &[&dyn Learner] = &[&sharp::LEARNER, &rlfdc::LEARNER];
