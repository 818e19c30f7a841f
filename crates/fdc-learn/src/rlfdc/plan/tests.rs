use fdc_core::spectrum::Outcome;

use super::*;
use crate::learner::EpisodeReport;
use crate::learner::LearnedModel as _;
use crate::model_file::Tensor;
use crate::rlfdc::tests::subjects::{bug, numbered, spectrum};

/// Bugs that can be learned from, and three that cannot: places 1, 3 and 4.
fn data() -> Vec<(Bug, Spectrum)> {
    let fails = (Some(Outcome::Fail), vec![0, 1]);
    let alone = spectrum(4, &vec![fails.clone()], &[0]);
    let faultless = spectrum(4, &vec![fails.clone(), fails], &[]);
    let passing = spectrum(4, &vec![(Some(Outcome::Pass), vec![0]); 3], &[0]);
    let spectra = [
        numbered(1, 15),
        alone,
        numbered(2, 4),
        faultless,
        passing,
        numbered(3, 20),
        numbered(4, 12),
    ];
    (1..).map(bug).zip(spectra).collect()
}

/// The data as a plan wants it.
fn bugs(data: &[(Bug, Spectrum)]) -> Vec<(&Bug, &Spectrum)> {
    data.iter().map(|(bug, spectrum)| (bug, spectrum)).collect()
}

fn plan<'a>(
    bugs: &'a [(&'a Bug, &'a Spectrum)],
    hyperparameters: &'a Hyperparameters,
) -> TrainingPlan<'a> {
    TrainingPlan {
        bugs,
        hyperparameters,
        data_digest: "digest",
    }
}

fn learn(
    plan: &TrainingPlan<'_>,
    run: &mut TrainingRun,
    observer: &mut dyn TrainingObserver,
) -> bool {
    plan.learn(run, observer, |_| Ok(())).unwrap()
}

fn model_bytes(plan: &TrainingPlan<'_>, run: &TrainingRun) -> Vec<u8> {
    plan.model(run).to_bytes().unwrap()
}

/// Ends the training after so many versions.
struct StopAfter(usize);

impl TrainingObserver for StopAfter {
    fn version(&mut self, _: Option<f64>) -> bool {
        self.0 -= 1;
        self.0 > 0
    }
}

#[test]
fn broken_bugs_are_left_out_and_listed_and_the_training_goes_on() {
    let (data, usual) = (data(), Hyperparameters::default());
    let bugs = bugs(&data);
    let plan = plan(&bugs, &usual);
    let mut run = plan.start();
    assert!(learn(&plan, &mut run, &mut ()));
    let progress = &run.progress;
    assert_eq!((progress.versions, progress.learn_steps), (7, 3 * 40));
    let skipped = [
        ("made 2", "the failing test is alone in its pool"),
        ("made 4", "no faulty method that can be ranked"),
        ("made 5", "no failing test"),
    ];
    let skipped = skipped.map(|(bug, why)| (bug.to_owned(), why.to_owned()));
    assert_eq!(progress.skipped, skipped);
    assert_eq!(progress.ring_not_filled, ["made 3"]);
}

#[test]
fn a_training_resumed_after_any_version_ends_with_the_same_bytes() {
    let data = data();
    let bugs = bugs(&data);
    let restarted = Hyperparameters {
        restarts: 1,
        ..Hyperparameters::default()
    };
    let plan = plan(&bugs, &restarted);
    let mut undisturbed = plan.start();
    learn(&plan, &mut undisturbed, &mut ());
    for stop in 1..=2 * data.len() {
        let mut run = plan.start();
        let complete = learn(&plan, &mut run, &mut StopAfter(stop));
        assert_eq!(complete, stop == 2 * data.len());
        // What was learned so far is a model that can be used.
        RlfdcModel::from_bytes(&model_bytes(&plan, &run)).unwrap();

        let kept = plan.checkpoint(&run).to_bytes().unwrap();
        let checkpoint = Checkpoint::from_bytes(&kept).unwrap();
        let mut resumed = plan.resume(checkpoint).unwrap();
        assert!(learn(&plan, &mut resumed, &mut ()));
        assert_eq!(resumed.progress, undisturbed.progress);
        assert_eq!(
            model_bytes(&plan, &resumed),
            model_bytes(&plan, &undisturbed)
        );
        let ends = [&resumed, &undisturbed].map(|run| plan.checkpoint(run).to_bytes().unwrap());
        assert_eq!(ends[0], ends[1]);
    }
}

