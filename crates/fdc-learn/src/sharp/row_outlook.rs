//! sharp as a fitness of new tests: the same value as [`RankOutlook`](super::outlook::RankOutlook) gives,
//! kept line by line, so that a test costs the suspicious lines that it runs.
//!
//! How likely each method is faulty is settled at the start, from all that is known there: names, and
//! the tests that the case holds. Tests that are kept are taken to pass.

use fdc_core::fitness::ByRows;

use super::outlook::{Levels, TIE_BREAK, in_units, progress_of};

/// The suspicious methods over lines, and the tests kept.
#[derive(Clone, Debug)]
pub(super) struct RowOutlook {
    /// The lines that the failing test covers, as bits.
    suspicious: Vec<u64>,
    /// By line, its method's place in `methods`.
    method_of: Vec<u32>,
    /// By line, kept tests that cover it.
    passes: Vec<u32>,
    methods: Vec<SuspiciousMethod>,
    /// Least covered lines of all methods.
    needed: usize,
    levels: Levels,
}

#[derive(Clone, Debug)]
struct SuspiciousMethod {
    /// Its suspicious lines.
    lines: Vec<u32>,
    /// In units.
    likely: u64,
    /// Kept tests on its least covered line, and the number of such lines.
    level: u32,
    needed: u32,
}

impl RowOutlook {
    /// `T` is the failing test; `likely` holds the number of every suspicious method and how likely it
    /// is faulty.
    pub(super) fn new(
        failing: &[u32],
        method_of: &[u32],
        likely: impl Iterator<Item = (u32, f64)>,
    ) -> Self {
        let places = method_of.iter().max().map_or(0, |&most| most as usize + 1);
        let mut place_of: Vec<u32> = vec![0; places];
        let mut methods = Vec::new();
        for (method, likely) in likely {
            place_of[method as usize] = methods.len() as u32;
            methods.push(SuspiciousMethod {
                lines: Vec::new(),
                likely: in_units(likely),
                level: 0,
                needed: 0,
            });
        }
        let mut suspicious = vec![0; method_of.len().div_ceil(64)];
        let mut local = vec![0; method_of.len()];
        for &line in failing {
            let place = place_of[method_of[line as usize] as usize];
            suspicious[line as usize / 64] |= 1 << (line % 64);
            local[line as usize] = place;
            let method = &mut methods[place as usize];
            method.lines.push(line);
            method.needed += 1;
        }
        let mut outlook = RowOutlook {
            suspicious,
            passes: vec![0; method_of.len()],
            method_of: local,
            methods,
            needed: 0,
            levels: Levels::new(std::iter::empty()),
        };
        outlook.settle();
        outlook
    }

    /// Works out what depends on all methods.
    fn settle(&mut self) {
        let methods = self.methods.iter();
        self.levels = Levels::new(methods.clone().map(|own| (own.level, own.likely, 1.0)));
        self.needed = methods.map(|own| own.needed as usize).sum();
    }

    fn for_each_line(&self, row: &[u64], mut visit: impl FnMut(usize)) {
        for (place, (&row, &suspicious)) in row.iter().zip(&self.suspicious).enumerate() {
            let mut left = row & suspicious;
            while left != 0 {
                visit(64 * place + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }
}

impl ByRows for RowOutlook {
    fn value(&self, row: &[u64]) -> f64 {
        let mut covered: Vec<u32> = vec![0; self.methods.len()];
        let mut progress = 0;
        self.for_each_line(row, |line| {
            let method = self.method_of[line] as usize;
            let least = u32::from(self.passes[line] == self.methods[method].level);
            covered[method] += least;
            progress += least;
        });
        let mut leaving = self.levels.nobody();
        for (method, covered) in self.methods.iter().zip(covered) {
            if covered == method.needed {
                leaving.note(method.level, method.likely, 1.0);
            }
        }
        self.levels.after(&mut leaving) + TIE_BREAK * progress_of(progress, self.needed)
    }

    fn keep(&mut self, row: &[u64]) {
        let mut passes = std::mem::take(&mut self.passes);
        self.for_each_line(row, |line| passes[line] += 1);
        for method in &mut self.methods {
            let of = |&line: &u32| passes[line as usize];
            method.level = method.lines.iter().map(of).min().unwrap_or(0);
            let least = method.lines.iter().filter(|line| of(line) == method.level);
            method.needed = least.count() as u32;
        }
        self.passes = passes;
        self.settle();
    }

    fn copy(&self) -> Box<dyn ByRows> {
        Box::new(self.clone())
    }
}
