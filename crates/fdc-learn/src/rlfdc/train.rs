//! The whole training, top to bottom.
//!
//! One training version after the other; in each, episodes from its failing test: pick a test (now
//! and then at random), see how the faulty method's rank moves, remember the transition, and every
//! few picks learn from a batch of remembered ones. Weights, Adam's state and the count of learning
//! steps go on from version to version; the ring and the count of picks start anew.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use fdc_core::Spectrum;
use fdc_core::coverage::TestId;
use rand_core::Rng;

use super::environment::{BugEnvironment, SituationId, Unusable};
use super::hyperparameters::{Exploring, FailingTest, Hyperparameters, TargetRule};
use super::network::{Action, Adam, Network, TargetHead, TrainingSample};
use super::random::{below, generator, unit};
use super::replay::Ring;

pub use crate::learner::EpisodeReport;

/// A training under way.
#[derive(Clone, Debug)]
pub struct Training {
    /// What it was told.
    pub hyperparameters: Hyperparameters,
    /// The online network.
    pub network: Network,
    /// The head that values goals.
    pub target: TargetHead,
    /// The optimiser.
    pub adam: Adam,
    /// Learning steps so far, over all versions.
    pub learn_steps: u64,
}

/// What happened in one version.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VersionReport {
    /// Episodes done.
    pub episodes: Vec<EpisodeReport>,
    /// Learning steps done.
    pub learn_steps: u64,
    /// Whether the ring was never full, so that nothing was learned.
    pub ring_not_filled: bool,
}

/// Why a version was left out or a training stopped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrainError {
    /// The bug cannot be learned from: left out and counted.
    #[error("{0}")]
    Unusable(#[from] Unusable),
    /// A reward that is no number.
    #[error("expected a finite reward, found {found}")]
    Reward {
        /// What came out.
        found: f64,
    },
    /// The error of a learning step is no number: the training diverged.
    #[error("the training diverged: the error of learning step {step} is {found}")]
    Diverged {
        /// Which step.
        step: u64,
        /// Its error.
        found: f32,
    },
}

/// (s, a, r, s', and whether the episode ended).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transition {
    /// Where the pick was made.
    pub from: SituationId,
    /// What was picked.
    pub action: Action,
    /// What it brought.
    pub reward: f32,
    /// Where it led.
    pub to: SituationId,
    /// Whether the episode ended there.
    pub last: bool,
}

/// One step of Adam, and what it learned from.
pub struct LearningStep<'a> {
    /// The training after the step.
    pub training: &'a Training,
    /// Where the batch's transitions lead from and to.
    pub environment: &'a BugEnvironment<'a>,
    /// The transitions drawn.
    pub batch: &'a [Transition],
    /// The error before the step.
    pub loss: f32,
}

/// Looks on while a version is learned from. Any `FnMut(EpisodeReport)` does.
pub trait Witness {
    /// An episode was done.
    fn episode(&mut self, report: EpisodeReport);

    /// A learning step was done.
    fn learned(&mut self, _step: LearningStep<'_>) {}
}

impl<F: FnMut(EpisodeReport)> Witness for F {
    fn episode(&mut self, report: EpisodeReport) {
        self(report);
    }
}

impl Training {
    /// A training that has seen nothing. The hyper-parameters must pass their check.
    pub fn new(hyperparameters: Hyperparameters) -> Self {
        let mut rng = generator(hyperparameters.seed, 0);
        let network = Network::random(hyperparameters.shape(), &mut rng);
        Training {
            target: TargetHead::of(&network),
            adam: Adam::new(hyperparameters.adam(), &network),
            network,
            hyperparameters,
            learn_steps: 0,
        }
    }

    /// Learns from one version, the `number`-th of the training (from 1), while `witness` looks on.
    /// On an error the training is as it was before this version, and so may go on with the next.
    pub fn version(
        &mut self,
        spectrum: &Spectrum,
        number: u64,
        mut witness: impl Witness,
    ) -> Result<VersionReport, TrainError> {
        let before = self.clone();
        let mut rng = generator(self.hyperparameters.seed, number);
        let failing: Vec<TestId> = spectrum.failing_tests().collect();
        let failing = match self.hyperparameters.failing {
            _ if failing.is_empty() => return Err(Unusable::NoFailingTest.into()),
            FailingTest::First => vec![failing[0]],
            FailingTest::Random => vec![failing[below(&mut rng, failing.len())]],
            FailingTest::All => failing,
        };
        let mut report = VersionReport::default();
        for test in failing {
            match self.learn_from_failing_test(spectrum, test, &mut rng, &mut witness) {
                Ok((episodes, steps)) => {
                    report.episodes.extend(episodes);
                    report.learn_steps += steps;
                    report.ring_not_filled |= steps == 0;
                }
                Err(error) => {
                    *self = before;
                    return Err(error);
                }
            }
        }
        Ok(report)
    }

