use fdc_core::coverage::{Coverage, Names, TestId};
use fdc_core::fitness::Fitness;
use fdc_core::metric::Agnostic;
use fdc_core::rows::Rows;
use fdc_core::spectrum::Bug;
use fdc_core::{Named as _, Selection, Spectrum, Suite};
use proptest::prelude::*;

use crate::catalogue;
use crate::learner::{LearnedModel as _, Trainer as _};

use super::features::{
    COUNT, FEATURES, GROUPS, Known, OF_FAILING, OptionalGroups, Suspicion, unchanged,
};
use super::model::SharpModel;
use super::outlook::RankOutlook;
use super::train::{SharpOptions, train};
use super::{ENTRY, Faults, LinearSoftmax, Localisation, Sharp, apart, built_in};

/// Random coverage: tests x elements, and a method per element.
fn coverages() -> impl Strategy<Value = (Vec<Vec<bool>>, Vec<u32>)> {
    (1usize..14, 2usize..12).prop_flat_map(|(elements, tests)| {
        let row = proptest::collection::vec(prop::bool::weighted(0.6), elements);
        let rows = proptest::collection::vec(row, tests);
        (rows, proptest::collection::vec(0u32..6, elements))
    })
}

fn coverage(rows: &[Vec<bool>], methods: &[u32]) -> Coverage {
    let mut packed = Rows::new(methods.len() as u32);
    for row in rows {
        let columns = (0..methods.len() as u32).filter(|&element| row[element as usize]);
        packed.push_columns(columns).unwrap();
    }
    Coverage::with_methods(packed, methods.iter().copied())
}

/// The expected reciprocal rank, straight from its definition: every method's least covered
/// suspicious line with the candidate added, places worst of ties.
fn naive_value(rows: &[Vec<bool>], methods: &[u32], suite: &[usize], likely: &[(u32, f64)]) -> f64 {
    let failing = suite[0];
    let least = |method: u32| -> usize {
        let lines = (0..methods.len()).filter(|&e| methods[e] == method && rows[failing][e]);
        let passes = |e: usize| suite[1..].iter().filter(|&&test| rows[test][e]).count();
        lines.map(passes).min().unwrap()
    };
    likely
        .iter()
        .map(|&(method, share)| {
            let above = |&&(other, _): &&(u32, f64)| least(other) <= least(method);
            share / likely.iter().filter(above).count() as f64
        })
        .sum()
}

proptest! {
    #[test]
    fn the_outlook_equals_its_definition((rows, methods) in coverages(), chosen in proptest::collection::vec(any::<prop::sample::Index>(), 0..4)) {
        let coverage = coverage(&rows, &methods);
        let mut suite = Suite::new(&coverage, TestId(0));
        let mut members = vec![0usize];
        for index in chosen {
            let test = index.index(rows.len());
            if !members.contains(&test) {
                members.push(test);
                suite.add(TestId(test as u32));
            }
        }
        let suspicion = Suspicion::new(&suite);
        // Unequal likelihoods that do not depend on the features.
        let weights: Vec<f64> = suspicion.methods().iter().map(|&m| 1.0 + f64::from(m * m)).collect();
        let total: f64 = weights.iter().sum();
        let likely: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
        let named: Vec<(u32, f64)> = suspicion.methods().iter().copied().zip(likely.iter().copied()).collect();
        let mut outlook = RankOutlook::new(&suspicion, &suite, &likely);
        let projection = suite.projection();
        for test in (0..rows.len()).filter(|test| !members.contains(test)) {
            let footprint = projection.footprint(TestId(test as u32));
            let value = outlook.value(projection.row(footprint));
            let with: Vec<usize> = members.iter().copied().chain([test]).collect();
            let expected = naive_value(&rows, &methods, &with, &named);
            prop_assert!((value - expected).abs() < 2e-9, "{value} {expected}");
        }
    }

    #[test]
    fn values_are_numbers_from_0_to_1_whatever_the_pool((rows, methods) in coverages()) {
        let coverage = coverage(&rows, &methods);
        let sharp = Sharp::new(built_in().prior);
        let mut suite = Suite::new(&coverage, TestId(0));
        for test in 1..rows.len() as u32 {
            let candidates: Vec<TestId> = (test..rows.len() as u32).map(TestId).collect();
            for value in sharp.score(&suite, &candidates) {
                prop_assert!((0.0..=1.0 + 1e-6).contains(&value), "{value}");
            }
            prop_assert!(sharp.explain(&suite, TestId(test)).is_some());
            suite.add(TestId(test));
        }
    }
}

