//! LLVM's raw profiles and coverage mappings read from any bytes, as the collector for cargo reads
//! them; for tests that feed the readers damaged or hostile files.

use crate::cargo::bytes::Unreadable;
use crate::cargo::{mapping, profile};

/// Reads a raw profile to its end: how many functions ran, or what is wrong.
pub fn functions_run(profile: &[u8]) -> Result<usize, String> {
    let profile = profile::Profile::new(profile).map_err(in_words)?;
    let mut count = 0;
    for counts in profile.run_functions() {
        // The first counter, and one that no function has.
        let counts = counts.map_err(in_words)?;
        let _ = (counts.get(0), counts.get(usize::MAX));
        count += 1;
    }
    Ok(count)
}

/// Reads the sections `__llvm_covmap` and `__llvm_covfun` of a program and computes every expression
/// in them: how many regions of source there are, or what is wrong.
pub fn regions(file_tables: &[u8], functions: &[u8]) -> Result<usize, String> {
    let functions = mapping::functions_of(file_tables, functions).map_err(in_words)?;
    for function in &functions {
        function.expressions.evaluate(|number| number as u64);
        for region in &function.regions {
            function.file(region);
        }
    }
    let regions = functions.iter().map(|function| function.regions.len());
    Ok(regions.sum())
}

fn in_words(problem: Unreadable) -> String {
    match problem {
        Unreadable::Unknown(what) | Unreadable::Damaged(what) => what.to_owned(),
    }
}
