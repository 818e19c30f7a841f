//! Figures as documents have them: whole places without a point, scores that JSON has no number for.

use serde::{Serialize as _, Serializer};

/// A place: an integer if it is whole.
pub(crate) fn rank<S: Serializer>(rank: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if rank.fract() == 0.0 {
        serializer.serialize_u64(*rank as u64)
    } else {
        serializer.serialize_f64(*rank)
    }
}

/// A score: a number, or `inf`, `-inf` as text.
pub(crate) fn score<S: Serializer>(score: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if score.is_finite() {
        serializer.serialize_f64(*score)
    } else {
        serializer.serialize_str(&score.to_string())
    }
}

/// The same where there may be none.
pub(crate) fn score_if_any<S: Serializer>(
    value: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => score(value, serializer),
        None => None::<f64>.serialize(serializer),
    }
}
