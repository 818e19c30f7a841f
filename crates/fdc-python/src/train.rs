//! Learning metrics from bugs whose faults are known.

use std::ffi::OsStr;
use std::path::PathBuf;

use fdc::train::TrainRequest;
use fdc_core::naming::nearest;
use fdc_learn::LEARNERS;
use fdc_learn::learner::{self, Learner, OptionValues};
use fdc_learn::protocol::Protocol;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

use crate::error::{exception, keywords, one_of_but, parsed, unknown, wrong};
use crate::evaluate::left_out;
use crate::progress::{warn, watched};
use crate::spectrum::OneOrMany;

/// A model that was trained. It can be passed on wherever the path of a model is taken.
#[pyclass(frozen, get_all, skip_from_py_object, module = "fdc", eq)]
#[derive(Clone, Debug, PartialEq)]
pub struct TrainedModel {
    /// Which bugs it learned from: the name of the division.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// What was done, in half a sentence.
    pub summary: String,
    /// What could not be learned from, and why.
    pub notes: Vec<String>,
    /// What to know before relying on it.
    pub warning: Option<String>,
    /// The number of each version and the mean reward of its episodes, where it learned in episodes.
    pub curve: Vec<(usize, f64)>,
}

#[pymethods]
impl TrainedModel {
    fn __fspath__(&self) -> &OsStr {
        self.path.as_os_str()
    }

    fn __repr__(&self) -> String {
        format!("TrainedModel({}: {})", self.path.display(), self.summary)
    }
}

/// Learns a metric from bugs whose faults are known, into a model file; a list of the models.
///
/// A training that is interrupted (Ctrl-C) keeps what was learned; resume=True goes on with it.
///
/// data: bugs with known faults, files or folders of files. out: the model file; with a protocol of
/// several models, a folder for them. recipe: "rlfdc", the network, or "sharp", the distribution.
/// mutants: cases of `fdc mutate` whose mutants are bugs to learn from, too. base: the model to start
/// from, a file or "sharp" for the built-in one. protocol: which bugs each model learns from, "all",
/// "cross-version", "cross-project" or "leave-one-out". shard: part "K/N" of the models. progress: is
/// called with a `Progress` now and then. What a training is told otherwise is given by name, such as
/// seed=3 or episodes=50; `fdc train --help` lists it.
#[pyfunction]
#[pyo3(signature = (data, out, *, recipe="rlfdc", mutants=None, base=None, protocol="all", shard=None, resume=false, progress=None, **options), text_signature = "(data, out, *, recipe='rlfdc', mutants=(), base=None, protocol='all', shard=None, resume=False, progress=None, **options)")]
#[allow(clippy::too_many_arguments)] // Python's keywords, each with a default.
pub(crate) fn train(
    py: Python<'_>,
    data: OneOrMany<PathBuf>,
    out: PathBuf,
    recipe: &str,
    mutants: Option<OneOrMany<PathBuf>>,
    base: Option<PathBuf>,
    protocol: &str,
    shard: Option<&str>,
    resume: bool,
    progress: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<TrainedModel>> {
    let learner = learner::named(recipe).ok_or_else(|| {
        let list = "fdc.models() lists the learned metrics";
        let near = nearest(recipe, LEARNERS.iter().map(|own| own.name()));
        exception(unknown("recipe", recipe, near, list))
    })?;
    let (data, mutants) = (
        data.into_vec(),
        mutants.map_or_else(Vec::new, OneOrMany::into_vec),
    );
    let options = options.into_iter().flatten();
    let options = options.map(|(name, value)| option(learner, name.extract()?, &value));
    let request = TrainRequest {
        data: &data,
        mutants: &mutants,
        out: &out,
        learner,
        options: options.collect::<PyResult<Vec<_>>>()?,
        base: base.as_deref(),
        protocol: one_of_but("protocol", protocol, Protocol::Untrained)?,
        shard: parsed("shard", shard)?,
        resume,
        on_episode: None,
    };
    let work = |watch: &dyn fdc::Watch| fdc::train::train(&request, watch);
    let (reply, _) = watched(py, progress, work)?;
    left_out(py, &reply.broken)?;
    let model = |own: fdc::train::TrainedModel| TrainedModel {
        name: own.name,
        path: own.path,
        summary: own.summary,
        notes: own.notes,
        warning: own.warning.as_deref().map(keywords),
        curve: own.curve,
    };
    let models: Vec<TrainedModel> = reply.models.into_iter().map(model).collect();
    for model in &models {
        if let Some(warning) = &model.warning {
            warn(py, &format!("{}: {warning}", model.path.display()))?;
        }
    }
    Ok(models)
}

/// An option of a training, checked as the command line does.
fn option(
    learner: &dyn Learner,
    name: String,
    value: &Bound<'_, PyAny>,
) -> PyResult<(String, String)> {
    let mut declared = learner.options().iter();
    let declared = declared.find(|own| own.name == name).ok_or_else(|| {
        let known = learner.options().iter().map(|own| own.name);
        let what = format!("option of {}", learner.name());
        let list = "`fdc train --help` lists them";
        exception(unknown(&what, &name, nearest(&name, known), list))
    })?;
    let text = match value.cast::<PyBool>() {
        Ok(flag) => flag.is_true().to_string(),
        Err(_) => value.str()?.to_string(),
    };
    let expected = match declared.values {
        OptionValues::Whole if text.parse::<u64>().is_err() => "a whole number from 0".to_owned(),
        OptionValues::Real if !text.parse::<f64>().is_ok_and(f64::is_finite) => {
            "a number".to_owned()
        }
        OptionValues::OneOf(values) if values.iter().all(|(own, _)| *own != text) => {
            let names: Vec<&str> = values.iter().map(|(own, _)| *own).collect();
            format!("one of {}", names.join(", "))
        }
        _ => return Ok((name, text)),
    };
    Err(wrong(format!(
        "{name}: expected {expected}, found {text:?}"
    )))
}
