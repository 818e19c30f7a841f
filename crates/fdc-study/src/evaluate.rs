//! Every bug x failing test x metric x seed, in parallel, resumable and repeatable.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use fdc_core::coverage::TestId;
use fdc_core::ranking::RankingOptions;
use fdc_core::spectrum::Bug;
use fdc_core::{Shard, TieBreak};
use fdc_formats::collection::Collection;
use fdc_learn::protocol::{Division, Protocol};
use fdc_learn::sharp::model::SharpModel;
use rayon::prelude::*;

use crate::contender::{Contender, Role};
use crate::results::Record;
use crate::run::Arena;

/// What is asked of an evaluation.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// What competes.
    pub contenders: Vec<Contender>,
    /// How learned metrics are trained.
    pub protocol: Protocol,
    /// Seeds 0..seeds of what depends on one.
    pub seeds: u64,
    /// Which of equally good tests is added; a random order is drawn by the seed, so that every metric
    /// depends on it.
    pub ties: TieBreak,
    /// Failing tests of a bug that runs start from, the first in file order; `None`: all.
    pub max_failing: Option<usize>,
    /// Tests of this origin start runs and are never picked, and all others are picked and start
    /// none; `None`: every failing test starts runs, every other test may be picked.
    pub starters: Option<String>,
    /// How methods are ranked.
    pub ranking: RankingOptions,
    /// Whether methods are ranked, and tests asked for, by the learned distribution of a contender.
    pub by_distribution: bool,
    /// Which part of the units is done, if several machines share them.
    pub shard: Shard,
}

/// What happens in an evaluation.
#[derive(Debug)]
pub enum Event<'a, R> {
    /// A model was trained.
    Trained {
        /// The metric.
        metric: &'a str,
        /// The division of the bugs that it learned from.
        model: &'a str,
        /// Its seed.
        seed: u64,
        /// What to know before relying on it.
        warning: Option<&'a str>,
    },
    /// A unit was done, with these records.
    Finished(StudyUnit, Vec<R>),
}

/// The bugs of an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Bugs<'a> {
    /// What runs are made on.
    pub pool: &'a Collection,
    /// Other pools of tests that learned metrics are trained on: the protocol divides these, and a
    /// bug of `pool` is tested where the same bug is tested here. `None`: trained on `pool`.
    pub training: Option<&'a Collection>,
}

impl<'a> From<&'a Collection> for Bugs<'a> {
    fn from(pool: &'a Collection) -> Self {
        Bugs {
            pool,
            training: None,
        }
    }
}

impl<'a> Bugs<'a> {
    fn training(self) -> &'a Collection {
        self.training.unwrap_or(self.pool)
    }
}

/// One piece of work: a metric and seed on a bug. Done as a whole or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct StudyUnit {
    /// The metric.
    pub metric: String,
    /// The division it was trained on; empty if it was not trained.
    pub division: String,
    /// The seed.
    pub seed: u64,
    /// The project.
    pub subject: String,
    /// The bug's number.
    pub version: u32,
}

impl StudyUnit {
    /// The bug.
    pub fn bug(&self) -> Bug {
        Bug {
            subject: self.subject.clone(),
            version: self.version,
        }
    }
}

/// What is done from a failing test with a metric.
pub trait Work: Sync {
    /// What comes of it.
    type Record: Record;

    /// The records of one failing test.
    fn records(&self, setup: &RunSetup<'_>) -> Vec<Self::Record>;
}

/// Tests that a run adds at most, seeds, draws: what is kept of each fills the memory, and nobody
/// waits for more.
const MOST: u64 = 10_000;

/// Whether an evaluation with so many tests a run and seeds can be done; the error says why not.
pub fn check_size(tests: usize, seeds: u64) -> Result<(), String> {
    check_count("tests in a run", tests as u64)?;
    check_count("seeds", seeds)
}

/// The same for one of the counts.
pub(crate) fn check_count(what: &str, count: u64) -> Result<(), String> {
    match count > MOST {
        true => Err(format!("expected at most {MOST} {what}, found {count}")),
        false => Ok(()),
    }
}

/// Where a run starts, and what chooses its tests.
#[derive(Clone, Copy)]
pub struct RunSetup<'a> {
    /// The bug.
    pub arena: &'a Arena<'a>,
    /// The failing test it starts from.
    pub failing: TestId,
    /// What chooses, or ranks without choosing.
    pub role: &'a Role,
    /// The distribution that ranks and asks, if one does.
    pub localiser: Option<&'a Arc<SharpModel>>,
    /// Which of equally good tests it chooses, in an order by the unit's seed.
    pub ties: TieBreak,
    /// What the run is kept as.
    pub unit: &'a StudyUnit,
}

/// Units that share a trained metric.
struct Task<'a> {
    contender: &'a Contender,
    seed: u64,
    /// Seeds of the units: the same, or those of several orders of tests.
    orders: Range<u64>,
    division: Option<&'a Division>,
    /// Bugs to run on.
    bugs: Vec<usize>,
}

impl Evaluation {
    /// All units of work on these bugs, whatever the part.
    pub fn units(&self, bugs: Bugs<'_>) -> Vec<StudyUnit> {
        let divisions = self.divisions(bugs);
        let tasks = self.tasks(bugs, &divisions);
        let units = tasks.iter().flat_map(|task| task.units(bugs.pool));
        units.map(|(_, unit)| unit).collect()
    }

