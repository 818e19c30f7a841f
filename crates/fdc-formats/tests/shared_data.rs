//! Spectra of real bugs: all load and are what their summary says, and every metric chooses in
//! them what its naive twin chooses. The data is not in the repository: it is looked for at
//! `$FDC_DATA`, else beside the repository in `../shared`.

#[path = "../../fdc-core/tests/naive/mod.rs"]
mod naive;

use std::path::{Path, PathBuf};

use fdc_case as case;
use fdc_core::coverage::TestId;
use fdc_core::{Metric, Selection, Spectrum};
use naive::Chosen;
use naive::metrics::{TWINS, Twin};
use rayon::prelude::*;

/// The twins take time by the cell: larger spectra are left to the property tests.
const CELLS: usize = 150_000;
/// Runs start from so many failing tests of a bug.
const FAILING_TESTS: usize = 3;
const PICKS: usize = 10;

/// A line of a `summary.csv`, and the file it is about.
#[derive(Debug)]
struct Expected {
    path: PathBuf,
    tests: usize,
    failing: usize,
    elements: usize,
    methods: usize,
    faulty_methods: usize,
}

/// All lines of all summaries; nothing, said aloud, where there is no data.
fn expected() -> Vec<Expected> {
    let data = std::env::var_os("FDC_DATA")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"));
    let root = data.join("defects4j");
    let Ok(pools) = std::fs::read_dir(&root) else {
        eprintln!(
            "SKIPPED: no shared data at {} (set FDC_DATA)",
            root.display()
        );
        return Vec::new();
    };
    let mut pools: Vec<PathBuf> = pools.map(|pool| pool.unwrap().path()).collect();
    pools.retain(|pool| pool.join("summary.csv").is_file());
    pools.sort();
    let expected: Vec<Expected> = pools.iter().flat_map(|pool| summary(pool)).collect();
    assert!(
        expected.len() > 100,
        "{} spectra in {pools:?}",
        expected.len()
    );
    expected
}

fn summary(pool: &Path) -> Vec<Expected> {
    let text = std::fs::read_to_string(pool.join("summary.csv")).unwrap();
    let mut lines = text.lines();
    let header = "subject,version,tests,failing,elements,methods,faulty_methods,";
    assert!(
        lines.next().unwrap().starts_with(header),
        "{}",
        pool.display()
    );
    let entry = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |column: usize| cells[column].parse().unwrap();
        let (subject, version) = (cells[0], cells[1]);
        Expected {
            path: pool
                .join(subject)
                .join(format!("{subject}-{version}.json.zst")),
            tests: number(2),
            failing: number(3),
            elements: number(4),
            methods: number(5),
            faulty_methods: number(6),
        }
    };
    lines.map(entry).collect()
}

fn read(path: &Path) -> Spectrum {
    fdc_formats::read(path).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_spectrum_is_what_its_summary_says() {
    let expected = expected();
    expected.par_iter().for_each(|expected| {
        let spectrum = read(&expected.path);
        let at = expected.path.display();
        assert_eq!(spectrum.tests.len(), expected.tests, "{at}");
        assert_eq!(spectrum.failing_tests().count(), expected.failing, "{at}");
        assert_eq!(spectrum.program.elements.len(), expected.elements, "{at}");
        assert_eq!(spectrum.program.methods.len(), expected.methods, "{at}");
        let faulty = spectrum
            .fault
            .as_ref()
            .map_or(0, |fault| fault.methods.len());
        assert_eq!(faulty, expected.faulty_methods, "{at}");
        let name = expected.path.file_name().unwrap().to_str().unwrap();
        let bug = spectrum.bug.as_ref().expect("the data names its bugs");
        assert_eq!(
            format!("{}-{}.json.zst", bug.subject, bug.version),
            name,
            "{at}"
        );
    });
    eprintln!("{} spectra are what their summaries say", expected.len());
}

#[test]
fn a_spectrum_read_back_from_a_case_is_the_same() {
    let sample: Vec<Expected> = expected().into_iter().step_by(10).collect();
    sample.par_iter().for_each(|expected| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("case.fdc");
        let written = read(&expected.path);
        case::import(&written, &path, &[]).unwrap();
        let found = read(&path);
        let at = expected.path.display();
        assert_eq!(found.bug, written.bug, "{at}");
        assert_eq!(found.program, written.program, "{at}");
        assert_eq!(found.tests, written.tests, "{at}");
        assert_eq!(found.fault, written.fault, "{at}");
        for test in written.coverage.tests() {
            assert_eq!(
                found.coverage.elements(test),
                written.coverage.elements(test),
                "{at}"
            );
        }
    });
    eprintln!("{} spectra went through a case file", sample.len());
}

