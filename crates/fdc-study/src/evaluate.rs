//! Every bug x failing test x metric x seed, in parallel, resumable and repeatable.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use fdc_core::ranking::RankingOptions;
use fdc_core::spectrum::Bug;
use fdc_formats::collection::Collection;
use fdc_learn::protocol::{Division, Protocol};
use rayon::prelude::*;

use crate::contender::Contender;
use crate::run::{Arena, Run};

/// What is asked of an evaluation.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// What competes.
    pub contenders: Vec<Contender>,
    /// How learned metrics are trained; `None`: the built-in model, untrained.
    pub protocol: Option<Protocol>,
    /// Tests added in a run.
    pub tests: usize,
    /// Seeds 0..seeds of what depends on one.
    pub seeds: u64,
    /// Failing tests of a bug that runs start from, the first in file order; `None`: all.
    pub max_failing: Option<usize>,
    /// How methods are ranked.
    pub ranking: RankingOptions,
}

/// One piece of work: a metric and seed on a bug. Done as a whole or not at all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Unit {
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

/// Units that share a trained metric.
struct Task<'a> {
    contender: &'a Contender,
    seed: u64,
    division: Option<&'a Division>,
    /// Bugs to run on.
    bugs: Vec<usize>,
}

impl Evaluation {
    /// All units of work on these bugs.
    pub fn units(&self, collection: &Collection) -> Vec<Unit> {
        let divisions = self.divisions(collection);
        let tasks = self.tasks(collection, &divisions);
        let units = tasks.iter().flat_map(|task| {
            task.bugs.iter().map(|&bug| task.unit(&collection.bugs[bug].bug))
        });
        units.collect()
    }

    /// Does every unit that is not in `done` and hands its runs to `finished`, from any thread, in
    /// any order. Stops between units once `stop` is set; whether all were done.
    pub fn evaluate(
        &self,
        collection: &Collection,
        done: &HashSet<Unit>,
        stop: &AtomicBool,
        finished: &(dyn Fn(Unit, Vec<Run>) + Sync),
    ) -> bool {
        let divisions = self.divisions(collection);
        let tasks = self.tasks(collection, &divisions);
        tasks.par_iter().for_each(|task| {
            let left: Vec<usize> = task
                .bugs
                .iter()
                .copied()
                .filter(|&bug| !done.contains(&task.unit(&collection.bugs[bug].bug)))
                .collect();
            if left.is_empty() || stop.load(Ordering::SeqCst) {
                return;
            }
            let metric = match task.division {
                None => task.contender.untrained(task.seed),
                Some(division) => {
                    let bugs = division.train.iter().map(|&bug| &collection.bugs[bug]);
                    let bugs: Vec<_> = bugs.map(|bug| (&bug.bug, &bug.spectrum)).collect();
                    task.contender.trained(&bugs, task.seed)
                }
            };
            left.par_iter().for_each(|&index| {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                let collected = &collection.bugs[index];
                let unit = task.unit(&collected.bug);
                let arena = Arena::new(&collected.bug, &collected.spectrum, self.ranking);
                let runs = arena.map_or(Vec::new(), |arena| {
                    let failing = arena.failing_tests();
                    let limit = self.max_failing.unwrap_or(usize::MAX);
                    let failing = failing.into_iter().take(limit);
                    failing
                        .map(|test| Run {
                            metric: unit.metric.clone(),
                            division: unit.division.clone(),
                            seed: unit.seed,
                            ..arena.run(test, &metric, self.tests)
                        })
                        .collect()
                });
                finished(unit, runs);
            });
        });
        !stop.load(Ordering::SeqCst)
    }

    fn divisions(&self, collection: &Collection) -> Vec<Division> {
        let bugs: Vec<Bug> = collection.bugs.iter().map(|bug| bug.bug.clone()).collect();
        self.protocol.map_or(vec![], |protocol| protocol.divisions(&bugs))
    }

    fn tasks<'a>(&'a self, collection: &Collection, divisions: &'a [Division]) -> Vec<Task<'a>> {
        let mut tasks = Vec::new();
        for contender in &self.contenders {
            let seeds = if contender.uses_seed() { self.seeds } else { 1 };
            for seed in 0..seeds {
                if contender.is_learned() && !divisions.is_empty() {
                    tasks.extend(divisions.iter().map(|division| Task {
                        contender,
                        seed,
                        division: Some(division),
                        bugs: division.test.clone(),
                    }));
                } else {
                    tasks.push(Task {
                        contender,
                        seed,
                        division: None,
                        bugs: (0..collection.bugs.len()).collect(),
                    });
                }
            }
        }
        tasks
    }
}

impl Task<'_> {
    fn unit(&self, bug: &Bug) -> Unit {
        Unit {
            metric: self.contender.label.clone(),
            division: self.division.map_or(String::new(), |division| division.name.clone()),
            seed: self.seed,
            subject: bug.subject.clone(),
            version: bug.version,
        }
    }
}