    /// All episodes from one failing test, and the number of learning steps done.
    fn learn_from_failing_test(
        &mut self,
        spectrum: &Spectrum,
        failing: TestId,
        rng: &mut impl Rng,
        witness: &mut impl Witness,
    ) -> Result<(Vec<EpisodeReport>, u64), TrainError> {
        let options = self.hyperparameters.clone();
        let mut environment = BugEnvironment::new(spectrum, failing, options.ranking())?;
        let first_rank = environment.situation(environment.start()).rank;
        let mut ring = Ring::new(options.ring as usize);
        let mut picks = 0;
        let steps_before = self.learn_steps;
        let mut episodes = Vec::new();

        for _ in 0..options.episodes {
            let mut here = environment.start();
            let mut total_reward = 0.0;
            let mut losses = Vec::new();
            for pick in 1..=options.picks {
                // Choose: at random now and then, else the candidate of the largest value.
                let (test, action) = if unit(rng) < options.exploration {
                    let test = match options.explore {
                        Exploring::Suspects => environment.touching(here, rng),
                        Exploring::All => None,
                    };
                    let any = || {
                        let number = below(rng, environment.remaining(here));
                        environment.candidate(here, number)
                    };
                    let test = test.unwrap_or_else(any);
                    (test, environment.action(here, test))
                } else {
                    let situation = environment.situation(here);
                    let scorer = self.network.at(situation.state);
                    let (best, _) = scorer.best(&situation.actions).expect("candidates remain");
                    (situation.tests[best], situation.actions[best])
                };

                // Act, and see what it brought.
                let next = environment.add(here, test);
                let rank = environment.situation(next).rank;
                let reward = options.reward.of(first_rank, rank);
                if !reward.is_finite() {
                    return Err(TrainError::Reward { found: reward });
                }
                total_reward += reward;
                let last = pick == options.picks || environment.remaining(next) == 0;

                // Remember.
                ring.push(Transition {
                    from: here,
                    action,
                    reward: reward as f32,
                    to: next,
                    last,
                });
                picks += 1;
                here = next;

                // Learn.
                if picks > options.ring && picks.is_multiple_of(options.learn_every) {
                    losses.push(f64::from(self.learn(&environment, &ring, rng, witness)?));
                }
                if last {
                    break;
                }
            }
            let report = EpisodeReport {
                reward: total_reward,
                rank: environment.situation(here).rank,
                loss: (!losses.is_empty())
                    .then(|| losses.iter().sum::<f64>() / losses.len() as f64),
            };
            witness.episode(report);
            episodes.push(report);
        }
        Ok((episodes, self.learn_steps - steps_before))
    }

    /// One step of Adam on a batch drawn from the ring; its error.
    fn learn(
        &mut self,
        environment: &BugEnvironment<'_>,
        ring: &Ring<Transition>,
        rng: &mut impl Rng,
        witness: &mut impl Witness,
    ) -> Result<f32, TrainError> {
        let copy_every = u64::from(self.hyperparameters.copy_every);
        if self.learn_steps.is_multiple_of(copy_every) {
            self.target = TargetHead::of(&self.network);
        }
        let drawn = ring.draw(self.hyperparameters.batch as usize, rng);
        // Episodes meet the same situations again: each is valued once a step.
        let mut values: HashMap<SituationId, f32> = HashMap::new();
        let discount = self.hyperparameters.discount as f32;
        let batch: Vec<TrainingSample> = drawn
            .iter()
            .map(|transition| {
                let next_value = if transition.last {
                    0.0
                } else {
                    let value = || self.next_value(environment, transition.to);
                    *values.entry(transition.to).or_insert_with(value)
                };
                TrainingSample {
                    state: environment.situation(transition.from).state,
                    action: transition.action,
                    goal: transition.reward + discount * next_value,
                }
            })
            .collect();
        let loss = self.network.learn(&mut self.adam, &batch);
        if !loss.is_finite() {
            return Err(TrainError::Diverged {
                step: self.learn_steps,
                found: loss,
            });
        }
        self.learn_steps += 1;
        witness.learned(LearningStep {
            training: self,
            environment,
            batch: &drawn,
            loss,
        });
        Ok(loss)
    }

    /// What the best remaining candidate is worth: the target's head over the online embedding.
    fn next_value(&self, environment: &BugEnvironment<'_>, id: SituationId) -> f32 {
        let situation = environment.situation(id);
        let online = || self.network.at(situation.state);
        let target = || self.network.at_by(&self.target, situation.state);
        let value = match self.hyperparameters.target {
            TargetRule::Target => target().max(&situation.actions),
            TargetRule::Regular => online().max(&situation.actions),
            TargetRule::Double => online()
                .best(&situation.actions)
                .map(|(best, _)| target().value(situation.actions[best])),
        };
        value.expect("the episode has not ended, so candidates remain")
    }
}
