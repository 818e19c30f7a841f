//! How many elements a test covers of each group, or of each class of columns, by *labels* of columns.
//!
//! Beside few chosen tests nearly all columns have the same label. Those are not visited: they are
//! what is left of the test's total, and a run of them costs a look at one or two words of bits.
//! Elsewhere a run costs the stretches of equal labels that it crosses, not its columns.

use std::borrow::Cow;
use std::ops::Range;

use crate::coverage::{Coverage, TestId, elements_in, running_total};

/// A label for every column.
pub(crate) struct Labels<'a> {
    coverage: &'a Coverage,
    labels: Cow<'a, [u32]>,
    count: usize,
    /// The label of most columns, and which columns have another one, as bits.
    common: u32,
    uncommon: Vec<u64>,
    /// By column, where the stretch of equal labels ends that it is in.
    ends: Vec<u32>,
    elements_before: Vec<u32>,
}

impl<'a> Labels<'a> {
    /// The label of a column that takes no part.
    pub(crate) const NONE: u32 = u32::MAX;

    pub(crate) fn new(coverage: &'a Coverage, labels: impl Into<Cow<'a, [u32]>>) -> Self {
        let labels = labels.into();
        let taking_part = labels.iter().filter(|&&label| label != Self::NONE);
        let count = taking_part.max().map_or(0, |&last| last as usize + 1);
        let mut columns = vec![0u32; count + 1];
        for &label in &*labels {
            columns[(label as usize).min(count)] += 1;
        }
        let most = (0..=count).max_by_key(|&label| columns[label]);
        let common = most.filter(|&label| label < count);
        let common = common.map_or(Self::NONE, |label| label as u32);
        let mut uncommon = vec![0u64; labels.len().div_ceil(64)];
        let mut ends = vec![labels.len() as u32; labels.len()];
        for (column, &label) in labels.iter().enumerate().rev() {
            uncommon[column / 64] |= u64::from(label != common) << (column % 64);
            if let Some(&next) = labels.get(column + 1) {
                ends[column] = if next == label {
                    ends[column + 1]
                } else {
                    column as u32 + 1
                };
            }
        }
        Labels {
            coverage,
            count,
            common,
            uncommon,
            ends,
            elements_before: running_total(coverage.weights().iter().copied()),
            labels,
        }
    }

    /// Space to count in, for any number of tests, one after the other.
    pub(crate) fn census(&self) -> Census {
        Census {
            covered: vec![0; self.count],
            touched: Vec::new(),
        }
    }

    /// Visits `(label, elements covered)` for every label that the test touches.
    #[inline]
    pub(crate) fn count(&self, census: &mut Census, test: TestId, mut visit: impl FnMut(u32, u64)) {
        let mut left = self.coverage.total(test);
        self.for_each_stretch(test, |label, covered| {
            if label != self.common {
                left -= covered;
                census.add(label, covered);
            }
        });
        for label in census.touched.drain(..) {
            visit(label, std::mem::take(&mut census.covered[label as usize]));
        }
        if left > 0 && self.common != Self::NONE {
            visit(self.common, left);
        }
    }

    /// Visits label and elements of neighbours with the same label, but for short runs that have
    /// nothing but the common one.
    #[inline]
    fn for_each_stretch(&self, test: TestId, mut visit: impl FnMut(u32, u64)) {
        self.coverage.row(test).for_each_range(|run| {
            if is_short_and_clear(&self.uncommon, &run) {
                return;
            }
            let mut start = run.start;
            while start < run.end {
                let end = self.ends[start as usize].min(run.end);
                let covered = elements_in(&self.elements_before, start..end);
                visit(self.labels[start as usize], covered);
                start = end;
            }
        });
    }
}

/// Counts of one test by label; nothing between uses.
pub(crate) struct Census {
    covered: Vec<u64>,
    touched: Vec<u32>,
}

impl Census {
    #[inline]
    fn add(&mut self, label: u32, elements: u64) {
        if label == Labels::NONE {
            return;
        }
        let covered = &mut self.covered[label as usize];
        if *covered == 0 {
            self.touched.push(label);
        }
        *covered += elements;
    }
}

/// Whether these bits, at least one, lie in one word or two and none of them is set.
#[inline]
fn is_short_and_clear(words: &[u64], bits: &Range<u32>) -> bool {
    let (first, last) = (bits.start as usize / 64, (bits.end - 1) as usize / 64);
    let from_start = u64::MAX << (bits.start % 64);
    let to_end = u64::MAX >> (63 - (bits.end - 1) % 64);
    match last - first {
        0 => words[first] & from_start & to_end == 0,
        1 => words[first] & from_start == 0 && words[last] & to_end == 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::rows::Rows;
    use crate::suite::Suite;

    proptest! {
        #[test]
        fn what_is_counted_is_what_a_walk_over_all_columns_finds(
            width in 1usize..200,
            bits in prop::collection::vec(prop::collection::vec(prop::bool::weighted(0.7), 200), 1..6),
            numbers in prop::collection::vec(prop_oneof![8 => Just(1), 1 => 0u32..5, 1 => Just(Labels::NONE)], 200),
        ) {
            let mut rows = Rows::new(width as u32);
            for row in &bits {
                rows.push_columns((0..width as u32).filter(|&element| row[element as usize])).unwrap();
            }
            let coverage = Coverage::new(rows);
            let own = &numbers[..coverage.column_count()];
            let labels = Labels::new(&coverage, own);
            let mut census = labels.census();
            for test in coverage.tests() {
                let mut counted = BTreeMap::new();
                labels.count(&mut census, test, |label, covered| {
                    assert_eq!(counted.insert(label, covered), None);
                });
                let mut walked: BTreeMap<u32, u64> = BTreeMap::new();
                coverage.row(test).for_each(|column| {
                    let weight = u64::from(coverage.weights()[column as usize]);
                    *walked.entry(own[column as usize]).or_default() += weight;
                });
                walked.remove(&Labels::NONE);
                prop_assert_eq!(counted, walked);
            }
        }
    }

    /// Every test runs one method to another depth; the failing one and two more are chosen.
    #[test]
    fn long_runs_cost_the_groups_that_they_cross() {
        let mut rows = Rows::new(1000);
        for depth in 1..=1000 {
            rows.push(std::iter::once(0..depth)).unwrap();
        }
        let coverage = Coverage::new(rows);
        let mut suite = Suite::new(&coverage, TestId(999));
        let visits = |suite: &Suite<'_>| {
            let labels = suite.group_labels();
            let mut visits = 0;
            for test in coverage.tests() {
                labels.for_each_stretch(test, |_, _| visits += 1);
            }
            visits
        };
        assert!(visits(&suite) <= 1000);
        suite.add(TestId(299));
        suite.add(TestId(599));
        assert!(visits(&suite) <= 300 + 300 * 2 + 400 * 3);
    }

    /// A wide program of which the chosen tests run next to nothing.
    #[test]
    fn runs_that_no_chosen_test_touches_cost_no_visit() {
        let mut rows = Rows::new(100_000);
        for test in 0..1000 {
            rows.push(std::iter::once(test * 100..test * 100 + 50))
                .unwrap();
        }
        let coverage = Coverage::new(rows);
        let suite = Suite::new(&coverage, TestId(0));
        let labels = suite.group_labels();
        let mut visits = 0;
        for test in coverage.tests() {
            labels.for_each_stretch(test, |_, _| visits += 1);
        }
        assert_eq!(visits, 1);
    }
}
