//! What competes in a study: metrics as they are, or learned ones trained per division of the bugs.

use fdc_core::Spectrum;
use fdc_core::metric::{self, Kind, METRICS, Metric, MetricError, Specification};
use fdc_core::spectrum::Bug;
use fdc_learn::course::{Course, NoObserver};
use fdc_learn::sharp::train::SharpOptions;
use fdc_learn::sharp::{self, Sharp};
use fdc_learn::{Hyperparameters, Model, Rlfdc, rlfdc};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A metric in a study.
#[derive(Clone, Debug)]
pub struct Contender {
    /// How it was asked for.
    pub label: String,
    kind: ContenderKind,
}

#[derive(Clone, Debug)]
enum ContenderKind {
    HandMade(Specification),
    Rlfdc(Box<Hyperparameters>),
    Sharp(SharpOptions),
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
        let kind = match &*specification.name {
            name if name == rlfdc::ENTRY.name => {
                let asked: Hyperparameters = with_parameters(&specification).map_err(wrong)?;
                asked.check().map_err(|error| wrong(error.to_string()))?;
                ContenderKind::Rlfdc(Box::new(asked))
            }
            name if name == sharp::ENTRY.name => {
                let asked: SharpOptions = with_parameters(&specification).map_err(wrong)?;
                asked.check().map_err(|error| wrong(error.to_string()))?;
                ContenderKind::Sharp(asked)
            }
            name => {
                metric::entry(METRICS, name)?.build(&specification)?;
                ContenderKind::HandMade(specification)
            }
        };
        Ok(Contender {
            label: text.to_owned(),
            kind,
        })
    }

    /// Whether it learns from bugs.
    pub fn is_learned(&self) -> bool {
        !matches!(self.kind, ContenderKind::HandMade(_))
    }

    /// Whether its choices depend on the seed.
    pub fn uses_seed(&self) -> bool {
        match &self.kind {
            ContenderKind::Rlfdc(_) => true,
            // Nothing in its training is random.
            ContenderKind::Sharp(_) => false,
            ContenderKind::HandMade(specification) => specification.name == "random",
        }
    }

    /// The metric, trained on nothing: a hand-made one, or the built-in model.
    pub fn untrained(&self, seed: u64) -> Metric {
        match &self.kind {
            ContenderKind::HandMade(specification) => {
                let mut specification = specification.clone();
                if self.uses_seed() {
                    specification.parameters = vec![("seed".into(), seed.to_string())];
                }
                let entry = metric::entry(METRICS, &specification.name).expect("checked");
                entry.build(&specification).expect("checked")
            }
            ContenderKind::Rlfdc(_) => self.rlfdc(rlfdc::built_in()),
            ContenderKind::Sharp(_) => self.sharp(sharp::built_in().clone()),
        }
    }

    /// The metric, trained on these bugs where it learns.
    pub fn trained(&self, bugs: &[(&Bug, &Spectrum)], seed: u64) -> Metric {
        let hyperparameters = match &self.kind {
            ContenderKind::HandMade(_) => return self.untrained(seed),
            ContenderKind::Sharp(options) => {
                let model = sharp::train::train(bugs, options, String::new());
                return model.map_or_else(|| self.untrained(seed), |model| self.sharp(model));
            }
            ContenderKind::Rlfdc(hyperparameters) => hyperparameters,
        };
        let course = Course {
            bugs: bugs.to_vec(),
            hyperparameters: Hyperparameters {
                seed,
                ..(**hyperparameters).clone()
            },
            data_digest: String::new(),
        };
        let mut attendance = course.start();
        course.attend(&mut attendance, &mut NoObserver);
        self.rlfdc(&course.model(&attendance))
    }

    fn rlfdc(&self, model: &Model) -> Metric {
        Metric::new(&self.label, Kind::Agnostic(Box::new(Rlfdc::of(model))))
    }

    fn sharp(&self, model: sharp::model::SharpModel) -> Metric {
        Metric::new(&self.label, Kind::Agnostic(Box::new(Sharp::new(model))))
    }
}

/// The defaults of a training, with the specification's parameters put in.
fn with_parameters<T: Default + Serialize + DeserializeOwned>(
    specification: &Specification,
) -> Result<T, String> {
    let mut json = serde_json::to_value(T::default()).expect("plain fields");
    for (key, text) in &specification.parameters {
        let value = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str()));
        match json.as_object_mut().and_then(|fields| fields.get_mut(key)) {
            Some(field) if key != "seed" => *field = value,
            _ => return Err(format!("{key} is no hyper-parameter that a study sets")),
        }
    }
    serde_json::from_value(json).map_err(|error| error.to_string())
}
