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
//! `summary.json`. An interrupted run resumes with the modules that are not done.
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

use fdc_collect::process::{
    ToolLog, empty_folder, log_to, make_folder, run, status_text, write_file,
};
use fdc_collect::settings::{Given, Setting, SettingKind};
use fdc_collect::{Result, RunError};
use fdc_core::Named as _;
use serde_json::json;

use crate::options::{Budget, Criterion, GenerateOptions, ORACLE, SearchLevel};
use crate::python::modules::{Module, modules};
use crate::python::{FIXED_PROJECT, Interpreter, PROJECT, PYTHON, PytestSuite};
use crate::report;
use crate::share::{ROUND_SECONDS, Share, share_out};
use crate::summary::{LeftOutUnit, SearchSummary, UnitSummary};
use crate::target::Target;
use crate::{Generation, Generator, Made, Tool};

pub(crate) const GENERATOR: Generator = Generator {
    name: "pynguin",
    summary: "Python: pytest tests by Pynguin 0.48; runs the code under test",
    searches: true,
    settings: &[
        Setting::new(SettingKind::Text, "module", "MODULE")
            .help(
                "Module to make tests for, as it is imported (repeatable) [default: those that the \
             failing test covers]",
            )
            .given(Given::Repeatedly),
        PROJECT,
        PYTHON,
        ORACLE,
        FIXED_PROJECT,
    ],
    open,
    source: include_str!("pynguin.rs"),
};

/// A made-up test can crash Python itself; another seed makes up others.
const ATTEMPTS: u64 = 3;
/// `python -m fdc.pynguin` ends so where Pynguin cannot make tests for this module.
const EXIT_NO_TESTS: i32 = 4;
const REPORT: &str = "rounds.jsonl";
const KEPT: &str = "kept.rows";

struct Pynguin {
    interpreter: Interpreter,
    modules: Vec<(Module, Share)>,
}

fn open(options: &GenerateOptions, target: &Target) -> Result<Tool> {
    options.check_oracle(FIXED_PROJECT.name, "folder")?;
    let search = &options.search;
    if search.level == SearchLevel::Test && search.criterion == Criterion::Line {
        let message = "criterion line has no value for a single test";
        let hint = "choose --level suite, or a metric";
        return Err(RunError::usage(message, hint));
    }
    let interpreter = Interpreter::open(options)?;
    let asked = options.settings.texts("module");
    let (modules, mut left_out) = modules(&interpreter.project, target, &asked)?;
    interpreter.check_pynguin()?;
    let methods = modules.iter().map(|m| (m.name.clone(), m.methods));
    let shares = share_out(search.budget, methods.collect(), &mut left_out);
    let module = |share: Share| {
        let module = modules.iter().find(|module| module.name == share.name)?;
        Some((module.clone(), share))
    };
    let pynguin = Pynguin {
        interpreter,
        modules: shares.into_iter().filter_map(module).collect(),
    };
    Ok(Box::new(move |generation| {
        pynguin.make(generation, left_out)
    }))
}

impl Pynguin {
    fn make(&self, generation: &Generation, left_out: Vec<LeftOutUnit>) -> Result<Made> {
        let Generation { folder, watch, .. } = *generation;
        let mut suite = PytestSuite::new(self.interpreter.clone(), GENERATOR.name);
        let mut units = Vec::new();
        let done = folder.work("modules");
        make_folder(&done)?;
        watch.stage("searching", self.modules.len() as u64);
        for (number, (module, share)) in (0..).zip(&self.modules) {
            watch.at(number, &module.name);
            let finished = done.join(&module.name);
            let problem = match finished.exists() {
                true => None,
                false => self.search(module, share, &finished, generation)?,
            };
            let search = report::read(&folder.at(REPORT), &module.name)?;
            if let Some(problem) = &problem {
                watch.note(&format!("{}: {problem}", module.name));
            } else {
                let tests = format!("test_{}.py", module.name.replace('.', "_"));
                suite.add(&finished.join(tests), &module.name, &module.folder)?;
            }
            let budget = generation.options.search.budget;
            units.push(share.summary(budget, SearchSummary { problem, ..search }));
        }
        if UnitSummary::common_problem(&units).is_some() {
            let message = format!("Pynguin made no tests for {}", units[0].name);
            let log = ToolLog(folder.log(&units[0].name));
            return Err(RunError::failed(message, &log));
        }
        Ok(Made {
            suite: Box::new(suite),
            units,
            left_out,
        })
    }

