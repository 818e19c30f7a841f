//! Why a verb gives no answer: one failure for all of them, whichever crate it comes from.
//!
//! The front doors map its kind to an exit code or an exception, and say in their own words what a
//! [`Remedy`] names: `--failing` in the one is `failing=` in the other.

use std::path::PathBuf;

use fdc_case::FileError;
use fdc_collect::{Cause, RunError};
use fdc_core::failing::FailingError;
use fdc_core::fitness::FitnessError;
use fdc_core::metric::MetricError;
use fdc_core::spectrum::SpectrumError;
use fdc_draw::text::printable_name;
use fdc_learn::catalogue::CatalogueError;
use fdc_learn::model_file::{ModelFileError, ModelProblem};
use fdc_study::comparison::ComparisonError;
use fdc_study::contender::ContenderError;
use fdc_study::results::ResultsError;
use fdc_study::stats::StatsError;

use crate::label::session::SessionError;

/// What a verb gives, or why it cannot.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// Who has to do something about a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The caller named something that does not exist.
    UnknownName,
    /// The caller asked for something that cannot be.
    Usage,
    /// The operating system refused a file.
    NoAccess,
    /// A file is damaged, or its content is not usable.
    BadInput,
    /// An outside tool is missing or failed.
    OutsideTool,
    /// Somebody asked to stop; what was done is kept.
    Interrupted,
    /// A bug in fdc.
    Bug,
}

/// What went wrong and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// Who has to do something.
    pub kind: FailureKind,
    /// What is wrong, in words that fit every front door.
    pub message: String,
    /// What to do.
    pub remedy: Option<Remedy>,
}

/// What to do about a failure. All but the first are said in the words of a front door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// The same everywhere.
    Words(String),
    /// One of several failing tests is to be named.
    NameFailing {
        /// How many fail.
        count: usize,
        /// Some of them, listed.
        listed: String,
    },
    /// Nothing fails: the failing test is to be named, or outcomes are to be given.
    GiveOutcomes,
    /// The folder of the sources is to be named; this is none.
    NameSources(PathBuf),
    /// What was named is not the project's root folder.
    NameRoot,
    /// The list of metrics tells which there are.
    ListMetrics,
    /// The list of metrics tells which of them see outcomes.
    ListSeeing,
    /// The manual page of this metric tells its parameters.
    ExplainMetric(&'static str),
    /// No model goes with a metric that was not learned.
    LeaveModelOut,
}

impl Failure {
    /// Without a remedy.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Failure {
            kind,
            message: message.into(),
            remedy: None,
        }
    }

    /// The caller asked for something that cannot be.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure::new(FailureKind::Usage, message)
    }

    /// The input is not usable.
    pub fn input(message: impl Into<String>) -> Self {
        Failure::new(FailureKind::BadInput, message)
    }

    /// Adds what to do.
    pub fn hint(self, advice: impl Into<String>) -> Self {
        self.remedy(Remedy::Words(advice.into()))
    }

    /// Adds what to do, for a front door to say.
    pub(crate) fn remedy(mut self, remedy: Remedy) -> Self {
        self.remedy = Some(remedy);
        self
    }

    fn advised(kind: FailureKind, message: String, advice: Option<&str>) -> Self {
        let failure = Failure::new(kind, message);
        match advice {
            Some(advice) => failure.hint(advice),
            None => failure,
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        let kind = match &error {
            FileError::Io { .. } => FailureKind::NoAccess,
            FileError::Bad { .. } => FailureKind::BadInput,
        };
        Failure::advised(kind, error.to_string(), error.advice())
    }
}

impl From<FailingError> for Failure {
    fn from(error: FailingError) -> Self {
        let kind = match &error {
            FailingError::Unknown { .. } => FailureKind::UnknownName,
            FailingError::Passes { .. } | FailingError::Several { .. } => FailureKind::Usage,
            _ => FailureKind::BadInput,
        };
        // Test names come from outside.
        let advice = printable_name(&error.advice());
        let remedy = match &error {
            FailingError::Several { count, .. } => Remedy::NameFailing {
                count: *count,
                listed: advice,
            },
            FailingError::None { .. } => Remedy::GiveOutcomes,
            _ => Remedy::Words(advice),
        };
        Failure::new(kind, printable_name(&error.to_string())).remedy(remedy)
    }
}