#[test]
fn a_checkpoint_of_another_training_is_refused() {
    let (data, usual) = (data(), Hyperparameters::default());
    let bugs = bugs(&data);
    let first = plan(&bugs, &usual);
    let checkpoint = || first.checkpoint(&first.start());
    let seeded = Hyperparameters {
        seed: 1,
        ..usual.clone()
    };
    let refusal = plan(&bugs, &seeded).resume(checkpoint()).unwrap_err();
    assert_eq!(refusal, "the hyper-parameters");
    let other = TrainingPlan {
        data_digest: "other",
        ..plan(&bugs, &usual)
    };
    assert_eq!(other.resume(checkpoint()).unwrap_err(), "the training data");
}

#[test]
fn an_observer_sees_every_episode_of_every_usable_bug() {
    #[derive(Default)]
    struct Counter {
        episodes: Vec<(u32, usize)>,
        versions: Vec<bool>,
    }
    impl TrainingObserver for Counter {
        fn episode(&mut self, bug: &Bug, number: usize, _: EpisodeReport) {
            self.episodes.push((bug.version, number));
        }

        fn version(&mut self, mean_reward: Option<f64>) -> bool {
            self.versions.push(mean_reward.is_some());
            true
        }
    }
    let (data, usual) = (data(), Hyperparameters::default());
    let bugs = bugs(&data);
    let plan = plan(&bugs, &usual);
    let mut counter = Counter::default();
    learn(&plan, &mut plan.start(), &mut counter);
    let usable = [1, 3, 6, 7];
    let versions: Vec<_> = (1..=7).map(|v| usable.contains(&v)).collect();
    assert_eq!(counter.versions, versions);
    let episodes: Vec<_> = usable
        .into_iter()
        .flat_map(|v| (1..=30).map(move |e| (v, e)))
        .collect();
    assert_eq!(counter.episodes, episodes);
}

#[test]
fn of_several_trainings_the_one_that_earns_most_is_kept() {
    let data = data();
    let bugs = bugs(&data);
    let told = |seed: u64, restarts: u32| Hyperparameters {
        seed,
        restarts,
        ..Hyperparameters::default()
    };
    let trained = |options: Hyperparameters| {
        let plan = plan(&bugs, &options);
        let mut run = plan.start();
        assert!(learn(&plan, &mut run, &mut ()));
        (plan.model(&run).network, run.progress)
    };
    let (network, progress) = trained(told(5, 3));
    let alone = (0..4).map(|round| trained(told(5 + (round << 32), 0)));
    let (networks, rewards): (Vec<_>, Vec<_>) = alone
        .map(|(network, progress)| (network, progress.appraisals[0].reward))
        .unzip();
    let found: Vec<f64> = progress.appraisals.iter().map(|own| own.reward).collect();
    assert_eq!(found, rewards);
    let most = rewards.iter().copied().fold(f64::MIN, f64::max);
    let best = rewards.iter().position(|&reward| reward == most).unwrap();
    assert_eq!(network.tensors(), networks[best].tensors());
    let summary = progress.summary(bugs.len());
    assert!(summary.contains("the best of 4 trainings ("), "{summary}");
}

#[test]
fn a_network_that_earns_less_than_its_inputs_is_told() {
    let data = data();
    let bugs = bugs(&data);
    let usual = Hyperparameters::default();
    let mut dead = Training::new(usual.clone()).network;
    let zeros = dead.tensors().into_iter().map(|tensor| Tensor {
        data: vec![0.0; tensor.data.len()],
        ..tensor
    });
    dead = Network::from_tensors(Shape::Full, &zeros.collect::<Vec<_>>()).unwrap();
    let found = Appraisal::new(&dead, &usual, &bugs);
    assert_eq!(found.flat, 1.0);
    let stuck = Appraisal {
        reward: 0.1,
        split: 3.0,
        ..found
    };
    let warning = stuck.warning().unwrap();
    assert!(warning.contains("hardly learned: reward 0.10"), "{warning}");
    assert!(warning.contains("nothing moves it at the start of 100 %"));
    let fine = Appraisal {
        reward: 2.0,
        ..stuck
    };
    assert_eq!(fine.warning(), None);
}
