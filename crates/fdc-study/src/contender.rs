//! What competes in a study: metrics as they are, or learned ones trained per division of the bugs.

use std::sync::Arc;

use fdc_core::Spectrum;
use fdc_core::metric::{self, METRICS, Metric, MetricError, Specification};
use fdc_core::spectrum::Bug;
use fdc_learn::catalogue::of_model;
use fdc_learn::learner::{self, LearnedModel, Learner, TrainingTask};
use fdc_learn::sharp::model::SharpModel;

/// A metric in a study.
#[derive(Clone, Debug)]
pub struct Contender {
    /// How it was asked for.
    pub label: String,
    specification: Specification,
}

/// A contender, ready to run.
#[derive(Debug)]
pub struct ReadyContender {
    /// What chooses tests.
    pub metric: Metric,
    /// The distribution over methods that was learned with it, if any was.
    pub localiser: Option<Arc<SharpModel>>,
    /// What to know of its training before relying on it.
    pub warning: Option<String>,
}

impl From<Metric> for ReadyContender {
    fn from(metric: Metric) -> Self {
        ReadyContender {
            metric,
            localiser: None,
            warning: None,
        }
    }
}

/// The specifications in a list with commas between, some of which belong to parameters:
/// `fdg:alpha=0.3,scale=minmax,tfd`.
pub fn specifications(list: &str) -> Vec<String> {
    let mut specifications: Vec<String> = Vec::new();
    for part in list.split(',') {
        match specifications.last_mut() {
            Some(last) if part.contains('=') && !part.contains(':') => {
                last.push(',');
                last.push_str(part);
            }
            _ => specifications.push(part.to_owned()),
        }
    }
    specifications
}

/// A contender was asked for wrongly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContenderError {
    /// Of a hand-made metric.
    #[error(transparent)]
    Metric(#[from] MetricError),
    /// Of a learned one.
    #[error("{label}: {problem}")]
    Hyperparameters {
        /// How it was asked for.
        label: String,
        /// What is wrong.
        problem: String,
    },
}

impl Contender {
    /// From a specification: a metric of `fdc list metrics`; parameters of `rlfdc` are
    /// hyper-parameters of its training, `rlfdc:network=simple,target=regular`.
    pub fn parse(text: &str) -> Result<Self, ContenderError> {
        let specification: Specification = text.parse()?;
        let wrong = |problem: String| ContenderError::Hyperparameters {
            label: text.to_owned(),
            problem,
        };
        match learner::named(&specification.name) {
            Some(learner) => {
                let options = &specification.parameters;
                if options.iter().any(|(key, _)| key == "seed") {
                    return Err(wrong("seed is no hyper-parameter that a study sets".into()));
                }
                learner.trainer(options).map_err(wrong)?;
            }
            None => {
                metric::entry(METRICS, &specification.name)?.build(&specification)?;
            }
        }
        Ok(Contender {
            label: text.to_owned(),
            specification,
        })
    }

    /// How it is learned, if it is.
    pub fn learner(&self) -> Option<&'static dyn Learner> {
        learner::named(&self.specification.name)
    }

    /// Whether its choices depend on the seed.
    pub fn uses_seed(&self) -> bool {
        match self.learner() {
            Some(learner) => learner.uses_seed(),
            None => self.specification.name == "random",
        }
    }

    /// The metric, trained on nothing: a hand-made one, or the built-in model.
    pub fn untrained(&self, seed: u64) -> ReadyContender {
        if let Some(learner) = self.learner() {
            return self.of_model(learner.built_in());
        }
        let mut specification = self.specification.clone();
        if self.uses_seed() {
            specification.parameters = vec![("seed".into(), seed.to_string())];
        }
        let entry = metric::entry(METRICS, &specification.name).expect("checked");
        entry.build(&specification).expect("checked").into()
    }

    fn of_model(&self, model: &dyn LearnedModel) -> ReadyContender {
        ReadyContender {
            metric: of_model(&self.label, model),
            localiser: model.localiser(),
            warning: None,
        }
    }

    /// The metric, trained on these bugs where it learns; untrained if they teach nothing.
    pub fn trained(&self, bugs: &[(&Bug, &Spectrum)], seed: u64) -> ReadyContender {
        let Some(learner) = self.learner() else {
            return self.untrained(seed);
        };
        let mut options = self.specification.parameters.clone();
        if learner.uses_seed() {
            options.push(("seed".into(), seed.to_string()));
        }
        let task = TrainingTask {
            bugs: bugs.to_vec(),
            ..TrainingTask::default()
        };
        let trainer = learner.trainer(&options).expect("checked");
        match trainer.train(&task, &mut ()) {
            Ok(trained) => ReadyContender {
                warning: trained.warning,
                ..self.of_model(&*trained.model)
            },
            Err(_) => self.untrained(seed),
        }
    }
}
