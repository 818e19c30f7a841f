/// Why a statistic cannot be computed. Nothing is repaired silently: bad input
/// is refused with what was expected and what was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum StatsError {
    /// Fewer blocks, metrics, values, clusters or replicates than the
    /// procedure is defined for.
    #[error("too few {what}: expected at least {expected}, found {found}")]
    TooFew {
        what: &'static str,
        expected: usize,
        found: usize,
    },
    /// More metrics or pairs than the procedure can enumerate.
    #[error("too many {what}: expected at most {expected}, found {found}")]
    TooMany {
        what: &'static str,
        expected: usize,
        found: usize,
    },
    /// Two things that must have the same length do not.
    #[error("{what}: expected {expected} values, found {found}")]
    Length {
        what: &'static str,
        expected: usize,
        found: usize,
    },
    /// A value is NaN or infinite.
    #[error("{what}: row {row}, column {column}: expected a finite number, found {found}")]
    NotFinite {
        what: &'static str,
        row: usize,
        column: usize,
        found: f64,
    },
    /// A number lies outside the range in which it makes sense.
    #[error("{what}: expected {expected}, found {found}")]
    OutOfRange {
        what: &'static str,
        expected: &'static str,
        found: f64,
    },
    /// The exact null distribution was asked for, but zeros or ties in the
    /// differences make it inapplicable.
    #[error(
        "the exact signed-rank distribution needs differences without zeros or ties: \
         found {zeros} zeros and {tied} tied values"
    )]
    NotExact { zeros: usize, tied: usize },
}

/// Refuses a probability outside the open interval (0, 1).
pub(super) fn check_level(what: &'static str, value: f64) -> Result<(), StatsError> {
    if value > 0.0 && value < 1.0 {
        return Ok(());
    }
    Err(StatsError::OutOfRange {
        what,
        expected: "a number between 0 and 1, both excluded",
        found: value,
    })
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
