//! Rows of bits over a universe of columns, each stored in the smaller of two ways: as a bit set,
//! or as runs of consecutive ones (coverage comes in runs: a basic block, a method body).
//!
//! 100,000 tests x 1,000,000 lines at 0.5 % density in runs of ten take 6 bytes a run, 0.3 GiB.

use std::ops::Range;

/// Rows over columns `0..width`, append-only, in one arena.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    width: u32,
    rows: Vec<Stored>,
    words: Vec<u64>,
    starts: Vec<u32>,
    lengths: Vec<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stored {
    Bits { at: usize },
    Runs { at: usize, count: usize },
}

/// One row, borrowed. Equal columns are stored equally, so rows can be compared and hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Row<'a> {
    /// Bit `c` of the set is bit `c % 64` of word `c / 64`.
    Bits(&'a [u64]),
    /// Runs, ascending and not overlapping: first columns, and lengths of at least 1.
    Runs(&'a [u32], &'a [u16]),
}

/// A row was rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    /// A column is not below the width.
    #[error("column {0} is out of range: there are {1} columns")]
    OutOfRange(u32, u32),
    /// A column comes after one that is not below it.
    #[error("column {0} comes after column {1}: columns must ascend")]
    NotAscending(u32, u32),
}

impl Rows {
    /// No rows yet, over `width` columns.
    pub fn new(width: u32) -> Self {
        Rows {
            width,
            ..Rows::default()
        }
    }

    /// Number of columns.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Row number `row`.
    pub fn row(&self, row: usize) -> Row<'_> {
        match self.rows[row] {
            Stored::Bits { at } => Row::Bits(&self.words[at..at + self.words_per_row()]),
            Stored::Runs { at, count } => {
                Row::Runs(&self.starts[at..at + count], &self.lengths[at..at + count])
            }
        }
    }

    /// Appends a row given as ascending, non-overlapping ranges of columns (adjacent ones are
    /// joined, empty ones ignored). On an error nothing is appended.
    pub fn push(&mut self, ranges: impl IntoIterator<Item = Range<u32>>) -> Result<(), RowError> {
        let at = self.starts.len();
        let outcome = self.push_runs(at, ranges);
        if outcome.is_err() {
            self.starts.truncate(at);
            self.lengths.truncate(at);
            return outcome;
        }
        let count = self.starts.len() - at;
        // A run takes 6 bytes, a word of bits 8.
        if count * 6 <= self.words_per_row() * 8 {
            self.rows.push(Stored::Runs { at, count });
            return Ok(());
        }
        let words_at = self.words.len();
        self.words.resize(words_at + self.words_per_row(), 0);
        let words = &mut self.words[words_at..];
        for (start, length) in self.starts.drain(at..).zip(self.lengths.drain(at..)) {
            for column in start..start + u32::from(length) {
                words[column as usize / 64] |= 1 << (column % 64);
            }
        }
        self.rows.push(Stored::Bits { at: words_at });
        Ok(())
    }

    /// Appends a row given as ascending columns.
    pub fn push_columns(&mut self, columns: impl IntoIterator<Item = u32>) -> Result<(), RowError> {
        let columns = columns.into_iter();
        self.push(columns.map(|column| column..column.saturating_add(1)))
    }

    /// Puts the rows of others, which are over as many columns, behind these.
    pub fn append(&mut self, more: &Rows) {
        assert_eq!(self.width, more.width);
        let (words, runs) = (self.words.len(), self.starts.len());
        self.rows.extend(more.rows.iter().map(|&row| match row {
            Stored::Bits { at } => Stored::Bits { at: at + words },
            Stored::Runs { at, count } => Stored::Runs {
                at: at + runs,
                count,
            },
        }));
        self.words.extend_from_slice(&more.words);
        self.starts.extend_from_slice(&more.starts);
        self.lengths.extend_from_slice(&more.lengths);
    }

    /// Gives back memory that growth by doubling left unused.
    pub fn shrink_to_fit(&mut self) {
        self.rows.shrink_to_fit();
        self.words.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.lengths.shrink_to_fit();
    }

    fn push_runs(
        &mut self,
        at: usize,
        ranges: impl IntoIterator<Item = Range<u32>>,
    ) -> Result<(), RowError> {
        let mut end_of_last = 0u32;
        for range in ranges {
            if range.is_empty() {
                continue;
            }
            if range.end > self.width {
                return Err(RowError::OutOfRange(range.end - 1, self.width));
            }
            if range.start < end_of_last {
                return Err(RowError::NotAscending(range.start, end_of_last - 1));
            }
            let mut start = range.start;
            if start == end_of_last && self.starts.len() > at {
                let last = self.lengths.last_mut().expect("a run was pushed");
                let room = u32::from(u16::MAX - *last).min(range.end - start);
                *last += room as u16;
                start += room;
            }
            while start < range.end {
                let length = (range.end - start).min(u32::from(u16::MAX));
                self.starts.push(start);
                self.lengths.push(length as u16);
                start += length;
            }
            end_of_last = range.end;
        }
        Ok(())
    }

    fn words_per_row(&self) -> usize {
        (self.width as usize).div_ceil(64)
    }
}

