//! `model`: what a learned model is.

use std::ops::Deref;
use std::path::Path;

use fdc_learn::LEARNERS;
use fdc_learn::learner::{self, LearnedModel, Learner};
use serde_json::{Value, json};

use crate::error::Result;

/// A model, and the metric that it makes.
pub struct Model {
    /// The metric's name.
    pub metric: &'static str,
    held: Held,
}

enum Held {
    BuiltIn(&'static dyn LearnedModel),
    Read(Box<dyn LearnedModel>),
}

impl Deref for Model {
    type Target = dyn LearnedModel;

    fn deref(&self) -> &Self::Target {
        match &self.held {
            Held::BuiltIn(model) => *model,
            Held::Read(model) => &**model,
        }
    }
}

/// A built-in model by its metric's name, else the one in a file.
pub fn model(file: &Path) -> Result<Model> {
    if let Some(learner) = file.to_str().and_then(learner::named) {
        return Ok(of(learner));
    }
    let (learner, model) = learner::read(file)?;
    Ok(Model {
        metric: learner.name(),
        held: Held::Read(model),
    })
}

/// The models that are built in.
pub fn built_in() -> impl Iterator<Item = Model> {
    LEARNERS.iter().map(|learner| of(*learner))
}

fn of(learner: &'static dyn Learner) -> Model {
    Model {
        metric: learner.name(),
        held: Held::BuiltIn(learner.built_in()),
    }
}

impl Model {
    /// Everything that its file says, as data.
    pub fn document(&self) -> Value {
        let origin = self.origin();
        let mut document = json!({
            "schema": 1,
            "metric": self.metric,
            "hyperparameters": origin.hyperparameters,
            "features": origin.features,
            "data_digest": origin.data_digest,
            "fdc_version": origin.fdc_version,
        });
        if let Some(fields) = document.as_object_mut() {
            fields.extend(self.contents());
        }
        document
    }
}
