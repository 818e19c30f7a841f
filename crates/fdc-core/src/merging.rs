//! Equal columns stored once: how rows over elements become rows over columns. All threads take part,
//! and the result does not depend on how many they are.

use std::ops::Range;

use rayon::prelude::*;

use crate::coverage::mix;
use crate::groups::Groups;
use crate::rows::{Row, Rows};

/// Rows over columns, and what the columns stand for. Columns are numbered by their first elements.
#[derive(Debug, PartialEq)]
pub(crate) struct Merged {
    pub(crate) rows: Rows,
    /// Elements per column.
    pub(crate) weights: Vec<u32>,
    /// By element.
    pub(crate) column_of: Vec<u32>,
    /// Elements covered per test.
    pub(crate) totals: Vec<u32>,
}

/// Merges the elements that exactly the same rows hold.
pub(crate) fn merge(elements: Rows) -> Merged {
    let width = elements.width() as usize;
    let pieces = Pieces {
        elements: width.div_ceil(rayon::current_num_threads()).max(1 << 13),
        tests: 64,
    };
    by_digest(elements, pieces).unwrap_or_else(|elements| by_refinement(&elements))
}

/// Columns of elements that share a label (below `count`), by first element, and their weights.
pub(crate) fn numbered(labels: &[u32], count: usize) -> (Vec<u32>, Vec<u32>) {
    let mut number: Vec<Option<u32>> = vec![None; count];
    let mut weights: Vec<u32> = Vec::new();
    let mut column_of = Vec::with_capacity(labels.len());
    for &label in labels {
        let column = *number[label as usize].get_or_insert_with(|| {
            weights.push(0);
            weights.len() as u32 - 1
        });
        weights[column as usize] += 1;
        column_of.push(column);
    }
    (column_of, weights)
}

/// Appends the columns of a row over elements; how many elements it has.
pub(crate) fn push_elements(rows: &mut Rows, elements: Row<'_>, column_of: &[u32]) -> u32 {
    let mut columns = elements.columns();
    let total = columns.len() as u32;
    for column in &mut columns {
        *column = column_of[*column as usize];
    }
    columns.sort_unstable();
    columns.dedup();
    rows.push_columns(columns)
        .expect("columns ascend and are in range");
    total
}

/// How much of a matrix one thread does at a time.
#[derive(Clone, Copy, Debug)]
struct Pieces {
    elements: usize,
    tests: usize,
}

/// Pieces of tests whose rows wait for their place at the end of all rows.
const WAITING: usize = 64;

/// The fast way: columns are compared by a digest of the tests that cover them, made from the ends of
/// runs alone. Different digests are of different columns; whether equal ones are of equal columns
/// is checked on the input at hand (every run ends where columns change, and a row covers all or
/// none of each merged column). Gives the rows back if two different columns share a digest.
fn by_digest(mut elements: Rows, pieces: Pieces) -> Result<Merged, Rows> {
    let segments = Segments::new(&digests(&elements, pieces.elements));
    let count = elements.len();
    let mut totals = Vec::with_capacity(count);
    if segments.weights.len() == elements.width() as usize {
        // Every element is a column.
        let total = |test| {
            let mut total = 0;
            let row = elements.row(test);
            row.for_each_range(|run| total += run.end - run.start);
            total
        };
        (0..count)
            .into_par_iter()
            .map(total)
            .collect_into_vec(&mut totals);
        elements.shrink_to_fit();
        return Ok(segments.merged(elements, totals));
    }
    let mut rows = Rows::new(segments.weights.len() as u32);
    let starts: Vec<usize> = (0..count).step_by(pieces.tests).collect();
    for starts in starts.chunks(WAITING) {
        let piece = |&start: &usize| {
            let tests = start..(start + pieces.tests).min(count);
            segments.rows_of(&elements, tests)
        };
        let pieces: Vec<_> = starts.par_iter().map(piece).collect();
        for piece in pieces {
            let Some((piece, totals_of_piece)) = piece else {
                return Err(elements);
            };
            rows.append(&piece);
            totals.extend(totals_of_piece);
        }
    }
    rows.shrink_to_fit();
    Ok(segments.merged(rows, totals))
}

