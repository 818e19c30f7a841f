//! Seconds from a loaded spectrum to its ranked methods, by the learned distribution and by ochiai,
//! median of 11 runs by the clock and by the processor. Prints one JSON object.
//!
//!     ranking FILE

use std::path::Path;

use fdc_bench::{median_processor_seconds, median_seconds};
use fdc_core::ranking::{Level, Ranker, RankingOptions};
use fdc_core::{Ranking, Tally};
use fdc_learn::sharp::{Faults, Localisation, built_in};

const RUNS: usize = 11;

fn main() {
    let file = std::env::args().nth(1).expect("a file");
    let spectrum = fdc_formats::read(Path::new(&file)).unwrap_or_else(|error| panic!("{error}"));
    let failing: Vec<_> = spectrum.failing_tests().collect();
    let ranker = || Ranker::new(&spectrum, Level::Method, RankingOptions::default());
    let learned = || -> Ranking {
        let located = Localisation::of_labelled(built_in(), &spectrum, &failing, Faults::Auto);
        let (ranker, likely) = (ranker(), located.likely());
        let units = ranker.units().iter();
        let scores: Vec<f64> = units.map(|&unit| likely[unit as usize]).collect();
        ranker.by_score(&scores)
    };
    let ochiai = || -> Ranking {
        let tally = Tally::of_failing(&spectrum, &failing);
        ranker().ranking(&tally, &spectrum.coverage)
    };
    let report = serde_json::json!({
        "tests": spectrum.tests.len(),
        "lines": spectrum.program.elements.len(),
        "failing": failing.len(),
        "learned_s": median_seconds(RUNS, learned).0,
        "learned_processor_s": median_processor_seconds(RUNS, || drop(learned())),
        "ochiai_s": median_seconds(RUNS, ochiai).0,
        "ochiai_processor_s": median_processor_seconds(RUNS, || drop(ochiai())),
    });
    println!("{report}");
}
