//! sharp — how high the faulty method is expected to stand once the candidate has passed.
//!
//! Two steps, from coverage and names, no outcome but that of the failing test. First, how likely each suspicious method is the faulty one:
//! a distribution learned from past bugs, over features such as how many tests of the pool reach its
//! rarest line, how like the failing test those are, how many of its lines the failing test runs, and
//! how alike its name and the failing test's are (`fdc model show` lists them with their weights). Second, what a candidate would do to the
//! ranking: a method stands by its least covered suspicious line (ochiai with one failing test and
//! passing ones), so a passing candidate lowers exactly those methods of which it covers every such
//! line. The value is the expected reciprocal rank, worst of ties, after the candidate has passed,
//! under the learned distribution; chosen tests are taken to pass. Range 0..=1.
//!
//! Where no candidate changes the ranking, the one that covers most of what still has to be covered
//! goes first, so the choice never falls back to the order of the tests.

mod answers;
mod calibration;
mod faults;
pub mod features;
mod kills;
mod kinship;
mod linear;
mod lines;
mod locate;
pub mod model;
pub mod outlook;
mod row_outlook;
mod run_sums;
mod testimony;
#[cfg(test)]
mod tests;
mod together;
pub mod train;

use std::sync::{Arc, OnceLock};

use fdc_core::Suite;
use fdc_core::coverage::TestId;
use fdc_core::fitness::ByRows;
use fdc_core::metric::{Agnostic, Entry, Kind};

use crate::learner::{self, LearnedModel, Learner, OptionValues, Trainer, TrainingOption};
use crate::model_file::ModelProblem;

pub use answers::{FailureOdds, Prospect};
pub use calibration::Calibration;
pub use faults::{Faults, apart};
use features::Suspicion;
pub use linear::LinearSoftmax;
pub use locate::Localisation;
use model::{Prior, SharpModel};
use outlook::RankOutlook;
use row_outlook::RowOutlook;
pub use testimony::Hearing;
use train::SharpOptions;

/// The line in the table of learned metrics.
pub const LEARNER: SharpLearner = SharpLearner;

/// The built-in model's file.
const BUILT_IN: &[u8] = include_bytes!("../../../../models/sharp.safetensors");

/// The metric's entry, with the built-in model.
pub const ENTRY: Entry = Entry {
    name: "sharp",
    summary: "expected rank of the fault if the test passes, likely faults learned from past bugs",
    aware: false,
    parameters: &[],
    source: include_str!("mod.rs"),
    make: |_| Ok(Kind::Agnostic(built_in().metric())),
};

/// The model in the program itself.
pub fn built_in() -> &'static Arc<SharpModel> {
    static MODEL: OnceLock<Arc<SharpModel>> = OnceLock::new();
    MODEL.get_or_init(|| {
        let model = SharpModel::from_bytes(BUILT_IN);
        Arc::new(model.expect("the built-in model is whole"))
    })
}

const OPTIONS: &[TrainingOption] = &[TrainingOption {
    name: "max_mutants",
    default: "100",
    summary: "Mutants of a project that are learned from (sharp)",
    values: OptionValues::Whole,
}];

/// How sharp is learned.
pub struct SharpLearner;

impl Learner for SharpLearner {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn built_in(&self) -> &'static dyn LearnedModel {
        &**built_in()
    }

    fn read(&self, bytes: &[u8]) -> Result<Box<dyn LearnedModel>, ModelProblem> {
        Ok(Box::new(SharpModel::from_bytes(bytes)?))
    }

    fn options(&self) -> &'static [TrainingOption] {
        OPTIONS
    }

    fn takes_base(&self) -> bool {
        true
    }

    fn trainer(&self, options: &[(String, String)]) -> Result<Box<dyn Trainer>, String> {
        Ok(Box::new(learner::with_options::<SharpOptions>(options)?))
    }
}

/// A learned distribution over methods as a metric.
#[derive(Clone, Debug)]
pub struct Sharp {
    prior: Prior,
}

impl Sharp {
    /// With this distribution.
    pub fn new(prior: Prior) -> Self {
        Sharp { prior }
    }

    fn outlook(&self, suite: &Suite<'_>) -> RankOutlook {
        let suspicion = suite.remember(Suspicion::new);
        RankOutlook::new(&suspicion, suite, &self.likely(&suspicion))
    }

    fn likely(&self, suspicion: &Suspicion) -> Vec<f64> {
        let prior = &self.prior[suspicion.known().number()];
        prior.distribution(suspicion.features())
    }
}

impl Agnostic for Sharp {
    fn score(&self, suite: &Suite<'_>, candidates: &[TestId]) -> Vec<f64> {
        let mut outlook = self.outlook(suite);
        let projection = suite.projection();
        let mut values: Vec<Option<f64>> = vec![None; projection.footprint_count()];
        candidates
            .iter()
            .map(|&test| {
                let footprint = projection.footprint(test);
                let value = &mut values[footprint as usize];
                *value.get_or_insert_with(|| outlook.value(projection.row(footprint)))
            })
            .collect()
    }

    fn by_rows(&self, suite: &Suite<'_>, method_of: &[u32]) -> Option<Box<dyn ByRows>> {
        let suspicion = suite.remember(Suspicion::new);
        let failing = suite.coverage().elements(suite.failing());
        let likely = self.likely(&suspicion);
        let likely = suspicion.methods().iter().copied().zip(likely);
        Some(Box::new(RowOutlook::new(&failing, method_of, likely)))
    }

    fn explain(&self, suite: &Suite<'_>, candidate: TestId) -> Option<String> {
        let mut outlook = self.outlook(suite);
        let projection = suite.projection();
        Some(outlook.words(projection.row(projection.footprint(candidate))))
    }
}
