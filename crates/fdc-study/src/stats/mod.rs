//! Statistics for comparing metrics over bugs: pure functions, no input or
//! output, no clock, no global random generator.
//!
//! A comparison starts from a [`ScoreMatrix`]: one row (*block*) per bug, one
//! column per metric, higher is better. From there:
//!
//! | question | module |
//! |---|---|
//! | who is better on each bug, and on average | [`ranks`] |
//! | do the metrics differ at all | [`friedman`] |
//! | which pairs differ | [`posthoc`], [`bergmann`] |
//! | which bars join the metrics in a critical-difference diagram | [`groups`] |
//! | do two metrics differ | [`wilcoxon`] |
//! | by how much | [`effect`], [`bootstrap`] |
//! | which of these fits, and how to say it in an article | [`advice`] |
//!
//! Every p-value comes from a survival function, never from `1 - cdf`, so that
//! it keeps its relative precision down to about 1e-300; smaller ones are 0.

pub mod advice;
pub mod bergmann;
pub mod bootstrap;
pub mod effect;
mod error;
pub mod friedman;
pub mod groups;
mod matrix;
mod pairs;
pub mod posthoc;
pub mod ranks;
mod tail;
pub mod wilcoxon;

pub(crate) use error::Result;
pub use error::StatsError;
pub use matrix::ScoreMatrix;
pub use pairs::PairTable;

/// The level of all tests: a difference is one whose p-value is at most this.
pub const ALPHA: f64 = 0.05;
