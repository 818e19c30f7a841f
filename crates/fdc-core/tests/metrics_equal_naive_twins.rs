//! Metrics and selection give what their definitions say: every score and every pick of random
//! runs equals that of a naive twin.

mod naive;

use std::sync::Arc;

use fdc_core::coverage::TestId;
use fdc_core::metric::METRICS;
use fdc_core::suspects::Projection;
use fdc_core::{Metric, Selection, Suite};
use naive::cases::{Belief, Case, cases, id};
use naive::metrics::{TWINS, Twin};
use naive::{Chosen, close};
use proptest::prelude::*;

#[test]
fn every_metric_of_the_table_has_a_twin() {
    // `random` draws: there is no formula to write a twin from.
    for entry in METRICS.iter().filter(|entry| entry.name != "random") {
        let of_entry = |twin: &Twin| twin.specification.split(':').next() == Some(entry.name);
        assert!(TWINS.iter().any(of_entry), "{}", entry.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn ten_picks_from_each_failing_test_equal_the_naive_ones(case in cases()) {
        each_run(&case, Belief::Certain, |_| true)?;
    }

    #[test]
    fn so_do_picks_with_doubtful_verdicts(case in cases()) {
        each_run(&case, Belief::Doubtful, |_| true)?;
    }

    #[test]
    fn so_do_picks_among_restricted_candidates(case in cases(), mask in any::<u64>()) {
        each_run(&case, Belief::Certain, |test| mask >> test & 1 == 1)?;
    }
}

proptest! {
    /// Tests join in a given order, judged or not, and every metric is asked after the last one:
    /// the projection is made late, early, or by someone else, and the answer is the same.
    #[test]
    fn a_projection_made_early_late_or_elsewhere_gives_the_same_bits(
        case in cases(),
        joining in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        verdicts in any::<u8>(),
    ) {
        let spectrum = case.spectrum();
        for f in case.failing() {
            let projection = Arc::new(Projection::new(&spectrum.coverage, id(f)));
            let with = || Suite::with_projection(&spectrum.coverage, projection.clone());
            let late = Selection::new(&spectrum, id(f));
            let early = Selection::from_suite(&spectrum, with());
            let again = Selection::from_suite(&spectrum, with());
            let mut chosen = Chosen::new(&case.covers, case.elements(), f);
            let mut runs = [late, early, again];
            for (index, test) in joining.iter().enumerate() {
                let test = test.index(case.covers.len());
                if runs[0].suite().contains(id(test)) {
                    continue;
                }
                let judged = verdicts >> index & 1 == 1;
                let verdict = case.verdict(test, Belief::Certain).filter(|_| judged);
                runs.iter_mut().for_each(|run| run.add(id(test), verdict));
                chosen.add(test, verdict);
            }
            same_state(&runs[0], &chosen)?;
            for twin in TWINS {
                let metric = Metric::parse(twin.specification).unwrap();
                let [late, early, again] = runs.each_ref().map(|run| bits(&scores(run, &metric)));
                prop_assert_eq!(&late, &early, "{}", twin.specification);
                prop_assert_eq!(&late, &again, "{}", twin.specification);
                same_scores(twin, &runs[1], &chosen)?;
            }
        }
    }

    /// Candidates that cover equally much of every group of `T` cannot be told apart by most
    /// metrics, so not even rounding may do it.
    #[test]
    fn candidates_alike_in_every_group_get_equal_bits(case in cases()) {
        let spectrum = case.spectrum();
        let f = case.failing()[0];
        let mut run = Selection::new(&spectrum, id(f));
        let mut chosen = Chosen::new(&case.covers, case.elements(), f);
        for test in (0..case.covers.len()).filter(|&test| test != f).step_by(5) {
            run.add(id(test), case.verdict(test, Belief::Doubtful));
            chosen.add(test, case.verdict(test, Belief::Doubtful));
        }
        let groups = chosen.groups(&chosen.tests());
        let profile = |test: &TestId| -> Vec<usize> {
            groups.iter().map(|group| chosen.covered(group, test.index())).collect()
        };
        let profiles: Vec<Vec<usize>> = run.candidates().iter().map(profile).collect();
        for twin in TWINS.iter().filter(|twin| twin.specification != "ddu") {
            let scores = bits(&scores(&run, &Metric::parse(twin.specification).unwrap()));
            for (a, first) in profiles.iter().enumerate() {
                for (b, second) in profiles.iter().enumerate().skip(a) {
                    prop_assert!(first != second || scores[a] == scores[b], "{}", twin.specification);
                }
            }
        }
    }
}

#[test]
fn a_test_without_a_verdict_joins_groups_and_not_tallies() {
    let case = wide_case(12);
    let spectrum = case.spectrum();
    let mut run = Selection::new(&spectrum, id(0));
    let (tally, groups) = (run.tally().clone(), run.suite().groups().count());
    run.add(id(1), None);
    assert_eq!(run.tally(), &tally);
    assert_eq!(run.judged().failing, [id(0)]);
    assert!(run.suite().groups().count() > groups);
    assert!(!run.candidates().contains(&id(1)));
}

#[test]
fn over_no_elements_every_metric_gives_the_value_of_its_0_over_0_rule() {
    use fdc_core::Outcome::{Fail, Pass};
    let case = Case {
        covers: vec![vec![]; 3],
        outcomes: vec![Some(Fail), Some(Pass), None],
        trust: vec![1.0; 3],
        method_of: vec![],
        file_of: vec![0],
        faulty_methods: vec![],
        faulty_elements: vec![],
    };
    each_run(&case, Belief::Certain, |_| true).unwrap();
}

/// Enough tests that the work is shared out between threads.
#[test]
fn scores_do_not_depend_on_the_number_of_threads() {
    let case = wide_case(3000);
    let run_in = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let spectrum = case.spectrum();
            let mut all = Vec::new();
            for twin in TWINS {
                let metric = Metric::parse(twin.specification).unwrap();
                let mut run = Selection::new(&spectrum, id(0));
                let mut chosen = Chosen::new(&case.covers, case.elements(), 0);
                for _ in 0..4 {
                    let pick = run.best(&metric).unwrap();
                    all.push((twin.specification, pick.test, bits(&scores(&run, &metric))));
                    let verdict = case.verdict(pick.test.index(), Belief::Doubtful);
                    run.add(pick.test, verdict);
                    chosen.add(pick.test.index(), verdict);
                }
                same_scores(twin, &run, &chosen).unwrap();
            }
            all
        })
    };
    assert!(run_in(1) == run_in(4));
}