#[test]
fn every_metric_chooses_what_its_naive_twin_chooses() {
    let mut small = expected();
    let all = small.len();
    small.retain(|expected| expected.tests * expected.elements <= CELLS);
    let runs: Vec<(usize, usize)> = (0..small.len())
        .flat_map(|bug| (0..small[bug].failing.min(FAILING_TESTS)).map(move |f| (bug, f)))
        .collect();
    let spectra: Vec<Spectrum> = small
        .par_iter()
        .map(|expected| read(&expected.path))
        .collect();
    let matrices: Vec<Vec<Vec<bool>>> = spectra.par_iter().map(matrix).collect();
    // A run with the metric's own parameters each; others are for the property tests.
    let twins: Vec<&Twin> = TWINS
        .iter()
        .filter(|twin| !twin.specification.contains(':'))
        .collect();
    assert!(twins.len() >= 15);
    runs.par_iter().for_each(|&(bug, f)| {
        let failing = spectra[bug].failing_tests().nth(f).unwrap();
        for twin in &twins {
            let at = format!(
                "{} of {} with {}",
                failing.0,
                small[bug].path.display(),
                twin.specification
            );
            same_picks(&spectra[bug], &matrices[bug], failing, twin, &at);
        }
    });
    let pools: std::collections::BTreeSet<_> = small
        .iter()
        .map(|expected| expected.path.parent().unwrap().parent().unwrap())
        .collect();
    eprintln!(
        "{} picks with {} metrics from {} failing tests of {} of {all} spectra, in {} pools",
        PICKS,
        twins.len(),
        runs.len(),
        small.len(),
        pools.len()
    );
}

fn matrix(spectrum: &Spectrum) -> Vec<Vec<bool>> {
    let row = |test: TestId| {
        let mut row = vec![false; spectrum.program.elements.len()];
        for element in spectrum.coverage.elements(test) {
            row[element as usize] = true;
        }
        row
    };
    spectrum.coverage.tests().map(row).collect()
}

fn same_picks(spectrum: &Spectrum, matrix: &[Vec<bool>], failing: TestId, twin: &Twin, at: &str) {
    let metric = Metric::parse(twin.specification).unwrap();
    let mut selection = Selection::new(spectrum, failing);
    let mut chosen = Chosen::new(matrix, spectrum.program.elements.len(), failing.index());
    for number in 1..=PICKS {
        let candidates = selection.candidates();
        let scores: Vec<f64> = candidates
            .iter()
            .map(|t| (twin.value)(&chosen, t.index()))
            .collect();
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let Some(pick) = selection.best(&metric) else {
            assert!(candidates.is_empty(), "{at}");
            return;
        };
        let place = candidates.binary_search(&pick.test).unwrap();
        if twin.exact {
            let first = scores.iter().position(|&score| score == best);
            assert_eq!(Some(place), first, "pick {number} from {at}");
            assert_eq!(
                pick.score.to_bits(),
                best.to_bits(),
                "pick {number} from {at}"
            );
        } else {
            // Sums of fractions that are equal on paper may differ in the last bits.
            assert!(naive::close(scores[place], best), "pick {number} from {at}");
            assert!(naive::close(pick.score, best), "pick {number} from {at}");
        }
        let verdict = spectrum.test(pick.test).verdict();
        selection.add(pick.test, verdict);
        chosen.add(pick.test.index(), verdict);
    }
}
