//! Greedy picks from a pool. What every candidate does to every group is worked out once; after
//! that a pick touches only the groups it cuts, all candidates at a time.

use super::kept::for_each_bit;
use super::partition::Effect;
use super::pool::Pool;
use crate::counts::{ByCounts, TestCounts};

/// What greedy picks need to know, from call to call in the same memory.
#[derive(Debug, Default)]
pub(super) struct Rollout {
    tests: usize,
    /// The number of the run that starts at an element.
    runs: Vec<u32>,
    /// Per run and test, the elements covered.
    sizes: Vec<u32>,
    /// Per group and test, the elements covered.
    covered: Vec<u32>,
    /// Per test, over all groups.
    effects: Vec<Effect>,
    left: Vec<usize>,
    counts: Vec<TestCounts>,
    values: Vec<f64>,
}

/// Numbers in the tables at the most; larger pools are counted anew at every pick, to save memory.
pub(super) const MOST_NUMBERS: usize = 1 << 24;

impl Rollout {
    /// The mean value of at most `most_picks` greedy picks from the pool; 0 if it is empty.
    pub(super) fn mean(
        &mut self,
        metric: &dyn ByCounts,
        pool: &mut Pool,
        most_picks: usize,
        most_numbers: usize,
    ) -> f64 {
        let tabled = self.fill(pool, most_numbers);
        self.left.clear();
        self.left.extend(0..self.tests);
        let picks = self.tests.min(most_picks);
        let mut total = 0.0;
        for _ in 0..picks {
            self.counts.clear();
            for &test in &self.left {
                self.counts.push(match tabled {
                    true => self.test(pool, test),
                    false => pool.test(test),
                });
            }
            self.values.resize(self.left.len(), 0.0);
            metric.values(&pool.suite(), &self.counts, &mut self.values);
            let best = super::best(&self.values);
            total += self.values[best];
            let test = self.left.remove(best);
            pool.join(test);
            if tabled {
                self.update(pool, test);
            }
        }
        total / picks.max(1) as f64
    }

    /// Makes the tables, if they are not too large.
    fn fill(&mut self, pool: &Pool, most_numbers: usize) -> bool {
        self.tests = pool.tests();
        let mut runs = 0;
        self.runs.resize(pool.weights.len(), 0);
        for_each_bit(pool.runs(), |start| {
            self.runs[start as usize] = runs;
            runs += 1;
        });
        let rows = runs as usize + pool.partition.groups.len();
        if rows.saturating_mul(self.tests) > most_numbers {
            return false;
        }
        self.sizes.clear();
        self.sizes.resize(runs as usize * self.tests, 0);
        self.covered.clear();
        self.covered
            .resize(pool.partition.groups.len() * self.tests, 0);
        for test in 0..self.tests {
            for &start in pool.starts(test) {
                let size = pool.weights[start as usize];
                let group = pool.partition.labels[start as usize] as usize;
                self.sizes[self.runs[start as usize] as usize * self.tests + test] = size;
                self.covered[group * self.tests + test] += size;
            }
        }
        self.effects.clear();
        self.effects.resize(self.tests, Effect::default());
        if self.tests > 0 {
            for (group, covered) in (0..).zip(self.covered.chunks_exact(self.tests)) {
                let group = pool.partition.groups[group];
                for (effect, &covered) in self.effects.iter_mut().zip(covered) {
                    *effect += group.effect(covered.into());
                }
            }
        }
        true
    }

    fn test(&self, pool: &Pool, test: usize) -> TestCounts {
        let dark = pool.partition.dark;
        let new = dark.map_or(0, |group| self.covered[group as usize * self.tests + test]);
        pool.with_cut(test, self.effects[test], new.into())
    }

    /// Takes over the cuts that a test made when it joined.
    fn update(&mut self, pool: &Pool, test: usize) {
        let (partition, tests) = (&pool.partition, self.tests);
        let parents = &partition.parents;
        let first = partition.groups.len() - parents.len();
        self.covered.resize(partition.groups.len() * tests, 0);
        for &start in pool.starts(test) {
            let group = partition.labels[start as usize] as usize;
            if group >= first {
                let run = self.runs[start as usize] as usize;
                let sizes = &self.sizes[run * tests..][..tests];
                let covered = &mut self.covered[group * tests..][..tests];
                for (sum, size) in covered.iter_mut().zip(sizes) {
                    *sum += size;
                }
            }
        }
        let (before, parts) = self.covered.split_at_mut(first * tests);
        for ((number, in_part), &parent) in (first..).zip(parts.chunks_exact(tests)).zip(parents) {
            let (part, rest) = (partition.groups[number], partition.groups[parent as usize]);
            let whole = part.joined(rest);
            let in_rest = &mut before[parent as usize * tests..][..tests];
            for ((effect, &part_covered), covered) in
                self.effects.iter_mut().zip(in_part).zip(in_rest)
            {
                let whole_covered = std::mem::replace(covered, *covered - part_covered);
                *effect += part.effect(part_covered.into());
                *effect += rest.effect((*covered).into());
                *effect -= whole.effect(whole_covered.into());
            }
        }
    }
}
