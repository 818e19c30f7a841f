//! The suspicious methods of a failing test, and what is known of each.

use std::collections::HashMap;

use fdc_core::coverage::{Coverage, TestId};
use fdc_core::suspects::Projection;
use fdc_core::{Spectrum, Suite};

use super::kinship::Words;
use super::run_sums::RunSums;

/// One feature of a suspicious method.
#[derive(Debug)]
pub struct Feature {
    /// Its name.
    pub name: &'static str,
    /// The group it is left out with, in ablations and where nothing is known of it.
    pub group: &'static str,
    /// How it is computed; a line is one of the method's that the failing test covers, a test one of
    /// the pool's without the failing one.
    pub formula: &'static str,
    /// Its range.
    pub range: &'static str,
}

/// Number of features.
pub const COUNT: usize = 19;

/// The groups of features.
pub const GROUPS: [&str; 7] = [
    "pool",
    "similarity",
    "failing",
    "size",
    "names",
    "trace",
    "history",
];

/// The features, in the order of a method's row.
pub static FEATURES: [Feature; COUNT] = [
    feature(
        "rarest line",
        "pool",
        "ln(1 + tests that cover its least covered line)",
        "0..",
    ),
    feature(
        "mean line",
        "pool",
        "ln(1 + mean over lines of tests that cover them)",
        "0..",
    ),
    feature(
        "commonest line",
        "pool",
        "ln(1 + tests that cover its most covered line)",
        "0..",
    ),
    feature(
        "rarest share",
        "pool",
        "tests that cover its least covered line / tests",
        "0..1",
    ),
    feature(
        "rarest place",
        "pool",
        "share of suspicious methods whose least covered line is not more covered",
        "0..1",
    ),
    feature(
        "like tests",
        "similarity",
        "ln(1 + least over lines of the sum of cover over tests that cover it)",
        "0..",
    ),
    feature(
        "nearest 5",
        "similarity",
        "least over lines of the share of the 5 tests of largest cover that cover it",
        "0..1",
    ),
    feature("nearest 20", "similarity", "the same of 20 tests", "0..1"),
    feature("nearest 100", "similarity", "the same of 100 tests", "0..1"),
    feature(
        "nearest 5, most",
        "similarity",
        "largest over lines of the share of the 5 tests of largest cover that cover it",
        "0..1",
    ),
    feature("lines run", "size", "ln(lines)", "0.."),
    feature(
        "lines",
        "size",
        "ln(measured lines of the method, covered by the failing test or not)",
        "0..",
    ),
    feature(
        "same place",
        "names",
        "Jaccard similarity of the words in the class or file names of the method and the failing test",
        "0..1",
    ),
    feature(
        "same words",
        "names",
        "share of the words in the method's name that the failing test's has",
        "0..1",
    ),
    feature(
        "ochiai",
        "failing",
        "largest over lines of ochiai, the failing tests failing and all others passing",
        "0..1",
    ),
    feature(
        "failing tests",
        "failing",
        "largest over lines of the share of failing tests that cover it",
        "0..1",
    ),
    feature(
        "same package",
        "names",
        "1 if the method and the failing test are in the same package or folder",
        "0, 1",
    ),
    feature(
        "in trace",
        "trace",
        "1 if the failing test's stack trace goes through the method",
        "0, 1",
    ),
    feature(
        "unchanged",
        "history",
        "ln(1 + commits since the last one that changed its file)",
        "0..",
    ),
];

/// Groups that a case may lack; there is a set of weights for every combination of them. History needs
/// none: where it is not known, it is the same for all methods, and what is the same for all makes
/// none likelier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionalGroups {
    /// The names of tests and methods are known.
    pub names: bool,
    /// The failing test's stack trace is known.
    pub trace: bool,
}

/// Number of combinations.
pub const VARIANTS: usize = 4;

impl OptionalGroups {
    /// All combinations, by number.
    pub const ALL: [OptionalGroups; VARIANTS] = {
        let mut all = [OptionalGroups {
            names: false,
            trace: false,
        }; VARIANTS];
        let mut number = 0;
        while number < VARIANTS {
            all[number].names = number & 1 == 1;
            all[number].trace = number & 2 == 2;
            number += 1;
        }
        all
    };

    /// Its place in [`Self::ALL`].
    pub fn number(self) -> usize {
        usize::from(self.names) + 2 * usize::from(self.trace)
    }

    /// Whether it has a feature.
    pub fn has(self, feature: &Feature) -> bool {
        match feature.group {
            "names" => self.names,
            "trace" => self.trace,
            _ => true,
        }
    }
}

/// What is known of a failing test beside the pool's coverage.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    /// All tests that are known to fail; it may be among them.
    pub failing: &'a [TestId],
    /// The methods in its stack trace, ascending, if there is one.
    pub trace: Option<&'a [u32]>,
    /// By method, what [`unchanged`] says; empty if there is no history.
    pub unchanged: &'a [f64],
}

pub(super) const fn feature(
    name: &'static str,
    group: &'static str,
    formula: &'static str,
    range: &'static str,
) -> Feature {
    Feature {
        name,
        group,
        formula,
        range,
    }
}

