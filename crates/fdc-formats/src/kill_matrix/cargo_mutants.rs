//! cargo-mutants — outcomes.json of cargo-mutants, recognised to say what to do.
//!
//! ```text
//! {"outcomes": [{"scenario": "Baseline", "summary": "Success"},
//!               {"scenario": {"Mutant": {"name": "..."}}, "summary": "CaughtMutant"}]}
//! ```
//! It only tells that some test failed with a mutant, not which tests. `fdc mutate` runs all tests that
//! run the changed line, and keeps all that fail.

use super::without_tests;
use crate::input::read_bytes;
use crate::{Format, Reader};

pub(crate) const FORMAT: Format = Format {
    name: "cargo-mutants",
    summary: "cargo-mutants' outcomes.json: recognised, not read, use fdc mutate",
    detect: |sample| {
        let text: String = sample.text().split_whitespace().collect();
        let is_object = text.starts_with('{');
        is_object && text.contains("\"outcomes\":[") && text.contains("\"scenario\":")
    },
    reader: Reader::Mutants(|path| {
        read_bytes(path)?;
        Err(without_tests(path, "cargo-mutants"))
    }),
    endings: &[],
    write: None,
    source: include_str!("cargo_mutants.rs"),
};
