//! What competes in a study: metrics as they are, or learned ones trained per division of the bugs.

use fdc_core::metric::{self, Kind, METRICS, Metric, MetricError, Specification};
use fdc_core::spectrum::Bug;
use fdc_core::Spectrum;
use fdc_learn::course::{Course, NoObserver};
use fdc_learn::{Hyperparameters, Rlfdc, rlfdc};
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
    Learned(Box<Hyperparameters>),
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
        let kind = if specification.name == rlfdc::ENTRY.name {
            let hyperparameters = hyperparameters(&specification).map_err(|problem| {
                ContenderError::Hyperparameters {
                    label: text.to_owned(),
                    problem,
                }
            })?;
            ContenderKind::Learned(Box::new(hyperparameters))
        } else {
            metric::entry(METRICS, &specification.name)?.build(&specification)?;
            ContenderKind::HandMade(specification)
        };
        Ok(Contender {
            label: text.to_owned(),
            kind,
        })
    }

    /// Whether it learns from bugs.
    pub fn is_learned(&self) -> bool {
        matches!(self.kind, ContenderKind::Learned(_))
    }

    /// Whether its choices depend on the seed.
    pub fn uses_seed(&self) -> bool {
        match &self.kind {
            ContenderKind::Learned(_) => true,
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
            ContenderKind::Learned(_) => {
                let network = rlfdc::built_in().network.clone();
                Metric::new(&self.label, Kind::Agnostic(Box::new(Rlfdc::new(network))))
            }
        }
    }

    /// The metric, trained on these bugs where it learns.
    pub fn trained(&self, bugs: &[(&Bug, &Spectrum)], seed: u64) -> Metric {
        let ContenderKind::Learned(hyperparameters) = &self.kind else {
            return self.untrained(seed);
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
        let network = course.model(&attendance).network;
        Metric::new(&self.label, Kind::Agnostic(Box::new(Rlfdc::new(network))))
    }
}

fn hyperparameters(specification: &Specification) -> Result<Hyperparameters, String> {
    let mut json = Hyperparameters::default().to_json();
    for (key, text) in &specification.parameters {
        let value = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str()));
        match json.as_object_mut().and_then(|fields| fields.get_mut(key)) {
            Some(field) if key != "seed" => *field = value,
            _ => return Err(format!("{key} is no hyper-parameter that a study sets")),
        }
    }
    let parsed: Hyperparameters = serde_json::from_value(json).map_err(|e| e.to_string())?;
    parsed.check().map_err(|error| error.to_string())?;
    Ok(parsed)
}