/// The plain way, exact by construction: refine all elements by every row.
fn by_refinement(elements: &Rows) -> Merged {
    let ones = vec![1; elements.width() as usize];
    let mut groups = Groups::new(&ones);
    for test in 0..elements.len() {
        groups.refine(elements.row(test), &ones);
    }
    let (column_of, weights) = numbered(groups.labels(), groups.count());
    let mut rows = Rows::new(weights.len() as u32);
    let totals = (0..elements.len())
        .map(|test| push_elements(&mut rows, elements.row(test), &column_of))
        .collect();
    Merged {
        rows,
        weights,
        column_of,
        totals,
    }
}

/// Per element, the digest of the tests that cover it.
fn digests(elements: &Rows, piece: usize) -> Vec<u64> {
    let mut digests = vec![0u64; elements.width() as usize];
    let pieces = digests.par_chunks_mut(piece.max(1)).enumerate();
    pieces.for_each(|(index, digests)| {
        let first = index * piece;
        let within = first as u32..(first + digests.len()) as u32;
        // First what changes from one element to the next.
        for test in 0..elements.len() {
            let digest = mix(test as u64);
            elements.row(test).for_each_range_within(&within, |run| {
                digests[run.start as usize - first] ^= digest;
                if let Some(after) = digests.get_mut(run.end as usize - first) {
                    *after ^= digest;
                }
            });
        }
        let mut digest = 0;
        for own in digests {
            digest ^= *own;
            *own = digest;
        }
    });
    digests
}

/// Maximal stretches of neighbouring elements with equal digests, and the columns they belong to.
struct Segments {
    /// By element, and behind the last one.
    at: Vec<u32>,
    /// By segment.
    columns: Vec<u32>,
    column_of: Vec<u32>,
    weights: Vec<u32>,
}

impl Segments {
    fn new(digests: &[u64]) -> Self {
        let same = || digests.chunk_by(|a, b| a == b);
        let mut order: Vec<(u64, u32)> = same().map(|same| same[0]).zip(0..).collect();
        order.par_sort_unstable();
        // Per segment, the first one of the same column.
        let mut first = vec![0u32; order.len()];
        for same in order.chunk_by(|a, b| a.0 == b.0) {
            same.iter()
                .for_each(|&(_, segment)| first[segment as usize] = same[0].1);
        }
        drop(order);
        let mut segments = Segments {
            at: Vec::with_capacity(digests.len() + 1),
            columns: Vec::with_capacity(first.len()),
            column_of: Vec::with_capacity(digests.len()),
            weights: Vec::new(),
        };
        for ((segment, &first), same) in (0..).zip(&first).zip(same()) {
            let column = match first == segment {
                true => segments.weights.len() as u32,
                false => segments.columns[first as usize],
            };
            if first == segment {
                segments.weights.push(0);
            }
            segments.weights[column as usize] += same.len() as u32;
            segments.columns.push(column);
            let end = segments.at.len() + same.len();
            segments.at.resize(end, segment);
            segments.column_of.resize(end, column);
        }
        segments.at.push(first.len() as u32);
        segments
    }