#[test]
fn the_table_of_features_is_whole_and_every_one_is_finite() {
    assert_eq!(FEATURES.len(), COUNT);
    for feature in &FEATURES {
        assert!(GROUPS.contains(&feature.group), "{}", feature.name);
        assert!(!feature.formula.is_empty() && !feature.range.is_empty());
    }
    let of_failing = |feature: &usize| FEATURES[*feature].group == "failing";
    assert!((0..COUNT).filter(of_failing).eq(OF_FAILING));
    // Line 0 is run by both tests, lines 1 and 2 of the second method by the failing one alone.
    let coverage = coverage(
        &[vec![true, true, true], vec![true, false, false]],
        &[0, 1, 1],
    );
    let names = Names {
        tests: vec!["pkg.CartTest#testTotal".into(), String::new()],
        methods: vec!["pkg.Tax#rate()".into(), "pkg.Cart#total()".into()],
    };
    let coverage = coverage.named(names);
    let suite = Suite::new(&coverage, TestId(0));
    let known = Known {
        failing: &[TestId(1)],
        trace: Some(&[1]),
        unchanged: &[2.0, 0.5],
    };
    let suspicion = Suspicion::knowing(suite.coverage(), suite.projection(), &known);
    let [tax, cart] = [suspicion.features()[0], suspicion.features()[1]];
    assert!(tax.iter().chain(&cart).all(|value| value.is_finite()));
    let at = |name: &str| {
        FEATURES
            .iter()
            .position(|feature| feature.name == name)
            .unwrap()
    };
    assert_eq!(tax[at("rarest line")], libm::log1p(1.0));
    assert_eq!(cart[at("rarest line")], 0.0);
    assert_eq!(
        (tax[at("rarest place")], cart[at("rarest place")]),
        (1.0, 0.5)
    );
    assert_eq!(cart[at("lines run")], libm::log(2.0));
    assert_eq!((tax[at("same place")], cart[at("same place")]), (0.0, 1.0));
    assert_eq!((tax[at("same words")], cart[at("same words")]), (0.0, 1.0));
    assert_eq!(
        (tax[at("same package")], cart[at("same package")]),
        (1.0, 1.0)
    );
    assert_eq!((tax[at("in trace")], cart[at("in trace")]), (0.0, 1.0));
    assert_eq!((tax[at("unchanged")], cart[at("unchanged")]), (2.0, 0.5));
    assert_eq!(
        (tax[at("failing tests")], cart[at("failing tests")]),
        (1.0, 0.5)
    );
    assert_eq!(
        (tax[at("ochiai")], cart[at("ochiai")]),
        (1.0, 1.0 / libm::sqrt(2.0))
    );
}

#[test]
fn a_group_is_known_or_missing_and_never_zero() {
    let rows = [vec![true, true], vec![true, false]];
    let known = |name: &str, trace: Option<&[u32]>| {
        let names = Names {
            tests: vec![name.into()],
            methods: vec![],
        };
        let coverage = coverage(&rows, &[0, 1]).named(names);
        let suite = Suite::new(&coverage, TestId(0));
        let known = Known {
            trace,
            ..Known::default()
        };
        Suspicion::knowing(suite.coverage(), suite.projection(), &known).known()
    };
    let groups = |names, trace| OptionalGroups { names, trace };
    assert_eq!(known("", None), groups(false, false));
    assert_eq!(known("17", Some(&[])), groups(false, true));
    assert_eq!(known("pkg.T#t", None), groups(true, false));
    for (number, known) in OptionalGroups::ALL.into_iter().enumerate() {
        assert_eq!(known.number(), number);
    }
}

