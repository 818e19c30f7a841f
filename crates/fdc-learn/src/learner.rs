//! What a learned metric can do. To add one, write its folder and a line in
//! [`LEARNERS`]: commands, studies and the page of `fdc explain` read the table.

use std::panic::RefUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fdc_core::Spectrum;
use fdc_core::metric::{Agnostic, Entry};
use fdc_core::spectrum::Bug;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::LEARNERS;
use crate::model_file::{self, ModelFileError, ModelProblem, Origin, Result};
use crate::sharp::model::SharpModel;

/// A metric that is learned from bugs whose faults are known.
pub trait Learner: Sync + RefUnwindSafe {
    /// Its entry among the metrics, with the built-in model.
    fn entry(&self) -> &'static Entry;

    /// The metric's name, which is also the kind of its model files.
    fn name(&self) -> &'static str {
        self.entry().name
    }

    /// The model in the program itself.
    fn built_in(&self) -> &'static dyn LearnedModel;

    /// SHA-256 of the built-in model's file, in hexadecimal: another one after every change of it.
    fn digest(&self) -> String {
        let bytes = self.built_in().to_bytes().expect("it was read from bytes");
        model_file::digest(&bytes)
    }

    /// A model from the bytes of its file.
    fn read(&self, bytes: &[u8]) -> Result<Box<dyn LearnedModel>>;

    /// What `fdc train` offers to set; a study can set every field of the training's options.
    fn options(&self) -> &'static [TrainingOption] {
        &[]
    }

    /// Whether it learns in episodes, which can be followed, stopped and resumed.
    fn has_episodes(&self) -> bool {
        false
    }

    /// Whether its training can start from a model.
    fn takes_base(&self) -> bool {
        false
    }

    /// Whether anything in its training is random.
    fn uses_seed(&self) -> bool {
        self.options().iter().any(|option| option.name == "seed")
    }

    /// A training with these options, by name, and the defaults of all others; or what is wrong.
    fn trainer(&self, options: &[(String, String)]) -> Result<Box<dyn Trainer>, String>;
}

impl std::fmt::Debug for dyn Learner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What was learned, ready to choose tests.
pub trait LearnedModel: Send + Sync {
    /// Where it comes from.
    fn origin(&self) -> &Origin;

    /// The metric it makes.
    fn metric(&self) -> Box<dyn Agnostic>;

    /// The bytes of its file; a weight that is NaN or infinite is refused.
    fn to_bytes(&self) -> Result<Vec<u8>>;

    /// What it is, in half a sentence.
    fn summary(&self) -> String;

    /// What its file holds beside the origin, for programs.
    fn contents(&self) -> Map<String, Value>;

    /// What goes into it.
    fn features(&self) -> Vec<Passage>;

    /// What was learned, to look at.
    fn explain(&self) -> Vec<Passage>;

    /// The distribution over methods that rankings can go by, if it learned one.
    fn localiser(&self) -> Option<Arc<SharpModel>> {
        None
    }

    /// The bytes of an ONNX file, if it can be one.
    fn onnx(&self) -> Option<Vec<u8>> {
        None
    }
}

/// A training that knows its options.
pub trait Trainer: Send + Sync {
    /// Checks every range.
    fn check(&self) -> Result<(), BadHyperparameter>;

    /// How often it goes through all bugs of a task.
    fn rounds(&self) -> usize {
        1
    }

    /// Learns from the bugs of a task, until all are done or the observer has had enough.
    fn train(
        &self,
        task: &TrainingTask<'_>,
        observer: &mut dyn TrainingObserver,
    ) -> Result<Trained, TrainingError>;
}

/// The bugs of one model.
#[derive(Clone, Debug, Default)]
pub struct TrainingTask<'a> {
    /// In training order.
    pub bugs: Vec<(&'a Bug, &'a Spectrum)>,
    /// Digest of the bugs, kept with the model.
    pub data_digest: String,
    /// What to start from, if the learner can ([`Learner::takes_base`]).
    pub base: Option<Arc<SharpModel>>,
    /// Where a training in episodes keeps what it needs to resume.
    pub checkpoint: Option<PathBuf>,
    /// Whether to resume where a checkpoint left off, if there is one.
    pub resume: bool,
}

/// What came of a training.
pub struct Trained {
    /// The model; if not complete, what was learned so far.
    pub model: Box<dyn LearnedModel>,
    /// Whether all bugs were learned from.
    pub complete: bool,
    /// What was done, in half a sentence.
    pub summary: String,
    /// What could not be learned from, and why.
    pub notes: Vec<String>,
    /// What to know before relying on it: that it hardly learned.
    pub warning: Option<String>,
}

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
pub enum TrainingError {
    /// A checkpoint that cannot be read or written.
    #[error(transparent)]
    Checkpoint(#[from] ModelFileError),
    /// A checkpoint of other data or options.
    #[error("{}: the checkpoint is of another training: {what} differ", path.display())]
    OtherTraining {
        /// The checkpoint.
        path: PathBuf,
        /// What is not the same.
        what: &'static str,
    },
    /// Nothing to learn from.
    #[error("no failing test reaches a faulty method")]
    NoFaultReached,
}

/// Is told how a training goes, and may end it.
pub trait TrainingObserver {
    /// So many versions were done before.
    fn resumed(&mut self, _versions: usize) {}

    /// The `number`-th episode of a bug, from 1, was done.
    fn episode(&mut self, _bug: &Bug, _number: usize, _report: EpisodeReport) {}

