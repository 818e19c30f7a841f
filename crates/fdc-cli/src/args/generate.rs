//! The command line of `generate`: a subcommand for each generator of the table.

use std::path::PathBuf;
use std::time::Duration;

use clap::error::{Error, ErrorKind};
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use fdc_collect::settings::Settings;
use fdc_generate::{GENERATORS, Generator, SearchLevel};

use super::choice::{choice, seconds};
use super::settings;

/// What makes the tests, and how.
#[derive(Debug)]
pub struct GenerateArguments {
    pub generator: &'static Generator,
    pub target: TargetArguments,
    /// None where tests are taken in.
    pub search: Option<SearchArguments>,
    pub settings: Settings,
}

/// What tests are made for, and where they go.
#[derive(Args, Debug)]
pub struct TargetArguments {
    /// The case file
    #[arg(long, value_name = "CASE")]
    pub case: PathBuf,
    /// The failing test to start from (default: the only one that fails)
    #[arg(long, value_name = "TEST")]
    pub failing: Option<String>,
    /// Folder for the tests, the pool and the summary; an interrupted run is resumed there
    #[arg(long, short, value_name = "FOLDER")]
    pub out: PathBuf,
    /// Seconds a new test may take
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub timeout: Duration,
}

/// How to search.
#[derive(Args, Debug)]
pub struct SearchArguments {
    /// What guides the search: line (the tool's own line coverage), or a metric that does not see
    /// outcomes, such as rlfdc, entbug, ddu, tfd (`fdc list metrics`)
    #[arg(long, value_name = "METRIC", default_value = "rlfdc")]
    pub criterion: String,
    /// Model file for a learned metric [default: the built-in one]
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// What a candidate is [default: test; with --criterion line, suite]
    #[arg(long, value_parser = choice::<SearchLevel>())]
    pub level: Option<SearchLevel>,
    /// Seconds to search, over all classes or modules
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds)]
    pub budget: Duration,
    /// Generations to search, instead of seconds: such a run is repeatable
    #[arg(long, value_name = "N", conflicts_with = "budget", value_parser = clap::value_parser!(u64).range(1..))]
    pub generations: Option<u64>,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

impl Subcommand for GenerateArguments {
    fn augment_subcommands(command: Command) -> Command {
        command.subcommands(GENERATORS.iter().map(|generator| {
            let mut command = TargetArguments::augment_args(Command::new(generator.name));
            if generator.searches {
                command = SearchArguments::augment_args(command);
            }
            // Last: the groups of arguments bring summaries of their own.
            command
                .args(settings::arguments(generator.settings))
                .about(generator.summary)
        }))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        GENERATORS.iter().any(|generator| generator.name == name)
    }
}

impl FromArgMatches for GenerateArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let found = matches.subcommand().and_then(|(name, matches)| {
            let generator = GENERATORS.iter().find(|generator| generator.name == name)?;
            Some((generator, matches))
        });
        let (generator, matches) = found.ok_or(Error::new(ErrorKind::MissingSubcommand))?;
        let search = generator.searches;
        let search = search.then(|| SearchArguments::from_arg_matches(matches));
        let mut given = Settings::default();
        settings::take(generator.settings, matches, &mut given);
        Ok(GenerateArguments {
            generator,
            target: TargetArguments::from_arg_matches(matches)?,
            search: search.transpose()?,
            settings: given,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
