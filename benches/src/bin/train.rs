//! Seconds of training and of ten picks with the trained network, one thread, medians of 11 runs,
//! from loaded spectra. Prints one JSON object, as the yardstick torch_rlfdc.py does.
//!
//!     train FILE...             {"train_s", "select_s", "learn_steps", ...}
//!     train --scaling FILE      cost by candidates (tests left out) and by versions (the file again)

use std::path::Path;

use fdc_bench::median_seconds;
use fdc_core::coverage::TestId;
use fdc_core::metric::Kind;
use fdc_core::rows::Rows;
use fdc_core::{Metric, Selection, Spectrum};
use fdc_learn::rlfdc::train::{EpisodeReport, Training};
use fdc_learn::rlfdc::{Hyperparameters, Rlfdc};
use serde_json::{Value, json};

const RUNS: usize = 11;
const PICKS: usize = 10;

fn main() {
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()
        .expect("first use of the pool");
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let scaling = arguments.first().is_some_and(|word| word == "--scaling");
    if scaling {
        arguments.remove(0);
    }
    let read = |file: &String| {
        fdc_formats::read(Path::new(file)).unwrap_or_else(|error| panic!("{error}"))
    };
    let spectra: Vec<Spectrum> = arguments.iter().map(read).collect();
    let report = if scaling {
        scale(spectra.first().expect("a file"))
    } else {
        measure(&spectra)
    };
    println!("{report}");
}

fn measure(spectra: &[Spectrum]) -> Value {
    let all: Vec<&Spectrum> = spectra.iter().collect();
    let (train, training) = median_seconds(RUNS, || train(&all));
    let network = training.network.clone();
    let kind = Kind::Agnostic(Box::new(Rlfdc::new(
        network,
        Hyperparameters::default().picks,
    )));
    let metric = Metric::new("rlfdc", kind);
    let (select, _) = median_seconds(RUNS, || {
        all.iter()
            .map(|spectrum| pick(spectrum, &metric))
            .collect::<Vec<_>>()
    });
    json!({
        "spectra": spectra.len(),
        "train_s": train,
        "select_s": select,
        "learn_steps": training.learn_steps,
        "runs": RUNS,
    })
}

fn scale(spectrum: &Spectrum) -> Value {
    let candidates = [8, 4, 2, 1].map(|part| {
        let fewer = every(part, spectrum);
        let (seconds, training) = median_seconds(RUNS, || train(&[&fewer]));
        json!({
            "candidates": fewer.tests.len() - 1,
            "seconds": seconds,
            "learn_steps": training.learn_steps,
        })
    });
    let versions = [1, 2, 4, 8].map(|versions| {
        let (seconds, training) = median_seconds(RUNS, || train(&vec![spectrum; versions]));
        json!({
            "versions": versions,
            "seconds": seconds,
            "learn_steps": training.learn_steps,
        })
    });
    json!({ "by_candidates": candidates, "by_versions": versions, "runs": RUNS })
}

fn train(spectra: &[&Spectrum]) -> Training {
    let mut training = Training::new(Hyperparameters::default());
    for (number, spectrum) in (1..).zip(spectra) {
        training
            .version(spectrum, number, |_: EpisodeReport| {})
            .unwrap_or_else(|error| panic!("{error}"));
    }
    training
}

fn pick(spectrum: &Spectrum, metric: &Metric) -> Vec<TestId> {
    let failing = spectrum.failing_tests().next().expect("a failing test");
    let mut selection = Selection::new(spectrum, failing);
    let mut chosen = Vec::with_capacity(PICKS);
    while let (true, Some(pick)) = (chosen.len() < PICKS, selection.best(metric)) {
        selection.add(pick.test, spectrum.test(pick.test).verdict());
        chosen.push(pick.test);
    }
    chosen
}

/// The spectrum with the first failing test and every `part`-th of the others.
fn every(part: usize, spectrum: &Spectrum) -> Spectrum {
    let failing = spectrum.failing_tests().next().expect("a failing test");
    let kept = |&test: &TestId| test == failing || test.index().is_multiple_of(part);
    let kept: Vec<TestId> = spectrum.coverage.tests().filter(kept).collect();
    let mut rows = Rows::new(spectrum.program.elements.len() as u32);
    for &test in &kept {
        rows.push_columns(spectrum.coverage.elements(test))
            .expect("columns ascend");
    }
    Spectrum::new(
        spectrum.bug.clone(),
        spectrum.program.clone(),
        kept.iter()
            .map(|&test| spectrum.test(test).clone())
            .collect(),
        rows,
        spectrum.fault.clone(),
    )
    .expect("a part of a whole spectrum")
}
