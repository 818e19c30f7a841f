//! One line of a ranking.

use pyo3::prelude::*;

/// A method, line or file in a ranking.
#[pyclass(frozen, get_all, skip_from_py_object, module = "fdc", eq)]
#[derive(Clone, Debug, PartialEq)]
pub struct Suspect {
    /// What it is called.
    pub name: String,
    /// The file it is in.
    pub file: String,
    /// How suspicious it is under the formula.
    pub score: f64,
    /// The probability that it is faulty; None for formulas, lines and files.
    pub probability: Option<f64>,
    /// The facts that weighed most, in words; empty for formulas, lines and files.
    pub why: Vec<String>,
    /// Its place, from 1. Equal scores share a place (default: the worst).
    pub rank: f64,
    /// Its measured lines, ascending; empty if the input has no source lines.
    pub lines: Vec<u32>,
}

#[pymethods]
impl Suspect {
    fn __repr__(&self) -> String {
        let Suspect {
            name, rank, score, ..
        } = self;
        format!("Suspect({name}, rank {rank}, score {score})")
    }
}

impl From<fdc::Suspect> for Suspect {
    fn from(suspect: fdc::Suspect) -> Self {
        Suspect {
            name: suspect.name,
            file: suspect.file,
            score: suspect.score,
            probability: suspect.probability,
            why: suspect.reasons,
            rank: suspect.rank,
            lines: suspect.lines,
        }
    }
}
