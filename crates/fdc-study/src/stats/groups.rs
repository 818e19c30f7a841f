//! The bars of a critical-difference diagram: which neighbours by mean rank do not differ.

use super::ALPHA;
use super::pairs::PairTable;

/// The metrics in order, and the bars that join those that do not differ.
#[derive(Clone, Debug, PartialEq)]
pub struct HomogeneousGroups {
    /// Metrics by mean rank, best first; the lower index first on a tie.
    pub order: Vec<usize>,
    /// Maximal runs of two or more neighbours in `order` no two of which
    /// differ, best first. A metric may be under several bars or none.
    pub bars: Vec<Vec<usize>>,
    /// Pairs (i < j) that do not differ although no bar joins them, because a metric between them
    /// differs from one of the two. It happens when adjusted p-values do not follow the mean ranks;
    /// a diagram cannot show it, so a table should.
    pub unjoined: Vec<(usize, usize)>,
}

impl HomogeneousGroups {
    /// A pair differs when its adjusted p-value is at most [`ALPHA`]. Each metric has a mean rank.
    pub fn new(mean_ranks: &[f64], adjusted: &PairTable) -> Self {
        let mut order: Vec<usize> = (0..mean_ranks.len()).collect();
        order.sort_by(|&a, &b| mean_ranks[a].total_cmp(&mean_ranks[b]));
        let alike = |a: usize, b: usize| adjusted.get(a, b) > ALPHA;

        let mut bars: Vec<Vec<usize>> = Vec::new();
        let mut joined_to = 0;
        for start in 0..order.len() {
            let mut end = start + 1;
            while end < order.len() && order[start..end].iter().all(|&m| alike(m, order[end])) {
                end += 1;
            }
            // A run that ends where an earlier one ended lies inside it.
            if end > joined_to && end - start > 1 {
                bars.push(order[start..end].to_vec());
                joined_to = end;
            }
        }
        let joined = |i, j| bars.iter().any(|bar| bar.contains(&i) && bar.contains(&j));
        let pairs = adjusted.iter().map(|(i, j, _)| (i, j));
        let unjoined = pairs.filter(|&(i, j)| alike(i, j) && !joined(i, j));
        Self {
            unjoined: unjoined.collect(),
            order,
            bars,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(mean_ranks: &[f64], p: &[f64]) -> HomogeneousGroups {
        let table = PairTable::new(mean_ranks.len(), p.to_vec());
        HomogeneousGroups::new(mean_ranks, &table)
    }

    #[test]
    fn overlapping_runs_give_overlapping_bars() {
        // In order of rank: 2, 0, 1; 2~0 and 0~1 but 2 differs from 1.
        let found = groups(&[2.0, 3.0, 1.0], &[0.4, 0.3, 0.01]);
        assert_eq!(found.order, [2, 0, 1]);
        assert_eq!(found.bars, [vec![2, 0], vec![0, 1]]);
        assert!(found.unjoined.is_empty());
    }

    #[test]
    fn one_bar_joins_all_when_nothing_differs() {
        assert_eq!(groups(&[1.0, 2.0, 3.0], &[1.0; 3]).bars, [vec![0, 1, 2]]);
    }

    #[test]
    fn no_bar_when_everything_differs() {
        assert!(groups(&[1.0, 2.0, 3.0], &[0.001; 3]).bars.is_empty());
    }

    #[test]
    fn a_p_value_equal_to_the_level_is_a_difference() {
        assert!(groups(&[1.0, 2.0], &[0.05]).bars.is_empty());
    }

    #[test]
    fn a_pair_across_a_differing_neighbour_is_reported() {
        // 0 and 2 do not differ, but 1 between them differs from both.
        let found = groups(&[1.0, 2.0, 3.0], &[0.01, 0.2, 0.01]);
        assert!(found.bars.is_empty());
        assert_eq!(found.unjoined, [(0, 2)]);
    }
}
