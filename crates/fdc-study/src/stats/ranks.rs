//! Ranks within blocks: 1 is the best, that is the highest value; tied values
//! share the mean of their places (midranks).

use super::matrix::ScoreMatrix;

/// Midranks of every metric within every block, and their means.
#[derive(Clone, Debug, PartialEq)]
pub struct RankTable {
    metrics: usize,
    /// Row-major, one row per block.
    ranks: Vec<f64>,
    means: Vec<f64>,
    tie_sum: f64,
}

impl RankTable {
    /// Ranks each block of the matrix. Values tie when they are equal as f64
    /// (0 and -0 tie).
    pub fn new(scores: &ScoreMatrix) -> Self {
        let metrics = scores.metrics();
        let mut ranks = Vec::with_capacity(metrics * scores.blocks());
        let mut tie_sum = 0.0;
        for row in scores.rows() {
            let (row_ranks, row_ties) = rank_descending(row);
            ranks.extend(row_ranks);
            tie_sum += row_ties;
        }
        let blocks = scores.blocks() as f64;
        // Midranks are multiples of one half, so that sums of them are exact
        // and the means do not depend on the order of the blocks.
        let means = (0..metrics)
            .map(|metric| ranks.iter().skip(metric).step_by(metrics).sum::<f64>() / blocks)
            .collect();
        Self {
            metrics,
            ranks,
            means,
            tie_sum,
        }
    }

    /// Number of metrics, k.
    pub fn metrics(&self) -> usize {
        self.metrics
    }

    /// Number of blocks, N.
    pub fn blocks(&self) -> usize {
        self.ranks.len() / self.metrics
    }

    /// Mean rank per metric, within 1..=k; they sum to k(k+1)/2.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// The ranks of each block.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.ranks.chunks_exact(self.metrics)
    }

    /// Σ (t³ - t) over the groups of t tied values in all blocks; 0 without
    /// ties, N(k³ - k) when every block is one tie.
    pub fn tie_sum(&self) -> f64 {
        self.tie_sum
    }
}

/// Midranks of one block, highest value first.
///
/// ```
/// # use fdc_study::stats::ranks::midranks;
/// assert_eq!(midranks(&[0.2, 0.9, 0.2, 0.1]), [2.5, 1.0, 2.5, 4.0]);
/// ```
pub fn midranks(values: &[f64]) -> Vec<f64> {
    rank_descending(values).0
}

/// Midranks, highest value first, with Σ (t³ - t) over the tied groups.
pub(super) fn rank_descending(values: &[f64]) -> (Vec<f64>, f64) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    let mut ranks = vec![0.0; values.len()];
    let mut tie_sum = 0.0;
    let mut placed = 0;
    for tie in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let size = tie.len();
        // Mean of the places placed+1 ..= placed+size.
        let midrank = placed as f64 + (size as f64 + 1.0) / 2.0;
        for &index in tie {
            ranks[index] = midrank;
        }
        let size = size as f64;
        tie_sum += size * size * size - size;
        placed += tie.len();
    }
    (ranks, tie_sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_value_is_rank_one() {
        assert_eq!(midranks(&[0.1, 0.3, 0.2]), [3.0, 1.0, 2.0]);
    }

    #[test]
    fn a_block_of_equal_values_shares_the_middle_rank() {
        let (ranks, ties) = rank_descending(&[0.0, -0.0, 0.0]);
        assert_eq!(ranks, [2.0, 2.0, 2.0]);
        assert_eq!(ties, 24.0);
    }

    #[test]
    fn an_empty_block_has_no_ranks() {
        assert!(midranks(&[]).is_empty());
    }

    #[test]
    fn mean_ranks_sum_to_the_triangular_number() {
        let scores = ScoreMatrix::new(
            ["a", "b", "c"],
            [[0.1, 0.1, 0.5], [0.9, 0.2, 0.2], [0.3, 0.3, 0.3]],
        )
        .unwrap();
        let table = RankTable::new(&scores);
        assert_eq!(table.means().iter().sum::<f64>(), 6.0);
        assert_eq!(table.tie_sum(), 6.0 + 6.0 + 24.0);
        assert_eq!(table.rows().count(), 3);
    }
}
