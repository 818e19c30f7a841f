//! Sums over runs of columns, in the order of adding: each has the bits that adding up its column alone
//! would give.

use std::ops::Range;

/// A sum per column. Neighbours that had the same added so far have the same sum, which is kept once,
/// at the first of them: a run costs what differs in it, not its length.
pub(super) struct RunSums {
    sums: Vec<f64>,
    /// Which columns are the first of such neighbours, as bits; one more stands for the end.
    firsts: Vec<u64>,
}

impl RunSums {
    pub(super) fn new(columns: usize) -> Self {
        let mut firsts = vec![0; columns / 64 + 1];
        firsts[0] = 1;
        RunSums {
            sums: vec![0.0; columns + 1],
            firsts,
        }
    }

    /// Adds to all columns of a run that is not empty.
    pub(super) fn add(&mut self, run: Range<u32>, value: f64) {
        self.part_at(run.start);
        self.part_at(run.end);
        let (first, last) = (run.start as usize / 64, (run.end - 1) as usize / 64);
        for word in first..=last {
            let mut firsts = self.firsts[word];
            if word == first {
                firsts &= u64::MAX << (run.start % 64);
            }
            if word == last {
                firsts &= u64::MAX >> (63 - (run.end - 1) % 64);
            }
            while firsts != 0 {
                self.sums[word * 64 + firsts.trailing_zeros() as usize] += value;
                firsts &= firsts - 1;
            }
        }
    }

    /// The sums, by column.
    pub(super) fn finish(mut self) -> Vec<f64> {
        self.sums.pop();
        for column in 1..self.sums.len() {
            if self.firsts[column / 64] >> (column % 64) & 1 == 0 {
                self.sums[column] = self.sums[column - 1];
            }
        }
        self.sums
    }

    /// From here on sums may be others than before.
    fn part_at(&mut self, column: u32) {
        let (column, own) = (column as usize, 1 << (column % 64));
        let word = column / 64;
        if self.firsts[word] & own != 0 {
            return;
        }
        let in_word = self.firsts[word] & (own - 1);
        let words = std::iter::once((word, in_word));
        let earlier = (0..word).rev().map(|word| (word, self.firsts[word]));
        let first = words.chain(earlier).find(|(_, firsts)| *firsts != 0);
        let (at, firsts) = first.expect("the first column is one");
        self.sums[column] = self.sums[at * 64 + firsts.ilog2() as usize];
        self.firsts[word] |= own;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_sum_has_the_bits_of_adding_up_its_column(
            columns in 1usize..200,
            runs in prop::collection::vec((0u32..200, 1u32..200, 0.0f64..1.0), 0..40),
        ) {
            let mut sums = RunSums::new(columns);
            let mut naive = vec![0.0; columns];
            for (start, length, value) in runs {
                let start = start % columns as u32;
                let end = (start + length).min(columns as u32);
                sums.add(start..end, value);
                naive[start as usize..end as usize].iter_mut().for_each(|sum| *sum += value);
            }
            let bits = |sums: &[f64]| sums.iter().map(|sum| sum.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&sums.finish()), bits(&naive));
        }
    }

    #[test]
    fn neighbours_with_the_same_sum_are_counted_once() {
        let mut sums = RunSums::new(1000);
        for depth in (1..=1000).rev() {
            sums.add(0..depth, 1.0);
            let firsts: u32 = sums.firsts.iter().map(|word| word.count_ones()).sum();
            // What deeper runs left behind, and the one stretch that all of them share.
            assert_eq!(firsts, 1 + (1001 - depth));
        }
    }
}
