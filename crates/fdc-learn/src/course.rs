//! A training over many bugs, which can be stopped and taken up again after any of them.

#[cfg(test)]
mod tests;

use fdc_core::Spectrum;
use fdc_core::spectrum::Bug;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::hyperparameters::Hyperparameters;
use crate::model_file::{Checkpoint, Model, Origin};
use crate::train::{EpisodeReport, Training, VersionReport};

/// Bugs to learn from, in order, and how.
pub struct Course<'a> {
    /// The training versions.
    pub bugs: Vec<(&'a Bug, &'a Spectrum)>,
    /// What the training is told; must pass its check.
    pub hyperparameters: Hyperparameters,
    /// Digest of the bugs.
    pub data_digest: String,
}

/// How far a course got.
#[derive(Clone, Debug)]
pub struct Attendance {
    training: Training,
    progress: Progress,
}

/// What a checkpoint keeps beside the weights.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Versions done, the skipped ones included.
    pub versions: usize,
    /// Learning steps done.
    pub learn_steps: u64,
    /// Versions that could not be learned from, and why.
    pub skipped: Vec<(String, String)>,
    /// Versions that never filled the ring, so that nothing was learned.
    pub ring_not_filled: Vec<String>,
}

/// Is told how the course goes, and may end it.
pub trait Observer {
    /// An episode was done.
    fn episode(&mut self, _bug: &Bug, _number: usize, _report: EpisodeReport) {}

    /// A version was done (`None`: skipped). Whether to go on.
    fn version(&mut self, _bug: &Bug, _report: Option<&VersionReport>, _at: &Attendance) -> bool {
        true
    }
}

/// An observer that wants to know nothing.
pub struct NoObserver;

impl Observer for NoObserver {}

/// A checkpoint that belongs to another training.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the checkpoint is of another training: {what} differ")]
pub struct OtherTraining {
    what: &'static str,
}

impl Course<'_> {
    /// At the beginning.
    pub fn start(&self) -> Attendance {
        Attendance {
            training: Training::new(self.hyperparameters.clone()),
            progress: Progress::default(),
        }
    }

    /// Where a checkpoint of this course left off.
    pub fn resume(&self, checkpoint: Checkpoint) -> Result<Attendance, OtherTraining> {
        let origin = self.origin();
        if checkpoint.origin.hyperparameters != origin.hyperparameters {
            return Err(OtherTraining {
                what: "the hyper-parameters",
            });
        }
        if checkpoint.origin.data_digest != origin.data_digest {
            return Err(OtherTraining {
                what: "the training data",
            });
        }
        let progress: Progress =
            serde_json::from_value(checkpoint.progress).map_err(|_| OtherTraining {
                what: "the records of progress",
            })?;
        let training = Training {
            hyperparameters: self.hyperparameters.clone(),
            network: checkpoint.network,
            target: checkpoint.target,
            adam: checkpoint.adam,
            learn_steps: progress.learn_steps,
        };
        Ok(Attendance { training, progress })
    }

    /// Learns from the versions that are left, until the observer has had enough. Whether all are
    /// done.
    pub fn attend(&self, attendance: &mut Attendance, observer: &mut dyn Observer) -> bool {
        while let Some(&(bug, spectrum)) = self.bugs.get(attendance.progress.versions) {
            let mut episode = 0;
            let number = attendance.progress.versions as u64 + 1;
            let outcome = attendance.training.version(spectrum, number, |report| {
                observer.episode(bug, episode, report);
                episode += 1;
            });
            let progress = &mut attendance.progress;
            let name = format!("{} {}", bug.subject, bug.version);
            progress.versions += 1;
            progress.learn_steps = attendance.training.learn_steps;
            let report = match outcome {
                Ok(report) => {
                    if report.ring_not_filled {
                        progress.ring_not_filled.push(name);
                    }
                    Some(report)
                }
                Err(error) => {
                    progress.skipped.push((name, error.to_string()));
                    None
                }
            };
            if !observer.version(bug, report.as_ref(), attendance) {
                return attendance.progress.versions == self.bugs.len();
            }
        }
        true
    }

    /// The model as learned so far.
    pub fn model(&self, attendance: &Attendance) -> Model {
        Model {
            network: attendance.training.network.clone(),
            origin: self.origin(),
        }
    }

    /// All that is needed to go on from here.
    pub fn checkpoint(&self, attendance: &Attendance) -> Checkpoint {
        let Attendance { training, progress } = attendance;
        Checkpoint {
            network: training.network.clone(),
            target: training.target.clone(),
            adam: training.adam.clone(),
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
            data_digest: self.data_digest.clone(),
            fdc_version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

impl Attendance {
    /// What has been done.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }
}
