//! `fdc train`: learns a metric from bugs whose faults are known.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _, ValueParser};
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use fdc::train::{Episode, TrainRequest, TrainedModel, train};
use fdc_case::FileError;
use fdc_core::Shard;
use fdc_draw::LineChart;
use fdc_draw::plot::line::{Point, Series};
use fdc_learn::LEARNERS;
use fdc_learn::learner::{Learner, OptionValues, TrainingOption};
use fdc_learn::protocol::Protocol;
use serde_json::json;

use crate::args::choice;
use crate::exit::{Exit, Failure, Result};
use crate::output::{note, write};
use crate::progress::Bar;

#[derive(Args, Debug)]
pub(crate) struct TrainArguments {
    /// Bugs with known faults: files, or folders of files
    #[arg(value_name = "DATA", required_unless_present = "mutants")]
    pub data: Vec<PathBuf>,
    /// Cases of `fdc mutate` whose mutants are bugs to learn from, too: files, or folders of files
    #[arg(long, value_name = "CASE", num_args = 1..)]
    pub mutants: Vec<PathBuf>,
    /// The model file; with a protocol of several models, a folder for them
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// What to train: the network of rlfdc, or the distribution of sharp
    #[arg(long, default_value = "rlfdc", value_parser = choice::learner())]
    pub recipe: &'static dyn Learner,
    /// Start from a model of sharp: a file, or `sharp` for the built-in one
    #[arg(long, value_name = "MODEL")]
    pub base: Option<PathBuf>,
    /// Which bugs each model learns from
    #[arg(long, default_value = "all", value_parser = choice::choice_but(Protocol::Untrained))]
    pub protocol: Protocol,
    /// Train part K of N of the protocol's models alone, on this machine; `fdc merge` puts them into
    /// one folder
    #[arg(long, value_name = "K/N", default_value_t = Shard::WHOLE, hide_default_value = true)]
    pub shard: Shard,
    /// Continue an interrupted training
    #[arg(long)]
    pub resume: bool,
    /// Write a line of JSON per episode
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Draw the learning curve (.svg)
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// What the training is told.
    #[command(flatten)]
    pub options: TrainingOptions,
}

/// The options of all learned metrics, by name; those of the table alone.
#[derive(Debug)]
pub(crate) struct TrainingOptions(Vec<(&'static str, String)>);

impl TrainingOptions {
    /// Those that a learned metric takes.
    pub(crate) fn of(&self, learner: &dyn Learner) -> Vec<(String, String)> {
        let takes = |name: &str| learner.options().iter().any(|option| option.name == name);
        let taken = self.0.iter().filter(|(name, _)| takes(name)).cloned();
        taken.map(|(name, text)| (name.to_owned(), text)).collect()
    }
}

impl Args for TrainingOptions {
    fn augment_args(command: Command) -> Command {
        table().fold(command, |command, option| command.arg(argument(option)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for TrainingOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let text = |option: &TrainingOption| {
            let text = matches.get_one::<String>(option.name)?;
            Some((option.name, text.clone()))
        };
        Ok(TrainingOptions(table().filter_map(text).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn table() -> impl Iterator<Item = &'static TrainingOption> {
    LEARNERS.iter().flat_map(|learner| learner.options())
}

fn argument(option: &'static TrainingOption) -> Arg {
    let argument = Arg::new(option.name)
        .long(option.name.replace('_', "-"))
        .value_name(option.name.to_uppercase())
        .default_value(option.default)
        .help(option.summary)
        .help_heading("Hyper-parameters");
    match option.values {
        OptionValues::Whole => {
            let number = clap::value_parser!(u64).map(|number| number.to_string());
            argument.value_parser(ValueParser::new(number))
        }
        OptionValues::Real => argument.value_parser(|text: &str| {
            let number = text.parse::<f64>().ok().filter(|own| own.is_finite());
            let number = number.map(|number| number.to_string());
            number.ok_or("expected a number")
        }),
        OptionValues::Text => argument,
        OptionValues::OneOf(values) => {
            let value = |&(name, summary)| PossibleValue::new(name).help(summary);
            argument.value_parser(PossibleValuesParser::new(values.iter().map(value)))
        }
        OptionValues::Formula => {
            let name = choice::formula().map(|formula| formula.name.to_owned());
            let argument = argument.value_parser(ValueParser::new(name));
            argument.hide_possible_values(true)
        }
    }
}

pub(crate) fn run(arguments: &TrainArguments, quiet: bool) -> Result<Exit> {
    let learner = arguments.recipe;
    let followed = arguments.resume || arguments.log.is_some() || arguments.plot.is_some();
    if followed && !learner.has_episodes() {
        let fit = LEARNERS.iter().filter(|own| own.has_episodes());
        let fit: Vec<&str> = fit.map(|own| own.name()).collect();
        return Err(Failure::usage(format!(
            "--resume, --log and --plot go with the recipe {}",
            fit.join(", ")
        )));
    }
    let log = arguments.log.as_deref();
    let log = log.map(|path| open_log(path, arguments.resume));
    let log = log.transpose()?.map(Mutex::new);
    let keep = |episode: &Episode<'_>| log.as_ref().map_or(Ok(()), |log| log_line(log, episode));
    let bar = Bar::new(quiet)?;
    let reply = train(
        &TrainRequest {
            data: &arguments.data,
            mutants: &arguments.mutants,
            out: &arguments.out,
            learner,
            options: arguments.options.of(learner),
            base: arguments.base.as_deref(),
            protocol: arguments.protocol,
            shard: arguments.shard,
            resume: arguments.resume,
            on_episode: Some(&keep),
        },
        &bar,
    )?;
    drop(bar);
    for model in &reply.models {
        let path = model.path.display();
        note(quiet, &format!("{path}: {}", model.summary));
        for text in &model.notes {
            note(quiet, &format!("  {text}"));
        }
        if let Some(warning) = &model.warning {
            note(false, &format!("{path}: {warning}"));
        }
    }
    if let Some(path) = &arguments.plot {
        write(path, learning_curve(&reply.models).svg().document())?;
    }
    if reply.models.iter().any(|model| !model.complete) {
        let kept = "interrupted: the model holds what was learned so far; continue with --resume";
        note(quiet, kept);
        return Ok(Exit::Interrupted);
    }
    Ok(report_broken(&reply.broken))
}

/// Lists the files that could not be read; they decide how the command ends.
pub(crate) fn report_broken<'a>(broken: impl IntoIterator<Item = &'a FileError>) -> Exit {
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

fn open_log(path: &Path, append: bool) -> Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).write(true);
    options.append(append).truncate(!append);
    let file = options.open(path);
    Ok(file.map_err(FileError::io(path, "write it"))?)
}

fn log_line(log: &Mutex<File>, episode: &Episode<'_>) -> Result<()> {
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
        .map_err(|error| Failure::input(format!("cannot write the log: {error}")))
}
