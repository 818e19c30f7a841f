//! `fdc study`: a question, the runs that answer it, and its table.

mod sheets;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use fdc_case::FileError;
use fdc_formats::collection::Collection;
use fdc_study::evaluate::{Bugs, Evaluation, Work};
use fdc_study::labeller::Inquiry;
use fdc_study::results::{self, Results};
use fdc_study::run::{Revealing, pool_size};
use fdc_study::study::definition::{Pool, RunDefinition};
use fdc_study::study::pools::{Pools, QUICK};
use fdc_study::study::{Runs, Sheet, Study};
use serde_json::{Value, json};

use crate::args::study::StudyArguments;
use crate::commands::evaluate::{evaluate, inputs, note_skipped};
use crate::commands::train::{progress_bar, report_broken};
use crate::exit::{Exit, Problem};
use crate::interrupt;
use crate::output::{Columns, note, printable_name, put};
use sheets::Sheets;

/// Where studies are looked for when none is named.
const FOLDER: &str = "studies";

/// Runs the command.
pub fn run(arguments: &StudyArguments, quiet: bool) -> Result<Exit, Problem> {
    let file = match &arguments.file {
        Some(file) if !arguments.list && !file.is_dir() => file,
        file => return list(file.as_deref().unwrap_or(Path::new(FOLDER))),
    };
    let study = Study::read(file)?;
    let Some(data) = &arguments.data else {
        return Err(
            Problem::usage("a study needs --data: the folder its pools are in")
                .hint(format!("it names {}", names(&study))),
        );
    };
    let mut pools = Pools::new(data, arguments.quick);
    let missing = pools.missing(&study);
    if !missing.is_empty() {
        let missing: Vec<String> = missing
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let message = format!("pools of this study are missing: {}", missing.join(", "));
        return Err(Problem::input(message).hint(
            "paths are relative to --data; pools are folders of bugs (`fdc explain dataset`), \
             measured, or made by a test generator",
        ));
    }
    interrupt::listen()?;
    let Some(sheets) = perform(&study, arguments, &mut pools, quiet)? else {
        let again = if arguments.out.is_some() {
            "interrupted: run the same command again to go on"
        } else {
            "interrupted: nothing is kept without -o"
        };
        note(quiet, again);
        return Ok(Exit::Interrupted);
    };
    let sheets = Sheets {
        study: &study,
        sheets,
        quick: arguments.quick,
    };
    if let Some(folder) = &arguments.out {
        sheets.write(folder)?;
        note(
            quiet,
            &format!("{}: results and tables are there", folder.display()),
        );
    }
    put(&sheets.terminal(), None)?;
    let mut exit = Exit::Done;
    for collection in pools.collections() {
        if report_broken(collection) != Exit::Done {
            exit = Exit::BadInput;
        }
    }
    Ok(exit)
}

/// Runs whatever is not done yet; the tables, or `None` if interrupted.
fn perform(
    study: &Study,
    arguments: &StudyArguments,
    pools: &mut Pools,
    quiet: bool,
) -> Result<Option<Vec<Sheet>>, Problem> {
    let mut runs = Runs::new();
    for definition in &study.run {
        for repeat in definition.repeats() {
            let same: Vec<Pool> = definition
                .pools
                .iter()
                .filter(|pool| pool.repeat == repeat)
                .cloned()
                .collect();
            let pool = bugs(pools, &same, quiet)?;
            let training = match &definition.training[..] {
                [] => None,
                training => Some(bugs(pools, training, quiet)?),
            };
            let several = definition.repeats().len() > 1;
            let name = match several {
                true => format!("{}-{repeat}", definition.name),
                false => definition.name.clone(),
            };
            note(quiet, &format!("{name}: {} bugs", pool.bugs.len()));
            let bugs = Bugs {
                pool: &pool,
                training: training.as_deref(),
            };
            let evaluation = definition.evaluation(seeds(definition, arguments));
            note_untested(&evaluation, bugs, quiet);
            let inquiry = study.labelling.as_ref();
            let inquiry = inquiry.map(|labelling| labelling.inquiry(definition.tests));
            let place = arguments.out.as_ref().map(|folder| Place {
                folder: folder.join(name),
                options: options(definition, inquiry.as_ref(), arguments, bugs),
            });
            let whole = runs.entry(definition.name.clone()).or_default();
            let complete = match &inquiry {
                Some(inquiry) => {
                    let made = records(&evaluation, inquiry, bugs, place.as_ref(), quiet)?;
                    made.map(|made| whole.labellings.extend(made))
                }
                None => {
                    let tests = definition.tests;
                    let work = Revealing { tests };
                    let made = records(&evaluation, &work, bugs, place.as_ref(), quiet)?;
                    made.map(|made| whole.runs.extend(made))
                }
            };
            if complete.is_none() {
                return Ok(None);
            }
            let starters = definition.starters.as_deref();
            let sizes = pool
                .bugs
                .iter()
                .map(|bug| pool_size(&bug.spectrum, starters));
            whole.pool_sizes.extend(sizes);
        }
    }
    let mut sheets = study.sheets(&runs);
    if let Some(cost) = &study.cost {
        let collection = bugs(pools, &cost.pools, quiet)?;
        let bar = progress_bar(0, quiet);
        let seconds = cost.measure(&collection, |division| {
            bar.set_message(division.to_owned());
            bar.tick();
            interrupt::asked()
        });
        bar.finish_and_clear();
        let Some(seconds) = seconds else {
            return Ok(None);
        };
        sheets.push(cost.sheet(&seconds, &collection));
    }
    Ok(Some(sheets))
}

