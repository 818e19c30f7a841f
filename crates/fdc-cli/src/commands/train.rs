//! `fdc train`: learns a metric from bugs whose faults are known.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use fdc_case::FileError;
use fdc_core::Spectrum;
use fdc_core::spectrum::Bug;
use fdc_draw::LineChart;
use fdc_draw::plot::line::{Point, Series};
use fdc_formats::collection::{Collection, digest_of};
use fdc_learn::course::{Attendance, Course, Observer, Progress};
use fdc_learn::hyperparameters::{FailingTest, Hyperparameters, Reward, TargetRule};
use fdc_learn::model_file::Checkpoint;
use fdc_learn::protocol::{Division, Protocol};
use fdc_learn::sharp::{self, train::SharpOptions};
use fdc_learn::train::{EpisodeReport, VersionReport};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde_json::json;

use crate::args::train::{
    FailingName, ProtocolName, Recipe, RewardName, TargetName, TrainArguments,
};
use crate::exit::{Exit, Problem};
use crate::interrupt;
use crate::output::note;

/// Runs the command.
pub fn run(arguments: &TrainArguments, quiet: bool) -> Result<Exit, Problem> {
    let hyperparameters = hyperparameters(arguments);
    hyperparameters
        .check()
        .map_err(|error| Problem::usage(error.to_string()))?;
    let collection = Collection::read(&arguments.data)?;
    if collection.bugs.is_empty() {
        report_broken(&collection);
        return Err(Problem::input("there is no bug to learn from in the data")
            .hint("give files of `fdc explain dataset`, or folders of them"));
    }
    let log = arguments
        .log
        .as_deref()
        .map(|path| open_log(path, arguments.resume))
        .transpose()?;
    let divisions = divisions(arguments.protocol, &collection);
    if arguments.protocol != ProtocolName::All {
        let folder = &arguments.out;
        std::fs::create_dir_all(folder).map_err(FileError::io(folder, "make the folder"))?;
    }
    if arguments.recipe == Recipe::Sharp {
        return train_sharp(arguments, &collection, &divisions, quiet);
    }
    interrupt::listen()?;
    let jobs: Vec<Job<'_>> = divisions
        .iter()
        .map(|division| Job::new(division, &collection, arguments, &hyperparameters))
        .collect();
    let versions: usize = jobs.iter().map(|job| job.course.bugs.len()).sum();
    let display = Display {
        bar: progress_bar(versions, quiet),
        log: log.map(Mutex::new),
    };
    let outcomes: Vec<Result<Done, Problem>> = jobs
        .par_iter()
        .map(|job| job.run(arguments.resume, &display))
        .collect();
    display.bar.finish_and_clear();

    let mut interrupted = false;
    let mut curves = Vec::new();
    for (job, outcome) in jobs.iter().zip(outcomes) {
        let done = outcome?;
        interrupted |= !done.complete;
        curves.push(done.curve.clone());
        report(job, &done, quiet);
    }
    if let Some(path) = &arguments.plot {
        let svg = learning_curve(&jobs, &curves).svg().document();
        fdc_case::write_whole(path, |file| file.write_all(svg.as_bytes()))?;
    }
    if interrupted {
        note(
            quiet,
            "interrupted: the model holds what was learned so far; go on with --resume",
        );
        return Ok(Exit::Interrupted);
    }
    Ok(report_broken(&collection))
}

/// One model to train.
struct Job<'a> {
    name: String,
    course: Course<'a>,
    model: PathBuf,
    checkpoint: PathBuf,
}

struct Done {
    complete: bool,
    /// Number of each version, and the mean reward of its episodes.
    curve: Vec<(usize, f64)>,
    progress: Progress,
}

impl<'a> Job<'a> {
    fn new(
        division: &Division,
        collection: &'a Collection,
        arguments: &TrainArguments,
        hyperparameters: &Hyperparameters,
    ) -> Self {
        let bugs = training_bugs(division, collection);
        let model = model_path(division, arguments);
        let mut checkpoint = model.clone().into_os_string();
        checkpoint.push(".checkpoint");
        Job {
            name: division.name.clone(),
            course: Course {
                data_digest: digest_of(bugs.iter().copied()),
                bugs,
                hyperparameters: hyperparameters.clone(),
            },
            model,
            checkpoint: checkpoint.into(),
        }
    }

