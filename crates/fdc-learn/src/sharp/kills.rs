//! What mutants showed before the failure: a method is the likelier, the more its mutants made those
//! tests fail that fail now. (The idea is SIMFL's: Kim, An and Yoo, "Learning test-mutant relationship
//! for accurate fault localisation", IST 2023.)
//!
//! It is heard last: how likely a method is without it is a feature like the others, so that what
//! coverage and names said already counts once. Mutants of a method that the same tests noticed are
//! counted once. Of a method without mutants nothing is known, and it stands as the average one does.

use std::collections::{HashMap, HashSet};

use fdc_core::Spectrum;
use fdc_core::coverage::TestId;
use fdc_core::mutants::MutantRecord;

use super::features::{Feature, feature};
use super::linear::{LinearSoftmax, Row};

/// Number of features.
pub(super) const KILL_COUNT: usize = 6;

/// What is known of a method beside its likelihood.
pub(super) static KILL_FEATURES: [Feature; KILL_COUNT] = [
    feature(
        "likely",
        "kills",
        "ln(how likely it is without its mutants)",
        "..0",
    ),
    feature(
        "most alike",
        "kills",
        "largest over mutants of the Jaccard similarity of the tests that failed with it and that fail now",
        "0..1",
    ),
    feature("mean alike", "kills", "the mean of the same", "0..1"),
    feature(
        "noticed",
        "kills",
        "mean over failing tests of (mutants that it failed with + 1/2) / (mutants + 1)",
        "0..1",
    ),
    feature(
        "others",
        "kills",
        "ln(1 + mean over mutants of the tests that failed with it and do not fail now)",
        "0..",
    ),
    feature(
        "same failure",
        "kills",
        "share of failing tests that failed with one of the mutants with the same exception and message",
        "0..1",
    ),
];

/// The least likelihood that is told apart from none.
const LEAST: f64 = 1e-9;

/// Methods that are likely at all, ascending, and what is known of each.
pub(super) struct KillEvidence {
    pub(super) methods: Vec<u32>,
    pub(super) rows: Vec<Row<KILL_COUNT>>,
}

impl KillEvidence {
    /// Of methods that are so likely, given the tests of one fault, ascending; none if no mutant made
    /// any of them fail.
    pub(super) fn of(
        spectrum: &Spectrum,
        told: &ToldMutants,
        failing: &[TestId],
        likely: &[f64],
    ) -> Option<Self> {
        if !failing.iter().any(|test| told.killers.contains(test)) {
            return None;
        }
        let methods = (0..).zip(likely).filter(|(_, own)| **own > 0.0);
        let (methods, likely): (Vec<u32>, Vec<f64>) = methods.unzip();
        let known: Vec<Option<Row<KILL_COUNT>>> = methods
            .iter()
            .map(|method| Some(said(spectrum, failing, &told.of_method(spectrum, *method)?)))
            .collect();
        let average = average(&known);
        let row = |(known, likely): (&Option<Row<KILL_COUNT>>, &f64)| {
            let mut row = known.unwrap_or(average);
            row[0] = libm::log(likely.max(LEAST));
            row
        };
        let rows = known.iter().zip(&likely).map(row).collect();
        Some(KillEvidence { methods, rows })
    }
}

/// Makes methods likelier whose mutants made these tests fail, those of one fault, ascending.
pub(super) fn hear_kills(
    learned: &LinearSoftmax<KILL_COUNT>,
    spectrum: &Spectrum,
    told: &ToldMutants,
    failing: &[TestId],
    likely: &mut [f64],
) {
    let Some(evidence) = KillEvidence::of(spectrum, told, failing, likely) else {
        return;
    };
    let total: f64 = likely.iter().sum();
    let heard = learned.distribution(&evidence.rows);
    for (method, own) in evidence.methods.iter().zip(heard) {
        likely[*method as usize] = own * total;
    }
}

