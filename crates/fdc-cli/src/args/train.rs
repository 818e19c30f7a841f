//! The command line of `train`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _, ValueParser};
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use fdc_learn::LEARNERS;
use fdc_learn::learner::{Learner, OptionValues, TrainingOption};
use fdc_learn::protocol::Protocol;

use super::choice;

/// Options of `train`.
#[derive(Args, Debug)]
pub struct TrainArguments {
    /// Bugs with known faults: files, or folders of files
    #[arg(value_name = "DATA", required = true)]
    pub data: Vec<PathBuf>,
    /// The model file; with a protocol of several models, a folder for them
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// What to train: the network of rlfdc, or the distribution of sharp
    #[arg(long, default_value = "rlfdc", value_parser = choice::learner())]
    pub recipe: &'static dyn Learner,
    /// Which bugs each model learns from
    #[arg(long, default_value = "all", value_parser = choice::choice_but(Protocol::Untrained))]
    pub protocol: Protocol,
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
pub struct TrainingOptions(Vec<(&'static str, String)>);

impl TrainingOptions {
    /// Those that a learned metric takes.
    pub fn of(&self, learner: &dyn Learner) -> Vec<(String, String)> {
        let takes = |name: &str| learner.options().iter().any(|option| option.name == name);
        let taken = self.0.iter().filter(|(name, _)| takes(name));
        taken
            .map(|(name, text)| ((*name).to_owned(), text.clone()))
            .collect()
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
