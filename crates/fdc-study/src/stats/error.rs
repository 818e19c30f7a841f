use std::fmt;

/// Why a statistic cannot be computed. Nothing is repaired silently: bad input
/// is refused with what was expected and what was found.
#[derive(Clone, Debug, PartialEq)]
pub enum StatsError {
    /// Fewer blocks, metrics, values, clusters or replicates than the
    /// procedure is defined for.
    TooFew {
        what: &'static str,
        expected: usize,
        found: usize,
    },
    /// More metrics or pairs than the procedure can enumerate.
    TooMany {
        what: &'static str,
        expected: usize,
        found: usize,
    },
    /// Two things that must have the same length do not.
    Length {
        what: &'static str,
        expected: usize,
        found: usize,
    },
    /// A value is NaN or infinite.
    NotFinite {
        what: &'static str,
        row: usize,
        column: usize,
        found: f64,
    },
    /// A number lies outside the range in which it makes sense.
    OutOfRange {
        what: &'static str,
        expected: &'static str,
        found: f64,
    },
    /// The exact null distribution was asked for, but zeros or ties in the
    /// differences make it inapplicable.
    NotExact { zeros: usize, tied: usize },
}

impl fmt::Display for StatsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew {
                what,
                expected,
                found,
            } => write!(
                f,
                "too few {what}: expected at least {expected}, found {found}"
            ),
            Self::TooMany {
                what,
                expected,
                found,
            } => write!(
                f,
                "too many {what}: expected at most {expected}, found {found}"
            ),
            Self::Length {
                what,
                expected,
                found,
            } => write!(f, "{what}: expected {expected} values, found {found}"),
            Self::NotFinite {
                what,
                row,
                column,
                found,
            } => write!(
                f,
                "{what}: row {row}, column {column}: expected a finite number, found {found}"
            ),
            Self::OutOfRange {
                what,
                expected,
                found,
            } => write!(f, "{what}: expected {expected}, found {found}"),
            Self::NotExact { zeros, tied } => write!(
                f,
                "the exact signed-rank distribution needs differences without zeros or ties: \
                 found {zeros} zeros and {tied} tied values"
            ),
        }
    }
}

impl std::error::Error for StatsError {}

/// Refuses a probability outside the open interval (0, 1).
pub(super) fn check_level(what: &'static str, value: f64) -> Result<(), StatsError> {
    if value > 0.0 && value < 1.0 {
        Ok(())
    } else {
        Err(StatsError::OutOfRange {
            what,
            expected: "a number between 0 and 1, both excluded",
            found: value,
        })
    }
}

/// Refuses a slice that is not as long as its partner.
pub(super) fn check_length(
    what: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), StatsError> {
    if expected == found {
        Ok(())
    } else {
        Err(StatsError::Length {
            what,
            expected,
            found,
        })
    }
}

/// Refuses a collection smaller than a procedure is defined for.
pub(super) fn check_at_least(
    what: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), StatsError> {
    if found >= expected {
        Ok(())
    } else {
        Err(StatsError::TooFew {
            what,
            expected,
            found,
        })
    }
}

/// Refuses a sample with a NaN or an infinity.
pub(super) fn check_finite(what: &'static str, values: &[f64]) -> Result<(), StatsError> {
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(row) => Err(StatsError::NotFinite {
            what,
            row,
            column: 0,
            found: values[row],
        }),
    }
}