    fn run(&self, resume: bool, display: &Display) -> Result<Done, Problem> {
        let mut attendance = if resume && self.checkpoint.exists() {
            let checkpoint = Checkpoint::read(&self.checkpoint)?;
            self.course.resume(checkpoint).map_err(|error| {
                Problem::input(format!("{}: {error}", self.checkpoint.display()))
                    .hint("give the data and options it was started with, or leave out --resume")
            })?
        } else {
            self.course.start()
        };
        display.bar.inc(attendance.progress().versions as u64);
        let mut observer = JobObserver {
            job: self,
            display,
            trouble: None,
            curve: Vec::new(),
        };
        let complete = self.course.attend(&mut attendance, &mut observer);
        if let Some(problem) = observer.trouble {
            return Err(problem);
        }
        self.course.model(&attendance).write(&self.model)?;
        if complete {
            // Best effort: a checkpoint left behind is only a file too many.
            let _ = std::fs::remove_file(&self.checkpoint);
        }
        Ok(Done {
            complete,
            curve: observer.curve,
            progress: attendance.progress().clone(),
        })
    }
}

/// Progress on the terminal and the log, shared by all models.
struct Display {
    bar: ProgressBar,
    log: Option<Mutex<File>>,
}

struct JobObserver<'a> {
    job: &'a Job<'a>,
    display: &'a Display,
    trouble: Option<Problem>,
    curve: Vec<(usize, f64)>,
}

impl Observer for JobObserver<'_> {
    fn episode(&mut self, bug: &Bug, number: usize, report: EpisodeReport) {
        let loss = report.loss.map_or("-".into(), |loss| format!("{loss:.4}"));
        self.display.bar.set_message(format!(
            "{} {} {}, episode {}: reward {:.2}, loss {loss}",
            self.job.name,
            bug.subject,
            bug.version,
            number + 1,
            report.reward
        ));
        if let Some(log) = &self.display.log {
            let line = json!({
                "model": self.job.name,
                "subject": bug.subject,
                "version": bug.version,
                "episode": number + 1,
                "reward": report.reward,
                "rank": report.rank,
                "loss": report.loss,
            });
            let mut file = log
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            if let Err(error) = writeln!(file, "{line}") {
                self.trouble = Some(Problem::input(format!("cannot write the log: {error}")));
            }
        }
    }

    fn version(
        &mut self,
        _: &Bug,
        report: Option<&VersionReport>,
        attendance: &Attendance,
    ) -> bool {
        if let Some(report) = report {
            let rewards: f64 = report.episodes.iter().map(|episode| episode.reward).sum();
            let mean = rewards / report.episodes.len().max(1) as f64;
            self.curve.push((attendance.progress().versions, mean));
        }
        self.display.bar.inc(1);
        let checkpoint = self.job.course.checkpoint(attendance);
        if let Err(error) = checkpoint.write(&self.job.checkpoint) {
            self.trouble = Some(error.into());
        }
        self.trouble.is_none() && !interrupt::asked()
    }
}

/// Mean reward of a version's episodes, version by version, a line per model.
fn learning_curve(jobs: &[Job<'_>], curves: &[Vec<(usize, f64)>]) -> LineChart {
    let series = |(job, curve): (&Job<'_>, &Vec<(usize, f64)>)| Series {
        name: job.name.clone(),
        points: curve
            .iter()
            .map(|&(version, reward)| Point::new(version as f64, reward))
            .collect(),
        ..Series::default()
    };
    LineChart {
        title: "Reward while learning".into(),
        x_label: "training version".into(),
        y_label: "mean reward of an episode".into(),
        series: jobs.iter().zip(curves).map(series).collect(),
        ..LineChart::default()
    }
}

/// Trains sharp's distribution: one pass of a few seconds, so neither log nor checkpoint is needed.
fn train_sharp(
    arguments: &TrainArguments,
    collection: &Collection,
    divisions: &[Division],
    quiet: bool,
) -> Result<Exit, Problem> {
    if arguments.resume || arguments.log.is_some() || arguments.plot.is_some() {
        return Err(Problem::usage(
            "--resume, --log and --plot go with the recipe rlfdc",
        ));
    }
    for division in divisions {
        let bugs = training_bugs(division, collection);
        let digest = digest_of(bugs.iter().copied());
        let model = sharp::train::train(&bugs, &SharpOptions::default(), digest);
        let model = model.ok_or_else(|| {
            Problem::input(format!(
                "{}: no failing test reaches a faulty method",
                division.name
            ))
            .hint("sharp learns from bugs whose faulty methods are known and covered")
        })?;
        let path = model_path(division, arguments);
        model.write(&path)?;
        note(
            quiet,
            &format!("{}: sharp, from {} versions", path.display(), bugs.len()),
        );
    }
    Ok(report_broken(collection))
}

fn training_bugs<'a>(
    division: &Division,
    collection: &'a Collection,
) -> Vec<(&'a Bug, &'a Spectrum)> {
    let bugs = division.train.iter().map(|&index| &collection.bugs[index]);
    bugs.map(|bug| (&bug.bug, &bug.spectrum)).collect()
}

