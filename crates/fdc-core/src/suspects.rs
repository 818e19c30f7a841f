//! What each test looks like inside the suspicious elements `S`, the lines that the failing test
//! covers. Projected once per failing test; then a pick updates only the groups it cut.
//!
//! Tests whose rows agree inside `S` share a *footprint*; of real tests, a third to a hundredth.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use crate::coverage::{Coverage, TestId, elements_in, running_total};
use crate::groups::{Groups, Split};
use crate::rows::{Row, Rows};
use crate::suite::jaccard;

/// All tests projected onto the suspicious columns.
#[derive(Debug)]
pub struct Projection {
    failing: TestId,
    footprint_of: Vec<u32>,
    /// Elements of `S` per footprint.
    shared: Vec<u64>,
    /// The suspicious columns, ascending; their places are their local numbers.
    columns: Vec<u32>,
    numbers: LocalNumbers,
    /// Elements before each local column, and in all.
    elements_before: Vec<u32>,
    /// Over local columns.
    footprints: Rows,
    holders: OnceLock<Holders>,
}

impl Projection {
    /// Projects every test onto what `failing` covers.
    pub fn new(coverage: &Coverage, failing: TestId) -> Self {
        let numbers = LocalNumbers::new(coverage.row(failing), coverage.column_count());
        // The ends of runs, by turns: a run of columns projects onto a run.
        let project = |&test: &TestId| -> Vec<u32> {
            let mut ends: Vec<u32> = Vec::new();
            coverage.row(test).for_each_range(|range| {
                let (start, end) = (numbers.below(range.start), numbers.below(range.end));
                match ends.last_mut() {
                    _ if start == end => {}
                    Some(last) if *last == start => *last = end,
                    _ => ends.extend([start, end]),
                }
            });
            ends
        };
        let tests: Vec<TestId> = coverage.tests().collect();
        let projected: Vec<Vec<u32>> = tests.par_iter().with_min_len(256).map(project).collect();

        let columns = coverage.row(failing).columns();
        let weights = columns.iter().map(|&c| coverage.weights()[c as usize]);
        let elements_before = running_total(weights);
        let mut known: HashMap<&[u32], u32> = HashMap::new();
        let mut footprints = Rows::new(columns.len() as u32);
        let (mut footprint_of, mut shared) = (Vec::with_capacity(tests.len()), Vec::new());
        for ends in &projected {
            let next = footprints.len() as u32;
            let number = *known.entry(ends).or_insert(next);
            footprint_of.push(number);
            if number == next {
                let runs = || ends.chunks_exact(2).map(|ends| ends[0]..ends[1]);
                let elements = runs().map(|run| elements_in(&elements_before, run));
                shared.push(elements.sum());
                footprints
                    .push(runs())
                    .expect("runs ascend and are in range");
            }
        }
        footprints.shrink_to_fit();
        Projection {
            failing,
            footprint_of,
            shared,
            columns,
            numbers,
            elements_before,
            footprints,
            holders: OnceLock::new(),
        }
    }

    /// The failing test it was made for.
    pub fn failing(&self) -> TestId {
        self.failing
    }

    /// The footprint of a test.
    #[inline]
    pub fn footprint(&self, test: TestId) -> u32 {
        self.footprint_of[test.index()]
    }

    /// Number of footprints.
    pub fn footprint_count(&self) -> usize {
        self.shared.len()
    }

    /// Suspicious elements in a footprint.
    #[inline]
    pub fn shared(&self, footprint: u32) -> u64 {
        self.shared[footprint as usize]
    }

    /// The suspicious columns, ascending; a column's place is its local number.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// How much of what a test and the failing one cover both do: Jaccard's index.
    pub fn cover(&self, coverage: &Coverage, test: TestId) -> f64 {
        let shared = self.shared(self.footprint(test));
        jaccard(shared, coverage.total(test), coverage.total(self.failing))
    }

    /// Local number of a column, if it is suspicious.
    pub fn local(&self, column: u32) -> Option<u32> {
        self.numbers.get(column)
    }

    /// A footprint, over local columns.
    #[inline]
    pub fn row(&self, footprint: u32) -> Row<'_> {
        self.footprints.row(footprint as usize)
    }

    /// By local column, how many of the tests cover it.
    pub fn covering(&self, tests: impl IntoIterator<Item = TestId>) -> Vec<u32> {
        let mut counts = vec![0u32; self.columns.len() + 1];
        for test in tests {
            self.row(self.footprint(test)).for_each_range(|run| {
                let (start, end) = (run.start as usize, run.end as usize);
                counts[start] = counts[start].wrapping_add(1);
                counts[end] = counts[end].wrapping_sub(1);
            });
        }
        counts.pop();
        let mut covering = 0u32;
        for count in &mut counts {
            covering = covering.wrapping_add(*count);
            *count = covering;
        }
        counts
    }

    fn holders(&self) -> &Holders {
        self.holders.get_or_init(|| Holders::new(&self.footprints))
    }
}

