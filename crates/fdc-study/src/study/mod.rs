//! A file per question of the paper: its runs, and their table with the paper's figures beside.
//!
//! | concept | home |
//! |---|---|
//! | the file, typed | [`definition`] |
//! | the bugs it names, read from a data folder | [`pools`] |
//! | acc@n after 0, 1, ... tests, as in rq1, rq2, rq3 | [`curve`] |
//! | one accuracy by training and test project, as in rq4 | [`matrix`] |
//! | one accuracy after chosen numbers of tests, as in rq5 | [`ablation`] |
//! | what the model of each fold is worth, as in stability | [`folds`] |
//! | answers of simulated labellers, as in labelling | [`labelling`] |
//! | bugs, tests and methods of each project | [`subjects`] |
//! | seconds of training and selection | [`cost`] |
//! | what all tables share | [`sheet`] |

pub mod ablation;
pub mod cost;
pub mod curve;
pub mod definition;
pub mod folds;
pub mod labelling;
pub mod matrix;
pub mod pools;
pub mod sheet;
pub mod subjects;
#[cfg(test)]
mod tests;

pub use definition::Study;
pub use sheet::Sheet;
pub use subjects::BugSize;

use std::collections::BTreeMap;

use crate::labeller::LabellerRun;
use crate::run::StudyRun;

/// The runs of a study, by the names its file gives them.
pub type Runs = BTreeMap<String, PoolRuns>;

/// The runs on one choice of bugs.
#[derive(Clone, Debug, Default)]
pub struct PoolRuns {
    /// What was run.
    pub runs: Vec<StudyRun>,
    /// What labellers were asked.
    pub labellings: Vec<LabellerRun>,
    /// How large programs and suites are, in the order of the bugs.
    pub sizes: Vec<BugSize>,
}

impl Study {
    /// All tables that runs fill, in the order subjects, curves, matrices, ablations, folds, labellings.
    /// Timings are apart: see [`cost`].
    pub fn sheets(&self, runs: &Runs) -> Vec<Sheet> {
        let mut sheets: Vec<Sheet> = self.subjects.iter().map(|own| own.sheet(runs)).collect();
        sheets.extend(self.curve.iter().map(|own| own.sheet(runs)));
        sheets.extend(self.matrix.iter().map(|own| own.sheet(runs)));
        sheets.extend(self.ablation.iter().map(|own| own.sheet(runs)));
        sheets.extend(self.folds.iter().map(|own| own.sheet(runs)));
        let labellings = self.labelling.iter();
        sheets.extend(labellings.flat_map(|own| own.sheets(runs, self.answers())));
        sheets
    }
}
