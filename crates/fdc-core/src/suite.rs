//! The suite so far, `T`: all that a result-agnostic metric sees. There are no outcomes in here
//! beyond the one every run starts from, that the first test fails.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::census::Labels;
use crate::coverage::{Coverage, TestId};
use crate::groups::Groups;
use crate::suspects::{Balance, Projection};

/// A failing test and the tests added to it, with the ambiguity groups they make.
#[derive(Clone, Debug)]
pub struct Suite<'c> {
    coverage: &'c Coverage,
    /// The failing test first, then in order of joining.
    tests: Vec<TestId>,
    member: Vec<bool>,
    groups: Groups,
    /// Per group, whether it lies inside `S`.
    suspicious: Vec<bool>,
    suspicious_count: usize,
    /// Cells of the matrix `T` that are set.
    ones: u64,
    projection: OnceLock<Arc<Projection>>,
    balance: OnceLock<Balance>,
    /// What metrics worked out of the failing test and the pool, by type.
    memos: Arc<Mutex<HashMap<TypeId, Memo>>>,
}

type Memo = Arc<dyn Any + Send + Sync>;

impl<'c> Suite<'c> {
    /// `T = {failing}`.
    pub fn new(coverage: &'c Coverage, failing: TestId) -> Self {
        let mut groups = Groups::new(coverage.weights());
        groups.refine(coverage.row(failing), coverage.weights());
        let mut suspicious = vec![false; groups.count()];
        coverage.row(failing).for_each(|column| {
            suspicious[groups.labels()[column as usize] as usize] = true;
        });
        let mut member = vec![false; coverage.test_count()];
        member[failing.index()] = true;
        Suite {
            coverage,
            tests: vec![failing],
            member,
            groups,
            suspicious_count: suspicious.iter().filter(|&&inside| inside).count(),
            suspicious,
            ones: coverage.total(failing),
            projection: OnceLock::new(),
            balance: OnceLock::new(),
            memos: Arc::default(),
        }
    }

    /// The same, with a projection made earlier for the same failing test.
    pub fn with_projection(coverage: &'c Coverage, projection: Arc<Projection>) -> Self {
        Suite {
            projection: projection.clone().into(),
            ..Suite::new(coverage, projection.failing())
        }
    }

    /// Adds a test. Costs its row, and the entries of the groups inside `S` that it cuts.
    pub fn add(&mut self, test: TestId) {
        if std::mem::replace(&mut self.member[test.index()], true) {
            return;
        }
        self.tests.push(test);
        self.ones += self.coverage.total(test);
        let weights = self.coverage.weights();
        for split in self.groups.refine(self.coverage.row(test), weights) {
            let inside = self.suspicious[split.rest as usize];
            self.suspicious.push(inside);
            self.suspicious_count += usize::from(inside);
            if let (true, Some(balance)) = (inside, self.balance.get_mut()) {
                balance.update(&self.groups, split);
            }
        }
    }

    /// Who covers what.
    pub fn coverage(&self) -> &'c Coverage {
        self.coverage
    }

    /// The failing test the run starts from.
    pub fn failing(&self) -> TestId {
        self.tests[0]
    }

    /// `T`: the failing test, then the added ones in order.
    pub fn tests(&self) -> &[TestId] {
        &self.tests
    }

    /// Number of tests added to the failing one.
    pub fn added(&self) -> usize {
        self.tests.len() - 1
    }

    /// Whether the test is in `T`.
    pub fn contains(&self, test: TestId) -> bool {
        self.member[test.index()]
    }

    /// `AG(T)`, over all elements.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The groups as labels, to count what tests cover of them.
    pub(crate) fn group_labels(&self) -> Labels<'_> {
        Labels::new(self.coverage, self.groups.labels())
    }

    /// Whether a group lies inside `S`.
    pub fn is_suspicious(&self, group: u32) -> bool {
        self.suspicious[group as usize]
    }

    /// Number of groups inside `S`.
    pub fn suspicious_groups(&self) -> usize {
        self.suspicious_count
    }

    /// Covered cells of the matrix `T`.
    pub fn ones(&self) -> u64 {
        self.ones
    }

    /// The tests as they look inside `S`; projected on first use.
    pub fn projection(&self) -> &Arc<Projection> {
        let make = || Arc::new(Projection::new(self.coverage, self.failing()));
        self.projection.get_or_init(make)
    }

    /// What `make` gives, worked out once per failing test: it must not depend on the tests added.
    pub fn remember<T: Any + Send + Sync>(&self, make: impl FnOnce(&Self) -> T) -> Arc<T> {
        let key = TypeId::of::<T>();
        let known = || self.memos.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known().get(&key).cloned();
        let memo = found.unwrap_or_else(|| {
            let made: Memo = Arc::new(make(self));
            known().entry(key).or_insert(made).clone()
        });
        memo.downcast().expect("stored under its own type")
    }

    /// Jaccard similarity of a test's row with the failing test's, over all elements.
    pub fn cover(&self, test: TestId) -> f64 {
        self.projection().cover(self.coverage, test)
    }

    /// Sum over the groups inside `S` of `(size/n) * min(covered, not covered by the test)`.
    pub fn split(&self, test: TestId) -> f64 {
        let balance = self.balance.get_or_init(|| {
            let inside = (0..self.groups.count() as u32).filter(|&g| self.is_suspicious(g));
            Balance::new(Arc::clone(self.projection()), &self.groups, inside)
        });
        balance.of(test) as f64 / self.coverage.element_count().max(1) as f64
    }
}

/// `shared / (a + b - shared)`, and 0 for two empty sets.
pub(crate) fn jaccard(shared: u64, a: u64, b: u64) -> f64 {
    let union = a + b - shared;
    if union == 0 {
        0.0
    } else {
        shared as f64 / union as f64
    }
}