    /// Rows of some tests over columns, and how many elements they cover; `None` if a run ends within a
    /// segment, or a row covers a part of a column.
    fn rows_of(&self, elements: &Rows, tests: Range<usize>) -> Option<(Rows, Vec<u32>)> {
        let mut rows = Rows::new(self.weights.len() as u32);
        let mut totals = Vec::with_capacity(tests.len());
        let (mut columns, mut runs): (Vec<u32>, Vec<Range<u32>>) = (Vec::new(), Vec::new());
        // Where no two segments share a column, a run of elements is a run of columns.
        let nothing_to_join = self.columns.len() == self.weights.len();
        for test in tests {
            let (mut total, mut whole) = (0, true);
            for_each_maximal_run(elements.row(test), |run| {
                whole &= self.begins_at(run.start) && self.begins_at(run.end);
                let segments = self.at[run.start as usize]..self.at[run.end as usize];
                if nothing_to_join {
                    runs.push(segments);
                } else {
                    let segments = segments.start as usize..segments.end as usize;
                    columns.extend_from_slice(&self.columns[segments]);
                }
                total += run.end - run.start;
            });
            if nothing_to_join {
                rows.push(runs.drain(..)).ok()?;
            } else {
                columns.sort_unstable();
                columns.dedup();
                let weights = columns.iter().map(|&c| u64::from(self.weights[c as usize]));
                whole &= weights.sum::<u64>() == u64::from(total);
                rows.push_columns(columns.drain(..)).ok()?;
            }
            if !whole {
                return None;
            }
            totals.push(total);
        }
        Some((rows, totals))
    }

    /// Whether a segment begins at an element, or none does because it is behind the last.
    fn begins_at(&self, element: u32) -> bool {
        let element = element as usize;
        element == 0 || self.at[element - 1] != self.at[element]
    }

    fn merged(self, rows: Rows, totals: Vec<u32>) -> Merged {
        Merged {
            rows,
            weights: self.weights,
            column_of: self.column_of,
            totals,
        }
    }
}

fn for_each_maximal_run(row: Row<'_>, mut visit: impl FnMut(Range<u32>)) {
    let mut run = 0..0u32;
    row.for_each_range(|range| {
        if range.start == run.end {
            run.end = range.end;
        } else {
            if !run.is_empty() {
                visit(run.clone());
            }
            run = range;
        }
    });
    if !run.is_empty() {
        visit(run);
    }
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
        fn merging_by_digest_equals_merging_by_refinement_whatever_the_pieces(
            width in 0usize..150,
            bits in (0.01f64..0.9).prop_flat_map(|share| {
                let row = proptest::collection::vec(prop::bool::weighted(share), 150);
                proptest::collection::vec(row, 0..24)
            }),
            pieces in (1usize..200, 1usize..8),
        ) {
            let rows = rows_of(&bits, width);
            let (elements, tests) = pieces;
            let fast = by_digest(rows.clone(), Pieces { elements, tests });
            let fast = fast.expect("no digests collide here");
            prop_assert_eq!(&fast, &by_refinement(&rows));
            prop_assert_eq!(&fast, &merge(rows));
            for (test, row) in bits.iter().enumerate() {
                let columns = fast.rows.row(test);
                for (&column, &covered) in fast.column_of.iter().zip(row) {
                    prop_assert_eq!(columns.contains(column), covered);
                }
            }
        }
    }

    #[test]
    fn rows_stay_as_they_are_where_every_element_is_a_column() {
        let bits: Vec<Vec<bool>> = (0..7)
            .map(|bit| (0..100).map(|element| (element >> bit) & 1 == 1).collect())
            .collect();
        let rows = rows_of(&bits, 100);
        let merged = merge(rows.clone());
        assert_eq!(merged, by_refinement(&rows));
        assert_eq!((&merged.rows, merged.weights.len()), (&rows, 100));
        assert_eq!(merged.totals[6], 36);
    }

    #[test]
    fn columns_that_share_a_digest_are_found_out() {
        let rows = rows_of(&[vec![true, true, false, true], vec![false; 4]], 4);
        // As if all four elements had one digest, then as if the first and the third had.
        for digests in [[1, 1, 1, 1], [1, 2, 1, 3]] {
            assert!(Segments::new(&digests).rows_of(&rows, 0..2).is_none());
        }
        assert!(Segments::new(&[1, 1, 2, 1]).rows_of(&rows, 0..2).is_some());
    }
}
