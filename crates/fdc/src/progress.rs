//! How verbs that take long tell of their progress, and learn that somebody wants them to stop.

pub use fdc_collect::Watch;

use crate::error::{Failure, FailureKind};

/// A failure of work that goes on where it stopped when it is asked for again.
pub(crate) fn resumable(failure: impl Into<Failure>, done: &str) -> Failure {
    let failure = failure.into();
    match failure.kind {
        FailureKind::Interrupted => {
            failure.hint(format!("what was {done} is kept; the same command goes on"))
        }
        _ => failure,
    }
}
