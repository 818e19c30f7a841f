//! Any bytes decode or are refused; what decodes to a proper row survives another round.
#![no_main]

use fdc_case::row::{decode, encode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut runs = Vec::new();
    if decode(bytes, &mut runs).is_err() {
        return;
    }
    let mut maximal: Vec<std::ops::Range<u32>> = Vec::new();
    for run in runs.into_iter().filter(|run| !run.is_empty()) {
        match maximal.last_mut() {
            Some(last) if last.end == run.start => last.end = run.end,
            _ => maximal.push(run),
        }
    }
    // A long run is cheap to write as a pair and dear to compare element by element.
    if maximal.last().is_none_or(|run| run.end < 1 << 16) {
        let mut again = Vec::new();
        decode(&encode(&maximal), &mut again).unwrap();
        let elements = |runs: Vec<std::ops::Range<u32>>| runs.into_iter().flatten();
        assert!(elements(maximal).eq(elements(again)));
    }
});
