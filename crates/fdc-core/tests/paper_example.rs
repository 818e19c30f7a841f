//! The worked example of the paper that introduces RLFDC (Automatically Learning a Precise
//! Measurement for Fault Diagnosis Capability of Test Cases, section Motivating Example): all 132
//! printed cells of its two "suspicious score/method ranking" tables.

use fdc_core::coverage::TestId;
use fdc_core::ranking::{Ranker, RankingOptions};
use fdc_core::rows::Rows;
use fdc_core::spectrum::{ProgramBuilder, Test};
use fdc_core::{Aggregate, Formula, Level, Outcome, Selection, Spectrum, TiePolicy, Verdict};

/// The coverage table, a statement a line: its method, then a digit for each of t0 to t20. t0
/// fails, all others pass; the faulty statements are s12 to s14.
const COVERAGE: [(&str, &str); 28] = [
    ("m1", "111111111101111001001"),
    ("m2", "110010000000000000000"),
    ("m3", "110010010000000000000"),
    ("m3", "110010010000000000000"),
    ("m3", "110010010000000000000"),
    ("m3", "110010010000000000000"),
    ("m3", "110010010000000000000"),
    ("m3", "110010010000000000000"),
    ("m4", "110000000000000000000"),
    ("m4", "111100000000000000000"),
    ("m4", "111000000000000000000"),
    ("m4", "111000000000000000000"),
    ("m4", "111000000000000000000"),
    ("m4", "110000000000000000000"),
    ("m4", "111100000000000000000"),
    ("m4", "110100000000000000000"),
    ("m4", "111100000000000000000"),
    ("m5", "111101100000100000001"),
    ("m6", "111101101100111001001"),
    ("m6", "111001101100110001001"),
    ("m6", "111101101100111001001"),
    ("m6", "111001101100110001000"),
    ("m6", "111101101100111001001"),
    ("m6", "111001101100110001000"),
    ("m6", "111001101100110001000"),
    ("m6", "111001101100110001000"),
    ("m6", "111001101100110001000"),
    ("m6", "111001101100110001000"),
];

/// Score/rank of m1 to m6 after t0, then after each of t1 to t10, RLFDC's picks.
const RLFDC: [&str; 6] = [
    "1.000/6 0.707/6 0.577/6 0.500/6 0.447/6 0.408/6 0.378/6 0.354/6 0.333/6 0.316/6 0.316/6",
    "1.000/6 0.707/6 0.707/3 0.707/3 0.577/4 0.577/3 0.577/3 0.577/2 0.577/2 0.577/2 0.577/2",
    "1.000/6 0.707/6 0.707/3 0.707/3 0.577/4 0.577/3 0.577/3 0.500/3 0.500/3 0.500/3 0.500/3",
    "1.000/6 0.707/6 0.707/3 0.707/3 0.707/1 0.707/1 0.707/1 0.707/1 0.707/1 0.707/1 0.707/1",
    "1.000/6 0.707/6 0.577/6 0.500/6 0.500/5 0.447/5 0.408/5 0.408/5 0.408/5 0.408/4 0.408/4",
    "1.000/6 0.707/6 0.577/6 0.577/4 0.577/4 0.500/4 0.447/4 0.447/4 0.408/5 0.378/5 0.378/5",
];

/// The same after t0, then after each of t11 to t20, TfD's picks.
const TFD: [&str; 6] = [
    "1.000/6 0.707/6 0.577/6 0.500/6 0.447/6 0.447/6 0.447/6 0.408/6 0.408/6 0.408/6 0.378/6",
    "1.000/6 1.000/5 1.000/3 1.000/3 1.000/3 1.000/3 1.000/3 1.000/3 1.000/3 1.000/3 1.000/3",
    "1.000/6 1.000/5 1.000/3 1.000/3 1.000/3 1.000/3 1.000/3 1.000/3 1.000/3 1.000/3 1.000/3",
    "1.000/6 1.000/5 1.000/3 1.000/3 1.000/3 1.000/3 1.000/3 1.000/3 1.000/3 1.000/3 1.000/3",
    "1.000/6 1.000/5 0.707/5 0.707/4 0.707/4 0.707/4 0.707/4 0.707/4 0.707/4 0.707/4 0.577/4",
    "1.000/6 1.000/5 0.707/5 0.577/5 0.577/5 0.577/5 0.577/5 0.500/5 0.500/5 0.500/5 0.500/5",
];

#[test]
fn rlfdc_s_ten_picks_give_the_printed_scores_and_ranks() {
    assert_eq!(cells(1..=10), printed(RLFDC));
}

#[test]
fn tfd_s_ten_picks_give_the_printed_scores_and_ranks() {
    assert_eq!(cells(11..=20), printed(TFD));
}

/// Score/rank by method and step, the tests joining one by one after t0.
fn cells(tests: std::ops::RangeInclusive<u32>) -> Vec<Vec<String>> {
    let spectrum = spectrum();
    let options = RankingOptions {
        formula: Formula::named("ochiai").unwrap(),
        aggregate: Aggregate::Max,
        tie: TiePolicy::Max,
    };
    let ranker = Ranker::new(&spectrum, Level::Method, options);
    let mut run = Selection::new(&spectrum, TestId(0));
    let mut cells = vec![Vec::new(); 6];
    let mut note = |run: &Selection<'_>| {
        for place in ranker.ranking(run.tally(), &spectrum.coverage).places {
            cells[place.unit as usize].push(format!("{:.3}/{}", place.score, place.rank));
        }
    };
    note(&run);
    for test in tests {
        run.add(TestId(test), Some(Verdict::certain(Outcome::Pass)));
        note(&run);
    }
    cells
}

fn printed(table: [&str; 6]) -> Vec<Vec<String>> {
    let cells = |line: &str| line.split(' ').map(str::to_owned).collect();
    table.map(cells).to_vec()
}

fn spectrum() -> Spectrum {
    let mut program = ProgramBuilder::default();
    for (line, (method, _)) in (1..).zip(COVERAGE) {
        let method = program.method(method, || "Math".into());
        program.element(method, line, None);
    }
    let mut rows = Rows::new(COVERAGE.len() as u32);
    for test in 0..21 {
        let covers = |&element: &u32| COVERAGE[element as usize].1.as_bytes()[test] == b'1';
        rows.push_columns((0..COVERAGE.len() as u32).filter(covers))
            .unwrap();
    }
    let test = |number: u32| Test {
        name: format!("t{number}"),
        outcome: Some(if number == 0 {
            Outcome::Fail
        } else {
            Outcome::Pass
        }),
        ..Test::default()
    };
    Spectrum::new(
        None,
        program.finish(),
        (0..21).map(test).collect(),
        rows,
        None,
    )
    .unwrap()
}
