//! Ranks within blocks: 1 is the highest value; ties share the mean of their places (midranks).

use super::matrix::ScoreMatrix;

/// What the midranks of every metric within every block amount to.
#[derive(Clone, Debug, PartialEq)]
pub struct RankTable {
    /// Number of blocks, N.
    pub blocks: usize,
    /// Mean rank per metric, within 1..=k; they sum to k(k+1)/2.
    pub means: Vec<f64>,
    /// Σ (t³ - t) over the groups of t tied values in all blocks; 0 without
    /// ties, N(k³ - k) when every block is one tie.
    pub tie_sum: f64,
}

impl RankTable {
    /// Ranks each block of the matrix. Values tie when they are equal as f64 (0 and -0 tie).
    pub fn new(scores: &ScoreMatrix) -> Self {
        let mut means = vec![0.0; scores.metrics()];
        let mut tie_sum = 0.0;
        for row in scores.rows() {
            let (ranks, ties) = rank_descending(row);
            // Midranks are multiples of one half, so that sums of them are exact
            // and the means do not depend on the order of the blocks.
            let sums = means.iter_mut().zip(ranks);
            sums.for_each(|(sum, rank)| *sum += rank);
            tie_sum += ties;
        }
        let blocks = scores.blocks();
        means.iter_mut().for_each(|sum| *sum /= blocks as f64);
        Self {
            blocks,
            means,
            tie_sum,
        }
    }
}

/// Midranks, highest value first, with Σ (t³ - t) over the tied groups.
pub(super) fn rank_descending(values: &[f64]) -> (Vec<f64>, f64) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    let mut ranks = vec![0.0; values.len()];
    let mut tie_sum = 0.0;
    let mut placed = 0;
    for tie in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let size = tie.len() as f64;
        for &index in tie {
            // Mean of the places placed+1 ..= placed+size.
            ranks[index] = placed as f64 + (size + 1.0) / 2.0;
        }
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
        assert_eq!(rank_descending(&[0.1, 0.3, 0.2]).0, [3.0, 1.0, 2.0]);
        let (ranks, _) = rank_descending(&[0.2, 0.9, 0.2, 0.1]);
        assert_eq!(ranks, [2.5, 1.0, 2.5, 4.0]);
    }

    #[test]
    fn a_block_of_equal_values_shares_the_middle_rank() {
        let (ranks, ties) = rank_descending(&[0.0, -0.0, 0.0]);
        assert_eq!(ranks, [2.0, 2.0, 2.0]);
        assert_eq!(ties, 24.0);
    }

    #[test]
    fn an_empty_block_has_no_ranks() {
        assert!(rank_descending(&[]).0.is_empty());
    }

    #[test]
    fn mean_ranks_sum_to_the_triangular_number() {
        let scores = ScoreMatrix::new(
            ["a", "b", "c"],
            [[0.1, 0.1, 0.5], [0.9, 0.2, 0.2], [0.3, 0.3, 0.3]],
        )
        .unwrap();
        let table = RankTable::new(&scores);
        assert_eq!(table.means.iter().sum::<f64>(), 6.0);
        assert_eq!(table.tie_sum, 6.0 + 6.0 + 24.0);
        assert_eq!(table.blocks, 3);
    }
}
