//! mutmut — what mutmut writes, recognised to say what to do.
//!
//! ```text
//! {"exit_code_by_key": {"shop.cart.x_total__mutmut_1": 1}}     mutants/shop/cart.py.meta
//! shop.cart.x_total__mutmut_2: survived                        mutmut results
//! ```
//! Also its cache `.mutmut-cache` and its JUnit XML. All of them only tell that some test failed with a
//! mutant, not which tests. `fdc mutate` runs all tests that run the changed line, and keeps all that
//! fail.

use super::without_tests;
use crate::input::{InputSample, read_bytes};
use crate::{Format, Reader};

pub(crate) const FORMAT: Format = Format {
    name: "mutmut",
    summary: "mutmut's results: recognised, not read, use fdc mutate",
    detect,
    reader: Reader::Mutants(|path| {
        read_bytes(path)?;
        Err(without_tests(path, "mutmut"))
    }),
    endings: &[],
    write: None,
    source: include_str!("mutmut.rs"),
};

fn detect(sample: &InputSample) -> bool {
    let holds = |words: &[u8]| sample.head.windows(words.len()).any(|own| own == words);
    if sample.head.starts_with(b"SQLite format 3\0") {
        return holds(b"\"SourceFile\"") && holds(b"\"Mutant\"");
    }
    let text = sample.text().trim_start();
    let is_report = text.starts_with('<') && text.contains("<testsuite");
    let of_mutmut = is_report && text.contains("name=\"mutmut\"");
    let is_meta = text.starts_with('{') && text.contains("\"exit_code_by_key\"");
    let first = text.lines().next().unwrap_or_default();
    let is_result = first.contains("__mutmut_") && first.contains(": ");
    of_mutmut || is_meta || is_result
}
