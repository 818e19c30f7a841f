//! Naive twins: every definition of the specification computed straight from its formula, over a
//! dense matrix of elements. No weights, no merged columns, no state that is kept up to date;
//! groups come from maps of whole columns. Only ids and plain types are shared with `fdc-core`.
#![allow(dead_code, reason = "each test crate uses its own part")]

pub(crate) mod cases;
pub(crate) mod formulas;
pub(crate) mod metrics;
pub(crate) mod places;

use std::collections::BTreeMap;

use fdc_core::spectrum::Outcome;
use fdc_core::tally::{Counts, Verdict};

/// `T` over a dense matrix: the failing test, then the added ones in order.
#[derive(Clone, Debug)]
pub(crate) struct Chosen<'m> {
    matrix: &'m [Vec<bool>],
    n: usize,
    tests: Vec<(usize, Option<Verdict>)>,
}

impl<'m> Chosen<'m> {
    /// `T = {f}`; `matrix[test][element]`, `n` elements.
    pub(crate) fn new(matrix: &'m [Vec<bool>], n: usize, f: usize) -> Self {
        let tests = vec![(f, Some(Verdict::certain(Outcome::Fail)))];
        Chosen { matrix, n, tests }
    }

    pub(crate) fn add(&mut self, test: usize, verdict: Option<Verdict>) {
        self.tests.push((test, verdict));
    }

    pub(crate) fn n(&self) -> usize {
        self.n
    }

    pub(crate) fn f(&self) -> usize {
        self.tests[0].0
    }

    pub(crate) fn tests(&self) -> Vec<usize> {
        self.tests.iter().map(|&(test, _)| test).collect()
    }

    pub(crate) fn tests_with(&self, candidate: usize) -> Vec<usize> {
        let mut tests = self.tests();
        tests.push(candidate);
        tests
    }

    pub(crate) fn covers(&self, test: usize, element: usize) -> bool {
        self.matrix[test][element]
    }

    pub(crate) fn row(&self, test: usize) -> &[bool] {
        &self.matrix[test]
    }

    /// The members of each group of elements with equal columns over `tests`.
    pub(crate) fn groups(&self, tests: &[usize]) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<Vec<bool>, Vec<usize>> = BTreeMap::new();
        for element in 0..self.n {
            let column = tests.iter().map(|&test| self.covers(test, element));
            groups.entry(column.collect()).or_default().push(element);
        }
        groups.into_values().collect()
    }

    /// The groups of `AG(T)` inside `S`.
    pub(crate) fn suspicious_groups(&self) -> Vec<Vec<usize>> {
        let mut groups = self.groups(&self.tests());
        groups.retain(|group| self.covers(self.f(), group[0]));
        groups
    }

    /// Elements of a group that a test covers.
    pub(crate) fn covered(&self, group: &[usize], test: usize) -> usize {
        group
            .iter()
            .filter(|&&element| self.covers(test, element))
            .count()
    }

    /// The tests of `T` whose verdict is that they fail, in order of joining.
    pub(crate) fn failing(&self) -> Vec<usize> {
        let fails = |verdict: Option<Verdict>| {
            verdict.is_some_and(|verdict| verdict.outcome == Outcome::Fail)
        };
        let failing = self.tests.iter().filter(|(_, verdict)| fails(*verdict));
        failing.map(|&(test, _)| test).collect()
    }

    /// `F` and `P`.
    pub(crate) fn judged(&self) -> (f64, f64) {
        self.weights_where(|_| true)
    }

    pub(crate) fn counts(&self, element: usize) -> Counts {
        let (ef, ep) = self.weights_where(|test| self.covers(test, element));
        let (nf, np) = self.weights_where(|test| !self.covers(test, element));
        Counts { ef, ep, nf, np }
    }

    /// Trust in whole parts of 2^32, so that sums are exact in any order.
    fn weights_where(&self, counts: impl Fn(usize) -> bool) -> (f64, f64) {
        let one = 1u64 << 32;
        let (mut fail, mut pass) = (0, 0);
        for (_, verdict) in self.tests.iter().filter(|(test, _)| counts(*test)) {
            let Some(Verdict { outcome, trust }) = *verdict else {
                continue;
            };
            let said = (trust * one as f64).round() as u64;
            let (to_fail, to_pass) = match outcome {
                Outcome::Fail => (said, one - said),
                Outcome::Pass => (one - said, said),
            };
            fail += to_fail;
            pass += to_pass;
        }
        (fail as f64 / one as f64, pass as f64 / one as f64)
    }
}

/// `a / b`, where 0/0 is 0.
pub(crate) fn ratio(a: f64, b: f64) -> f64 {
    if a == 0.0 && b == 0.0 { 0.0 } else { a / b }
}

/// Equal to 12 digits; differences of sums that should be 0 are let through to 1e-13.
pub(crate) fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-12 * a.abs().max(b.abs()) + 1e-13
}