fn bugs(pools: &mut Pools, wanted: &[Pool], quiet: bool) -> Result<Arc<Collection>, Problem> {
    let collection = pools.collection(wanted)?;
    if collection.bugs.is_empty() {
        report_broken(&collection);
        let paths: Vec<String> = wanted
            .iter()
            .map(|pool| pool.path.display().to_string())
            .collect();
        let message = format!("there is no bug of the study in {}", paths.join(", "));
        return Err(Problem::input(message).hint("are its projects there?"));
    }
    for subject in wanted.iter().flat_map(|pool| &pool.subjects) {
        if !collection
            .bugs
            .iter()
            .any(|bug| bug.bug.subject == *subject)
        {
            note(
                quiet,
                &format!("there is no bug of {subject}: it is left out"),
            );
        }
    }
    Ok(collection)
}

/// Where a run's results are kept.
struct Place {
    folder: PathBuf,
    options: Value,
}

/// What a run leaves behind, done or read; `None` if interrupted.
fn records<W: Work>(
    evaluation: &Evaluation,
    work: &W,
    bugs: Bugs<'_>,
    place: Option<&Place>,
    quiet: bool,
) -> Result<Option<Vec<W::Record>>, Problem> {
    let Some(Place { folder, options }) = place else {
        return Ok(in_memory(evaluation, work, bugs, quiet));
    };
    let kept = Results::open(folder, options)?;
    if kept.is_complete() {
        return Ok(Some(results::read(folder)?));
    }
    evaluate(evaluation, work, bugs, kept, quiet)
}

fn in_memory<W: Work>(
    evaluation: &Evaluation,
    work: &W,
    bugs: Bugs<'_>,
    quiet: bool,
) -> Option<Vec<W::Record>> {
    let units = evaluation.units(bugs);
    let bar = progress_bar(units.len(), quiet);
    let finished = Mutex::new(std::collections::HashMap::new());
    let complete = evaluation.evaluate(
        work,
        bugs,
        &HashSet::new(),
        &interrupt::ASKED,
        &|unit, records| {
            bar.set_message(format!("{} {} {}", unit.metric, unit.subject, unit.version));
            bar.inc(1);
            let mut finished = finished.lock().unwrap_or_else(PoisonError::into_inner);
            finished.insert(unit, records);
        },
    );
    bar.finish_and_clear();
    let mut finished = finished
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let records: Vec<W::Record> = units
        .iter()
        .filter_map(|unit| finished.remove(unit))
        .flatten()
        .collect();
    complete
        .then_some(records)
        .inspect(|records| note_skipped(bugs.pool, records, quiet))
}

fn note_untested(evaluation: &Evaluation, bugs: Bugs<'_>, quiet: bool) {
    let untested = evaluation.untested(bugs);
    if !untested.is_empty() {
        let names = untested
            .iter()
            .map(|bug| format!("{} {}", bug.subject, bug.version));
        let names: Vec<String> = names.collect();
        let text = format!(
            "no learned metric is tested on these, no training leaves them out: {}",
            names.join(", ")
        );
        note(quiet, &text);
    }
}

/// Everything that decides the results of a run.
fn options(
    definition: &RunDefinition,
    inquiry: Option<&Inquiry>,
    arguments: &StudyArguments,
    bugs: Bugs<'_>,
) -> Value {
    let mut options = json!({
        "schema": 1,
        "fdc": env!("CARGO_PKG_VERSION"),
        "metrics": definition.metrics.join(","),
        "protocol": definition.protocol,
        "tests": definition.tests,
        "seeds": seeds(definition, arguments),
        "max_failing": null,
        "starters": definition.starters,
        "one_bug_in": if arguments.quick { QUICK } else { 1 },
        "formula": "ochiai",
        "tie": "max",
        "aggregate": "max",
        "built_in_model": fdc_learn::rlfdc::built_in().origin.data_digest,
        "inputs": inputs(bugs.pool),
        "training": bugs.training.map(inputs),
    });
    // Without labellers no key: folders made before there were any are still taken up.
    if let Some(inquiry) = inquiry {
        options["labelling"] = json!(inquiry);
    }
    options
}

fn seeds(definition: &RunDefinition, arguments: &StudyArguments) -> u64 {
    arguments.seeds.unwrap_or(definition.seeds)
}

fn names(study: &Study) -> String {
    let runs = study
        .run
        .iter()
        .flat_map(|run| run.pools.iter().chain(&run.training));
    let cost = study.cost.iter().flat_map(|cost| &cost.pools);
    let mut paths: Vec<String> = runs
        .chain(cost)
        .map(|pool| pool.path.display().to_string())
        .collect();
    paths.sort();
    paths.dedup();
    paths.join(", ")
}

/// Lists the studies of a folder; a file stands for its folder.
fn list(path: &Path) -> Result<Exit, Problem> {
    let folder = match path.is_file() {
        true => path.parent().unwrap_or(Path::new("")).to_owned(),
        false => path.to_owned(),
    };
    let shown = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &folder
    };
    let entries = std::fs::read_dir(shown).map_err(|error| {
        Problem::from(FileError::io(shown, "list it")(error))
            .hint("name a study file, or a folder of them: fdc study --list FOLDER")
    })?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    files.sort();
    if files.is_empty() {
        let message = format!("{}: there is no study (.toml)", shown.display());
        return Err(Problem::input(message));
    }
    let mut columns = Columns::new(&["study", "question"]);
    let mut exit = Exit::Done;
    let mut broken = Vec::new();
    for file in files {
        match Study::read(&file) {
            Ok(study) => {
                let path = printable_name(&file.display().to_string());
                columns.line([path, printable_name(&study.title)]);
            }
            Err(error) => broken.push(error),
        }
    }
    put(&columns.text(), None)?;
    for error in broken {
        note(false, &format!("left out: {error}"));
        exit = Exit::BadInput;
    }
    Ok(exit)
}