    /// Bugs that no model is tested on, since the training bugs do not hold them.
    pub fn untested<'a>(&self, bugs: Bugs<'a>) -> Vec<&'a Bug> {
        let divisions = self.divisions(bugs);
        let tested: HashSet<usize> = divisions.iter().flat_map(|d| d.test.clone()).collect();
        let learned = self.contenders.iter().any(|own| self.trains(own));
        let pool = bugs.pool.bugs.iter().enumerate();
        let left = pool.filter(|(index, _)| learned && !tested.contains(index));
        left.map(|(_, bug)| &bug.bug).collect()
    }

    /// Does every unit of the part that is not in `done` and tells what happens, from any thread, in any order.
    /// Stops between units once `stop` says so; whether all were done.
    pub fn evaluate<W: Work>(
        &self,
        work: &W,
        bugs: Bugs<'_>,
        done: &HashSet<StudyUnit>,
        stop: &(dyn Fn() -> bool + Sync),
        tell: &(dyn Fn(Event<'_, W::Record>) + Sync),
    ) -> bool {
        let divisions = self.divisions(bugs);
        let tasks = self.tasks(bugs, &divisions);
        // All metrics run on a bug in the same arena, made when the first one does. Making it uses
        // no thread of the pool: one that waits there might take up work that waits for the arena.
        let arenas: Vec<OnceLock<Option<Arena<'_>>>> =
            bugs.pool.bugs.iter().map(|_| OnceLock::new()).collect();
        tasks.par_iter().for_each(|task| {
            let mut left: Vec<(usize, StudyUnit)> = task.units(bugs.pool).collect();
            left.retain(|(_, unit)| unit.is_in(self.shard) && !done.contains(unit));
            if left.is_empty() || stop() {
                return;
            }
            let contender = match task.division {
                None => task.contender.untrained(task.seed),
                Some(division) => {
                    let train = division.train.iter();
                    let train = train.map(|&bug| &bugs.training().bugs[bug]);
                    let train: Vec<_> = train.map(|bug| (&bug.bug, &bug.spectrum)).collect();
                    let trained = task.contender.trained(&train, task.seed);
                    tell(Event::Trained {
                        metric: &task.contender.label,
                        model: &division.name,
                        seed: task.seed,
                        warning: trained.warning.as_deref(),
                    });
                    trained
                }
            };
            let localiser = contender.localiser.as_ref();
            let localiser = localiser.filter(|_| self.by_distribution);
            left.into_par_iter().for_each(|(index, unit)| {
                if stop() {
                    return;
                }
                let collected = &bugs.pool.bugs[index];
                let arena = arenas[index].get_or_init(|| {
                    let starters = self.starters.as_deref();
                    Arena::new(&collected.bug, &collected.spectrum, starters, self.ranking)
                });
                let mut records = Vec::new();
                if let Some(arena) = arena {
                    let failing = arena.failing_tests().into_iter();
                    for failing in failing.take(self.max_failing.unwrap_or(usize::MAX)) {
                        records.extend(work.records(&RunSetup {
                            arena,
                            failing,
                            role: &contender.role,
                            localiser,
                            ties: self.ties,
                            unit: &unit,
                        }));
                    }
                }
                tell(Event::Finished(unit, records));
            });
        });
        !stop()
    }

    /// The divisions: `train` counts in the training bugs, `test` in the pool.
    fn divisions(&self, bugs: Bugs<'_>) -> Vec<Division> {
        let training = bugs.training().bugs.iter();
        let known: Vec<Bug> = training.map(|bug| bug.bug.clone()).collect();
        let mut divisions = self.protocol.divisions(&known);
        let pool = bugs.pool.bugs.iter().enumerate();
        let place: HashMap<&Bug, usize> = pool.map(|(index, bug)| (&bug.bug, index)).collect();
        for division in &mut divisions {
            let test = division.test.iter();
            let test = test.filter_map(|&bug| place.get(&known[bug]));
            division.test = test.copied().collect();
        }
        divisions
    }

    fn trains(&self, contender: &Contender) -> bool {
        self.protocol != Protocol::Untrained && contender.learner().is_some()
    }

    fn tasks<'a>(&'a self, bugs: Bugs<'_>, divisions: &'a [Division]) -> Vec<Task<'a>> {
        let mut tasks = Vec::new();
        for contender in &self.contenders {
            let (seeds, orders) = match (contender.uses_seed(), self.ties) {
                (true, _) => (self.seeds, 1),
                (false, TieBreak::Random) if contender.chooses() => (1, self.seeds),
                (false, _) => (1, 1),
            };
            for seed in 0..seeds {
                let task = |division: Option<&'a Division>| Task {
                    contender,
                    seed,
                    orders: seed..seed + orders,
                    division,
                    bugs: match division {
                        Some(division) => division.test.clone(),
                        None => (0..bugs.pool.bugs.len()).collect(),
                    },
                };
                if self.trains(contender) {
                    tasks.extend(divisions.iter().map(|division| task(Some(division))));
                } else {
                    tasks.push(task(None));
                }
            }
        }
        tasks
    }
}

impl Task<'_> {
    /// With the bug of each, as a place in the pool.
    fn units(&self, pool: &Collection) -> impl Iterator<Item = (usize, StudyUnit)> {
        let of = |seed: u64, bug: usize| {
            let Bug { subject, version } = &pool.bugs[bug].bug;
            let division = self.division.map(|own| own.name.clone());
            StudyUnit {
                metric: self.contender.label.clone(),
                division: division.unwrap_or_default(),
                seed,
                subject: subject.clone(),
                version: *version,
            }
        };
        let orders = self.orders.clone();
        orders.flat_map(move |seed| self.bugs.iter().map(move |&bug| (bug, of(seed, bug))))
    }
}