/// By method, the history feature: the mean of the others where a file has no history; empty if none
/// has.
pub fn unchanged(spectrum: &Spectrum) -> Vec<f64> {
    let of_file = |file: u32| {
        let history = spectrum.history.get(file as usize)?.as_ref()?;
        Some(libm::log1p(f64::from(history.commits_since_change)))
    };
    let methods = spectrum.program.methods.iter();
    let known: Vec<Option<f64>> = methods.map(|method| of_file(method.file)).collect();
    let values: Vec<f64> = known.iter().copied().flatten().collect();
    if values.is_empty() {
        return Vec::new();
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    known.into_iter().map(|own| own.unwrap_or(mean)).collect()
}

/// A method's features.
pub type FeatureRow = [f64; COUNT];

/// The suspicious methods of a failing test.
#[derive(Clone, Debug)]
pub struct Suspicion {
    /// Numbers of the methods, ascending.
    methods: Vec<u32>,
    /// Methods with the same suspicious columns are of one kind and always stand together.
    kind_of: Vec<u32>,
    /// Per kind, `columns[starts[i]..starts[i+1]]`: its suspicious columns, local numbers.
    starts: Vec<usize>,
    columns: Vec<u32>,
    features: Vec<FeatureRow>,
    counts: Vec<PoolCounts>,
    /// By test, its cover with the failing one, which has 1.
    covers: Vec<f64>,
    failing: usize,
    known: OptionalGroups,
}

/// What the pool says of one suspicious column.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PoolCounts {
    /// Tests that cover it, without the failing one.
    pub(super) tests: f64,
    /// Failing tests that cover it.
    pub(super) failing: f64,
    likeness: f64,
    nearest: [f64; 3],
}

impl PoolCounts {
    /// Ochiai, if all tests but the failing ones pass.
    pub(super) fn ochiai(&self, failing: usize) -> f64 {
        self.failing / libm::sqrt(failing as f64 * (self.tests + 1.0))
    }
}

/// The features that depend on which other tests fail.
pub(super) const OF_FAILING: std::ops::Range<usize> = 14..16;
const NEAREST: [usize; 3] = [5, 20, 100];

impl Suspicion {
    /// Of the suite's failing test, with nothing else known; does not depend on the tests added to
    /// it.
    pub fn new(suite: &Suite<'_>) -> Self {
        let projection = suite.projection();
        Self::knowing(suite.coverage(), projection, &Known::default())
    }

    /// The same of the test that a projection is of, with what else is known.
    pub fn knowing(coverage: &Coverage, projection: &Projection, known: &Known<'_>) -> Self {
        Self::alone(coverage, projection, known).among(projection, known.failing)
    }