/// Ten picks (or all) from each failing test with every metric, beside its twin.
fn each_run(
    case: &Case,
    belief: Belief,
    keep: impl Fn(usize) -> bool,
) -> Result<(), TestCaseError> {
    let spectrum = case.spectrum();
    for f in case.failing() {
        for twin in TWINS {
            let metric = Metric::parse(twin.specification).unwrap();
            let mut run = Selection::new(&spectrum, id(f));
            run.retain_candidates(|test| keep(test.index()));
            let mut chosen = Chosen::new(&case.covers, case.elements(), f);
            let mut pool: Vec<usize> = (0..case.covers.len())
                .filter(|&t| t != f && keep(t))
                .collect();
            for _ in 0..10 {
                let candidates: Vec<usize> = run.candidates().iter().map(|t| t.index()).collect();
                prop_assert_eq!(&candidates, &pool);
                same_scores(twin, &run, &chosen)?;
                let pick = run.best(&metric).map(|pick| pick.test.index());
                let tied = naive_best(twin, &chosen, &pool);
                let highest = highest(&run, &metric);
                prop_assert_eq!(
                    pick,
                    highest,
                    "{}: the lowest index on a tie",
                    twin.specification
                );
                if twin.exact {
                    prop_assert_eq!(pick, tied.first().copied(), "{}", twin.specification);
                }
                let Some(pick) = pick else { break };
                // Sums of fractions that are equal on paper may differ in the last bit.
                prop_assert!(tied.contains(&pick), "{}", twin.specification);
                pool.retain(|&test| test != pick);
                let verdict = case.verdict(pick, belief);
                run.add(id(pick), verdict);
                chosen.add(pick, verdict);
            }
            same_state(&run, &chosen)?;
        }
    }
    Ok(())
}

