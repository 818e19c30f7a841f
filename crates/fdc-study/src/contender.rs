//! What competes in a study: metrics as they are, learned ones trained per division of the bugs, and
//! rankings that ask for no outcome at all, which a choice of tests has to beat.

use std::sync::Arc;

use fdc_core::Spectrum;
use fdc_core::metric::{self, METRICS, Metric, MetricError, Specification};
use fdc_core::spectrum::Bug;
use fdc_learn::catalogue::of_model;
use fdc_learn::learner::{self, LearnedModel, Learner, TrainingTask};
use fdc_learn::sharp::model::SharpModel;

/// The name of contenders that choose no test: `no-answers`, `no-answers:ranking=sharp`.
pub const NO_ANSWERS: &str = "no-answers";

/// A metric in a study, or a ranking without answers.
#[derive(Clone, Debug)]
pub struct Contender {
    /// How it was asked for.
    pub label: String,
    specification: Specification,
    kind: ContenderKind,
}

#[derive(Clone, Copy, Debug)]
enum ContenderKind {
    HandMade,
    Learned(&'static dyn Learner),
    /// The formula, with every other test taken to pass.
    AllPass,
    /// The distribution that this learner learns.
    Distribution(&'static dyn Learner),
}

/// What a contender does in a run.
#[derive(Debug)]
pub enum Role {
    /// Chooses the tests whose outcomes join.
    Chooses(Metric),
    /// Ranks with no outcome but the failing test's, by the formula: every other test is taken to pass.
    TakesAllToPass,
    /// The same, by a learned distribution.
    Ranks(Arc<SharpModel>),
}

/// A contender, ready to run.
#[derive(Debug)]
pub struct ReadyContender {
    /// What it does.
    pub role: Role,
    /// The distribution over methods that was learned with it, if any was.
    pub localiser: Option<Arc<SharpModel>>,
    /// What to know of its training before relying on it.
    pub warning: Option<String>,
}

impl From<Metric> for ReadyContender {
    fn from(metric: Metric) -> Self {
        ReadyContender {
            role: Role::Chooses(metric),
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
    /// Of a learned one, or of a ranking without answers.
    #[error("{label}: {problem}")]
    Parameters {
        /// How it was asked for.
        label: String,
        /// What is wrong.
        problem: String,
    },
}

impl Contender {
    /// From a specification: a metric of `fdc list metrics`, where parameters of `rlfdc` are
    /// hyper-parameters of its training, `rlfdc:network=simple,target=regular`; or [`NO_ANSWERS`].
    pub fn parse(text: &str) -> Result<Self, ContenderError> {
        let specification: Specification = text.parse()?;
        let options = &specification.parameters;
        let wrong = |problem: String| ContenderError::Parameters {
            label: text.to_owned(),
            problem,
        };
        let kind = if specification.name == NO_ANSWERS {
            unasked(options).map_err(wrong)?
        } else if let Some(learner) = learner::named(&specification.name) {
            if options.iter().any(|(key, _)| key == "seed") {
                return Err(wrong("seed is no hyper-parameter that a study sets".into()));
            }
            learner.trainer(options).map_err(wrong)?;
            ContenderKind::Learned(learner)
        } else {
            metric::entry(METRICS, &specification.name)?.build(&specification)?;
            ContenderKind::HandMade
        };
        Ok(Contender {
            label: text.to_owned(),
            specification,
            kind,
        })
    }

    /// How it is learned, if it is.
    pub fn learner(&self) -> Option<&'static dyn Learner> {
        match self.kind {
            ContenderKind::Learned(learner) | ContenderKind::Distribution(learner) => Some(learner),
            ContenderKind::HandMade | ContenderKind::AllPass => None,
        }
    }

    /// Whether it chooses tests, so that their order may matter.
    pub fn chooses(&self) -> bool {
        matches!(
            self.kind,
            ContenderKind::HandMade | ContenderKind::Learned(_)
        )
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
        if !self.chooses() {
            return ReadyContender {
                role: Role::TakesAllToPass,
                localiser: None,
                warning: None,
            };
        }
        let mut specification = self.specification.clone();
        if self.uses_seed() {
            specification.parameters = vec![("seed".into(), seed.to_string())];
        }
        let entry = metric::entry(METRICS, &specification.name).expect("checked");
        entry.build(&specification).expect("checked").into()
    }

    fn of_model(&self, model: &dyn LearnedModel) -> ReadyContender {
        let localiser = model.localiser();
        let role = match (self.kind, &localiser) {
            (ContenderKind::Distribution(_), Some(model)) => Role::Ranks(Arc::clone(model)),
            _ => Role::Chooses(of_model(&self.label, model)),
        };
        ReadyContender {
            role,
            localiser,
            warning: None,
        }
    }

    /// The metric, trained on these bugs where it learns; untrained if they teach nothing.
    pub fn trained(&self, bugs: &[(&Bug, &Spectrum)], seed: u64) -> ReadyContender {
        let Some(learner) = self.learner() else {
            return self.untrained(seed);
        };
        let mut options = match self.chooses() {
            true => self.specification.parameters.clone(),
            false => Vec::new(),
        };
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

/// The ranking that [`NO_ANSWERS`] is asked for with.
fn unasked(options: &[(String, String)]) -> Result<ContenderKind, String> {
    let mut kind = ContenderKind::AllPass;
    for (key, value) in options {
        let sharp = learner::named(fdc_learn::sharp::ENTRY.name).expect("in the table");
        kind = match (&**key, &**value) {
            ("ranking", "formula") => ContenderKind::AllPass,
            ("ranking", "sharp") => ContenderKind::Distribution(sharp),
            _ => {
                let found = format!("{key}={value}");
                return Err(format!(
                    "expected ranking=formula or ranking=sharp, found {found}"
                ));
            }
        };
    }
    Ok(kind)
}