proptest! {
    #[test]
    fn likelihoods_add_up_and_probabilities_are_in_their_order((rows, methods) in coverages(), failing in 1usize..4) {
        let spectrum = spectrum(&rows, &methods, failing.min(rows.len()));
        let failing: Vec<TestId> = spectrum.failing_tests().collect();
        let located = Localisation::new(built_in(), &spectrum, &failing, &[]);
        let covered = failing.iter().filter(|&&test| spectrum.coverage.total(test) > 0).count();
        let share = covered as f64 / failing.len() as f64;
        prop_assert!((located.likely().iter().sum::<f64>() - share).abs() < 1e-9);
        for (method, likely) in located.likely().iter().enumerate() {
            let of_lines = spectrum.program.elements.iter().zip(located.lines());
            let of_lines = of_lines.filter(|(element, _)| element.method.index() == method);
            prop_assert!((of_lines.map(|(_, own)| own).sum::<f64>() - likely).abs() < 1e-9);
            prop_assert!((0.0..=1.0).contains(&located.probability(*likely)));
            prop_assert_eq!(located.reasons(method as u32).is_empty() || *likely > 0.0, true);
            prop_assert!(located.reasons(method as u32).len() <= 3);
        }
        let mut order: Vec<f64> = located.likely().to_vec();
        order.sort_by(f64::total_cmp);
        let said: Vec<f64> = order.iter().map(|&likely| located.probability(likely)).collect();
        prop_assert!(said.is_sorted());
        prop_assert!((0.0..=1.0).contains(&located.within_first_five()));
    }
}

proptest! {
    #[test]
    fn every_failing_test_shows_one_fault((rows, methods) in coverages(), failing in 1usize..6) {
        let spectrum = spectrum(&rows, &methods, failing.min(rows.len()));
        let failing: Vec<TestId> = spectrum.failing_tests().collect();
        for (faults, ..) in Faults::TABLE {
            let sets = apart(built_in(), &spectrum, &failing, *faults);
            let mut all = sets.concat();
            all.sort_unstable();
            prop_assert_eq!(&all, &failing);
            prop_assert!(*faults != Faults::One || sets.len() == 1);
            prop_assert!(sets.iter().all(|set| !set.is_empty()));
            let located = Localisation::of_faults(built_in(), &spectrum, &sets, &[]);
            let sum: f64 = located.likely().iter().sum();
            prop_assert!(sum < 1.0 + 1e-9 && located.likely().iter().all(|own| *own >= 0.0));
            for fault in 0..sets.len() {
                prop_assert!(located.only(fault).likely().iter().sum::<f64>() < 1.0 + 1e-9);
            }
        }
    }
}

#[test]
fn tests_that_no_method_explains_together_show_several_faults() {
    let apart = |rows: &[Vec<bool>], failing: usize| {
        let spectrum = spectrum(rows, &[0, 1, 2, 3], failing);
        let failing: Vec<TestId> = spectrum.failing_tests().collect();
        apart(built_in(), &spectrum, &failing, Faults::Auto).len()
    };
    let row = |columns: &[usize]| (0..4).map(|column| columns.contains(&column)).collect();
    // Two and two that share nothing; then nothing but what every test runs.
    let pairs = [&[0][..], &[0], &[1], &[1], &[2], &[3]].map(row);
    assert_eq!(apart(&pairs, 4), 2);
    let others = std::iter::repeat_n(row(&[2, 3]), 40);
    let shared: Vec<Vec<bool>> = [&[0, 2][..], &[0, 2], &[1, 2], &[1, 2]]
        .map(row)
        .into_iter()
        .chain(others)
        .collect();
    assert_eq!(apart(&shared, 4), 2);
    // The same tests, but what they share is run by nobody else.
    let one = [
        &[0, 2][..],
        &[0, 2],
        &[1, 2],
        &[1, 2],
        &[0],
        &[1],
        &[0],
        &[1],
        &[3],
    ]
    .map(row);
    assert_eq!(apart(&one, 4), 1);
}

