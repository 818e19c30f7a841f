//! Which failing tests show the same fault.
//!
//! One method explains a set of failing tests the better, the likelier it is for each of them and the
//! better it fits the outcomes of all tests that run it. If two methods explain the set better than
//! one, by more than a second fault is unlikely, it is split between them, and the parts again.

use fdc_core::coverage::TestId;
use fdc_core::{Named, Spectrum};

use super::model::SharpModel;
use super::testimony::{Hearing, likely_alone};
use super::together::{NEWS, outcomes_of, tally_of};

/// How many faults failing tests are taken to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faults {
    /// One, whatever they are.
    One,
    /// As many as explain them best.
    Many,
    /// Several where one is hard to believe.
    Auto,
}

impl Named for Faults {
    const TABLE: &'static [(Self, &'static str, &'static str)] = &[
        (
            Faults::Auto,
            "auto",
            "Several where one can hardly explain all failing tests",
        ),
        (Faults::One, "one", "One, whatever fails"),
        (Faults::Many, "many", "Several as soon as they explain more"),
    ];
}

impl Faults {
    /// By how much several faults have to explain more than one, as a logarithm. With this one, of 70
    /// past bugs that fail several tests 23 show several faults, and 22 of those have several faulty
    /// methods.
    fn price(self) -> f64 {
        match self {
            Faults::One => f64::INFINITY,
            Faults::Many => 0.0,
            Faults::Auto => 1.0,
        }
    }
}

/// Failing tests that are looked at, evenly spread: a bit each.
const LOOKED_AT: usize = 64;
/// Methods that may explain a set, the likeliest ones.
const CANDIDATES: usize = 48;
/// The likelihood of a method that a test does not run.
const HARDLY: f64 = 1e-6;

/// The failing tests of each fault, in order of their first tests.
pub fn apart(
    model: &SharpModel,
    spectrum: &Spectrum,
    failing: &[TestId],
    faults: Faults,
) -> Vec<Vec<TestId>> {
    if failing.len() < 2 || faults == Faults::One {
        return vec![failing.to_vec()];
    }
    let mut failing = failing.to_vec();
    failing.sort_unstable();
    let step = failing.len().div_ceil(LOOKED_AT);
    let tests: Vec<TestId> = failing.iter().copied().step_by(step).collect();
    let explanations = Explanations::new(model, spectrum, &failing, &tests);
    let all = u64::MAX >> (64 - tests.len());
    let mut sets = Vec::new();
    explanations.split(all, faults.price(), &mut sets);
    if sets.len() < 2 {
        return vec![failing];
    }
    let of_set = |set: u64| {
        (0..)
            .zip(&tests)
            .filter(move |(bit, _)| set >> bit & 1 == 1)
    };
    let mut apart: Vec<Vec<TestId>> = sets
        .into_iter()
        .map(|set| of_set(set).map(|(_, test)| *test).collect())
        .collect();
    if step > 1 {
        let heard = Hearing::new(model, spectrum, apart.clone(), Vec::new());
        for test in failing.iter().filter(|test| !tests.contains(test)) {
            apart[heard.testimony.fault_of(spectrum, *test)].push(*test);
        }
    }
    apart.iter_mut().for_each(|tests| tests.sort_unstable());
    apart.sort();
    apart
}

/// How well methods explain sets of failing tests.
struct Explanations {
    /// Failing tests that each test looked at stands for.
    stands_for: f64,
    methods: Vec<Method>,
}

struct Method {
    /// How likely it is, by test.
    likely: Vec<f64>,
    /// Its lines: the failing tests that run one, and how many pass.
    lines: Vec<(u64, f64)>,
}

impl Explanations {
    fn new(model: &SharpModel, spectrum: &Spectrum, failing: &[TestId], tests: &[TestId]) -> Self {
        let by_test = likely_alone(model, spectrum, tests);
        let coverage = &spectrum.coverage;
        let mut run = vec![0u64; coverage.column_count()];
        for (bit, test) in tests.iter().enumerate() {
            coverage
                .row(*test)
                .for_each(|column| run[column as usize] |= 1 << bit);
        }
        let tally = tally_of(coverage, failing, |_| false);
        let units = coverage.methods();
        let methods = units.units().iter().zip(units.iter());
        let methods = methods.map(|(&method, columns)| {
            let columns = columns.iter().map(|(column, _)| *column as usize);
            let lines = columns.filter(|column| run[*column] != 0);
            Method {
                likely: by_test.iter().map(|own| own[method as usize]).collect(),
                lines: lines
                    .map(|column| (run[column], tally.covered(column).1))
                    .collect(),
            }
        });
        Explanations {
            stands_for: failing.len() as f64 / tests.len() as f64,
            methods: methods.filter(|method| !method.lines.is_empty()).collect(),
        }
    }

    /// Adds the sets that each show one fault.
    fn split(&self, set: u64, price: f64, sets: &mut Vec<u64>) {
        let candidates = self.candidates(set);
        let alone = candidates.iter().map(|method| self.explains(method, set));
        let alone = alone.fold(f64::NEG_INFINITY, f64::max);
        let mut best = (alone + price, set);
        for (number, first) in candidates.iter().enumerate() {
            for second in &candidates[number + 1..] {
                let of_second = (0..64).filter(|bit| {
                    set >> bit & 1 == 1
                        && second.likely[*bit as usize] > first.likely[*bit as usize]
                });
                let of_second: u64 = of_second.fold(0, |all, bit| all | 1 << bit);
                let of_first = set & !of_second;
                if of_first == 0 || of_second == 0 {
                    continue;
                }
                let both = self.explains(first, of_first) + self.explains(second, of_second);
                if both > best.0 {
                    best = (both, of_first);
                }
            }
        }
        if best.1 == set {
            sets.push(set);
            return;
        }
        self.split(best.1, price, sets);
        self.split(set & !best.1, price, sets);
    }

    fn candidates(&self, set: u64) -> Vec<&Method> {
        let likely = |method: &&Method| method.mean(set);
        let mut all: Vec<&Method> = self
            .methods
            .iter()
            .filter(|own| likely(own) > 0.0)
            .collect();
        all.sort_by(|a, b| likely(b).total_cmp(&likely(a)));
        all.truncate(CANDIDATES);
        all
    }

    fn explains(&self, method: &Method, set: u64) -> f64 {
        let tests = f64::from(set.count_ones()) * self.stands_for;
        let lines = method.lines.iter().filter(|(run, _)| run & set != 0);
        let fits = lines.map(|(run, passes)| {
            let fail = f64::from((run & set).count_ones()) * self.stands_for;
            outcomes_of(fail, *passes, tests - fail)
        });
        let fits = fits.fold(f64::NEG_INFINITY, f64::max);
        libm::log(method.mean(set).max(HARDLY)) + NEWS * fits
    }
}

impl Method {
    /// Its mean likelihood for the tests of a set.
    fn mean(&self, set: u64) -> f64 {
        let own = self.likely.iter().enumerate();
        let own = own.filter(|(bit, _)| set >> bit & 1 == 1);
        own.map(|(_, likely)| likely).sum::<f64>() / f64::from(set.count_ones())
    }
}