fn model_path(division: &Division, arguments: &TrainArguments) -> PathBuf {
    match arguments.protocol {
        ProtocolName::All => arguments.out.clone(),
        _ => arguments.out.join(format!("{}.safetensors", division.name)),
    }
}

fn report(job: &Job<'_>, done: &Done, quiet: bool) {
    let progress = &done.progress;
    note(
        quiet,
        &format!(
            "{}: {} of {} versions, {} learning steps",
            job.model.display(),
            progress.versions - progress.skipped.len(),
            job.course.bugs.len(),
            progress.learn_steps,
        ),
    );
    for (version, why) in &progress.skipped {
        note(quiet, &format!("  left out {version}: {why}"));
    }
    if !progress.ring_not_filled.is_empty() {
        note(
            quiet,
            &format!(
                "  {} versions never filled the ring, nothing was learned from them: {}",
                progress.ring_not_filled.len(),
                progress.ring_not_filled.join(", ")
            ),
        );
    }
}

/// Lists the files that could not be read; they decide how the command ends.
pub fn report_broken(collection: &Collection) -> Exit {
    for error in &collection.broken {
        note(false, &format!("left out: {error}"));
    }
    if collection.broken.is_empty() {
        Exit::Done
    } else {
        Exit::BadInput
    }
}

fn divisions(protocol: ProtocolName, collection: &Collection) -> Vec<Division> {
    let bugs: Vec<Bug> = collection.bugs.iter().map(|bug| bug.bug.clone()).collect();
    let protocol = match protocol {
        ProtocolName::All => Protocol::All,
        ProtocolName::CrossVersion => Protocol::CrossVersion,
        ProtocolName::CrossProject => Protocol::CrossProject,
        ProtocolName::LeaveOneOut => Protocol::LeaveOneOut,
    };
    protocol.divisions(&bugs)
}

fn hyperparameters(arguments: &TrainArguments) -> Hyperparameters {
    Hyperparameters {
        network: arguments.network.clone(),
        episodes: arguments.episodes,
        picks: arguments.picks,
        ring: arguments.ring,
        learn_every: arguments.learn_every,
        copy_every: arguments.copy_every,
        batch: arguments.batch,
        discount: arguments.discount,
        exploration: arguments.exploration,
        learning_rate: arguments.learning_rate,
        target: match arguments.target {
            TargetName::Target => TargetRule::Target,
            TargetName::Double => TargetRule::Double,
            TargetName::Regular => TargetRule::Regular,
        },
        failing: match arguments.failing {
            FailingName::First => FailingTest::First,
            FailingName::Random => FailingTest::Random,
            FailingName::All => FailingTest::All,
        },
        reward: match arguments.reward {
            RewardName::Relative => Reward::Relative,
            RewardName::Reciprocal => Reward::Reciprocal,
        },
        formula: arguments.formula.name.to_owned(),
        seed: arguments.seed,
    }
}

fn open_log(path: &Path, append: bool) -> Result<File, Problem> {
    let mut options = OpenOptions::new();
    options
        .create(true)
        .write(true)
        .append(append)
        .truncate(!append);
    Ok(options
        .open(path)
        .map_err(FileError::io(path, "write it"))?)
}

/// Drawn on a terminal only.
pub fn progress_bar(length: usize, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {eta} left  {msg}")
        .expect("the template is fixed");
    ProgressBar::new(length as u64).with_style(style)
}
