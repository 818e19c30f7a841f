//! A training over many bugs, which can be stopped and resumed after any of them. With restarts it
//! is several trainings, one after the other, of which the one that earns most in training is kept.

#[cfg(test)]
mod tests;

use fdc_core::spectrum::Bug;
use fdc_core::{Formula, Spectrum};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::appraisal::Appraisal;
use super::checkpoint::Checkpoint;
use super::hyperparameters::Hyperparameters;
use super::model::RlfdcModel;
use super::network::{Network, Shape};
use super::train::Training;
use crate::learner::{
    BadHyperparameter, Trained, Trainer, TrainingError, TrainingObserver, TrainingTask,
};
use crate::model_file::{self, ModelFileError, Origin};

/// Bugs to learn from, in order, and how.
struct TrainingPlan<'a> {
    bugs: &'a [(&'a Bug, &'a Spectrum)],
    /// What the training is told; must pass its check.
    hyperparameters: &'a Hyperparameters,
    /// Digest of the bugs.
    data_digest: &'a str,
}

#[derive(Clone, Debug)]
struct TrainingRun {
    training: Training,
    /// The best network of the trainings that are done.
    kept: Option<Network>,
    progress: TrainingProgress,
}

/// What a checkpoint keeps beside the weights.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrainingProgress {
    /// Versions done, the skipped ones included.
    versions: usize,
    learn_steps: u64,
    /// Versions that could not be learned from, and why.
    skipped: Vec<(String, String)>,
    /// Versions that never filled the ring, so that nothing was learned.
    ring_not_filled: Vec<String>,
    /// What the trainings that are done came to, in order.
    #[serde(default)]
    appraisals: Vec<Appraisal>,
}

impl Trainer for Hyperparameters {
    fn check(&self) -> Result<(), BadHyperparameter> {
        let ensure = BadHyperparameter::unless;
        let whole = [
            ("episodes", self.episodes),
            ("picks", self.picks),
            ("ring", self.ring),
            ("learn_every", self.learn_every),
            ("copy_every", self.copy_every),
            ("batch", self.batch),
        ];
        for (name, value) in whole {
            ensure(value > 0, name, "a whole number from 1", &value)?;
        }
        for (name, value) in [
            ("discount", self.discount),
            ("exploration", self.exploration),
        ] {
            let share = (0.0..=1.0).contains(&value);
            ensure(share, name, "a number from 0 to 1", &value)?;
        }
        let rate = self.learning_rate;
        let positive = rate > 0.0 && rate.is_finite();
        ensure(positive, "learning_rate", "a number above 0", &rate)?;
        let known = Shape::from_id(&self.network).is_some();
        let expected = "full, split, cover or simple";
        ensure(known, "network", expected, &self.network)?;
        let known = Formula::named(&self.formula).is_ok();
        let expected = "a name of `fdc list formulas`";
        ensure(known, "formula", expected, &self.formula)
    }

    fn rounds(&self) -> usize {
        self.restarts as usize + 1
    }

    fn train(
        &self,
        task: &TrainingTask<'_>,
        observer: &mut dyn TrainingObserver,
    ) -> Result<Trained, TrainingError> {
        let plan = TrainingPlan {
            bugs: &task.bugs,
            hyperparameters: self,
            data_digest: &task.data_digest,
        };
        let mut run = match &task.checkpoint {
            Some(path) if task.resume && path.exists() => {
                let resumed = plan.resume(model_file::read(path, Checkpoint::from_bytes)?);
                resumed.map_err(|what| TrainingError::OtherTraining {
                    path: path.clone(),
                    what,
                })?
            }
            _ => plan.start(),
        };
        let done = run.progress.appraisals.len() * plan.bugs.len();
        observer.resumed(done + run.progress.versions);
        let complete = plan.learn(&mut run, observer, |run| match &task.checkpoint {
            Some(path) => model_file::write(path, plan.checkpoint(run).to_bytes()),
            None => Ok(()),
        })?;
        Ok(Trained {
            model: Box::new(plan.model(&run)),
            complete,
            summary: run.progress.summary(plan.bugs.len()),
            notes: run.progress.notes(),
            warning: run.progress.best().and_then(Appraisal::warning),
        })
    }
}