    /// Searches for one module; why there are no tests, if there are none.
    fn search(
        &self,
        module: &Module,
        share: &Share,
        finished: &Path,
        generation: &Generation,
    ) -> Result<Option<String>> {
        let folder = generation.folder;
        let place = folder.work("search");
        let mut status = self.attempt(module, share, 0, generation)?;
        for attempt in 1..ATTEMPTS {
            if status.code().is_some() {
                break;
            }
            let (name, status_text) = (&module.name, status_text(status));
            let seed = generation.options.search.seed.wrapping_add(attempt);
            generation.watch.note(&format!(
                "{name}: a test that the search made up crashed Python ({status_text}); trying again with seed {seed}"
            ));
            status = self.attempt(module, share, attempt, generation)?;
        }
        if !status.success() {
            let path = folder.log(&module.name);
            if matches!(status.code(), None | Some(EXIT_NO_TESTS | 1)) {
                let (end, log) = (status_text(status), path.display());
                return Ok(Some(format!("no tests ({end}); see {log}")));
            }
            let message = format!("the search for {} failed", module.name);
            return Err(RunError::failed(message, &ToolLog(path)));
        }
        report::append(&place.join(REPORT), &folder.at(REPORT))?;
        for (from, to) in [(KEPT, &*folder.at(KEPT)), ("tests", finished)] {
            let from = place.join(from);
            if from.exists() {
                std::fs::rename(&from, to).map_err(RunError::io(to, "write it"))?;
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
        generation: &Generation,
    ) -> Result<ExitStatus> {
        let Generation { folder, watch, .. } = *generation;
        let place = folder.work("search");
        empty_folder(&place)?;
        let kept = folder.at(KEPT);
        if kept.exists() {
            let copied = std::fs::copy(&kept, place.join(KEPT));
            copied.map_err(RunError::io(&kept, "copy it"))?;
        }
        let guide = place.join("guide.json");
        let mut keys = self.guide(module, share, &place, generation);
        keys["seed"] = json!(generation.options.search.seed.wrapping_add(attempt));
        write_file(&guide, keys.to_string())?;
        let mut command = Command::new(&self.interpreter.python);
        command.args(["-m", "fdc.pynguin"]).arg(&guide);
        // Not the project's folder: what the code under test writes by relative paths stays here.
        command.current_dir(&place);
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        log_to(&mut command, &folder.log(&module.name))?;
        let status = run(&mut command, None, &|| watch.asked_to_stop(), |error| {
            let message = format!("cannot run {}: {error}", self.interpreter.python.display());
            RunError::tool(message, "name another interpreter with --python")
        })?;
        Ok(status.expect("there is no limit of time"))
    }

    fn guide(
        &self,
        module: &Module,
        share: &Share,
        place: &Path,
        generation: &Generation,
    ) -> serde_json::Value {
        let project = &self.interpreter.project;
        let search = &generation.options.search;
        let in_seconds = matches!(search.budget, Budget::Seconds(_));
        let round_seconds = match in_seconds {
            true => share.round_seconds(),
            // Not looked at, but it has to be a time.
            false => ROUND_SECONDS,
        };
        let path = |path: PathBuf| path.to_string_lossy().into_owned();
        json!({
            "case": generation.target.case.to_string_lossy(),
            "failing": generation.target.failing_name(),
            "root": path(project.clone()),
            "path": path(project.join(&module.folder)),
            "module": module.name,
            "tests": path(place.join("tests")),
            "kept": path(place.join(KEPT)),
            "report": path(place.join(REPORT)),
            "criterion": search.criterion.name(),
            "model": search.model.clone().map(path),
            "level": search.level.name(),
            "seconds": in_seconds.then_some(share.amount),
            "iterations": (!in_seconds).then_some(share.amount),
            "round_seconds": round_seconds,
            "round_iterations": (!in_seconds).then(|| share.round_generations()),
        })
    }
}
