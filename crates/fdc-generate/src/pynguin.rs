//! pynguin — makes pytest tests with Pynguin 0.48, searching for those that tell suspects apart.
//!
//! ```text
//! fdc collect pytest -o case.fdc
//! fdc generate pynguin --case case.fdc --criterion rlfdc --budget 120 --seed 1 -o more
//! fdc select more/pool.fdc --origin pynguin
//! ```
//! THE CODE UNDER TEST IS RUN, with arguments that a search makes up. Code that deletes files deletes
//! files. Use a copy of the project, or a container, if a module does more than compute.
//!
//! The modules under test are those that the failing test covers (`--module` names fewer), each with
//! a share of the budget by the number of its functions that the failing test covers; a module whose
//! share is under one second (one generation) is left out, the smallest first. Pynguin's
//! whole-suite algorithm searches; its fitness is the criterion, given the failing test and what is
//! kept so far: `line` (Pynguin's own), or any metric that sees coverage alone, such as `rlfdc`,
//! `entbug`, `ddu` or `tfd`. At level `suite` a candidate is a whole suite; at level `test` it is one
//! test, the best is kept, and the next is searched beside it, in rounds of two seconds or a tenth of
//! the module's budget, whichever is less (of five generations or a tenth, whichever is more).
//!
//! Only the module under test is watched during the search. What a test covers elsewhere is seen
//! afterwards: every test is run three times by `fdc collect pytest`'s collector. Tests that fail,
//! whose outcome changes, or that take longer than `--timeout` are removed. Only lines that the case
//! knows count; the others are counted and ignored.
//!
//! Needs, in the Python that the project's tests run with (`--python`, else the active virtual
//! environment, else `.venv` or `venv` in the project, else `python3`): Python 3.10 or newer (3.11 is
//! what is tested), pytest, coverage, `pynguin==0.48.*`, and the Python module fdc (docs/python.md).
//!
//! The folder written with `-o` holds `tests/`, the kept tests, `pool.fdc`, the case with them (origin
//! `pynguin`), `logs/`, `rounds.jsonl`, what each test added, `kept.rows`, what the search kept, and
//! `summary.json`. A run that was stopped goes on with the modules that are not done.
//!
//! With `--oracle regression --fixed-project DIR` the kept tests are run on the fixed version as well:
//! those that fail there are failing tests, since they hold on to what the fault does. Without an
//! oracle outcomes stay unknown, and `fdc select` says which tests are worth a look.
//!
//! The same seed and a budget in generations (`--generations`) make the same tests, as long as the
//! code under test gives the same answers; a budget in seconds does not. Where a made-up test crashes
//! Python itself, the search for that module is tried again with the next seed, twice at the most.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use fdc_collect::Log;
use fdc_collect::process::{Ending, Group, log_to, status_text};
use serde_json::json;

use crate::error::GenerateError;
use crate::folder::{Folder, empty};
use crate::options::{Budget, Criterion, Level, Options};
use crate::python::modules::{Module, modules};
use crate::python::{Interpreter, PytestSuite};
use crate::report;
use crate::share::{self, Share};
use crate::summary::{LeftOut, Search, Unit};
use crate::target::Target;
use crate::{Generator, Made, Tool};
use fdc_collect::Watch;

pub(crate) const GENERATOR: Generator = Generator {
    name: "pynguin",
    summary: "Python: pytest tests by Pynguin 0.48; runs the code under test",
    searches: true,
    open,
    source: include_str!("pynguin.rs"),
};

/// Tests that a search at level `test` aims at.
const ROUNDS: u64 = 10;
/// A round at the most, in seconds; and at the least, in generations: fewer are no search.
const ROUND_SECONDS: f64 = 2.0;
const ROUND_GENERATIONS: u64 = 5;
/// A made-up test can crash Python itself; another seed makes up others.
const ATTEMPTS: u64 = 3;
/// `python -m fdc.pynguin` ends so where Pynguin cannot make tests for this module.
const EXIT_NO_TESTS: i32 = 4;

