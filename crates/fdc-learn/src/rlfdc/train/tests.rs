use fdc_core::spectrum::Outcome;

use super::*;
use crate::model_file::Tensor;
use crate::rlfdc::hyperparameters::Reward;
use crate::rlfdc::network::Backend;
use crate::rlfdc::tests::subjects::{numbered, spectrum};

fn trained(options: Hyperparameters, versions: &[(u64, &Spectrum)]) -> Training {
    let mut training = Training::new(options);
    for &(number, spectrum) in versions {
        training.version(spectrum, number, silent).unwrap();
    }
    training
}

fn silent(_: EpisodeReport) {}

/// Everything that a training goes on from.
fn bits(training: &Training) -> (Vec<Vec<u32>>, u64, u64) {
    let [mean, square] = training.adam.moments();
    let (network, target) = (training.network.tensors(), training.target.tensors());
    let lists = [network, target, mean, square];
    let bits = |tensor: Tensor| tensor.data.iter().map(|w| w.to_bits()).collect();
    let tensors = lists.into_iter().flatten().map(bits).collect();
    (tensors, training.adam.steps(), training.learn_steps)
}

#[test]
fn a_version_takes_forty_learning_steps_and_thirty_episodes() {
    let mut training = Training::new(Hyperparameters::default());
    let mut told = Vec::new();
    let spectrum = numbered(1, 15);
    let report = training
        .version(&spectrum, 1, |episode| told.push(episode))
        .unwrap();
    assert_eq!((report.learn_steps, training.learn_steps), (40, 40));
    assert_eq!(told.len(), 30);
    assert_eq!(report.episodes, told);
    assert!(!report.ring_not_filled);
    // 100 picks fill the ring, which is ten episodes without a learning step.
    assert!(told[..10].iter().all(|episode| episode.loss.is_none()));
    assert!(told[10..].iter().all(|episode| episode.loss.is_some()));
    let again = training.version(&spectrum, 2, silent).unwrap();
    assert_eq!((again.learn_steps, training.learn_steps), (40, 80));
}

#[test]
fn a_pool_of_four_tests_never_fills_the_ring_and_teaches_nothing() {
    let mut training = Training::new(Hyperparameters::default());
    let before = bits(&training);
    let report = training.version(&numbered(1, 4), 1, silent).unwrap();
    assert!(report.ring_not_filled);
    assert_eq!((report.learn_steps, report.episodes.len()), (0, 30));
    assert_eq!(bits(&training), before);
}

/// The target's head after each learning step, and the online head before it.
struct Heads {
    online: Vec<Vec<Tensor>>,
    target: Vec<Vec<Tensor>>,
}

impl Witness for &mut Heads {
    fn episode(&mut self, _: EpisodeReport) {}

    fn learned(&mut self, step: LearningStep<'_>) {
        assert_eq!(step.batch.len(), 32);
        self.target.push(step.training.target.tensors());
        self.online
            .push(TargetHead::of(&step.training.network).tensors());
    }
}

#[test]
fn the_target_copies_the_head_before_steps_0_20_and_40_and_at_no_other() {
    let mut training = Training::new(Hyperparameters::default());
    let mut heads = Heads {
        online: vec![training.target.tensors()],
        target: vec![],
    };
    for number in [1, 2] {
        training
            .version(&numbered(7, 15), number, &mut heads)
            .unwrap();
    }
    assert_eq!(heads.target.len(), 80);
    for (step, target) in heads.target.iter().enumerate() {
        assert_eq!(*target, heads.online[step / 20 * 20], "step {step}");
    }
    assert_ne!(heads.online[20], heads.online[0]);
}

/// The transitions that learning steps saw.
#[derive(Default)]
struct Batches(Vec<(f32, bool, f32, f32)>);

impl Witness for &mut Batches {
    fn episode(&mut self, _: EpisodeReport) {}

    fn learned(&mut self, step: LearningStep<'_>) {
        for transition in step.batch {
            let from = step.environment.situation(transition.from).state.added;
            let to = step.environment.situation(transition.to).state.added;
            self.0.push((transition.reward, transition.last, from, to));
        }
    }
}

#[test]
fn an_episode_ends_after_ten_picks_or_with_the_pool() {
    for (tests, longest) in [(15, 10.0), (8, 7.0)] {
        let mut batches = Batches::default();
        let mut training = Training::new(Hyperparameters::default());
        training
            .version(&numbered(2, tests), 1, &mut batches)
            .unwrap();
        assert!(!batches.0.is_empty());
        for &(reward, last, from, to) in &batches.0 {
            assert!(reward <= 1.0 && to == from + 1.0);
            assert_eq!(last, to == longest);
        }
    }
}

#[test]
fn seeds_make_different_networks_and_the_same_seed_the_same() {
    let spectrum = numbered(1, 15);
    let with_seed = |seed| {
        let options = Hyperparameters {
            seed,
            ..Hyperparameters::default()
        };
        bits(&trained(options, &[(1, &spectrum)]))
    };
    assert_eq!(with_seed(3), with_seed(3));
    assert_ne!(with_seed(3), with_seed(4));
}

