//! What came out of a generation, and `summary.json` (`schemas/generate.schema.json`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The version of the JSON document.
pub const SCHEMA: u32 = 1;

/// What came out of a generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The generator.
    pub tool: String,
    /// The failing test.
    pub failing: String,
    /// What the search was guided by; none where tests were taken in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criterion: Option<String>,
    /// The classes or modules, in the order of the work.
    pub units: Vec<UnitSummary>,
    /// Classes or modules that got no budget.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutUnit>,
    /// Tests that were made.
    pub made: u64,
    /// Tests that are in the pool.
    pub kept: u64,
    /// How many tests were removed for which reason.
    pub removed: BTreeMap<RemovalReason, u64>,
    /// The removed tests by name.
    pub removed_tests: BTreeMap<String, RemovalReason>,
    /// Outcomes of the kept tests: `pass`, `fail`, `unknown`.
    pub outcomes: OutcomeCounts,
    /// Lines that the failing test covers.
    pub suspicious: u64,
    /// Of these, lines that a kept test covers.
    pub covered: u64,
    /// Lines that new tests ran and the case does not have; they are ignored.
    pub outside: u64,
    /// Ambiguity groups among the suspicious lines: with the failing test alone.
    pub groups_before: u64,
    /// The same with the kept tests.
    pub groups: u64,
}

/// A class or module under test, or one of tests that were taken in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UnitSummary {
    /// Its name.
    pub name: String,
    /// Tests that were made.
    pub made: u64,
    /// Tests that are in the pool.
    pub kept: u64,
    /// What the search did, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchSummary>,
}

impl UnitSummary {
    /// The first unit's problem, if all of them have one.
    pub(crate) fn common_problem(units: &[UnitSummary]) -> Option<&str> {
        let searches = units.iter().map(|unit| unit.search.as_ref());
        let mut problems = searches.map(|search| search?.problem.as_deref());
        let first = problems.next()??;
        problems.all(|problem| problem.is_some()).then_some(first)
    }
}

/// What a search did for one class or module.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchSummary {
    /// Methods that the failing test covers.
    pub methods: u64,
    /// Its share of the budget, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Its share of the budget, in generations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generations: Option<u64>,
    /// Rounds, each for one test.
    pub rounds: u64,
    /// Calls of the metric.
    pub evaluations: u64,
    /// Time inside those calls, in seconds.
    pub native_seconds: f64,
    /// Generations that were searched.
    pub generations_done: u64,
    /// Groups of suspects before the search and after, as the search saw it. None with `line`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<[u64; 2]>,
    /// What went wrong, if the tool made no tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A class or module that got no budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftOutUnit {
    /// Its name.
    pub name: String,
    /// Why.
    pub why: String,
}

/// Why a test is not in the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RemovalReason {
    /// The compiler refuses it.
    NotCompiling,
    /// It fails on the version it was made on.
    Failing,
    /// Its outcome changes from run to run.
    Flaky,
    /// It takes too long.
    Hanging,
    /// It does not want to be run.
    Skipped,
    /// The case has a test of that name.
    Known,
    /// It runs no line of the case, so its outcome would tell nothing.
    Empty,
}

impl RemovalReason {
    /// In words, after a number of tests.
    pub fn words(self) -> &'static str {
        match self {
            RemovalReason::NotCompiling => "not compiling",
            RemovalReason::Failing => "failing on the faulty version",
            RemovalReason::Flaky => "flaky",
            RemovalReason::Hanging => "hanging",
            RemovalReason::Skipped => "skipped",
            RemovalReason::Known => "in the case already",
            RemovalReason::Empty => "running no line of the case",
        }
    }
}

/// Outcomes of the kept tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeCounts {
    /// They pass.
    pub pass: u64,
    /// They fail.
    pub fail: u64,
    /// Nobody knows yet.
    pub unknown: u64,
}