/// With the first tests failing.
fn spectrum(rows: &[Vec<bool>], methods: &[u32], failing: usize) -> Spectrum {
    use fdc_core::spectrum::{Outcome, ProgramBuilder, Test};
    let mut builder = ProgramBuilder::default();
    for number in 0..6 {
        builder.method(&format!("pkg.C{number}#m()"), || format!("C{number}.java"));
    }
    for (line, &method) in (1..).zip(methods) {
        builder.element(fdc_core::spectrum::MethodId(method), line, None);
    }
    let mut packed = Rows::new(methods.len() as u32);
    let mut tests = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let columns = (0..methods.len() as u32).filter(|&element| row[element as usize]);
        packed.push_columns(columns).unwrap();
        let outcome = if number < failing {
            Outcome::Fail
        } else {
            Outcome::Pass
        };
        tests.push(Test {
            name: format!("pkg.C{number}Test#testM"),
            outcome: Some(outcome),
            ..Test::default()
        });
    }
    Spectrum::new(None, builder.finish(), tests, packed, None).unwrap()
}

#[test]
fn a_method_in_the_trace_rises_and_says_so() {
    use fdc_core::evidence::{FailureRecord, Frame};
    let (_, mut spectrum) = orders();
    let failing: Vec<TestId> = spectrum.failing_tests().collect();
    let element = spectrum.coverage.elements(failing[0])[0] as usize;
    let element = spectrum.program.elements[element];
    let likely = |spectrum: &Spectrum| {
        let located = Localisation::new(built_in(), spectrum, &failing, &[]);
        (
            located.likely()[element.method.index()],
            located.reasons(element.method.0),
        )
    };
    let before = likely(&spectrum);
    let file = spectrum.program.methods[element.method.index()].file as usize;
    for test in &failing {
        spectrum.tests[test.index()].failure = Some(FailureRecord {
            frames: vec![Frame {
                place: spectrum.program.files[file].clone(),
                function: String::new(),
                line: element.line,
            }],
            ..FailureRecord::default()
        });
    }
    let after = likely(&spectrum);
    assert!(after.0 > before.0, "{before:?} {after:?}");
    assert!(
        after.1.contains(&"in the stack trace".to_owned()),
        "{after:?}"
    );
}