#[test]
fn target_rules_failing_tests_and_rewards_all_train_and_differ() {
    let tests = (0..14).map(|test| {
        let outcome = if test % 5 == 0 {
            Outcome::Fail
        } else {
            Outcome::Pass
        };
        let row = (0..20).filter(|element| (element + test) % 3 != 0 || element % 4 == test % 4);
        (Some(outcome), row.collect())
    });
    let spectrum = spectrum(20, &tests.collect(), &[3]);
    let default = Hyperparameters::default;
    let variants = [
        default(),
        Hyperparameters {
            target: TargetRule::Double,
            ..default()
        },
        Hyperparameters {
            target: TargetRule::Regular,
            ..default()
        },
        Hyperparameters {
            failing: FailingTest::All,
            ..default()
        },
        Hyperparameters {
            reward: Reward::Reciprocal,
            ..default()
        },
        Hyperparameters {
            network: "split".into(),
            ..default()
        },
        Hyperparameters {
            network: "cover".into(),
            ..default()
        },
        Hyperparameters {
            network: "simple".into(),
            ..default()
        },
    ];
    let trainings = variants.map(|options| trained(options, &[(1, &spectrum)]));
    for (number, training) in trainings.iter().enumerate() {
        let tensors = training.network.tensors();
        assert!(
            tensors
                .iter()
                .flat_map(|own| &own.data)
                .all(|w| w.is_finite())
        );
        let others = trainings[..number].iter();
        assert!(
            others.clone().all(|other| bits(other) != bits(training)),
            "{number}"
        );
    }
    // Three failing tests in turn, each as a training version of its own.
    assert_eq!(trainings[3].learn_steps, 3 * 40);
}

#[test]
fn training_gives_the_same_bits_with_and_without_avx2() {
    let spectrum = numbered(5, 20);
    let with = |backend| {
        let mut training = Training::new(Hyperparameters::default());
        training.network = training.network.with_backend(backend);
        training.version(&spectrum, 1, silent).unwrap();
        bits(&training)
    };
    let portable = with(Backend::PORTABLE);
    if let Some(avx2) = Backend::avx2() {
        assert_eq!(with(avx2), portable);
    }
}

#[test]
fn a_version_that_cannot_be_learned_from_leaves_no_trace() {
    let (first, last) = (numbered(1, 15), numbered(2, 15));
    let passing = spectrum(4, &vec![(Some(Outcome::Pass), vec![0]); 3], &[0]);
    let fails = (Some(Outcome::Fail), vec![0, 1]);
    let alone = spectrum(4, &vec![fails.clone()], &[0]);
    let faultless = spectrum(4, &vec![fails.clone(), fails], &[]);
    let broken = [
        (&passing, Unusable::NoFailingTest),
        (&alone, Unusable::NoCandidates),
        (&faultless, Unusable::NoFault),
    ];
    let mut training = trained(Hyperparameters::default(), &[(1, &first)]);
    let before = bits(&training);
    for (number, (spectrum, why)) in (2..).zip(broken) {
        let refusal = training.version(spectrum, number, silent).unwrap_err();
        assert_eq!(refusal, TrainError::Unusable(why));
        assert_eq!(bits(&training), before);
    }
    // Random numbers belong to the place in the training, all else to the usable versions alone.
    training.version(&last, 5, silent).unwrap();
    let without = trained(Hyperparameters::default(), &[(1, &first), (5, &last)]);
    assert_eq!(bits(&training), bits(&without));
}

#[test]
fn an_error_in_a_later_failing_test_undoes_what_the_earlier_ones_taught() {
    // The second failing test covers nothing: found only after the first one's episodes.
    let mut tests: crate::rlfdc::tests::subjects::Tests = vec![
        (Some(Outcome::Fail), vec![0, 1, 2, 3]),
        (Some(Outcome::Fail), vec![]),
    ];
    tests.extend((0..12).map(|test| (Some(Outcome::Pass), vec![test % 6])));
    let options = Hyperparameters {
        failing: FailingTest::All,
        ..Hyperparameters::default()
    };
    let mut training = Training::new(options);
    let before = bits(&training);
    let mut episodes = 0;
    let error = training.version(&spectrum(6, &tests, &[0]), 1, |_| episodes += 1);
    assert_eq!(error, Err(Unusable::NoCoverage.into()));
    assert_eq!(episodes, 30);
    assert_eq!(bits(&training), before);
}

#[test]
fn a_training_that_diverges_says_so_and_is_as_it_was() {
    let options = Hyperparameters {
        learning_rate: 1e30,
        ..Hyperparameters::default()
    };
    let mut training = Training::new(options);
    let before = bits(&training);
    let error = training.version(&numbered(1, 15), 1, silent).unwrap_err();
    assert!(matches!(error, TrainError::Diverged { .. }), "{error}");
    assert_eq!(bits(&training), before);
}
