/// A number per unordered pair of `k` metrics, in the order (0,1), (0,2), …, (0,k-1), (1,2), …
#[derive(Clone, Debug, PartialEq)]
pub struct PairTable {
    metrics: usize,
    values: Vec<f64>,
}

impl PairTable {
    /// A table whose entry for i < j is `value(i, j)`.
    pub fn from_fn(metrics: usize, mut value: impl FnMut(usize, usize) -> f64) -> Self {
        let values = pairs(metrics).map(|(i, j)| value(i, j)).collect();
        Self { metrics, values }
    }

    /// A table of these entries in pair order.
    ///
    /// # Panics
    /// Unless there are `metrics · (metrics - 1) / 2` of them.
    pub fn new(metrics: usize, values: Vec<f64>) -> Self {
        assert_eq!(values.len(), pair_count(metrics), "an entry a pair");
        Self { metrics, values }
    }

    /// Number of metrics, k.
    pub fn metrics(&self) -> usize {
        self.metrics
    }

    /// The entry of the pair, in either order.
    pub fn get(&self, a: usize, b: usize) -> f64 {
        let (i, j) = (a.min(b), a.max(b));
        assert!(i != j && j < self.metrics, "no pair ({a}, {b})");
        self.values[pair_index(self.metrics, i, j)]
    }

    /// All entries in pair order.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All entries as (i, j, value) with i < j, in pair order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let pairs = pairs(self.metrics).zip(&self.values);
        pairs.map(|((i, j), &value)| (i, j, value))
    }
}

/// Number of unordered pairs of `metrics`.
pub(super) fn pair_count(metrics: usize) -> usize {
    metrics * metrics.saturating_sub(1) / 2
}

/// Place of the pair i < j in pair order.
pub(super) fn pair_index(metrics: usize, i: usize, j: usize) -> usize {
    debug_assert!(i < j && j < metrics);
    i * (2 * metrics - i - 1) / 2 + (j - i - 1)
}

fn pairs(metrics: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..metrics).flat_map(move |i| (i + 1..metrics).map(move |j| (i, j)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_follows_the_order_of_iteration() {
        for k in 0..8 {
            let table = PairTable::from_fn(k, |i, j| (10 * i + j) as f64);
            assert_eq!(table.values().len(), pair_count(k));
            for (place, (i, j, value)) in table.iter().enumerate() {
                assert_eq!(pair_index(k, i, j), place);
                assert_eq!(value, (10 * i + j) as f64);
                assert_eq!(table.get(j, i), value);
            }
        }
    }
}