struct Pynguin {
    interpreter: Interpreter,
    options: Options,
    modules: Vec<(Module, Share)>,
    left_out: Vec<LeftOut>,
}

fn open(options: &Options, target: &Target) -> Result<Box<dyn Tool>, GenerateError> {
    if options.level == Level::Test && options.criterion == Criterion::Line {
        let message = "criterion line has no value for a single test";
        let hint = "choose --level suite, or a metric";
        return Err(GenerateError::usage(message, hint));
    }
    let interpreter = Interpreter::open(options)?;
    let (modules, mut left_out) = modules(&interpreter.project, target, &options.units)?;
    interpreter.check_pynguin()?;
    let (total, unit) = match options.budget {
        // Pynguin counts in whole seconds.
        Budget::Seconds(seconds) => ((seconds.round() as u64).max(1), "second"),
        Budget::Generations(generations) => (generations, "generation"),
    };
    let methods = modules.iter().map(|m| (m.name.clone(), m.methods));
    let (shares, without) = share::divide(total, methods.collect());
    left_out.extend(without.into_iter().map(|name| LeftOut {
        name,
        why: format!("its share of the budget is under one {unit}"),
    }));
    let module = |share: Share| {
        let module = modules.iter().find(|module| module.name == share.class)?;
        Some((module.clone(), share))
    };
    let modules = shares.into_iter().filter_map(module).collect();
    Ok(Box::new(Pynguin {
        interpreter,
        options: options.clone(),
        modules,
        left_out,
    }))
}

impl Tool for Pynguin {
    fn make(
        &self,
        target: &Target,
        folder: &Folder,
        watch: &dyn Watch,
    ) -> Result<Made, GenerateError> {
        let mut suite = PytestSuite::new(self.interpreter.clone(), GENERATOR.name);
        let mut units = Vec::new();
        let done = folder.work("modules");
        std::fs::create_dir_all(&done).map_err(GenerateError::io(&done, "make it"))?;
        watch.stage("searching", self.modules.len() as u64);
        for (number, (module, share)) in (0..).zip(&self.modules) {
            watch.at(number, &module.name);
            let finished = done.join(&module.name);
            let problem = if finished.exists() {
                None
            } else {
                self.search(module, share, target, folder, &finished, watch)?
            };
            let mut search = report::read(&folder.at("rounds.jsonl"), &module.name)?;
            search.methods = module.methods;
            match self.options.budget {
                Budget::Seconds(_) => search.seconds = Some(share.units as f64),
                Budget::Generations(_) => search.generations = Some(share.units),
            }
            if let Some(problem) = &problem {
                watch.note(&format!("{}: {problem}", module.name));
            } else {
                suite.add(
                    &finished.join(tests_file(module)),
                    &module.name,
                    &module.folder,
                )?;
            }
            units.push(Unit {
                name: module.name.clone(),
                search: Some(Search { problem, ..search }),
                ..Unit::default()
            });
        }
        let made_none = |unit: &Unit| unit.search.as_ref().is_some_and(|s| s.problem.is_some());
        if units.iter().all(made_none) {
            let message = format!("Pynguin made no tests for {}", units[0].name);
            let log = Log {
                path: folder.log(&units[0].name),
            };
            return Err(GenerateError::tool(message, log.ending()));
        }
        Ok(Made {
            suite: Box::new(suite),
            units,
            left_out: self.left_out.clone(),
        })
    }
}

