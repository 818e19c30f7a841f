//! `fdc train`: learns a metric from bugs whose faults are known.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use fdc::train::{Episode, TrainRequest, TrainedModel, train};
use fdc_case::FileError;
use fdc_draw::LineChart;
use fdc_draw::plot::line::{Point, Series};
use fdc_learn::LEARNERS;
use serde_json::json;

use crate::args::train::TrainArguments;
use crate::exit::{Exit, Problem};
use crate::interrupt;
use crate::output::note;
use crate::progress::Bar;

/// Runs the command.
pub fn run(arguments: &TrainArguments, quiet: bool) -> Result<Exit, Problem> {
    let learner = arguments.recipe;
    let followed = arguments.resume || arguments.log.is_some() || arguments.plot.is_some();
    if followed && !learner.has_episodes() {
        let fit = LEARNERS.iter().filter(|own| own.has_episodes());
        let fit: Vec<&str> = fit.map(|own| own.name()).collect();
        return Err(Problem::usage(format!(
            "--resume, --log and --plot go with the recipe {}",
            fit.join(", ")
        )));
    }
    let log = arguments.log.as_deref();
    let log = log.map(|path| open_log(path, arguments.resume));
    let log = log.transpose()?.map(Mutex::new);
    let write = |episode: &Episode<'_>| log.as_ref().map_or(Ok(()), |log| log_line(log, episode));
    interrupt::listen()?;
    let bar = Bar::new(quiet);
    let reply = train(
        &TrainRequest {
            data: &arguments.data,
            out: &arguments.out,
            learner,
            options: arguments.options.of(learner),
            protocol: arguments.protocol,
            resume: arguments.resume,
            on_episode: Some(&write),
        },
        &bar,
    )?;
    drop(bar);
    for model in &reply.models {
        note(
            quiet,
            &format!("{}: {}", model.path.display(), model.summary),
        );
        for text in &model.notes {
            note(quiet, &format!("  {text}"));
        }
    }
    if let Some(path) = &arguments.plot {
        let svg = learning_curve(&reply.models).svg().document();
        fdc_case::write_whole(path, |file| file.write_all(svg.as_bytes()))?;
    }
    if reply.models.iter().any(|model| !model.complete) {
        note(
            quiet,
            "interrupted: the model holds what was learned so far; continue with --resume",
        );
        return Ok(Exit::Interrupted);
    }
    Ok(report_broken(&reply.broken))
}

/// Lists the files that could not be read; they decide how the command ends.
pub fn report_broken<'a>(broken: impl IntoIterator<Item = &'a FileError>) -> Exit {
    let mut exit = Exit::Done;
    for error in broken {
        note(false, &format!("left out: {error}"));
        exit = Exit::BadInput;
    }
    exit
}

/// Mean reward of a version's episodes, version by version, a line per model.
fn learning_curve(models: &[TrainedModel]) -> LineChart {
    let point = |&(version, reward): &(usize, f64)| Point::new(version as f64, reward);
    let series = |model: &TrainedModel| Series {
        name: model.name.clone(),
        points: model.curve.iter().map(point).collect(),
        ..Series::default()
    };
    LineChart {
        title: "Reward while learning".into(),
        x_label: "training version".into(),
        y_label: "mean reward of an episode".into(),
        series: models.iter().map(series).collect(),
        ..LineChart::default()
    }
}

fn open_log(path: &Path, append: bool) -> Result<File, Problem> {
    let mut options = OpenOptions::new();
    options.create(true).write(true);
    options.append(append).truncate(!append);
    Ok(options
        .open(path)
        .map_err(FileError::io(path, "write it"))?)
}

fn log_line(log: &Mutex<File>, episode: &Episode<'_>) -> Result<(), Problem> {
    let line = json!({
        "model": episode.model,
        "subject": episode.bug.subject,
        "version": episode.bug.version,
        "episode": episode.number,
        "reward": episode.report.reward,
        "rank": episode.report.rank,
        "loss": episode.report.loss,
    });
    let mut file = log.lock().unwrap_or_else(PoisonError::into_inner);
    writeln!(file, "{line}")
        .map_err(|error| Problem::input(format!("cannot write the log: {error}")))
}
