//! What each test looks like inside the suspicious elements `S`, the lines that the failing test
//! covers. Projected once per failing test; then a pick updates only the groups it cut.
//!
//! Tests whose rows agree inside `S` share a *footprint*; of real tests, a third to a hundredth.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::coverage::{Coverage, TestId};
use crate::groups::{Groups, Split};
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
    /// Local columns of all footprints, one after the other, and where each begins.
    footprint_columns: Vec<u32>,
    footprint_starts: Vec<usize>,
    /// Local number of a suspicious column.
    local_of: HashMap<u32, u32>,
    /// Per local column, `holders[starts[c]..starts[c+1]]`: the footprints that hold it.
    starts: Vec<usize>,
    holders: Vec<u32>,
}

impl Projection {
    /// Projects every test onto what `failing` covers.
    pub fn new(coverage: &Coverage, failing: TestId) -> Self {
        let suspicious = coverage.row(failing).columns();
        let width = coverage.column_count();
        // Rank of every column among the suspicious ones: a run of columns projects onto a run.
        let mut below = vec![0u32; width + 1];
        for &column in &suspicious {
            below[column as usize + 1] = 1;
        }
        for column in 0..width {
            below[column + 1] += below[column];
        }
        let tests: Vec<TestId> = coverage.tests().collect();
        let project = |&test: &TestId| -> Vec<u32> {
            let mut local = Vec::new();
            coverage.row(test).for_each_range(|range| {
                local.extend(below[range.start as usize]..below[range.end as usize]);
            });
            local
        };
        let rows: Vec<Vec<u32>> = tests.par_iter().with_min_len(256).map(project).collect();

        let mut numbers: HashMap<&[u32], u32> = HashMap::new();
        let mut footprints: Vec<&[u32]> = Vec::new();
        let mut footprint_of = Vec::with_capacity(rows.len());
        for row in &rows {
            let next = footprints.len() as u32;
            let number = *numbers.entry(row).or_insert(next);
            if number == next {
                footprints.push(row);
            }
            footprint_of.push(number);
        }
        let mut starts = vec![0usize; suspicious.len() + 1];
        for &column in footprints.iter().copied().flatten() {
            starts[column as usize + 1] += 1;
        }
        for column in 0..suspicious.len() {
            starts[column + 1] += starts[column];
        }
        let mut holders = vec![0u32; starts[suspicious.len()]];
        let mut free = starts.clone();
        for (number, row) in footprints.iter().enumerate() {
            for &column in *row {
                holders[free[column as usize]] = number as u32;
                free[column as usize] += 1;
            }
        }
        let weight = |&own: &u32| u64::from(coverage.weights()[suspicious[own as usize] as usize]);
        let shared = footprints.iter().map(|row| row.iter().map(weight).sum());
        let shared = shared.collect();
        let footprint_columns = footprints.concat();
        let mut footprint_starts = vec![0];
        for row in &footprints {
            footprint_starts.push(footprint_starts[footprint_starts.len() - 1] + row.len());
        }
        Projection {
            failing,
            footprint_columns,
            footprint_starts,
            shared,
            footprint_of,
            local_of: suspicious.iter().copied().zip(0..).collect(),
            columns: suspicious,
            starts,
            holders,
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
        self.local_of.get(&column).copied()
    }

    /// Local columns of a footprint, ascending.
    #[inline]
    pub fn footprint_columns(&self, footprint: u32) -> &[u32] {
        let at = footprint as usize;
        &self.footprint_columns[self.footprint_starts[at]..self.footprint_starts[at + 1]]
    }

    fn holders(&self, column: u32) -> &[u32] {
        let local = self.local_of[&column] as usize;
        &self.holders[self.starts[local]..self.starts[local + 1]]
    }
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
        coverage: &Coverage,
        groups: &Groups,
        inside: impl Iterator<Item = u32>,
    ) -> Self {
        let footprints = projection.footprint_count();
        let mut suspects = Balance {
            projection,
            balance: vec![0; footprints],
            covered: vec![[0; 2]; footprints],
            touched: Vec::new(),
        };
        for group in inside {
            suspects.count(coverage, groups.columns(group), 0);
            let size = groups.size(group);
            suspects.settle(|[covered, _]| evenness(size, covered), |_| 0);
        }
        suspects
    }

    /// Takes over one cut inside `S`. Costs the entries of the group that was cut.
    pub fn update(&mut self, coverage: &Coverage, groups: &Groups, split: Split) {
        self.count(coverage, groups.columns(split.part), 0);
        self.count(coverage, groups.columns(split.rest), 1);
        let (part, rest) = (groups.size(split.part), groups.size(split.rest));
        self.settle(
            |[in_part, in_rest]| evenness(part, in_part) + evenness(rest, in_rest),
            |[in_part, in_rest]| evenness(part + rest, in_part + in_rest),
        );
    }

    /// The projection underneath.
    pub fn projection(&self) -> &Arc<Projection> {
        &self.projection
    }

    /// The sum over groups inside `S` of `size * min(covered, not covered)`, by footprint.
    #[inline]
    pub fn balance(&self, footprint: u32) -> u64 {
        self.balance[footprint as usize]
    }

    fn count(&mut self, coverage: &Coverage, columns: &[u32], side: usize) {
        for &column in columns {
            let weight = u64::from(coverage.weights()[column as usize]);
            for &footprint in self.projection.holders(column) {
                let covered = &mut self.covered[footprint as usize];
                if *covered == [0; 2] {
                    self.touched.push(footprint);
                }
                covered[side] += weight;
            }
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
