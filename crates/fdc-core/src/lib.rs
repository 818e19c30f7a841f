//! The pure domain of `fdc`: what is covered, what failed, what is suspicious, and which test
//! would sharpen the diagnosis. No I/O, no clock, no global random numbers.
#![forbid(unsafe_code)]

mod census;
pub mod counts;
pub mod coverage;
pub mod evidence;
pub mod failing;
pub mod fitness;
pub mod formula;
pub mod groups;
mod merging;
pub mod metric;
pub mod mutants;
pub mod named;
pub mod naming;
pub mod ranking;
pub mod rows;
pub mod selection;
pub mod shard;
pub mod spectrum;
pub mod suite;
pub mod suspects;
pub mod tally;

pub use coverage::Coverage;
pub use formula::Formula;
pub use groups::Groups;
pub use metric::Metric;
pub use named::Named;
pub use ranking::{Aggregate, Level, Ranking, TiePolicy};
pub use selection::{Pick, Selection, Start, TieBreak};
pub use shard::Shard;
pub use spectrum::{Outcome, Spectrum};
pub use suite::Suite;
pub use tally::{Tally, Verdict};
