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
    use crate::element::Element;
    #[pymodule_export]
    use crate::fitness::Fitness;
    #[pymodule_export]
    use crate::formula::{Formula, formulas};
    #[pymodule_export]
    use crate::metric::{Metric, metrics};
    #[pymodule_export]
    use crate::pick::Pick;
    #[pymodule_export]
    use crate::rank::rank;
    #[pymodule_export]
    use crate::select::select;
    #[pymodule_export]
    use crate::spectrum::Spectrum;
    #[pymodule_export]
    use crate::suspect::Suspect;
    #[pymodule_export]
    use crate::test::Test;

    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
