//! Everything that can go wrong, in one place; Java sees it as a `FitnessException`, C as a message.

use fdc_case::FileError;
use fdc_core::fitness::FitnessError;
use fdc_learn::catalogue::CatalogueError;

pub(crate) type Result<T, E = Problem> = std::result::Result<T, E>;

/// Why a call did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    #[error("{0}{hint}", hint = advice(.0.advice()))]
    Case(#[from] FileError),
    /// No such metric, or a model that cannot be read.
    #[error("{0}{hint}", hint = advice(hint(.0)))]
    Metric(#[from] CatalogueError),
    /// Rows of the wrong length, or a metric that new tests have no values of.
    #[error(transparent)]
    Fitness(#[from] FitnessError),
    /// A test that is not in the case.
    #[error("{case}: no test is named {name:?}{}", did_you_mean(nearest))]
    NoSuchTest {
        case: String,
        name: String,
        nearest: Option<String>,
    },
    /// A test that is no failing one, or no use as one.
    #[error("{case}: test {name:?} {what}; expected a failing test that covers something")]
    NotFailing {
        case: String,
        name: String,
        what: &'static str,
    },
    /// A number that is too large or negative.
    #[error("expected {what} from 0 to {most}, found {found}")]
    Range {
        what: &'static str,
        most: usize,
        found: i64,
    },
    /// An argument that is null, or no text.
    #[error("expected {expected} for {argument}, found {found}")]
    Argument {
        argument: &'static str,
        expected: &'static str,
        found: &'static str,
    },
    #[error("this fitness is not open: expected one between its opening and its closing")]
    NotOpen,
    /// A change that a panic cut short.
    #[error("this fitness was left half changed by a bug in fdc: close it and open another")]
    HalfChanged,
    #[error("a bug in fdc: {0}; please report it")]
    Panic(String),
    /// The Java side refused.
    #[error("Java: {0}")]
    Java(#[from] jni::errors::Error),
}

impl Problem {
    /// From what a panic carried.
    pub fn of_panic(payload: &(dyn std::any::Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(|text| &**text));
        Problem::Panic(text.unwrap_or("no message").to_owned())
    }
}

fn hint(error: &CatalogueError) -> Option<&str> {
    match error {
        CatalogueError::Model(error) => Some(error.problem.hint()),
        _ => None,
    }
}

fn advice(text: Option<&str>) -> String {
    text.map_or_else(String::new, |text| format!("; {text}"))
}

fn did_you_mean(nearest: &Option<String>) -> String {
    match nearest {
        Some(near) => format!("; did you mean {near:?}?"),
        None => "; names are as the case spells them, with the class".to_owned(),
    }
}
