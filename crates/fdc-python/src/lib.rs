//! The native part of the Python package `fdc`. It translates and never computes: one file per
//! exposed type, errors become exceptions in `error.rs`, rows become bits in `row.rs`.

mod element;
mod error;
mod fitness;
mod formula;
mod metric;
mod pick;
mod rank;
mod row;
mod select;
mod spectrum;
mod suspect;
mod test;

use pyo3::prelude::*;

/// What the package `fdc` is made of; import that.
#[pymodule(gil_used = false)]
mod _fdc {
    #[pymodule_export]
    use crate::{
        element::Element,
        fitness::Fitness,
        formula::{Formula, formulas},
        metric::{Metric, metrics},
        pick::Pick,
        rank::rank,
        select::select,
        spectrum::Spectrum,
        suspect::Suspect,
        test::Test,
    };

    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