impl TrainingPlan<'_> {
    fn start(&self) -> TrainingRun {
        TrainingRun {
            training: Training::new(self.hyperparameters_of(0)),
            kept: None,
            progress: TrainingProgress::default(),
        }
    }

    /// What one of the trainings is told.
    fn hyperparameters_of(&self, round: usize) -> Hyperparameters {
        let seed = self.hyperparameters.seed;
        Hyperparameters {
            // The first has the seed itself.
            seed: seed.wrapping_add((round as u64) << 32),
            ..self.hyperparameters.clone()
        }
    }

    /// Sees what a training came to, keeps its network if it is the best so far, and starts the next
    /// one, if any.
    fn appraise(&self, run: &mut TrainingRun) {
        let network = &run.training.network;
        let own = Appraisal::new(network, self.hyperparameters, self.bugs);
        let mut others = run.progress.appraisals.iter();
        if others.all(|other| own.reward > other.reward) {
            run.kept = Some(network.clone());
        }
        run.progress.appraisals.push(own);
        let round = run.progress.appraisals.len();
        if round < self.hyperparameters.rounds() {
            run.training = Training::new(self.hyperparameters_of(round));
            run.progress = TrainingProgress {
                appraisals: std::mem::take(&mut run.progress.appraisals),
                ..TrainingProgress::default()
            };
        }
    }

    /// Where a checkpoint of this plan left off; or what differs, if it is of another one.
    fn resume(&self, checkpoint: Checkpoint) -> Result<TrainingRun, &'static str> {
        let origin = self.origin();
        if checkpoint.origin.hyperparameters != origin.hyperparameters {
            return Err("the hyper-parameters");
        }
        if checkpoint.origin.data_digest != origin.data_digest {
            return Err("the training data");
        }
        let progress: TrainingProgress =
            serde_json::from_value(checkpoint.progress).map_err(|_| "the records of progress")?;
        let training = Training {
            hyperparameters: self.hyperparameters_of(progress.appraisals.len()),
            network: checkpoint.network,
            target: checkpoint.target,
            adam: checkpoint.adam,
            learn_steps: progress.learn_steps,
        };
        Ok(TrainingRun {
            training,
            kept: checkpoint.kept,
            progress,
        })
    }

    /// Learns from the versions left, keeping each, while the observer will. Whether all are done, in
    /// all trainings.
    fn learn(
        &self,
        run: &mut TrainingRun,
        observer: &mut dyn TrainingObserver,
        keep: impl Fn(&TrainingRun) -> Result<(), ModelFileError>,
    ) -> Result<bool, ModelFileError> {
        while run.progress.appraisals.len() < self.hyperparameters.rounds() {
            let wanted = self.learn_once(run, observer, &keep)?;
            if run.progress.versions < self.bugs.len() {
                return Ok(false);
            }
            self.appraise(run);
            if !wanted {
                break;
            }
        }
        Ok(run.progress.appraisals.len() == self.hyperparameters.rounds())
    }

    /// The same for one training. Whether the observer wants to go on.
    fn learn_once(
        &self,
        run: &mut TrainingRun,
        observer: &mut dyn TrainingObserver,
        keep: impl Fn(&TrainingRun) -> Result<(), ModelFileError>,
    ) -> Result<bool, ModelFileError> {
        while let Some(&(bug, spectrum)) = self.bugs.get(run.progress.versions) {
            let mut episode = 0;
            let number = run.progress.versions as u64 + 1;
            let outcome = run.training.version(spectrum, number, |report| {
                episode += 1;
                observer.episode(bug, episode, report);
            });
            let progress = &mut run.progress;
            let name = format!("{} {}", bug.subject, bug.version);
            progress.versions += 1;
            progress.learn_steps = run.training.learn_steps;
            let mean_reward = outcome.as_ref().ok().map(|report| {
                let rewards: f64 = report.episodes.iter().map(|own| own.reward).sum();
                rewards / report.episodes.len().max(1) as f64
            });
            match outcome {
                Ok(report) => progress
                    .ring_not_filled
                    .extend(report.ring_not_filled.then_some(name)),
                Err(error) => progress.skipped.push((name, error.to_string())),
            }
            keep(run)?;
            if !observer.version(mean_reward) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn model(&self, run: &TrainingRun) -> RlfdcModel {
        RlfdcModel {
            network: run.kept.as_ref().unwrap_or(&run.training.network).clone(),
            origin: self.origin(),
        }
    }

    /// All that is needed to go on from here.
    fn checkpoint(&self, run: &TrainingRun) -> Checkpoint {
        let TrainingRun {
            training,
            kept,
            progress,
        } = run;
        Checkpoint {
            network: training.network.clone(),
            target: training.target.clone(),
            adam: training.adam.clone(),
            kept: kept.clone(),
            origin: self.origin(),
            progress: serde_json::to_value(progress).expect("plain fields"),
        }
    }

    fn origin(&self) -> Origin {
        Origin {
            hyperparameters: self.hyperparameters.to_json(),
            features: json!({
                "state": ["tests added so far", "ambiguity groups inside S"],
                "action": ["split: sum over groups of AG(T) inside S of (g/n) min(covered, not)",
                           "cover: Jaccard similarity with the failing test over all elements"],
            }),
            data_digest: self.data_digest.to_owned(),
            fdc_version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

impl TrainingProgress {
    /// The training that earned most, the first of equals.
    fn best(&self) -> Option<&Appraisal> {
        let appraisals = self.appraisals.iter();
        appraisals.reduce(|best, own| match own.reward > best.reward {
            true => own,
            false => best,
        })
    }

    fn summary(&self, bugs: usize) -> String {
        let (learned, steps) = (self.versions - self.skipped.len(), self.learn_steps);
        let mut summary = format!("{learned} of {bugs} versions, {steps} learning steps");
        if let Some(best) = self.best() {
            summary += &format!(", {}", best.words());
        }
        if let [_, _, ..] = self.appraisals[..] {
            let rewards = self.appraisals.iter().map(|own| own.reward);
            let rewards: Vec<String> = rewards.map(|reward| format!("{reward:.2}")).collect();
            let (rounds, rewards) = (rewards.len(), rewards.join(", "));
            summary += &format!(", the best of {rounds} trainings ({rewards})");
        }
        summary
    }

    fn notes(&self) -> Vec<String> {
        let skipped = self.skipped.iter();
        let mut notes: Vec<String> = skipped
            .map(|(version, why)| format!("left out {version}: {why}"))
            .collect();
        if !self.ring_not_filled.is_empty() {
            let (count, names) = (self.ring_not_filled.len(), self.ring_not_filled.join(", "));
            let why = "never filled the ring, nothing was learned from them";
            notes.push(format!("{count} versions {why}: {names}"));
        }
        notes
    }
}
