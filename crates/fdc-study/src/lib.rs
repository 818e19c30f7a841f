//! Comparing metrics on real bugs.
//!
//! | concept | home |
//! |---|---|
//! | one selection from one failing test, step by step | [`run`] |
//! | simulated labellers: answers, right and wrong, until the fault is near the top | [`labeller`] |
//! | what competes: hand-made metrics, learned ones trained per division | [`contender`] |
//! | every bug x failing test x metric x seed, resumable | [`evaluate`] |
//! | results on disk | [`results`] |
//! | acc@n, mAP, area, EXAM, wasted effort | [`measures`] |
//! | metrics side by side: tables, tests, pictures | [`comparison`] |
//! | significance, intervals, effect sizes | [`stats`] |
//! | a question of the paper: its runs, its table beside ours | [`study`] |
//! | ranks published by others | [`published`] |
#![forbid(unsafe_code)]

pub mod comparison;
pub mod contender;
pub mod evaluate;
pub mod labeller;
pub mod measures;
pub mod published;
pub mod results;
pub mod run;
pub mod stats;
pub mod study;
