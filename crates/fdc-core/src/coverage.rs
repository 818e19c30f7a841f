//! Which test covers which element, without outcomes: all that a result-agnostic metric may see.
//!
//! Elements whose columns are equal (covered by exactly the same tests) cannot be told apart by any
//! choice of tests; they are stored as one *column* with a weight. On real suites that is 3 to 8
//! times fewer columns. Every count below is in elements, so weights never change a result.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use crate::merging::{Merged, merge, numbered, push_elements};
use crate::rows::{Row, Rows};

/// Index of a test in its spectrum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TestId(pub u32);

impl TestId {
    /// As an index into slices.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The columns of each unit (method, file, line): what its score and standing are made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitColumns {
    /// Units with at least one element, ascending.
    units: Vec<u32>,
    /// Per unit, `columns[starts[i]..starts[i+1]]`.
    starts: Vec<u32>,
    /// A column, and how many elements of the unit it holds.
    columns: Vec<(u32, u32)>,
}

impl UnitColumns {
    /// From the unit and the column of every element.
    pub fn new(elements: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut pairs: Vec<(u32, u32)> = elements.collect();
        pairs.sort_unstable();
        let mut of_units = UnitColumns::default();
        for unit in pairs.chunk_by(|a, b| a.0 == b.0) {
            of_units.units.push(unit[0].0);
            of_units.starts.push(of_units.columns.len() as u32);
            let columns = unit.chunk_by(|a, b| a.1 == b.1);
            let counted = columns.map(|same| (same[0].1, same.len() as u32));
            of_units.columns.extend(counted);
        }
        of_units.starts.push(of_units.columns.len() as u32);
        of_units
    }

    /// Numbers of the units that have an element, ascending.
    pub fn units(&self) -> &[u32] {
        &self.units
    }

    /// Per unit of [`Self::units`], its columns and how many of its elements each holds.
    pub fn iter(&self) -> impl Iterator<Item = &[(u32, u32)]> {
        self.starts
            .windows(2)
            .map(|span| &self.columns[span[0] as usize..span[1] as usize])
    }
}

/// Tests x elements, equal columns stored once.
#[derive(Clone, Debug)]
pub struct Coverage {
    rows: Rows,
    /// Elements per column.
    weights: Vec<u32>,
    column_of: Vec<u32>,
    /// Elements covered per test.
    totals: Vec<u32>,
    /// Per test, the first test with the same row; found on first use.
    identities: OnceLock<Vec<u32>>,
    /// By method.
    methods: UnitColumns,
    names: Names,
}

/// What tests and methods are called; empty where nobody said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// By test.
    pub tests: Vec<String>,
    /// By method.
    pub methods: Vec<String>,
}

impl Coverage {
    /// From rows over elements, each of which is a method of its own.
    pub fn new(elements: Rows) -> Self {
        let width = elements.width();
        Self::with_methods(elements, 0..width)
    }

    /// From rows over elements and the method of every element.
    pub fn with_methods(elements: Rows, method_of: impl IntoIterator<Item = u32>) -> Self {
        Self::of_columns(merge(elements)).by_method(method_of)
    }

    /// Nothing is known of methods and names yet.
    fn of_columns(merged: Merged) -> Self {
        let Merged {
            rows,
            weights,
            column_of,
            totals,
        } = merged;
        Coverage {
            rows,
            weights,
            column_of,
            totals,
            identities: OnceLock::new(),
            methods: UnitColumns::default(),
            names: Names::default(),
        }
    }

    fn by_method(mut self, method_of: impl IntoIterator<Item = u32>) -> Self {
        let columns = self.column_of.iter().copied();
        self.methods = UnitColumns::new(method_of.into_iter().zip(columns));
        self
    }

    /// Number of elements, `n`.
    pub fn element_count(&self) -> usize {
        self.column_of.len()
    }

    /// Number of tests, `m`.
    pub fn test_count(&self) -> usize {
        self.rows.len()
    }

    /// Number of distinct columns.
    pub fn column_count(&self) -> usize {
        self.weights.len()
    }

    /// All tests.
    pub fn tests(&self) -> impl ExactSizeIterator<Item = TestId> + use<> {
        (0..self.rows.len() as u32).map(TestId)
    }