/// What a method's mutants say, in words, if one of them made a failing test fail.
pub(super) fn kills_in_words(
    spectrum: &Spectrum,
    told: &ToldMutants,
    failing: &[TestId],
    method: u32,
) -> Option<String> {
    let mutants = told.of_method(spectrum, method)?;
    let alike = mutants.iter().map(|mutant| likeness(failing, mutant));
    let best = alike.clone().fold(0.0, f64::max);
    let caught = alike.filter(|alike| *alike > 0.0).count();
    let tests = match failing.len() {
        1 => "this test",
        _ => "exactly these tests",
    };
    match (caught, mutants.len()) {
        (0, _) => None,
        _ if best == 1.0 => Some(format!("a mutant of it made {tests} fail")),
        (_, 1) => Some("its mutant made a failing test fail".to_owned()),
        (caught, all) => Some(format!(
            "{caught} of its {all} mutants made a failing test fail"
        )),
    }
}

/// The mutants of a spectrum that tell something, by method; of those of a method that the same tests
/// noticed, the first.
#[derive(Debug, Default)]
pub(super) struct ToldMutants {
    by_method: HashMap<u32, Vec<usize>>,
    killers: HashSet<TestId>,
}

impl ToldMutants {
    pub(super) fn of(spectrum: &Spectrum) -> Self {
        let mut told = ToldMutants::default();
        let mut seen: HashSet<(u32, Vec<TestId>)> = HashSet::new();
        for (number, mutant) in spectrum.telling_mutants() {
            let tests: Vec<TestId> = mutant.kills.iter().map(|(test, _)| *test).collect();
            told.killers.extend(&tests);
            if seen.insert((mutant.method.0, tests)) {
                let own = told.by_method.entry(mutant.method.0).or_default();
                own.push(number);
            }
        }
        told
    }

    fn of_method<'s>(&self, spectrum: &'s Spectrum, method: u32) -> Option<Vec<&'s MutantRecord>> {
        let own = self.by_method.get(&method)?.iter();
        Some(own.map(|&number| &spectrum.mutants[number]).collect())
    }
}

fn said(spectrum: &Spectrum, failing: &[TestId], mutants: &[&MutantRecord]) -> Row<KILL_COUNT> {
    let alike: Vec<f64> = mutants.iter().map(|own| likeness(failing, own)).collect();
    let count = mutants.len() as f64;
    let caught: f64 = mutants.iter().map(|own| both(failing, own)).sum();
    let killers: usize = mutants.iter().map(|own| own.kills.len()).sum();
    let same = failing.iter().filter(|&&test| {
        let mut kills = mutants.iter().flat_map(|own| &own.kills);
        kills.any(|(killer, how)| {
            let failure = spectrum.test(test).failure.as_ref();
            let same = failure
                .is_some_and(|own| own.exception == how.exception && own.message == how.message);
            *killer == test && same
        })
    });
    [
        0.0,
        alike.iter().copied().fold(0.0, f64::max),
        alike.iter().sum::<f64>() / count,
        (caught / size(failing) + 0.5) / (count + 1.0),
        libm::log1p((killers as f64 - caught) / count),
        same.count() as f64 / size(failing),
    ]
}

/// The Jaccard similarity of the tests that fail and those that failed with the mutant.
fn likeness(failing: &[TestId], mutant: &MutantRecord) -> f64 {
    let both = both(failing, mutant);
    both / (size(failing) + mutant.kills.len() as f64 - both)
}

fn both(failing: &[TestId], mutant: &MutantRecord) -> f64 {
    let killers = mutant.kills.iter();
    let both = killers.filter(|(test, _)| failing.binary_search(test).is_ok());
    both.count() as f64
}

fn size(failing: &[TestId]) -> f64 {
    failing.len().max(1) as f64
}

fn average(known: &[Option<Row<KILL_COUNT>>]) -> Row<KILL_COUNT> {
    let mut sum = [0.0; KILL_COUNT];
    let mut count: f64 = 0.0;
    for row in known.iter().flatten() {
        sum.iter_mut().zip(row).for_each(|(sum, own)| *sum += own);
        count += 1.0;
    }
    sum.map(|sum| sum / count.max(1.0))
}

