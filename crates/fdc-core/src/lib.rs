//! The pure domain of `fdc`: what is covered, what failed, what is suspicious, and which test
//! would sharpen the diagnosis. No I/O, no clock, no global random numbers.
//!
//! | concept | home |
//! |---|---|
//! | which test covers which element | [`coverage`] |
//! | program, tests and outcomes around it | [`spectrum`] |
//! | how a test failed | [`evidence`] |
//! | counts `ef`, `ep`, kept test by test | [`tally`] |
//! | suspiciousness formulas | [`formula`] |
//! | scores and places of lines, methods, files | [`ranking`] |
//! | ambiguity groups | [`groups`] |
//! | the suite so far, as a metric sees it | [`suite`] |
//! | metrics, one file each | [`metric`] |
//! | metrics in numbers alone | [`counts`] |
//! | choices by name | [`named`] |
//! | the failing tests to work from | [`failing`] |
//! | picking the next test | [`selection`] |
//! | a metric as a fitness for test generators | [`fitness`] |
#![forbid(unsafe_code)]

pub mod counts;
pub mod coverage;
pub mod evidence;
pub mod failing;
pub mod fitness;
pub mod formula;
pub mod groups;
pub mod metric;
pub mod named;
pub mod naming;
pub mod ranking;
pub mod rows;
pub mod selection;
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
pub use selection::{Pick, Selection, Start};
pub use spectrum::{Outcome, Spectrum};
pub use suite::Suite;
pub use tally::{Tally, Verdict};