impl Pynguin {
    /// Searches for one module; why there are no tests, if there are none.
    fn search(
        &self,
        module: &Module,
        share: &Share,
        target: &Target,
        folder: &Folder,
        finished: &Path,
        watch: &dyn Watch,
    ) -> Result<Option<String>, GenerateError> {
        let place = folder.work("search");
        let kept = folder.at("kept.rows");
        let log = folder.log(&module.name);
        let mut status = self.attempt(module, share, 0, target, folder, watch)?;
        for attempt in 1..ATTEMPTS {
            if status.code().is_some() {
                break;
            }
            watch.note(&format!(
                "{}: a test that the search made up crashed Python ({}); trying again with seed {}",
                module.name,
                status_text(status),
                self.options.seed.wrapping_add(attempt)
            ));
            status = self.attempt(module, share, attempt, target, folder, watch)?;
        }
        if !status.success() {
            let log = Log { path: log };
            let no_tests = status
                .code()
                .is_none_or(|code| code == EXIT_NO_TESTS || code == 1);
            if no_tests {
                let end = status_text(status);
                return Ok(Some(format!(
                    "no tests ({end}); see {}",
                    log.path.display()
                )));
            }
            let message = format!("the search for {} failed", module.name);
            return Err(GenerateError::tool(message, log.ending()));
        }
        report::append(&place.join("rounds.jsonl"), &folder.at("rounds.jsonl"))?;
        let moves = [
            (place.join("kept.rows"), kept),
            (place.join("tests"), finished.to_owned()),
        ];
        for (from, to) in moves {
            if from.exists() {
                std::fs::rename(&from, &to).map_err(GenerateError::io(&to, "write it"))?;
            }
        }
        Ok(None)
    }

    /// One run of the search, with a seed of its own.
    fn attempt(
        &self,
        module: &Module,
        share: &Share,
        attempt: u64,
        target: &Target,
        folder: &Folder,
        watch: &dyn Watch,
    ) -> Result<ExitStatus, GenerateError> {
        let place = folder.work("search");
        empty(&place)?;
        let kept = folder.at("kept.rows");
        if kept.exists() {
            std::fs::copy(&kept, place.join("kept.rows"))
                .map_err(GenerateError::io(&kept, "copy it"))?;
        }
        let guide = place.join("guide.json");
        let mut keys = self.guide(module, share, target, &place);
        keys["seed"] = json!(self.options.seed.wrapping_add(attempt));
        std::fs::write(&guide, keys.to_string()).map_err(GenerateError::io(&guide, "write it"))?;
        let mut command = Command::new(&self.interpreter.python);
        command
            .args(["-m", "fdc.pynguin"])
            .arg(&guide)
            // Not the project's folder: what the code under test writes by relative paths stays here.
            .current_dir(&place)
            .env("PYTHONDONTWRITEBYTECODE", "1");
        log_to(&mut command, &folder.log(&module.name))?;
        let cannot = |error| {
            let message = format!("cannot run {}: {error}", self.interpreter.python.display());
            GenerateError::tool(message, "name another interpreter with --python")
        };
        let mut process = Group::spawn(&mut command).map_err(cannot)?;
        let ending = process.wait(None, &|| watch.asked_to_stop());
        match ending.map_err(cannot)? {
            Ending::By(status) => Ok(status),
            Ending::Stopped | Ending::TimedOut => Err(GenerateError::Interrupted),
        }
    }

    fn guide(
        &self,
        module: &Module,
        share: &Share,
        target: &Target,
        place: &Path,
    ) -> serde_json::Value {
        let project = &self.interpreter.project;
        let (seconds, iterations) = match self.options.budget {
            Budget::Seconds(_) => (Some(share.units), None),
            Budget::Generations(_) => (None, Some(share.units)),
        };
        let round_seconds = seconds.map_or(ROUND_SECONDS, |share| {
            (share as f64 / ROUNDS as f64).min(ROUND_SECONDS)
        });
        let round_iterations = iterations.map(|share| (share / ROUNDS).max(ROUND_GENERATIONS));
        let path = |path: PathBuf| path.to_string_lossy().into_owned();
        json!({
            "case": target.case().to_string_lossy(),
            "failing": target.failing_name(),
            "root": path(project.clone()),
            "path": path(project.join(&module.folder)),
            "module": module.name,
            "tests": path(place.join("tests")),
            "kept": path(place.join("kept.rows")),
            "report": path(place.join("rounds.jsonl")),
            "criterion": self.options.criterion.name(),
            "model": self.options.model.clone().map(path),
            "level": self.options.level.name(),
            "seconds": seconds,
            "iterations": iterations,
            "round_seconds": round_seconds,
            "round_iterations": round_iterations,
        })
    }
}

fn tests_file(module: &Module) -> String {
    format!("test_{}.py", module.name.replace('.', "_"))
}