impl Row<'_> {
    /// Calls `visit` with the row's maximal or partial runs of ones, ascending.
    #[inline]
    pub fn for_each_range(self, mut visit: impl FnMut(Range<u32>)) {
        match self {
            Row::Runs(starts, lengths) => {
                for (&start, &length) in starts.iter().zip(lengths) {
                    visit(start..start + u32::from(length));
                }
            }
            Row::Bits(words) => {
                for (base, &word) in (0..).step_by(64).zip(words) {
                    for_each_range_of_word(base, word, &mut visit);
                }
            }
        }
    }

    /// The same of the part within some columns, of which there is at least one.
    #[inline]
    pub fn for_each_range_within(self, columns: &Range<u32>, mut visit: impl FnMut(Range<u32>)) {
        match self {
            Row::Runs(starts, lengths) => {
                let after = starts.partition_point(|&start| start <= columns.start);
                let runs = starts.iter().zip(lengths).skip(after.saturating_sub(1));
                for (&start, &length) in runs.take_while(|(start, _)| **start < columns.end) {
                    let end = (start + u32::from(length)).min(columns.end);
                    let start = start.max(columns.start);
                    if start < end {
                        visit(start..end);
                    }
                }
            }
            Row::Bits(words) => {
                let (first, last) = (columns.start / 64, (columns.end - 1) / 64);
                for index in first..=last {
                    let mut word = words[index as usize];
                    if index == first {
                        word &= u64::MAX << (columns.start % 64);
                    }
                    if index == last {
                        word &= u64::MAX >> (63 - (columns.end - 1) % 64);
                    }
                    for_each_range_of_word(index * 64, word, &mut visit);
                }
            }
        }
    }

    /// Calls `visit` with every column of the row, ascending.
    #[inline]
    pub fn for_each(self, mut visit: impl FnMut(u32)) {
        self.for_each_range(|range| range.for_each(&mut visit));
    }

    /// All columns, ascending.
    pub fn columns(self) -> Vec<u32> {
        let mut columns = Vec::new();
        self.for_each(|column| columns.push(column));
        columns
    }

    /// Whether the row holds `column`.
    pub fn contains(self, column: u32) -> bool {
        match self {
            Row::Bits(words) => words
                .get(column as usize / 64)
                .is_some_and(|word| word >> (column % 64) & 1 == 1),
            Row::Runs(starts, lengths) => {
                let after = starts.partition_point(|&start| start <= column);
                after > 0 && column - starts[after - 1] < u32::from(lengths[after - 1])
            }
        }
    }

    /// Whether no column is set.
    pub fn is_empty(self) -> bool {
        match self {
            Row::Bits(words) => words.iter().all(|&word| word == 0),
            Row::Runs(starts, _) => starts.is_empty(),
        }
    }
}

#[inline]
fn for_each_range_of_word(base: u32, word: u64, visit: &mut impl FnMut(Range<u32>)) {
    let mut rest = word;
    while rest != 0 {
        let start = rest.trailing_zeros();
        let length = (rest >> start).trailing_ones();
        visit(base + start..base + start + length);
        if start + length == 64 {
            break;
        }
        rest &= u64::MAX << (start + length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_row_gives_back_the_columns_it_was_made_of(
            width in 1u32..300,
            seed in proptest::collection::btree_set(0u32..300, 0..300),
            part in (0u32..300, 1u32..300),
        ) {
            let columns: Vec<u32> = seed.into_iter().filter(|&c| c < width).collect();
            let mut rows = Rows::new(width);
            rows.push_columns(columns.iter().copied()).unwrap();
            let row = rows.row(0);
            prop_assert_eq!(row.columns(), columns.clone());
            let start = part.0 % width;
            let part = start..(start + part.1).min(width);
            let mut within = Vec::new();
            row.for_each_range_within(&part, |range| within.extend(range));
            let inside = columns.iter().copied().filter(|column| part.contains(column));
            prop_assert_eq!(within, inside.collect::<Vec<_>>());
            for column in 0..width {
                prop_assert_eq!(row.contains(column), columns.contains(&column));
            }
            prop_assert_eq!(row.is_empty(), columns.is_empty());
        }
    }

    #[test]
    fn runs_longer_than_a_length_field_are_cut_and_still_whole() {
        let mut rows = Rows::new(1_000_000);
        rows.push([5..200_000, 200_000..200_001]).unwrap();
        let mut count = 0;
        rows.row(0).for_each_range(|range| count += range.len());
        assert_eq!(count, 199_996);
        assert!(matches!(rows.row(0), Row::Runs(starts, _) if starts.len() == 4));
        assert!(rows.row(0).contains(65_540) && !rows.row(0).contains(200_001));
    }

    #[test]
    fn a_bad_row_is_refused_and_leaves_nothing_behind() {
        let mut rows = Rows::new(10);
        assert_eq!(rows.push([1..3, 9..11]), Err(RowError::OutOfRange(10, 10)));
        assert_eq!(rows.push_columns([4, 4]), Err(RowError::NotAscending(4, 4)));
        assert!(rows.is_empty());
        rows.push_columns([1]).unwrap();
        assert_eq!(rows.row(0).columns(), [1]);
    }

    #[test]
    fn dense_rows_are_bits_and_sparse_ones_runs() {
        let mut rows = Rows::new(128);
        rows.push_columns((0..128).step_by(2)).unwrap();
        rows.push_columns([3, 4, 5]).unwrap();
        assert!(matches!(rows.row(0), Row::Bits(_)));
        assert!(matches!(rows.row(1), Row::Runs(..)));
    }
}