/// The suspicious columns as bits, so that a column's local number is found in one step.
#[derive(Debug)]
struct LocalNumbers {
    words: Vec<u64>,
    /// Suspicious columns before each word.
    before: Vec<u32>,
}

impl LocalNumbers {
    fn new(suspicious: Row<'_>, width: usize) -> Self {
        let mut words = vec![0u64; width / 64 + 1];
        suspicious.for_each(|column| words[column as usize / 64] |= 1 << (column % 64));
        let mut count = 0;
        let before = words.iter().map(|word| {
            count += word.count_ones();
            count - word.count_ones()
        });
        LocalNumbers {
            before: before.collect(),
            words,
        }
    }

    /// Number of suspicious columns below one.
    #[inline]
    fn below(&self, column: u32) -> u32 {
        let word = column as usize / 64;
        let lower = self.words[word] & !(u64::MAX << (column % 64));
        self.before[word] + lower.count_ones()
    }

    fn get(&self, column: u32) -> Option<u32> {
        let word = self.words[column as usize / 64];
        (word >> (column % 64) & 1 == 1).then(|| self.below(column))
    }
}

/// Which footprints hold which columns. Runs are stored in *blocks*, 2^k columns from a multiple of
/// 2^k on: a run of n columns takes at most 2 log n of them, and never more than n.
#[derive(Debug)]
struct Holders {
    /// The tree of blocks: this many of one column, from that number on; half of the number is the
    /// block of twice the size.
    leaves: usize,
    /// Per block, `footprints[starts[b]..starts[b+1]]`.
    starts: Vec<usize>,
    footprints: Vec<u32>,
}

impl Holders {
    fn new(rows: &Rows) -> Self {
        let leaves = (rows.width() as usize).next_power_of_two();
        let mut starts = vec![0usize; 2 * leaves + 1];
        for footprint in 0..rows.len() {
            for_each_block(rows.row(footprint), leaves, |block| starts[block + 1] += 1);
        }
        for block in 0..2 * leaves {
            starts[block + 1] += starts[block];
        }
        let mut footprints = vec![0u32; starts[2 * leaves]];
        let mut free = starts.clone();
        for footprint in 0..rows.len() {
            for_each_block(rows.row(footprint), leaves, |block| {
                footprints[free[block]] = footprint as u32;
                free[block] += 1;
            });
        }
        Holders {
            leaves,
            starts,
            footprints,
        }
    }

    /// Calls `visit` with footprints and the part of the columns that each holds; with several parts
    /// of one that holds several.
    fn for_each(&self, columns: Range<u32>, mut visit: impl FnMut(u32, Range<u32>)) {
        let mut first = columns.start as usize + self.leaves;
        let mut last = columns.end as usize - 1 + self.leaves;
        let mut size = 1;
        while first > 0 {
            let leftmost = self.leaves / size as usize;
            for block in first..=last {
                let start = (block - leftmost) as u32 * size;
                let part = start.max(columns.start)..(start + size).min(columns.end);
                for &footprint in &self.footprints[self.starts[block]..self.starts[block + 1]] {
                    visit(footprint, part.clone());
                }
            }
            (first, last, size) = (first / 2, last / 2, size * 2);
        }
    }
}

fn for_each_block(row: Row<'_>, leaves: usize, mut visit: impl FnMut(usize)) {
    row.for_each_range(|run| {
        let (mut start, mut end) = (run.start as usize + leaves, run.end as usize + leaves);
        while start < end {
            if start % 2 == 1 {
                visit(start);
                start += 1;
            }
            if end % 2 == 1 {
                end -= 1;
                visit(end);
            }
            (start, end) = (start / 2, end / 2);
        }
    });
}

/// Per footprint, how evenly it cuts the ambiguity groups inside `S`; kept up to date.
#[derive(Clone, Debug)]
pub struct Balance {
    projection: Arc<Projection>,
    /// Sum over the groups inside `S` of `size * min(covered, not covered)`, per footprint.
    balance: Vec<u64>,
    /// Elements covered of the part and of the rest, per footprint; zero between uses.
    covered: Vec<[u64; 2]>,
    touched: Vec<u32>,
}