    /// A version was done, with its mean reward (`None`: nothing to learn from). Whether to go on.
    fn version(&mut self, _mean_reward: Option<f64>) -> bool {
        true
    }
}

/// Nobody looks on.
impl TrainingObserver for () {}

/// What happened in one episode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpisodeReport {
    /// Sum of the rewards.
    pub reward: f64,
    /// Rank of the best faulty method at the end.
    pub rank: f64,
    /// Mean error of the learning steps in it, if there was one.
    pub loss: Option<f64>,
}

/// An option of a training, as the command line takes it.
#[derive(Debug)]
pub struct TrainingOption {
    /// As model files and studies call it.
    pub name: &'static str,
    /// Its value unless given.
    pub default: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// Which values there are.
    pub values: OptionValues,
}

/// The values of an option; finer ranges are checked when the training is made.
#[derive(Clone, Copy, Debug)]
pub enum OptionValues {
    /// Whole numbers from 0.
    Whole,
    /// Numbers.
    Real,
    /// Any text.
    Text,
    /// Names with a line on each.
    OneOf(&'static [(&'static str, &'static str)]),
    /// Suspiciousness formulas.
    Formula,
}

/// A piece of a page about a model.
#[derive(Clone, Debug, PartialEq)]
pub enum Passage {
    /// Lines as they are.
    Text(String),
    /// Columns side by side.
    Columns {
        /// Those that start with `>` are aligned to the right.
        headings: Vec<String>,
        /// Cells, line by line.
        rows: Vec<Vec<String>>,
    },
}

/// A number of a training's options outside its range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("hyper-parameter {name}: expected {expected}, found {found}")]
pub struct BadHyperparameter {
    /// Which.
    pub name: &'static str,
    /// Its range.
    pub expected: &'static str,
    /// What was given.
    pub found: String,
}

impl BadHyperparameter {
    /// Unless the condition holds.
    pub(crate) fn unless(
        holds: bool,
        name: &'static str,
        expected: &'static str,
        found: &dyn std::fmt::Display,
    ) -> Result<(), Self> {
        if holds {
            return Ok(());
        }
        let found = found.to_string();
        Err(BadHyperparameter {
            name,
            expected,
            found,
        })
    }
}

/// The learned metric of that name.
pub fn named(name: &str) -> Option<&'static dyn Learner> {
    let mut learners = LEARNERS.iter().copied();
    learners.find(|learner| learner.name() == name)
}

/// The names of all, with commas between.
pub(crate) fn names() -> String {
    let names: Vec<&str> = LEARNERS.iter().map(|learner| learner.name()).collect();
    names.join(", ")
}

/// The model in a file, and whose it is.
pub fn read(path: &Path) -> Result<(&'static dyn Learner, Box<dyn LearnedModel>), ModelFileError> {
    model_file::read(path, |bytes| {
        let kind = model_file::kind(bytes)?;
        let learner = named(&kind).ok_or(ModelProblem::Kind {
            expected: names(),
            found: kind,
        })?;
        Ok((learner, learner.read(bytes)?))
    })
}

/// A training with these options and the defaults of all others; or what is wrong with them.
pub(crate) fn with_options<T: Trainer + Default + Serialize + DeserializeOwned>(
    options: &[(String, String)],
) -> Result<T, String> {
    let mut json = serde_json::to_value(T::default()).expect("plain fields");
    for (key, text) in options {
        let value = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str()));
        match json.as_object_mut().and_then(|fields| fields.get_mut(key)) {
            Some(field) => *field = value,
            None => return Err(format!("{key} is no hyper-parameter that a study sets")),
        }
    }
    let trainer: T = serde_json::from_value(json).map_err(|error| error.to_string())?;
    trainer.check().map_err(|error| error.to_string())?;
    Ok(trainer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{rlfdc, sharp};

    #[test]
    fn names_and_digests_are_unique_and_every_built_in_model_is_read_by_its_own() {
        for (place, learner) in LEARNERS.iter().enumerate() {
            let others = || LEARNERS.iter().skip(place + 1);
            assert!(others().all(|other| other.name() != learner.name()));
            assert!(others().all(|other| other.digest() != learner.digest()));
            let bytes = learner.built_in().to_bytes().unwrap();
            let file = format!("../../models/{}.safetensors", learner.name());
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
            assert_eq!(std::fs::read(file).unwrap(), bytes);
            let model = learner.read(&bytes).unwrap();
            assert!(!model.summary().is_empty() && !model.explain().is_empty());
            assert!(others().all(|other| other.read(&bytes).is_err()));
        }
    }

    #[test]
    fn options_have_the_defaults_that_the_command_line_shows() {
        let options = |own: &TrainingOption| (own.name.to_owned(), own.default.to_owned());
        let shown: Vec<_> = rlfdc::LEARNER.options().iter().map(options).collect();
        let shown: rlfdc::Hyperparameters = with_options(&shown).unwrap();
        assert_eq!(shown, rlfdc::Hyperparameters::default());
        let shown: Vec<_> = sharp::LEARNER.options().iter().map(options).collect();
        let shown: sharp::train::SharpOptions = with_options(&shown).unwrap();
        assert_eq!(shown, sharp::train::SharpOptions::default());
        let unknown = [("colour".to_owned(), "red".to_owned())];
        assert!(
            LEARNERS
                .iter()
                .all(|learner| learner.trainer(&unknown).is_err())
        );
    }
}