    /// A test's row, over columns.
    #[inline]
    pub fn row(&self, test: TestId) -> Row<'_> {
        self.rows.row(test.index())
    }

    /// Elements per column.
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// The column an element is part of.
    pub fn column_of(&self, element: usize) -> u32 {
        self.column_of[element]
    }

    /// Elements covered by a test.
    pub fn total(&self, test: TestId) -> u64 {
        u64::from(self.totals[test.index()])
    }

    /// The same with names, which a metric may look at as well.
    #[must_use]
    pub fn named(mut self, names: Names) -> Self {
        self.names = names;
        self
    }

    /// A test's name; empty if it is not known.
    pub fn test_name(&self, test: TestId) -> &str {
        self.names.tests.get(test.index()).map_or("", |name| name)
    }

    /// A method's name by its number; empty if it is not known.
    pub fn method_name(&self, method: u32) -> &str {
        let name = self.names.methods.get(method as usize);
        name.map_or("", |name| name)
    }

    /// The columns of every method.
    pub fn methods(&self) -> &UnitColumns {
        &self.methods
    }

    /// A number that two tests share exactly if they cover the same elements.
    pub fn row_identity(&self, test: TestId) -> u32 {
        let identities = self.identities.get_or_init(|| {
            let mut first: HashMap<Row<'_>, u32> = HashMap::with_capacity(self.test_count());
            self.tests()
                .map(|test| *first.entry(self.row(test)).or_insert(test.0))
                .collect()
        });
        identities[test.index()]
    }

    /// The elements a test covers, ascending.
    pub fn elements(&self, test: TestId) -> Vec<u32> {
        let row = self.row(test);
        let mut covered = vec![false; self.column_count()];
        row.for_each(|column| covered[column as usize] = true);
        (0..self.column_of.len() as u32)
            .filter(|&element| covered[self.column_of[element as usize] as usize])
            .collect()
    }

    /// The elements a test covers, as words of 64 bits: element `e` is bit `e % 64` of word `e / 64`.
    pub fn bits(&self, test: TestId) -> Vec<u64> {
        let mut words = vec![0; self.element_count().div_ceil(64)];
        for element in self.elements(test) {
            words[element as usize / 64] |= 1 << (element % 64);
        }
        words
    }

    /// The same with further rows over elements, as [`Self::with_methods`] of all, but quicker.
    pub fn with_rows(&self, more: &Rows, method_of: impl IntoIterator<Item = u32>) -> Self {
        assert_eq!(more.width() as usize, self.element_count());
        let (parts, part_count) = self.parts(more);
        let (column_of, weights) = numbered(&parts, part_count);
        let mut old_of = vec![0u32; weights.len()];
        for (&column, &old) in column_of.iter().zip(&self.column_of) {
            old_of[column as usize] = old;
        }
        // What has an old column's first element keeps its order; what was split off is in between.
        let mut kept: Vec<Option<u32>> = vec![None; self.column_count()];
        let mut split_off: Vec<(u32, u32)> = Vec::new();
        for (column, &old) in (0..).zip(&old_of) {
            match &mut kept[old as usize] {
                none @ None => *none = Some(column),
                Some(_) => split_off.push((column, old)),
            }
        }
        let kept: Vec<u32> = kept.into_iter().flatten().collect();

        let mut rows = Rows::new(weights.len() as u32);
        let mut totals = self.totals.clone();
        let mut runs: Vec<Range<u32>> = Vec::new();
        for test in self.tests() {
            let row = self.row(test);
            row.for_each_range(|old| {
                let mut start = kept[old.start as usize];
                let end = kept[old.end as usize - 1] + 1;
                let first = split_off.partition_point(|&(column, _)| column < start);
                let between = split_off[first..].iter().map(|&(column, _)| column);
                for column in between.take_while(|&column| column < end) {
                    runs.push(start..column);
                    start = column + 1;
                }
                runs.push(start..end);
            });
            let split_off = split_off.iter().filter(|&&(_, old)| row.contains(old));
            runs.extend(split_off.map(|&(column, _)| column..column + 1));
            runs.sort_unstable_by_key(|run| run.start);
            rows.push(runs.drain(..))
                .expect("runs ascend and are in range");
        }
        for test in 0..more.len() {
            totals.push(push_elements(&mut rows, more.row(test), &column_of));
        }
        rows.shrink_to_fit();
        let merged = Merged {
            rows,
            weights,
            column_of,
            totals,
        };
        Self::of_columns(merged).by_method(method_of)
    }

    /// Per element a number, the same for a column's elements that the rows cover alike; its bound.
    fn parts(&self, more: &Rows) -> (Vec<u32>, usize) {
        let mut parts = self.column_of.clone();
        let mut count = self.column_count() as u32;
        for test in 0..more.len() {
            let mut covered: HashMap<u32, u32> = HashMap::new();
            more.row(test).for_each(|element| {
                let part = &mut parts[element as usize];
                *part = *covered.entry(*part).or_insert_with(|| {
                    count += 1;
                    count - 1
                });
            });
        }
        (parts, count as usize)
    }
}

/// The sum of the numbers before each, and of all.
pub(crate) fn running_total(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut total = 0;
    let after = numbers.map(|number| {
        total += number;
        total
    });
    std::iter::once(0).chain(after).collect()
}

/// Elements of neighbouring columns, by the running total of all columns' weights.
#[inline]
pub(crate) fn elements_in(elements_before: &[u32], columns: Range<u32>) -> u64 {
    u64::from(elements_before[columns.end as usize] - elements_before[columns.start as usize])
}

/// One step of SplitMix64 (Steele, Lea, Flood 2014): a number that looks drawn, fixed by the seed.
pub fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows_of(bits: &[Vec<bool>], width: usize) -> Rows {
        let mut rows = Rows::new(width as u32);
        for row in bits {
            rows.push_columns((0..width as u32).filter(|&e| row[e as usize]))
                .unwrap();
        }
        rows
    }

    proptest! {
        #[test]
        fn further_rows_are_merged_as_if_they_had_been_there(
            width in 0usize..150,
            bits in (0.01f64..0.8).prop_flat_map(|share| {
                let row = proptest::collection::vec(prop::bool::weighted(share), 150);
                proptest::collection::vec(row, 0..12)
            }),
            first in 0usize..12,
        ) {
            let (old, more) = bits.split_at(first.min(bits.len()));
            let methods = || (0..width as u32).map(|element| element / 4);
            let all = Coverage::with_methods(rows_of(&bits, width), methods());
            let old = Coverage::with_methods(rows_of(old, width), methods());
            let grown = old.with_rows(&rows_of(more, width), methods());
            prop_assert_eq!(&grown.column_of, &all.column_of);
            prop_assert_eq!(&grown.weights, &all.weights);
            prop_assert_eq!(&grown.totals, &all.totals);
            prop_assert_eq!(&grown.rows, &all.rows);
            prop_assert_eq!(&grown.methods, &all.methods);
        }
    }

    #[test]
    fn an_element_that_no_test_covers_still_counts() {
        let coverage = Coverage::new(rows_of(&[vec![true, false, true, false]], 4));
        assert_eq!(coverage.element_count(), 4);
        assert_eq!(coverage.column_count(), 2);
        assert_eq!(coverage.weights(), [2, 2]);
    }
}
