//! The suspiciousness formulas.

use fdc_core::formula::FORMULAS;
use pyo3::prelude::*;

/// A suspiciousness formula.
#[pyclass(frozen, get_all, skip_from_py_object, module = "fdc", eq, hash)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Formula {
    /// What to pass as `formula`.
    pub name: &'static str,
    /// The formula, in ef, ep, nf, np, F = ef+nf, P = ep+np.
    pub text: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
}

#[pymethods]
impl Formula {
    fn __repr__(&self) -> String {
        format!("Formula({}: {})", self.name, self.text)
    }
}

/// All suspiciousness formulas, the default first.
#[pyfunction]
pub(crate) fn formulas() -> Vec<Formula> {
    let entries = FORMULAS.iter();
    entries
        .map(|formula| Formula {
            name: formula.name,
            text: formula.text,
            citation: formula.citation,
        })
        .collect()
}
