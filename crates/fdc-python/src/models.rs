//! Learned models, and what they are.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::error::detached;
use crate::values::json;

/// A learned model.
#[pyclass(frozen, get_all, skip_from_py_object, module = "fdc")]
pub struct Model {
    /// The metric that it makes.
    pub metric: &'static str,
    /// What it is, in half a sentence.
    pub summary: String,
    /// What its training was told, the seed included.
    pub hyperparameters: Py<PyAny>,
    /// What goes into it.
    pub features: Py<PyAny>,
    /// Digest of the data that it was trained on.
    pub data_digest: String,
    /// Version of fdc that trained it.
    pub fdc_version: String,
    /// All that `fdc model show --format json` tells.
    pub document: Py<PyAny>,
}

#[pymethods]
impl Model {
    fn __repr__(&self) -> String {
        format!("Model({}: {})", self.metric, self.summary)
    }
}

/// The models that are built in.
#[pyfunction]
pub(crate) fn models(py: Python<'_>) -> PyResult<Vec<Model>> {
    fdc::model::built_in().map(|model| of(py, &model)).collect()
}

/// What a model is. file: one that `fdc.train` wrote, or the name of a learned metric for the model
/// that is built in.
#[pyfunction]
#[pyo3(signature = (file=PathBuf::from("sharp")), text_signature = "(file='sharp')")]
pub(crate) fn model(py: Python<'_>, file: PathBuf) -> PyResult<Model> {
    of(py, &detached(py, || fdc::model::model(&file))?)
}

fn of(py: Python<'_>, model: &fdc::model::Model) -> PyResult<Model> {
    let origin = model.origin();
    Ok(Model {
        metric: model.metric,
        summary: model.summary(),
        hyperparameters: json(py, &origin.hyperparameters)?,
        features: json(py, &origin.features)?,
        data_digest: origin.data_digest.clone(),
        fdc_version: origin.fdc_version.clone(),
        document: json(py, &model.document())?,
    })
}
