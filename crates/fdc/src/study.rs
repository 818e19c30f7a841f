//! `study`: does the runs that a study file names and fills its tables, ours beside the paper's.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fdc_case::FileError;
use fdc_formats::collection::Collection;
use fdc_study::evaluate::{Bugs, Evaluation, Work, check_size};
use fdc_study::results::StudyResults;
use fdc_study::results::options::ResultsOptions;
use fdc_study::run::Revealing;
use fdc_study::study::definition::{PoolDefinition, RunDefinition};
use fdc_study::study::pools::{Pools, QUICK};
use fdc_study::study::{BugSize, PoolRuns, Runs, Sheet, Study};

use crate::evaluate::{done_before, records};
use crate::train::warn_broken;
use crate::{Failure, Result, Watch};

/// A study, and how it is to be done.
pub struct StudyRequest<'a> {
    /// The question.
    pub study: &'a Study,
    /// Folder that the study's pools of tests are in.
    pub data: &'a Path,
    /// Folder for the results, taken up again if it holds some; `None`: nothing is kept.
    pub out: Option<&'a Path>,
    /// Trainings of each learned metric; `None`: as the study says.
    pub seeds: Option<u64>,
    /// Whether to take one bug in [`QUICK`] only.
    pub quick: bool,
}

/// What a study showed.
pub struct StudyReply {
    /// Its tables; `None` if somebody asked to stop: the same request goes on.
    pub sheets: Option<Vec<Sheet>>,
    pools: Pools,
}

impl StudyReply {
    /// Files that could not be read.
    pub fn broken(&self) -> impl Iterator<Item = &FileError> {
        self.pools.collections().flat_map(|own| &own.broken)
    }
}

/// A study file and what is in it.
pub type ListedStudy = (Result<Study, FileError>, PathBuf);