#[test]
fn what_changed_since_a_good_revision_rises_and_says_so() {
    let (_, mut spectrum) = orders();
    let failing: Vec<TestId> = spectrum.failing_tests().collect();
    let before = Localisation::new(built_in(), &spectrum, &failing, &[]);
    let last = (0..).zip(before.likely()).filter(|(_, own)| **own > 0.0);
    let (method, &least) = last.min_by(|a, b| a.1.total_cmp(b.1)).unwrap();
    spectrum.changed = Some(vec![method]);
    let after = Localisation::new(built_in(), &spectrum, &failing, &[]);
    assert!(after.likely()[method as usize] > 5.0 * least);
    assert_eq!(
        after.reasons(method)[0],
        "changed since the last good revision"
    );
    assert!((after.likely().iter().sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn a_missing_history_changes_nothing_and_one_of_some_files_fills_the_rest() {
    use fdc_core::evidence::FileHistory;
    let (_, mut spectrum) = orders();
    assert!(unchanged(&spectrum).is_empty());
    spectrum.history = vec![None; spectrum.program.files.len()];
    assert!(unchanged(&spectrum).is_empty());
    spectrum.history[0] = Some(FileHistory {
        commits: 1,
        commits_since_change: 3,
        days_since_change: 0.0,
    });
    let filled = unchanged(&spectrum);
    assert!(filled.iter().all(|&own| own == libm::log1p(3.0)));
    assert_eq!(filled.len(), spectrum.program.methods.len());
}

proptest! {
    #[test]
    fn answers_weigh_and_never_unbalance((rows, methods) in coverages(), said in proptest::collection::vec((any::<prop::sample::Index>(), any::<bool>(), 0.5f64..=1.0), 0..6)) {
        use fdc_core::{Outcome, Verdict};
        let spectrum = spectrum(&rows, &methods, 1);
        let answers: Vec<(TestId, Verdict)> = said.into_iter().map(|(test, fails, trust)| {
            let outcome = if fails { Outcome::Fail } else { Outcome::Pass };
            (TestId(test.index(rows.len()) as u32), Verdict { outcome, trust })
        }).collect();
        let located = Localisation::new(built_in(), &spectrum, &[TestId(0)], &answers);
        let sum: f64 = located.likely().iter().sum();
        prop_assert!(sum < 1.0 + 1e-9 && located.likely().iter().all(|own| *own >= 0.0));
        let of_lines: f64 = located.lines().iter().sum();
        prop_assert!((sum - of_lines).abs() < 1e-9);
        let mut one_by_one = Localisation::new(built_in(), &spectrum, &[TestId(0)], &[]);
        for &(test, verdict) in answers.iter().filter(|(test, _)| test.0 != 0) {
            one_by_one.answer(test, verdict);
        }
        for (own, other) in one_by_one.likely().iter().zip(located.likely()) {
            prop_assert!((own - other).abs() < 1e-9, "{own} {other}");
        }
        let candidates: Vec<TestId> = spectrum.coverage.tests().collect();
        for prospect in candidates.iter().map(|&test| located.prospect(test)) {
            prop_assert!((0.0..=1.0).contains(&prospect.fails) && (0.0..=1.0).contains(&prospect.bits));
        }
    }
}

proptest! {
    #[test]
    fn line_by_line_it_has_the_value_of_its_definition((rows, methods) in coverages(), kept in proptest::collection::vec(any::<prop::sample::Index>(), 0..4)) {
        let coverage = coverage(&rows, &methods);
        let suite = Suite::new(&coverage, TestId(0));
        let sharp = Sharp::new(built_in().prior);
        let mut by_rows = sharp.by_rows(&suite, &methods).unwrap();
        let suspicion = Suspicion::new(&suite);
        let likely = sharp.likely(&suspicion);
        let likely: Vec<(u32, f64)> = suspicion.methods().iter().copied().zip(likely).collect();
        let bits = |test: usize| [rows[test].iter().rev().fold(0, |bits, &own| bits << 1 | u64::from(own))];
        let mut members = vec![0usize];
        for index in kept {
            let test = index.index(rows.len());
            members.push(test);
            by_rows.keep(&bits(test));
        }
        for test in 0..rows.len() {
            let with: Vec<usize> = members.iter().copied().chain([test]).collect();
            let expected = naive_value(&rows, &methods, &with, &likely);
            let value = by_rows.value(&bits(test));
            prop_assert!((value - expected).abs() < 1e-8, "{value} {expected}");
            prop_assert_eq!(value.to_bits(), by_rows.copy().value(&bits(test)).to_bits());
        }
    }
}

#[test]
fn a_fitness_beside_a_test_of_a_case_knows_names_and_the_other_tests() {
    let (_, spectrum) = orders();
    let failing = spectrum.failing_tests().next().unwrap();
    let metric = || catalogue::parse("sharp", None).unwrap();
    let of_case = Fitness::of_spectrum(metric(), &spectrum, failing).unwrap();
    let suite = Suite::new(&spectrum.coverage, failing);
    let candidates: Vec<TestId> = spectrum.passing_tests().collect();
    let values = Sharp::new(built_in().prior).score(&suite, &candidates);
    for (&test, expected) in candidates.iter().zip(values) {
        let value = of_case.of_test(&spectrum.coverage.bits(test)).unwrap();
        assert!((value - expected).abs() < 1e-8, "{value} {expected}");
    }
    let method_of = spectrum.program.method_of().collect();
    let plain = Fitness::new(metric(), method_of, &spectrum.coverage.bits(failing)).unwrap();
    let differs = |&test: &TestId| {
        let row = spectrum.coverage.bits(test);
        of_case.of_test(&row) != plain.of_test(&row)
    };
    assert!(candidates.iter().any(differs));
}

#[test]
fn it_is_a_fitness_of_tests_and_suites() {
    let (_, spectrum) = orders();
    let row = |test: TestId| {
        let mut words = vec![0; spectrum.coverage.element_count().div_ceil(64)];
        for element in spectrum.coverage.elements(test) {
            words[element as usize / 64] |= 1u64 << (element % 64);
        }
        words
    };
    let metric = catalogue::parse("sharp", None).unwrap();
    let method_of = spectrum.program.elements.iter().map(|e| e.method.0);
    let failing = row(spectrum.failing_tests().next().unwrap());
    let sharp = Fitness::new(metric, method_of.collect(), &failing).unwrap();
    let passing: Vec<u64> = spectrum.passing_tests().flat_map(row).collect();
    let few = sharp.of_suite(&passing[..2 * sharp.words()], 2).unwrap();
    let all = sharp.of_suite(&passing, passing.len() / sharp.words());
    let all = all.unwrap();
    assert!(0.0 < few && few < all && all <= 1.0, "{few} {all}");
}

#[test]
fn a_pool_of_nothing_but_the_failing_test_gives_no_value() {
    let coverage = coverage(&[vec![true]], &[0]);
    let suite = Suite::new(&coverage, TestId(0));
    assert!(Sharp::new(built_in().prior).score(&suite, &[]).is_empty());
    assert_eq!(Suspicion::new(&suite).methods(), [0]);
}

fn orders() -> (Bug, Spectrum) {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../testdata/orders/orders.json"
    );
    let spectrum = fdc_formats::read(std::path::Path::new(path)).unwrap();
    (spectrum.bug.clone().unwrap(), spectrum)
}

#[test]
fn training_repeats_its_bytes_and_learns_what_makes_the_fault_likely() {
    let (bug, spectrum) = orders();
    let bugs = [(&bug, &spectrum)];
    let options = SharpOptions::default();
    let model = train(&bugs, &options, None, "digest".into()).unwrap();
    let again = train(&bugs, &options, None, "digest".into()).unwrap();
    assert_eq!(model.to_bytes().unwrap(), again.to_bytes().unwrap());

    let failing = spectrum.failing_tests().next().unwrap();
    let suite = Suite::new(&spectrum.coverage, failing);
    let suspicion = Suspicion::new(&suite);
    let fault = spectrum.rankable_faults()[0].0;
    let place = suspicion
        .methods()
        .iter()
        .position(|&method| method == fault)
        .unwrap();
    let prior = model.prior[suspicion.known().number()];
    let likely = prior.distribution(suspicion.features());
    assert!((likely.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let uniform = LinearSoftmax::UNIFORM.distribution(suspicion.features());
    assert!(likely[place] > 2.0 * uniform[place]);
}

#[test]
fn a_feature_that_is_left_out_gets_no_weight() {
    let (bug, spectrum) = orders();
    let options = SharpOptions {
        without: "size".into(),
        ..SharpOptions::default()
    };
    let model = train(&[(&bug, &spectrum)], &options, None, String::new()).unwrap();
    for (known, prior) in OptionalGroups::ALL.iter().zip(model.prior) {
        assert!(prior.weight.iter().any(|&weight| weight != 0.0));
        for (feature, weight) in FEATURES.iter().zip(prior.weight) {
            let used = feature.group != "size" && known.has(feature);
            assert!(used || weight == 0.0, "{}", feature.name);
        }
    }
}

#[test]
fn a_training_starts_from_its_base_and_is_pulled_back_there() {
    let (bug, spectrum) = orders();
    let mut base = super::built_in().as_ref().clone();
    let train_with = |l2: f64, base: &SharpModel| {
        let options = SharpOptions {
            l2,
            ..SharpOptions::default()
        };
        train(&[(&bug, &spectrum)], &options, Some(base), String::new()).unwrap()
    };
    let per_unit = |model: &SharpModel| -> Vec<f32> {
        let known = OptionalGroups {
            names: true,
            trace: false,
        };
        let prior = model.prior[known.number()];
        let weights = prior.weight.iter().zip(prior.scale);
        weights.map(|(weight, scale)| weight / scale).collect()
    };
    let far = |one: &SharpModel, other: &SharpModel| -> f32 {
        let pairs = per_unit(one).into_iter().zip(per_unit(other));
        pairs.map(|(one, other)| (one - other).abs()).sum()
    };
    let (close, free) = (train_with(3.0, &base), train_with(0.003, &base));
    assert!(far(&close, &base) < 0.5 * far(&free, &base));
    let digest = |model: &SharpModel| model.origin.hyperparameters["base"].clone();
    assert!(digest(&close).is_string() && digest(&close) == digest(&free));
    base.odds.0[0] += 1.0;
    assert_ne!(digest(&train_with(3.0, &base)), digest(&close));
    // No mutants: what they say is the base's.
    assert_eq!(close.kills, base.kills);
}

#[test]
fn nothing_to_learn_from_is_no_model() {
    let (bug, mut spectrum) = orders();
    spectrum.fault = None;
    assert!(
        train(
            &[(&bug, &spectrum)],
            &SharpOptions::default(),
            None,
            String::new()
        )
        .is_none()
    );
}

#[test]
fn options_outside_their_range_are_refused() {
    let bad = |change: fn(&mut SharpOptions)| {
        let mut options = SharpOptions::default();
        change(&mut options);
        options.check().unwrap_err().to_string()
    };
    assert!(SharpOptions::default().check().is_ok());
    assert!(bad(|options| options.l2 = -1.0).contains("l2"));
    assert!(bad(|options| options.near_share = 2.0).contains("near_share"));
    assert!(bad(|options| options.without = "colour".into()).contains("colour"));
}

#[test]
fn a_model_file_is_read_back_and_refused_when_damaged_or_of_another_kind() {
    let model = built_in();
    let bytes = model.to_bytes().unwrap();
    let again = SharpModel::from_bytes(&bytes).unwrap();
    assert_eq!((again.prior, again.trust), (model.prior, model.trust));
    assert_eq!(again.lines, model.lines);
    for length in (0..bytes.len()).step_by(97) {
        assert!(SharpModel::from_bytes(&bytes[..length]).is_err());
    }
    let rlfdc = crate::rlfdc::built_in().to_bytes().unwrap();
    let error = SharpModel::from_bytes(&rlfdc).unwrap_err().to_string();
    assert!(error.contains("\"sharp\", found \"rlfdc\""), "{error}");
    assert!(crate::rlfdc::RlfdcModel::from_bytes(&bytes).is_err());
}

#[test]
fn the_seeded_fault_of_the_example_comes_first_within_five_tests() {
    let (_, spectrum) = orders();
    let metric = ENTRY.build(&"sharp".parse().unwrap()).unwrap();
    let failing = spectrum.failing_tests().next().unwrap();
    let mut selection = Selection::new(&spectrum, failing);
    for _ in 0..5 {
        let pick = selection.best(&metric).unwrap();
        selection.add(pick.test, spectrum.test(pick.test).verdict());
    }
    let options = fdc_core::ranking::RankingOptions::default();
    let ranker = fdc_core::ranking::Ranker::new(&spectrum, fdc_core::Level::Method, options);
    let places = ranker.places(
        selection.tally(),
        &spectrum.coverage,
        &spectrum.rankable_faults(),
    );
    assert_eq!(places, [1.0]);
}