/// The candidates with the largest score, ascending.
fn naive_best(twin: &Twin, chosen: &Chosen<'_>, pool: &[usize]) -> Vec<usize> {
    let scores: Vec<f64> = pool
        .iter()
        .map(|&test| (twin.value)(chosen, test))
        .collect();
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let tied = |score: f64| {
        if twin.exact {
            score == best
        } else {
            close(score, best)
        }
    };
    let scored = pool.iter().zip(&scores).filter(|&(_, &score)| tied(score));
    scored.map(|(&test, _)| test).collect()
}

/// The first candidate with the largest of the scores as they came out.
fn highest(run: &Selection<'_>, metric: &Metric) -> Option<usize> {
    let scores = scores(run, metric);
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let place = scores
        .iter()
        .position(|&score| score.to_bits() == best.to_bits())?;
    Some(run.candidates()[place].index())
}

fn same_scores(twin: &Twin, run: &Selection<'_>, chosen: &Chosen<'_>) -> Result<(), TestCaseError> {
    let found = scores(run, &Metric::parse(twin.specification).unwrap());
    for (test, found) in run.candidates().iter().zip(found) {
        let naive = (twin.value)(chosen, test.index());
        let same = if twin.exact {
            found.to_bits() == naive.to_bits()
        } else {
            close(found, naive)
        };
        prop_assert!(
            same,
            "{} of {:?}: {} {}",
            twin.specification,
            test,
            found,
            naive
        );
    }
    Ok(())
}

/// Groups, counts and what else a run keeps up to date.
fn same_state(run: &Selection<'_>, chosen: &Chosen<'_>) -> Result<(), TestCaseError> {
    let (suite, tests) = (run.suite(), chosen.tests());
    prop_assert_eq!(
        suite.tests(),
        tests.iter().map(|&t| id(t)).collect::<Vec<_>>()
    );
    prop_assert_eq!(suite.added(), tests.len() - 1);
    let failing: Vec<TestId> = chosen.failing().into_iter().map(id).collect();
    prop_assert_eq!(run.judged().failing, failing);
    prop_assert_eq!(
        (run.tally().failed(), run.tally().passed()),
        chosen.judged()
    );

    let groups = chosen.groups(&tests);
    prop_assert_eq!(suite.groups().count(), groups.len());
    prop_assert_eq!(suite.suspicious_groups(), chosen.suspicious_groups().len());
    let coverage = suite.coverage();
    for group in groups {
        let label_of =
            |element: usize| suite.groups().labels()[coverage.column_of(element) as usize];
        let label = label_of(group[0]);
        prop_assert!(group.iter().all(|&element| label_of(element) == label));
        prop_assert_eq!(suite.groups().size(label), group.len() as u64);
        prop_assert_eq!(
            suite.is_suspicious(label),
            chosen.covers(chosen.f(), group[0])
        );
        for element in group {
            let naive = chosen.counts(element);
            let found = run.tally().counts(coverage.column_of(element) as usize);
            prop_assert_eq!((found.ef, found.ep), (naive.ef, naive.ep));
            prop_assert!(close(found.nf, naive.nf) && close(found.np, naive.np));
        }
    }
    Ok(())
}

fn scores(run: &Selection<'_>, metric: &Metric) -> Vec<f64> {
    metric.score(run.suite(), run.judged(), run.candidates())
}

fn bits(scores: &[f64]) -> Vec<u64> {
    scores.iter().map(|score| score.to_bits()).collect()
}

/// `m` tests x 50 elements, written down by a fixed rule.
fn wide_case(m: usize) -> Case {
    use fdc_core::Outcome::{Fail, Pass};
    let mut state = 1u64;
    let mut next = || {
        // Knuth's MMIX generator.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    Case {
        covers: (0..m)
            .map(|_| (0..50).map(|_| next() % 3 == 0).collect())
            .collect(),
        outcomes: (0..m)
            .map(|test| Some(if test % 4 == 0 { Fail } else { Pass }))
            .collect(),
        trust: vec![0.9; m],
        method_of: (0..50).map(|element| element / 5).collect(),
        file_of: vec![0; 10],
        faulty_methods: vec![3],
        faulty_elements: vec![],
    }
}
