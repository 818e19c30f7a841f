//! The native part of the Python package `fdc`. It translates and never computes: plain values
//! are in `values.rs`, errors become exceptions in `error.rs`, rows become bits in `row.rs`.

mod error;
mod fitness;
mod rank;
mod row;
mod select;
mod spectrum;
mod values;
mod watch;

use pyo3::prelude::*;

/// What the package `fdc` is made of; import that.
#[pymodule(gil_used = false)]
mod _fdc {
    #[pymodule_export]
    use crate::{
        fitness::Fitness,
        rank::rank,
        select::select,
        spectrum::Spectrum,
        values::{Element, Formula, Metric, Pick, Suspect, Test, formulas, metrics},
        watch::{stale_tests, take_in_run},
    };

    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
