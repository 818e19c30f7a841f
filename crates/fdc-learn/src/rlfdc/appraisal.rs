//! What a network earns on the bugs it was trained on: whether it has learned anything.

use fdc_core::Spectrum;
use fdc_core::spectrum::Bug;
use serde::{Deserialize, Serialize};

use super::environment::{BugEnvironment, Situation};
use super::hyperparameters::Hyperparameters;
use super::network::{Action, Network};

/// Mean rewards of an episode, over the bugs of a training.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Appraisal {
    /// By the network's own picks.
    pub reward: f64,
    /// By the largest split, and by the largest cover: what it was shown, without learning.
    pub split: f64,
    pub cover: f64,
    /// The share of bugs where its first pick covers no suspicious line, though there are tests that do.
    pub blind: f64,
    /// The share of bugs where nothing moves it: at the start all candidates have the same value.
    pub flat: f64,
}

impl Appraisal {
    /// Of a network on bugs; those that cannot be learned from are left out.
    pub(super) fn new(
        network: &Network,
        options: &Hyperparameters,
        bugs: &[(&Bug, &Spectrum)],
    ) -> Self {
        let mut sum = Appraisal::default();
        let mut count = 0.0;
        for (_, spectrum) in bugs {
            let Some(failing) = spectrum.failing_tests().next() else {
                continue;
            };
            let Ok(mut environment) = BugEnvironment::new(spectrum, failing, options.ranking())
            else {
                continue;
            };
            let own = |situation: &Situation<'_>| {
                let best = network.at(situation.state).best(&situation.actions);
                best.expect("candidates remain").0
            };
            let start = environment.situation(environment.start());
            let useful = start.actions.iter().any(|action| action.cover > 0.0);
            let first = start.actions[own(start)];
            let mut values = vec![0.0; start.actions.len()];
            network.at(start.state).values(&start.actions, &mut values);
            let alike = values.iter().all(|&value| value == values[0]);
            count += 1.0;
            sum.blind += f64::from(useful && first.cover == 0.0);
            sum.flat += f64::from(values.len() > 1 && alike);
            sum.reward += episode(&mut environment, options, own);
            let split = |situation: &Situation<'_>| largest(situation, |action| action.split);
            sum.split += episode(&mut environment, options, split);
            let cover = |situation: &Situation<'_>| largest(situation, |action| action.cover);
            sum.cover += episode(&mut environment, options, cover);
        }
        let mean = |sum: f64| if count > 0.0 { sum / count } else { 0.0 };
        Appraisal {
            reward: mean(sum.reward),
            split: mean(sum.split),
            cover: mean(sum.cover),
            blind: mean(sum.blind),
            flat: mean(sum.flat),
        }
    }

    /// Whether it learned less than half of what its inputs alone would earn.
    pub(super) fn is_stuck(&self) -> bool {
        self.reward < 0.5 * self.split.max(self.cover)
    }

    /// What it earns, in half a sentence.
    pub(super) fn words(&self) -> String {
        let Appraisal {
            reward,
            split,
            cover,
            ..
        } = self;
        format!(
            "reward {reward:.2} an episode (largest split first {split:.2}, largest cover {cover:.2})"
        )
    }

    /// What to know of a network that is stuck.
    pub(super) fn warning(&self) -> Option<String> {
        self.is_stuck().then(|| {
            let share = |share: f64| (100.0 * share).round();
            format!(
                "the network has hardly learned: {}; nothing moves it at the start of {} % of the bugs, \
                 and in {} % its first pick misses all suspicious lines; train again with another \
                 --seed, or with --restarts",
                self.words(),
                share(self.flat),
                share(self.blind)
            )
        })
    }
}

/// The reward of an episode of such picks.
fn episode(
    environment: &mut BugEnvironment<'_>,
    options: &Hyperparameters,
    choose: impl Fn(&Situation<'_>) -> usize,
) -> f64 {
    let mut here = environment.start();
    let first_rank = environment.situation(here).rank;
    let mut total = 0.0;
    for _ in 0..options.picks {
        if environment.remaining(here) == 0 {
            break;
        }
        let situation = environment.situation(here);
        let test = situation.tests[choose(situation)];
        here = environment.add(here, test);
        total += options
            .reward
            .of(first_rank, environment.situation(here).rank);
    }
    total
}

/// The first action with the largest value.
fn largest(situation: &Situation<'_>, value: impl Fn(&Action) -> f32) -> usize {
    let actions = situation.actions.iter().enumerate();
    let best = actions.reduce(|best, own| match value(own.1) > value(best.1) {
        true => own,
        false => best,
    });
    best.expect("candidates remain").0
}
