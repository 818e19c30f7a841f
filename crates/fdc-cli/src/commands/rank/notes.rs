//! What to know beside a ranking, whatever the format: faults that may be separate, tests left out.

use fdc::Ranked;
use fdc_core::Spectrum;
use fdc_core::coverage::TestId;

use crate::output::printable_name;

/// The notes; `separate` are sets of failing tests that share no line.
pub fn notes(ranked: &Ranked, separate: &[Vec<TestId>]) -> Vec<String> {
    let mut notes = Vec::new();
    let sets = separate.len();
    if sets > 1 {
        let first = separate
            .iter()
            .map(|set| printable_name(&ranked.spectrum.test(set[0]).name));
        notes.push(format!(
            "the failing tests fall into {sets} sets that share no line, possibly {sets} separate faults; \
             rank each with --failing: {}",
            first.collect::<Vec<_>>().join(", ")
        ));
    }
    match flaky_left_out(ranked) {
        0 => {}
        1 => notes.push("1 flaky test is left out; --include-flaky counts it".to_owned()),
        n => notes.push(format!(
            "{n} flaky tests are left out; --include-flaky counts them"
        )),
    }
    notes
}

/// Judged tests that are not counted because they are flaky.
pub fn flaky_left_out(ranked: &Ranked) -> usize {
    let tests = ranked.spectrum.coverage.tests();
    let left_out = tests.filter(|id| {
        let test = ranked.spectrum.test(*id);
        test.flaky && test.verdict().is_some() && !ranked.counted.failing.contains(id)
    });
    left_out.count()
}

/// Failing tests that cover anything, in sets such that tests of different sets share no element, in order of their
/// first tests.
pub fn separate_faults(spectrum: &Spectrum, failing: &[TestId]) -> Vec<Vec<TestId>> {
    let coverage = &spectrum.coverage;
    let mut set_of_column = vec![None; coverage.column_count()];
    let mut sets: Vec<Vec<TestId>> = Vec::new();
    let covers = |test: &&TestId| coverage.total(**test) > 0;
    for &test in failing.iter().filter(covers) {
        let mut touched = Vec::new();
        coverage
            .row(test)
            .for_each(|column| touched.extend(set_of_column[column as usize]));
        touched.sort_unstable();
        touched.dedup();
        let target = touched.first().copied().unwrap_or_else(|| {
            sets.push(Vec::new());
            sets.len() - 1
        });
        for &other in touched.iter().skip(1) {
            let moved = std::mem::take(&mut sets[other]);
            sets[target].extend(moved);
        }
        sets[target].push(test);
        for column in &mut set_of_column {
            if column.is_some_and(|set| touched.contains(&set)) {
                *column = Some(target);
            }
        }
        coverage
            .row(test)
            .for_each(|column| set_of_column[column as usize] = Some(target));
    }
    sets.retain(|set| !set.is_empty());
    for set in &mut sets {
        set.sort_unstable();
    }
    sets.sort_unstable();
    sets
}