impl From<SpectrumError> for Failure {
    fn from(error: SpectrumError) -> Self {
        Failure::input(error.to_string())
    }
}

impl From<ModelFileError> for Failure {
    fn from(error: ModelFileError) -> Self {
        let kind = match &error.problem {
            ModelProblem::Read(_) => FailureKind::NoAccess,
            _ => FailureKind::BadInput,
        };
        Failure::new(kind, error.to_string()).hint(error.problem.hint())
    }
}

impl From<MetricError> for Failure {
    fn from(error: MetricError) -> Self {
        let (kind, remedy) = match &error {
            MetricError::UnknownMetric { .. } => (FailureKind::UnknownName, Remedy::ListMetrics),
            MetricError::UnknownParameter { metric, .. } | MetricError::BadValue { metric, .. } => {
                (FailureKind::Usage, Remedy::ExplainMetric(metric))
            }
            MetricError::Malformed { .. } => (FailureKind::Usage, Remedy::ListMetrics),
        };
        Failure::new(kind, error.to_string()).remedy(remedy)
    }
}

impl From<CatalogueError> for Failure {
    fn from(error: CatalogueError) -> Self {
        match error {
            CatalogueError::Metric(error) => error.into(),
            CatalogueError::Model(error) => error.into(),
            CatalogueError::NotLearned { .. } => {
                Failure::usage(error.to_string()).remedy(Remedy::LeaveModelOut)
            }
        }
    }
}

impl From<FitnessError> for Failure {
    fn from(error: FitnessError) -> Self {
        let failure = Failure::usage(error.to_string());
        match error {
            FitnessError::SeesOutcomes(_) => failure.remedy(Remedy::ListSeeing),
            FitnessError::NoElements | FitnessError::Length { .. } => failure,
        }
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Case(error) => error.into(),
            SessionError::Failing(error) => error.into(),
            SessionError::Refused(message) => Failure::usage(message),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let kind = match &error {
            RunError::File(_) => FailureKind::BadInput,
            RunError::Refused { cause, .. } => match cause {
                Cause::Usage => FailureKind::Usage,
                Cause::Input | Cause::NoTests => FailureKind::BadInput,
                Cause::Build | Cause::Tool => FailureKind::OutsideTool,
            },
            RunError::Interrupted => FailureKind::Interrupted,
        };
        Failure::advised(kind, error.to_string(), error.advice())
    }
}

impl From<ContenderError> for Failure {
    fn from(error: ContenderError) -> Self {
        Failure::usage(error.to_string()).remedy(Remedy::ListMetrics)
    }
}

impl From<ResultsError> for Failure {
    fn from(error: ResultsError) -> Self {
        match error {
            ResultsError::Format(error) => error.into(),
            other => Failure::usage(other.to_string()).hint("give another folder with -o"),
        }
    }
}

impl From<ComparisonError> for Failure {
    fn from(error: ComparisonError) -> Self {
        let message = error.to_string();
        match error {
            ComparisonError::UnknownMetric { nearest, known, .. } => {
                let failure = Failure::usage(message);
                match nearest {
                    Some(name) => failure.hint(format!("did you mean '{name}'?")),
                    None => failure.hint(format!("there are: {}", known.join(", "))),
                }
            }
            ComparisonError::Twice(_) => Failure::usage(message),
            ComparisonError::NoRuns => Failure::input(message)
                .hint("the evaluation skipped every bug: none had a fault that could be ranked"),
            ComparisonError::NoCommonBug(_) => Failure::input(message)
                .hint("compare fewer metrics with --metrics, or evaluate them on the same bugs"),
        }
    }
}

impl From<StatsError> for Failure {
    fn from(error: StatsError) -> Self {
        let message = format!("the statistics: {error}");
        match error {
            StatsError::TooMany { .. } => Failure::usage(message)
                .hint("choose fewer with --metrics, or another --posthoc such as shaffer"),
            _ => Failure::input(message).hint("the results are damaged: evaluate again"),
        }
    }
}
