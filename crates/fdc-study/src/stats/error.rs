use std::fmt::Display;

pub(crate) type Result<T, E = StatsError> = std::result::Result<T, E>;

/// Why a statistic cannot be computed. Nothing is repaired silently: bad input
/// is refused with what was expected and what was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum StatsError {
    /// Fewer blocks, metrics, values, clusters or replicates than the procedure is defined for.
    #[error("too few {what}: expected at least {expected}, found {found}")]
    TooFew {
        what: &'static str,
        expected: usize,
        found: usize,
    },
    /// More metrics than the procedure can enumerate.
    #[error("too many {what}: expected at most {expected}, found {found}")]
    TooMany {
        what: &'static str,
        expected: usize,
        found: usize,
    },
    /// A number or a length for which the procedure makes no sense.
    #[error("{what}: expected {expected}, found {found}")]
    Unfit {
        what: String,
        expected: String,
        found: String,
    },
}

/// Refuses what does not fit.
pub(super) fn check(
    fits: bool,
    what: impl Display,
    expected: impl Display,
    found: impl Display,
) -> Result<()> {
    let unfit = || StatsError::Unfit {
        what: what.to_string(),
        expected: expected.to_string(),
        found: found.to_string(),
    };
    fits.then_some(()).ok_or_else(unfit)
}

/// Refuses a slice that is not as long as its partner.
pub(super) fn check_length(what: &str, expected: usize, found: usize) -> Result<()> {
    let values = format_args!("{expected} values");
    check(expected == found, what, values, found)
}

/// Refuses a collection smaller than a procedure is defined for.
pub(super) fn check_at_least(what: &'static str, expected: usize, found: usize) -> Result<()> {
    let few = StatsError::TooFew {
        what,
        expected,
        found,
    };
    (found >= expected).then_some(()).ok_or(few)
}

/// Refuses a NaN or an infinity among the values of a table with so many columns.
pub(super) fn check_finite(what: &str, columns: usize, values: &[f64]) -> Result<()> {
    let Some(place) = values.iter().position(|value| !value.is_finite()) else {
        return Ok(());
    };
    let (row, column) = (place / columns, place % columns);
    let what = format_args!("{what}: row {row}, column {column}");
    check(false, what, "a finite number", values[place])
}

/// Refuses paired samples of different lengths, without a pair, or with a value that is not finite.
pub(super) fn check_pairs(x: &[f64], y: &[f64]) -> Result<()> {
    check_length("paired sample", x.len(), y.len())?;
    check_at_least("pairs", 1, x.len())?;
    check_finite("first sample", 1, x)?;
    check_finite("second sample", 1, y)
}