impl Balance {
    /// For the groups as they are; `inside` are the numbers of the groups inside `S`.
    pub fn new(
        projection: Arc<Projection>,
        groups: &Groups,
        inside: impl Iterator<Item = u32>,
    ) -> Self {
        let footprints = projection.footprint_count();
        let mut kept = Balance {
            projection,
            balance: vec![0; footprints],
            covered: vec![[0; 2]; footprints],
            touched: Vec::new(),
        };
        for group in inside {
            kept.count(groups.columns(group), 0);
            let size = groups.size(group);
            kept.settle(|[covered, _]| evenness(size, covered), |_| 0);
        }
        kept
    }

    /// Takes over one cut inside `S`. Costs what the footprints hold of the group that was cut, by
    /// blocks.
    pub fn update(&mut self, groups: &Groups, split: Split) {
        self.count(groups.columns(split.part), 0);
        self.count(groups.columns(split.rest), 1);
        let (part, rest) = (groups.size(split.part), groups.size(split.rest));
        self.settle(
            |[in_part, in_rest]| evenness(part, in_part) + evenness(rest, in_rest),
            |[in_part, in_rest]| evenness(part + rest, in_part + in_rest),
        );
    }

    /// The sum over groups inside `S` of `size * min(covered, not covered)`, for a test's footprint.
    #[inline]
    pub fn of(&self, test: TestId) -> u64 {
        self.balance[self.projection.footprint(test) as usize]
    }

    fn count(&mut self, columns: &[u32], side: usize) {
        let projection = &*self.projection;
        let local = columns
            .iter()
            .filter_map(|&column| projection.local(column));
        let mut local: Vec<u32> = local.collect();
        local.sort_unstable();
        for stretch in local.chunk_by(|a, b| a + 1 == *b) {
            let stretch = stretch[0]..stretch[stretch.len() - 1] + 1;
            projection.holders().for_each(stretch, |footprint, part| {
                let covered = &mut self.covered[footprint as usize];
                if *covered == [0; 2] {
                    self.touched.push(footprint);
                }
                covered[side] += elements_in(&projection.elements_before, part);
            });
        }
    }

    fn settle(&mut self, now: impl Fn([u64; 2]) -> u64, before: impl Fn([u64; 2]) -> u64) {
        for footprint in self.touched.drain(..) {
            let covered = std::mem::take(&mut self.covered[footprint as usize]);
            let balance = &mut self.balance[footprint as usize];
            *balance = *balance + now(covered) - before(covered);
        }
    }
}

fn evenness(size: u64, covered: u64) -> u64 {
    size * covered.min(size - covered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn holders_give_back_the_footprints_of_every_column(
            width in 1u32..90,
            bits in proptest::collection::vec(proptest::collection::vec(prop::bool::weighted(0.8), 90), 1..12),
            part in (0u32..90, 1u32..90),
        ) {
            let mut rows = Rows::new(width);
            for row in &bits {
                rows.push_columns((0..width).filter(|&column| row[column as usize])).unwrap();
            }
            let start = part.0 % width;
            let asked = start..(start + part.1).min(width);
            let mut found: Vec<(u32, u32)> = Vec::new();
            Holders::new(&rows).for_each(asked.clone(), |footprint, part| {
                found.extend(part.map(|column| (footprint, column)));
            });
            found.sort_unstable();
            let all = (0..bits.len() as u32).flat_map(|footprint| {
                asked.clone().map(move |column| (footprint, column))
            });
            let held = |&(footprint, column): &(u32, u32)| bits[footprint as usize][column as usize];
            prop_assert_eq!(found, all.filter(held).collect::<Vec<_>>());
        }
    }

    /// One method that every test runs to another depth: 500,000 covered lines in a thousand runs.
    #[test]
    fn what_is_stored_of_long_runs_grows_with_their_number_and_not_with_their_length() {
        let mut rows = Rows::new(1000);
        for depth in 1..=1000 {
            rows.push(std::iter::once(0..depth)).unwrap();
        }
        let coverage = Coverage::new(rows);
        let projection = Projection::new(&coverage, TestId(999));
        assert_eq!(projection.footprint_count(), 1000);
        for footprint in 0..1000 {
            assert!(matches!(projection.row(footprint), Row::Runs(starts, _) if starts.len() == 1));
        }
        let blocks = projection.holders().footprints.len();
        assert!(blocks <= 1000 * 10, "{blocks}");
    }
}
