//! Candidates beside `T`, in numbers kept as candidates join. Calls use the memory again.
//!
//! Neighbouring elements that neither `T` nor any candidate tells apart are handled once, by their
//! first: on real programs lines are covered in runs.

use super::kept::{Kept, add_edges, for_each_bit, trim};
use super::partition::{Effect, Partition};
use crate::counts::{Scope, SuiteCounts, TestCounts};

/// Candidates, and `T` with those that joined.
#[derive(Debug, Default)]
pub(super) struct Pool {
    words: usize,
    /// The candidates' rows, end to end.
    rows: Vec<u64>,
    edges: Vec<u64>,
    /// Elements whose groups are counted.
    scope: Vec<u64>,
    /// Elements in the run that starts at an element.
    pub(super) weights: Vec<u32>,
    /// Starts of runs that each candidate covers, one after the other, and where each begins.
    starts: Vec<u32>,
    bounds: Vec<usize>,
    /// The groups; labels are those of starts.
    pub(super) partition: Partition,
    /// All but the groups.
    suite: SuiteCounts,
    tests: Vec<TestCounts>,
}

impl Pool {
    /// Takes in candidates; `rows` has the words of so many tests. Groups are counted in `scope`.
    pub(super) fn fill(&mut self, kept: &Kept, rows: &[u64], tests: usize, scope: Scope) {
        self.words = kept.words();
        self.rows.clear();
        self.rows.extend_from_slice(rows);
        self.edges.clear();
        self.edges.extend_from_slice(&kept.edges);
        self.tests.clear();
        for test in 0..tests {
            let row = &mut self.rows[test * self.words..][..self.words];
            trim(row, kept.elements());
            add_edges(&mut self.edges, row);
            self.tests.push(TestCounts {
                total: ones(row.iter().copied()),
                shared: ones(row.iter().zip(kept.failing()).map(|(a, b)| a & b)),
                twins: kept.twins(row),
                ..TestCounts::default()
            });
        }
        trim(&mut self.edges, kept.elements());
        self.suite = kept.counts;
        self.partition.copy_groups(&kept.partition);
        self.measure_runs(kept);
        self.scope.clear();
        match scope {
            Scope::Suspects => self.scope.extend_from_slice(kept.failing()),
            Scope::Everything => self.scope.resize(self.words, u64::MAX),
        }
        self.list_starts();
    }

    /// `T` with those that joined, in numbers.
    pub(super) fn suite(&self) -> SuiteCounts {
        SuiteCounts {
            groups: self.partition.groups.len() as u64,
            pairs: self.partition.pairs,
            suspicious_groups: self.partition.suspicious as u64,
            ..self.suite
        }
    }

    pub(super) fn test(&mut self, test: usize) -> TestCounts {
        let starts = &self.starts[self.bounds[test]..self.bounds[test + 1]];
        let (effect, new) = self.partition.cut(starts, &self.weights);
        self.with_cut(test, effect, new)
    }

    /// A candidate in numbers, where it is known what it does to the groups.
    pub(super) fn with_cut(&self, test: usize, effect: Effect, new: u64) -> TestCounts {
        TestCounts {
            balance: effect.balance,
            cuts: effect.cuts,
            parted: effect.parted,
            new,
            ..self.tests[test]
        }
    }

    pub(super) fn join(&mut self, test: usize) {
        let starts = &self.starts[self.bounds[test]..self.bounds[test + 1]];
        self.suite.tests += 1;
        self.suite.ones += self.tests[test].total;
        self.suite.twins += 2 * self.tests[test].twins;
        let rows = &self.rows;
        let row = |test: usize| &rows[test * self.words..][..self.words];
        for (other, counts) in self.tests.iter_mut().enumerate() {
            counts.twins += u64::from(row(other) == row(test));
        }
        self.partition.refine(starts, &self.weights, false);
    }

    pub(super) fn tests(&self) -> usize {
        self.tests.len()
    }

    /// Starts of the runs in the scope that a candidate covers.
    pub(super) fn starts(&self, test: usize) -> &[u32] {
        &self.starts[self.bounds[test]..self.bounds[test + 1]]
    }

    /// All starts in the scope, as bits.
    pub(super) fn runs(&self) -> impl Iterator<Item = u64> + '_ {
        let edges = self.edges.iter().zip(&self.scope);
        edges.map(|(edges, scope)| edges & scope)
    }

    fn measure_runs(&mut self, kept: &Kept) {
        self.weights.resize(kept.elements(), 0);
        let (weights, labels) = (&mut self.weights, &mut self.partition.labels);
        let mut start = 0;
        for_each_bit(self.edges.iter().copied(), |edge| {
            weights[start as usize] = edge - start;
            labels[edge as usize] = kept.partition.labels[edge as usize];
            start = edge;
        });
        weights[start as usize] = kept.elements() as u32 - start;
    }

    fn list_starts(&mut self) {
        self.starts.clear();
        self.bounds.clear();
        self.bounds.push(0);
        for test in 0..self.tests.len() {
            let row = &self.rows[test * self.words..][..self.words];
            let runs = row.iter().zip(&self.edges).zip(&self.scope);
            let runs = runs.map(|((row, edges), scope)| row & edges & scope);
            for_each_bit(runs, |start| self.starts.push(start));
            self.bounds.push(self.starts.len());
        }
    }
}

fn ones(words: impl Iterator<Item = u64>) -> u64 {
    words.map(|word| u64::from(word.count_ones())).sum()
}