#[cfg(test)]
mod tests {
    use fdc_core::evidence::FailureRecord;
    use fdc_core::rows::Rows;
    use fdc_core::spectrum::{MethodId, Outcome, ProgramBuilder, Test};

    use super::*;

    /// Three methods of a line each, which all of three tests run; the first and the second have been
    /// mutated. The second test fails.
    fn spectrum(kills: [&[u32]; 3]) -> Spectrum {
        let mut program = ProgramBuilder::default();
        for name in ["a", "b", "c"] {
            let method = program.method(name, || "file".into());
            program.element(method, 1, None);
        }
        let mut rows = Rows::new(3);
        for _ in 0..3 {
            rows.push_columns(0..3).unwrap();
        }
        let outcomes = [Outcome::Pass, Outcome::Fail, Outcome::Pass];
        let tests = outcomes.iter().enumerate().map(|(number, outcome)| Test {
            name: format!("t{number}"),
            outcome: Some(*outcome),
            ..Test::default()
        });
        let mutant = |(number, kills): (usize, &&[u32])| MutantRecord {
            method: MethodId(number.min(1) as u32),
            line: 1,
            kills: kills
                .iter()
                .map(|&test| (TestId(test), FailureRecord::default()))
                .collect(),
        };
        let spectrum = Spectrum::new(None, program.finish(), tests.collect(), rows, None);
        Spectrum {
            mutants: kills.iter().enumerate().map(mutant).collect(),
            ..spectrum.unwrap()
        }
    }

    const LEARNED: LinearSoftmax<KILL_COUNT> = LinearSoftmax {
        weight: [1.0, 2.0, 0.0, 0.0, 0.0, 0.0],
        mean: [0.0; KILL_COUNT],
        scale: [1.0; KILL_COUNT],
    };

    fn heard(kills: [&[u32]; 3]) -> [f64; 3] {
        let mut likely = [0.2, 0.3, 0.5];
        let spectrum = spectrum(kills);
        let told = ToldMutants::of(&spectrum);
        hear_kills(&LEARNED, &spectrum, &told, &[TestId(1)], &mut likely);
        likely
    }

    #[test]
    fn mutants_that_made_the_same_tests_fail_make_a_method_likelier() {
        let [a, b, c] = heard([&[1], &[0, 2], &[0]]);
        assert!(a > 0.2 && b < 0.3, "{a} {b} {c}");
        // The third was not mutated: it stands between.
        assert!(a / 0.2 > c / 0.5 && c / 0.5 > b / 0.3, "{a} {b} {c}");
        assert!((a + b + c - 1.0).abs() < 1e-12);
        // Half of the tests are alike.
        let [half, ..] = heard([&[0, 1], &[0, 2], &[0]]);
        assert!(half > 0.2 && half < a, "{half} {a}");
    }

    #[test]
    fn mutants_that_no_failing_test_noticed_say_nothing() {
        assert_eq!(heard([&[0], &[2], &[]]), [0.2, 0.3, 0.5]);
    }

    #[test]
    fn mutants_with_the_same_killers_count_once() {
        let mean = |kills: [&[u32]; 3]| {
            let spectrum = spectrum(kills);
            let evidence = KillEvidence::of(
                &spectrum,
                &ToldMutants::of(&spectrum),
                &[TestId(1)],
                &[0.2, 0.3, 0.5],
            )
            .unwrap();
            evidence.rows[1][2]
        };
        assert_eq!(mean([&[1], &[1], &[1]]), 1.0);
        assert_eq!(mean([&[1], &[1], &[0]]), 0.5);
    }

    #[test]
    fn what_mutants_say_is_said_in_words() {
        let words = |kills, method| {
            let spectrum = spectrum(kills);
            let told = ToldMutants::of(&spectrum);
            kills_in_words(&spectrum, &told, &[TestId(1)], method)
        };
        let one: [&[u32]; 3] = [&[1], &[0, 1], &[0]];
        assert_eq!(words(one, 0).unwrap(), "a mutant of it made this test fail");
        assert_eq!(
            words(one, 1).unwrap(),
            "1 of its 2 mutants made a failing test fail"
        );
        assert_eq!(words(one, 2), None);
    }
}
