pub(super) mod subjects;

use fdc_core::fitness::Fitness;
use fdc_core::{Metric, Suite};
use proptest::prelude::*;

use super::*;
use crate::catalogue;
use crate::rlfdc::network::Shape;
use crate::rlfdc::random::generator;
use crate::rlfdc::tests::subjects::any_usable;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn candidates_together_score_as_each_alone_and_never_nan(
        spectrum in any_usable(),
        added in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        seed in 0u64..20,
    ) {
        let networks = Shape::ALL.map(|shape| Network::random(shape, &mut generator(seed, 0)));
        let mut suite = Suite::new(&spectrum.coverage, TestId(0));
        for index in added {
            suite.add(TestId(index.index(spectrum.tests.len()) as u32));
        }
        let candidates: Vec<TestId> = spectrum.coverage.tests().filter(|&t| !suite.contains(t)).collect();
        for network in networks.into_iter().chain([built_in().network.clone()]) {
            let metric = Rlfdc::new(network.clone(), 10);
            let scores = metric.score(&suite, &candidates);
            prop_assert_eq!(scores.len(), candidates.len());
            for (&test, score) in candidates.iter().zip(&scores) {
                prop_assert!(score.is_finite());
                let alone = metric.score(&suite, &[test])[0];
                prop_assert_eq!(alone.to_bits(), score.to_bits());
                let value = network.at(state(&suite)).value(action(&suite, test));
                prop_assert_eq!(f64::from(value).to_bits(), score.to_bits());
            }
        }
    }
}

#[test]
fn no_candidates_have_no_scores() {
    let spectrum = crate::rlfdc::tests::subjects::numbered(1, 3);
    let suite = Suite::new(&spectrum.coverage, TestId(0));
    let metric = built_in().metric();
    assert_eq!(metric.score(&suite, &[]), [0.0; 0]);
}

/// Ten picks look at 0 to 9 added tests; what comes after is told the same as the tenth.
#[test]
fn the_network_is_never_told_of_more_tests_than_it_was_trained_with() {
    let network = &built_in().network;
    assert_eq!(built_in().picks(), 10);
    let action = Action {
        split: 1.0,
        cover: 0.5,
    };
    let value = |network: &Network, added: f32| {
        let groups = 7.0;
        network.at(State { added, groups }).value(action)
    };
    assert_ne!(value(network, 9.0), value(network, 10.0));
    for (picks, added, told) in [(10, 0, 0), (10, 9, 9), (10, 10, 9), (10, 500, 9), (5, 9, 4)] {
        let metric = Rlfdc::new(network.clone(), picks);
        let state = State {
            added: added as f32,
            groups: 7.0,
        };
        assert_eq!(metric.at(state).value(action), value(network, told as f32));
    }
}

#[test]
fn the_built_in_model_is_the_papers_network_kept_from_getting_stuck() {
    let model = built_in();
    assert_eq!(model.network.shape(), Shape::Full);
    let options = Hyperparameters {
        explore: hyperparameters::Exploring::Suspects,
        restarts: 4,
        ..Default::default()
    };
    assert_eq!(model.origin.hyperparameters, options.to_json());
}

/// The metric without its way by counts.
struct Plainly(Box<dyn Agnostic>);

impl Agnostic for Plainly {
    fn score(&self, suite: &Suite<'_>, candidates: &[TestId]) -> Vec<f64> {
        self.0.score(suite, candidates)
    }

    fn measures_suites(&self) -> bool {
        self.0.measures_suites()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every metric that can be asked for by name; past the tenth kept test too. Not sharp, which settles
    /// at the start how likely each method is faulty: its twin is among its own tests.
    #[test]
    fn a_fitness_is_the_same_by_counts_in_bits(
        elements in 1usize..200,
        seeds in prop::collection::vec(0u64..40, 2..40),
        kept in 0usize..14,
    ) {
        let words = elements.div_ceil(64);
        let row = |seed: &u64| -> Vec<u64> {
            (0..words as u64).map(|word| generator(*seed, word).next_u64()).collect()
        };
        let rows: Vec<Vec<u64>> = seeds.iter().map(row).collect();
        let kept = kept.min(rows.len() - 1);
        let by_counts = |entry: &&Entry| !entry.aware && entry.name != crate::sharp::ENTRY.name;
        for entry in catalogue::entries().filter(by_counts) {
            let agnostic = || match catalogue::parse(entry.name, None).unwrap().kind {
                Kind::Agnostic(metric) => metric,
                Kind::Aware(_) => unreachable!("left out"),
            };
            let fitness = |metric| {
                let metric = Metric::new(entry.name, Kind::Agnostic(metric));
                let method_of = (0..elements as u32).map(|element| element / 5).collect();
                let mut fitness = Fitness::new(metric, method_of, &rows[0]).unwrap();
                rows[..kept].iter().skip(1).for_each(|row| fitness.keep(row).unwrap());
                fitness
            };
            let (ours, plain) = (fitness(agnostic()), fitness(Box::new(Plainly(agnostic()))));
            for row in &rows {
                let (value, expected) = (ours.of_test(row).unwrap(), plain.of_test(row).unwrap());
                prop_assert_eq!(value.to_bits(), expected.to_bits(), "{}", entry.name);
            }
            let (suite, tests) = (rows.concat(), rows.len());
            let value = ours.of_suite(&suite, tests).unwrap();
            let expected = plain.of_suite(&suite, tests).unwrap();
            prop_assert_eq!(value.to_bits(), expected.to_bits(), "{}", entry.name);
        }
    }
}