    /// With no other failing test.
    fn alone(coverage: &Coverage, projection: &Projection, known: &Known<'_>) -> Self {
        let covers = coverage
            .tests()
            .map(|test| projection.cover(coverage, test));
        let covers: Vec<f64> = covers.collect();
        let counts = pool_counts(coverage, projection, &covers);
        let test_name = coverage.test_name(projection.failing());
        let test_words = Words::of(test_name);
        let others = coverage.test_count().saturating_sub(1).max(1) as f64;
        let mut suspicion = Suspicion {
            methods: Vec::new(),
            kind_of: Vec::new(),
            starts: vec![0],
            columns: Vec::new(),
            features: Vec::new(),
            counts: Vec::new(),
            covers,
            failing: 1,
            known: OptionalGroups {
                // Numbers are no names.
                names: test_name.contains(char::is_alphabetic),
                trace: known.trace.is_some(),
            },
        };
        let mut kinds: HashMap<Vec<u32>, u32> = HashMap::new();
        let methods = coverage.methods();
        for (&method, columns) in methods.units().iter().zip(methods.iter()) {
            let measured: u32 = columns.iter().map(|&(_, lines)| lines).sum();
            let local = |&(column, lines): &(u32, u32)| Some((projection.local(column)?, lines));
            let local: Vec<(u32, u32)> = columns.iter().filter_map(local).collect();
            if local.is_empty() {
                continue;
            }
            let of = |value: &dyn Fn(&PoolCounts) -> f64| {
                let values = local
                    .iter()
                    .map(|&(column, _)| value(&counts[column as usize]));
                values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                    (low.min(value), high.max(value))
                })
            };
            let words = Words::of(coverage.method_name(method));
            let run: u32 = local.iter().map(|&(_, lines)| lines).sum();
            let covering = local
                .iter()
                .map(|&(column, lines)| counts[column as usize].tests * f64::from(lines))
                .sum::<f64>();
            let (rarest, commonest) = of(&|counts| counts.tests);
            let nearest = |size: usize| of(&|counts| counts.nearest[size]);
            suspicion.features.push([
                libm::log1p(rarest),
                libm::log1p(covering / f64::from(run)),
                libm::log1p(commonest),
                rarest / others,
                // The place among all methods is filled in below.
                rarest,
                libm::log1p(of(&|counts| counts.likeness).0),
                nearest(0).0,
                nearest(1).0,
                nearest(2).0,
                nearest(0).1,
                libm::log(f64::from(run)),
                libm::log(f64::from(measured)),
                words.same_place(&test_words),
                words.own_words_in(&test_words),
                // What depends on other failing tests is filled in below.
                0.0,
                0.0,
                f64::from(u8::from(words.same_package(&test_words))),
                f64::from(u8::from(
                    known
                        .trace
                        .is_some_and(|trace| trace.binary_search(&method).is_ok()),
                )),
                known.unchanged.get(method as usize).copied().unwrap_or(0.0),
            ]);
            suspicion.methods.push(method);
            let columns: Vec<u32> = local.iter().map(|&(column, _)| column).collect();
            let next = suspicion.starts.len() as u32 - 1;
            let kind = *kinds.entry(columns).or_insert_with_key(|columns| {
                suspicion.columns.extend(columns);
                suspicion.starts.push(suspicion.columns.len());
                next
            });
            suspicion.kind_of.push(kind);
        }
        fill_places(&mut suspicion.features);
        suspicion.counts = counts;
        suspicion
    }

    /// The same, with these tests known to fail; it may be among them itself.
    pub(super) fn among(mut self, projection: &Projection, failing: &[TestId]) -> Self {
        let others = failing.iter().copied();
        let others = others.filter(|&test| test != projection.failing());
        self.failing = 1 + others.clone().count();
        for (counts, others) in self.counts.iter_mut().zip(projection.covering(others)) {
            counts.failing = 1.0 + f64::from(others);
        }
        let of_kinds = self.columns_of_kinds().map(|columns| {
            let counts = columns.iter().map(|&column| self.counts[column as usize]);
            let ochiai = counts.clone().map(|counts| counts.ochiai(self.failing));
            let share = counts.map(|counts| counts.failing / self.failing as f64);
            let most = |a: f64, b: f64| a.max(b);
            [
                ochiai.fold(f64::NEG_INFINITY, most),
                share.fold(f64::NEG_INFINITY, most),
            ]
        });
        let of_kinds: Vec<[f64; 2]> = of_kinds.collect();
        for (row, kind) in self.features.iter_mut().zip(&self.kind_of) {
            row[OF_FAILING].copy_from_slice(&of_kinds[*kind as usize]);
        }
        self
    }

    /// Numbers of the suspicious methods, ascending.
    pub fn methods(&self) -> &[u32] {
        &self.methods
    }

    /// Features, a row per suspicious method.
    pub fn features(&self) -> &[FeatureRow] {
        &self.features
    }

    /// What is known of them beside coverage.
    pub fn known(&self) -> OptionalGroups {
        self.known
    }

    /// How many tests are known to fail.
    pub(super) fn failing(&self) -> usize {
        self.failing
    }

    /// By test, its cover with the failing one.
    pub(super) fn covers(&self) -> &[f64] {
        &self.covers
    }

    /// What the pool says of the suspicious columns, by local number.
    pub(super) fn counts(&self) -> &[PoolCounts] {
        &self.counts
    }

    /// The kind of each suspicious method.
    pub fn kinds(&self) -> &[u32] {
        &self.kind_of
    }

    /// Suspicious columns (local numbers) of every kind of methods.
    pub fn columns_of_kinds(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.starts
            .windows(2)
            .map(|span| &self.columns[span[0]..span[1]])
    }
}

fn pool_counts(coverage: &Coverage, projection: &Projection, covers: &[f64]) -> Vec<PoolCounts> {
    let mut others: Vec<_> = coverage
        .tests()
        .filter(|&test| test != projection.failing())
        .map(|test| (covers[test.index()], test))
        .collect();
    // The most like the failing test first, then by number.
    others.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let covering = |size: usize| {
        let first = &others[..size.min(others.len())];
        projection.covering(first.iter().map(|&(_, test)| test))
    };
    let mut likeness = RunSums::new(projection.columns().len());
    for &(cover, test) in &others {
        let row = projection.row(projection.footprint(test));
        row.for_each_range(|run| likeness.add(run, cover));
    }
    let (likeness, tests) = (likeness.finish(), covering(others.len()));
    let nearest = NEAREST.map(covering);
    let share = |size: usize, count: u32| f64::from(count) / size.min(others.len()).max(1) as f64;
    let of_column = |column: usize| PoolCounts {
        tests: f64::from(tests[column]),
        failing: 0.0,
        likeness: likeness[column],
        nearest: std::array::from_fn(|size| share(NEAREST[size], nearest[size][column])),
    };
    (0..tests.len()).map(of_column).collect()
}

/// Turns the rarest line's count into the share of methods whose count is not larger.
fn fill_places(rows: &mut [FeatureRow]) {
    const PLACE: usize = 4;
    let mut rarest: Vec<f64> = rows.iter().map(|row| row[PLACE]).collect();
    rarest.sort_by(f64::total_cmp);
    for row in &mut *rows {
        let not_larger = rarest.partition_point(|&count| count <= row[PLACE]);
        row[PLACE] = not_larger as f64 / rarest.len() as f64;
    }
}
