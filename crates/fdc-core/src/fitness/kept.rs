//! `T` as rows of bits, with everything about it that does not depend on candidates.

use super::partition::Partition;
use crate::counts::SuiteCounts;

/// The failing test and the new tests kept.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    /// The failing test's row first, then the kept ones; bits past the last element are 0.
    pub(super) rows: Vec<Vec<u64>>,
    /// Bit `e`: some row differs at `e` from the element before, or `e` is 0.
    pub(super) edges: Vec<u64>,
    pub(super) partition: Partition,
    /// All but the groups.
    pub(super) counts: SuiteCounts,
}

impl Kept {
    /// `T = {failing}` over so many elements, at least one; the row has the right length.
    pub(super) fn new(elements: usize, failing: &[u64]) -> Self {
        let mut kept = Kept {
            rows: Vec::new(),
            edges: vec![0; elements.div_ceil(64)],
            partition: Partition::new(elements),
            counts: SuiteCounts {
                elements: elements as u64,
                ..SuiteCounts::default()
            },
        };
        kept.edges[0] = 1;
        kept.keep(failing);
        kept.counts.suspects = kept.counts.ones;
        kept
    }

    pub(super) fn elements(&self) -> usize {
        self.counts.elements as usize
    }

    pub(super) fn words(&self) -> usize {
        self.edges.len()
    }

    pub(super) fn failing(&self) -> &[u64] {
        &self.rows[0]
    }

    /// Tests of `T` with exactly this row.
    pub(super) fn twins(&self, row: &[u64]) -> u64 {
        self.rows.iter().filter(|known| *known == row).count() as u64
    }

    /// Adds a test, the failing one first; the row has the right length.
    pub(super) fn keep(&mut self, row: &[u64]) {
        let elements = self.elements();
        let mut row = row.to_vec();
        trim(&mut row, elements);
        let mut covered = Vec::new();
        for_each_bit(row.iter().copied(), |element| covered.push(element));
        let failing = self.rows.is_empty();
        self.partition.refine(&covered, &vec![1; elements], failing);
        add_edges(&mut self.edges, &row);
        trim(&mut self.edges, elements);
        self.counts.ones += covered.len() as u64;
        self.counts.tests += 1;
        self.counts.twins += 2 * self.twins(&row);
        self.rows.push(row);
    }
}

/// Clears the bits past the last element.
pub(super) fn trim(row: &mut [u64], elements: usize) {
    if let (1.., Some(word)) = (elements % 64, row.last_mut()) {
        *word &= (1 << (elements % 64)) - 1;
    }
}

/// Adds the places where a row differs from the element before.
pub(super) fn add_edges(edges: &mut [u64], row: &[u64]) {
    let mut before = 0;
    for (edges, &word) in edges.iter_mut().zip(row) {
        *edges |= word ^ (word << 1 | before >> 63);
        before = word;
    }
}

/// Visits the bits that are set, ascending.
#[inline]
pub(super) fn for_each_bit(words: impl Iterator<Item = u64>, mut visit: impl FnMut(u32)) {
    for (place, mut word) in (0u32..).zip(words) {
        while word != 0 {
            visit(place * 64 + word.trailing_zeros());
            word &= word - 1;
        }
    }
}