/// The studies of a folder, by name; a file stands for its folder.
pub fn list(path: &Path) -> Result<Vec<ListedStudy>> {
    let folder = match path.is_file() {
        true => path.parent().unwrap_or(Path::new("")),
        false => path,
    };
    let here = folder.as_os_str().is_empty();
    let shown = if here { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(shown).map_err(|error| {
        Failure::from(FileError::io(shown, "list it")(error))
            .hint("name a study file, or a folder of them: fdc study --list FOLDER")
    })?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    files.sort();
    if files.is_empty() {
        let message = format!("{}: there is no study (.toml)", shown.display());
        return Err(Failure::input(message));
    }
    let read = |file: PathBuf| (Study::read(&file), file);
    Ok(files.into_iter().map(read).collect())
}

/// Does whatever is not done yet, and makes the tables.
pub fn study(request: &StudyRequest<'_>, watch: &dyn Watch) -> Result<StudyReply> {
    let mut pools = Pools::new(request.data, request.quick);
    let missing = pools.missing(request.study);
    if !missing.is_empty() {
        let message = format!("pools of this study are missing: {}", listed(&missing));
        return Err(Failure::input(message).hint(
            "paths are relative to --data; pools are folders of bugs (`fdc explain dataset`), \
             measured, or made by a test generator",
        ));
    }
    let sheets = sheets(request, &mut pools, watch)?;
    Ok(StudyReply { sheets, pools })
}

fn sheets(
    request: &StudyRequest<'_>,
    pools: &mut Pools,
    watch: &dyn Watch,
) -> Result<Option<Vec<Sheet>>> {
    let study = request.study;
    let mut runs = Runs::new();
    for definition in &study.run {
        let repeats = definition.repeats();
        for repeat in &repeats {
            let all = definition.pools.iter();
            let same = all.filter(|pool| pool.repeat == *repeat);
            let same: Vec<PoolDefinition> = same.cloned().collect();
            let pool = bugs(pools, &same, watch)?;
            let training = match &definition.training[..] {
                [] => None,
                training => Some(bugs(pools, training, watch)?),
            };
            let name = match repeats.len() {
                1 => definition.name.clone(),
                _ => format!("{}-{repeat}", definition.name),
            };
            watch.note(&format!("{name}: {} bugs", pool.bugs.len()));
            let bugs = Bugs {
                pool: &pool,
                training: training.as_deref(),
            };
            let whole = runs.entry(definition.name.clone()).or_default();
            if !run(request, definition, &name, bugs, whole, watch)? {
                return Ok(None);
            }
            let starters = definition.starters.as_deref();
            let sizes = pool.bugs.iter();
            let sizes = sizes.map(|own| BugSize::of(&own.bug, &own.spectrum, starters));
            whole.sizes.extend(sizes);
        }
    }
    let mut sheets = study.sheets(&runs);
    if let Some(cost) = &study.cost {
        let collection = bugs(pools, &cost.pools, watch)?;
        watch.stage("", 0);
        let sheet = cost.sheet(&collection, |division| {
            watch.at(0, division);
            watch.asked_to_stop()
        });
        let Some(sheet) = sheet else {
            return Ok(None);
        };
        sheets.push(sheet);
    }
    Ok(Some(sheets))
}

/// Does one run of a study; whether it is complete.
fn run(
    request: &StudyRequest<'_>,
    definition: &RunDefinition,
    name: &str,
    bugs: Bugs<'_>,
    whole: &mut PoolRuns,
    watch: &dyn Watch,
) -> Result<bool> {
    let seeds = request.seeds.unwrap_or(definition.seeds);
    check_size(definition.tests, seeds).map_err(Failure::usage)?;
    let evaluation = definition.evaluation(seeds);
    note_untested(&evaluation, bugs, watch);
    let tests = definition.tests;
    let labelling = request.study.labelling.as_ref();
    let inquiry = labelling.map(|labelling| labelling.inquiry(tests));
    let one_bug_in = if request.quick { QUICK } else { 1 };
    let place = request.out.map(|folder| {
        let options = ResultsOptions::new(&evaluation, tests, bugs);
        let options = options.of_study(&evaluation, bugs, one_bug_in, inquiry.as_ref());
        (folder.join(name), options)
    });
    let place = place.as_ref();
    let done = match &inquiry {
        Some(inquiry) => done(&evaluation, inquiry, bugs, place, watch)?
            .map(|made| whole.labellings.extend(made)),
        None => done(&evaluation, &Revealing { tests }, bugs, place, watch)?
            .map(|made| whole.runs.extend(made)),
    };
    Ok(done.is_some())
}

/// What a run leaves behind, done or read; `None` if somebody asked to stop.
fn done<W: Work>(
    evaluation: &Evaluation,
    work: &W,
    bugs: Bugs<'_>,
    place: Option<&(PathBuf, ResultsOptions<'_>)>,
    watch: &dyn Watch,
) -> Result<Option<Vec<W::Record>>> {
    let kept = match place {
        Some((folder, options)) => {
            let kept = StudyResults::open(folder, options)?;
            if let Some(records) = done_before(&kept, watch)? {
                return Ok(Some(records));
            }
            kept
        }
        None => StudyResults::in_memory(),
    };
    records(evaluation, work, bugs, kept, watch)
}

fn bugs(pools: &mut Pools, named: &[PoolDefinition], watch: &dyn Watch) -> Result<Arc<Collection>> {
    let collection = pools.collection(named)?;
    collection.notes.iter().for_each(|note| watch.note(note));
    if collection.bugs.is_empty() {
        warn_broken(&collection.broken, watch);
        let paths: Vec<PathBuf> = named.iter().map(|pool| pool.path.clone()).collect();
        let message = format!("there is no bug of the study in {}", listed(&paths));
        return Err(Failure::input(message).hint("are its projects there?"));
    }
    for subject in named.iter().flat_map(|pool| &pool.subjects) {
        let mut bugs = collection.bugs.iter();
        if !bugs.any(|bug| bug.bug.subject == *subject) {
            watch.note(&format!("there is no bug of {subject}: it is left out"));
        }
    }
    Ok(collection)
}

fn note_untested(evaluation: &Evaluation, bugs: Bugs<'_>, watch: &dyn Watch) {
    let untested = evaluation.untested(bugs);
    if !untested.is_empty() {
        let names = untested.iter();
        let names = names.map(|bug| format!("{} {}", bug.subject, bug.version));
        watch.note(&format!(
            "no learned metric is tested on these, no training leaves them out: {}",
            names.collect::<Vec<_>>().join(", ")
        ));
    }
}

fn listed(paths: &[PathBuf]) -> String {
    let paths = paths.iter().map(|path| path.display().to_string());
    paths.collect::<Vec<_>>().join(", ")
}
