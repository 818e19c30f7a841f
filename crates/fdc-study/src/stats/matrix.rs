use super::error::{Result, check_at_least, check_finite, check_length};

/// Blocks x metrics: the value each metric reached on each block (bug). Higher is better. Every
/// value is finite; there are at least two metrics and one block.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreMatrix {
    names: Vec<String>,
    /// Row-major, one row per block.
    values: Vec<f64>,
}

impl ScoreMatrix {
    /// A name per metric and a row per block. Rows and columns in errors are counted from 0.
    pub fn new<N, R>(
        names: impl IntoIterator<Item = N>,
        rows: impl IntoIterator<Item = R>,
    ) -> Result<Self>
    where
        N: Into<String>,
        R: AsRef<[f64]>,
    {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        check_at_least("metrics", 2, names.len())?;
        let mut values = Vec::new();
        for block in rows {
            check_length("a block", names.len(), block.as_ref().len())?;
            values.extend_from_slice(block.as_ref());
        }
        check_finite("score matrix", names.len(), &values)?;
        check_at_least("blocks", 1, values.len() / names.len())?;
        Ok(Self { names, values })
    }

    /// The metrics' names, in column order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Number of metrics (columns), k.
    pub fn metrics(&self) -> usize {
        self.names.len()
    }

    /// Number of blocks (rows), N.
    pub fn blocks(&self) -> usize {
        self.values.len() / self.names.len()
    }

    /// The rows, one per block, in the order given.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.names.len())
    }

    /// One metric's values over the blocks.
    pub(super) fn column(&self, metric: usize) -> Vec<f64> {
        self.rows().map(|row| row[metric]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ragged_row_is_refused() {
        let error = ScoreMatrix::new(["a", "b"], [vec![1.0, 2.0], vec![1.0]]).unwrap_err();
        assert_eq!(error.to_string(), "a block: expected 2 values, found 1");
    }

    #[test]
    fn a_nan_is_refused_with_its_place() {
        let error = ScoreMatrix::new(["a", "b"], [[1.0, 2.0], [1.0, f64::NAN]]).unwrap_err();
        let message = "score matrix: row 1, column 1: expected a finite number, found NaN";
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn one_metric_or_no_block_is_refused() {
        assert!(ScoreMatrix::new(["a"], [[1.0]]).is_err());
        assert!(ScoreMatrix::new(["a", "b"], Vec::<Vec<f64>>::new()).is_err());
    }
}
