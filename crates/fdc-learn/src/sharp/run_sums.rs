//! Sums over runs of columns.

use std::ops::Range;

/// What one counts for: sums are whole numbers of these, so that they do not depend on the order of
/// adding, and a run costs the same however long it is.
const ONE: f64 = (1u128 << 80) as f64;

/// A sum per column, kept as what each adds to that of the column before.
pub(super) struct RunSums(Vec<i128>);

impl RunSums {
    pub(super) fn new(columns: usize) -> Self {
        RunSums(vec![0; columns + 1])
    }

    /// Adds a share (0 to 1) to all columns of a run.
    pub(super) fn add(&mut self, run: Range<u32>, share: f64) {
        let share = (share * ONE) as i128;
        self.0[run.start as usize] += share;
        self.0[run.end as usize] -= share;
    }

    /// The sums, by column.
    pub(super) fn finish(mut self) -> Vec<f64> {
        self.0.pop();
        let sums = self.0.into_iter().scan(0, |sum, step| {
            *sum += step;
            Some(*sum as f64 / ONE)
        });
        sums.collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_sum_is_its_columns_in_any_order(
            columns in 1usize..200,
            runs in prop::collection::vec((0u32..200, 1u32..200, 0.0f64..=1.0), 0..40),
        ) {
            let runs: Vec<_> = runs.into_iter().map(|(start, length, share)| {
                let start = start % columns as u32;
                (start..(start + length).min(columns as u32), share)
            }).collect();
            let mut naive = vec![0.0; columns];
            for (run, share) in &runs {
                naive[run.start as usize..run.end as usize].iter_mut().for_each(|sum| *sum += share);
            }
            let summed = |runs: &mut dyn Iterator<Item = &(Range<u32>, f64)>| {
                let mut sums = RunSums::new(columns);
                runs.for_each(|(run, share)| sums.add(run.clone(), *share));
                sums.finish()
            };
            let sums = summed(&mut runs.iter());
            for (sum, naive) in sums.iter().zip(&naive) {
                prop_assert!((sum - naive).abs() < 1e-12, "{sum} {naive}");
            }
            prop_assert_eq!(sums, summed(&mut runs.iter().rev()));
        }
    }
}
