//! The native part of the Python package `fdc`. It translates and never computes: plain values
//! are in `values.rs`, errors become exceptions in `error.rs`, rows become bits in `row.rs`.

mod collect;
mod compare;
mod error;
mod evaluate;
mod figure;
mod fitness;
mod merge;
mod models;
mod progress;
mod rank;
mod report;
mod row;
mod select;
mod session;
mod spectrum;
mod train;
mod values;
mod watch;

use pyo3::prelude::*;

/// What the package `fdc` is made of; import that.
#[pymodule(gil_used = false)]
mod _fdc {
    #[pymodule_export]
    use crate::{
        collect::{Collected, collect},
        compare::{Comparison, compare},
        evaluate::{Evaluated, evaluate},
        figure::Figure,
        fitness::Fitness,
        merge::{Merged, merge},
        models::{Model, model, models},
        progress::Progress,
        rank::{Drawing, rank},
        report::{Report, report},
        select::select,
        session::{Answer, Question, Session, StopAdvice},
        spectrum::Spectrum,
        train::{TrainedModel, train},
        values::{Element, Formula, Metric, Pick, Suspect, Test, formulas, metrics},
        watch::{stale_tests, take_in_run},
    };

    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
