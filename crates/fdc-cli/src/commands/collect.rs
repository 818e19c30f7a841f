//! `fdc collect`: runs a project's own tests and measures what each of them covers.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::error::Error;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use fdc::collect::{CollectRequest, collect};
use fdc_collect::filter::Filter;
use fdc_collect::settings::Settings;
use fdc_collect::{CollectOptions, ECOSYSTEMS, Ecosystem};
use fdc_core::Shard;

use crate::args::{choice, settings};
use crate::exit::{Exit, Result};
use crate::output::note;
use crate::progress::Bar;

#[derive(Args, Debug)]
pub(crate) struct CollectArguments {
    #[arg(value_name = "ECOSYSTEM", value_parser = choice::ecosystem(), hide_possible_values = true, help = kinds())]
    pub ecosystem: Option<&'static Ecosystem>,
    /// The project's folder
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub root: PathBuf,
    /// The case file to write; an interrupted collection is resumed
    #[arg(long, short, value_name = "FILE", default_value = "case.fdc")]
    pub out: PathBuf,
    /// Measure only tests that match: part of the name, or all of it with * and ? (repeatable)
    #[arg(long, value_name = "PATTERN")]
    pub only: Vec<String>,
    /// Leave out tests that match (repeatable)
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Measure part K of N of these alone, on this machine; `fdc merge` makes one case of all parts
    #[arg(long, value_name = "K/N", default_value_t = Shard::WHOLE, hide_default_value = true)]
    pub shard: Shard,
    /// Seconds a test may take; one that takes longer is stopped and counts as failed
    #[arg(long, value_name = "SECONDS", value_parser = choice::seconds)]
    pub timeout: Option<Duration>,
    /// Run this many tests at the same time [default: all cores for cargo and go, where each test
    /// has a process of its own; 1 for pytest and junit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Run each test this many times in all; those whose outcome changes are marked as flaky
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub rerun: u32,
    /// Measure again only the tests affected by changes since this Git revision
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
    /// Count test code as well
    #[arg(long)]
    pub include_tests: bool,
    #[command(flatten)]
    pub settings: EcosystemSettings,
    /// Arguments for the project's own test command
    #[arg(last = true, value_name = "ARGUMENTS")]
    pub arguments: Vec<OsString>,
}

pub(crate) fn kinds() -> String {
    let names: Vec<&str> = ECOSYSTEMS.iter().map(|ecosystem| ecosystem.name).collect();
    let (last, others) = names.split_last().expect("there are ecosystems");
    let others = others.join(", ");
    format!("The kind of project: {others} or {last} [default: what the folder looks like]")
}

/// The options that ecosystems declare, under the name of each.
#[derive(Debug, Default)]
pub(crate) struct EcosystemSettings {
    pub given: Settings,
}

impl Args for EcosystemSettings {
    fn augment_args(command: Command) -> Command {
        ECOSYSTEMS.iter().fold(command, |command, ecosystem| {
            let own = settings::arguments(ecosystem.settings);
            command.args(own.map(|argument| argument.help_heading(ecosystem.name)))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for EcosystemSettings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut settings = Self::default();
        settings.update_from_arg_matches(matches)?;
        Ok(settings)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for ecosystem in ECOSYSTEMS {
            settings::take(ecosystem.settings, matches, &mut self.given);
        }
        Ok(())
    }
}

pub(crate) fn run(arguments: CollectArguments, quiet: bool) -> Result<Exit> {
    let case = arguments.out.display().to_string();
    let request = CollectRequest {
        ecosystem: arguments.ecosystem,
        options: CollectOptions {
            root: arguments.root,
            case: arguments.out,
            filter: Filter {
                only: arguments.only,
                exclude: arguments.exclude,
            },
            shard: arguments.shard,
            timeout: arguments.timeout,
            jobs: arguments.jobs.map(usize::from),
            runs: arguments.rerun,
            changed_since: arguments.changed_since,
            include_tests: arguments.include_tests,
            arguments: arguments.arguments,
            settings: arguments.settings.given,
            ..CollectOptions::default()
        },
    };
    let collected = collect(request, &Bar::new(quiet)?)?;
    let mut counts = format!("{} tests ({} failing", collected.tests, collected.failing);
    if collected.flaky > 0 {
        counts += &format!(", {} flaky", collected.flaky);
    }
    counts += ")";
    if collected.skipped > 0 {
        counts += &format!(", {} skipped", collected.skipped);
    }
    let next = match collected.failing {
        _ if !arguments.shard.is_whole() => {
            format!(
                "part {}: put all parts together with `fdc merge`",
                arguments.shard
            )
        }
        0 => "no test fails: nothing to rank yet".to_owned(),
        _ => format!("next: fdc rank {case}"),
    };
    let lines = collected.elements;
    note(quiet, &format!("{case}: {counts}, {lines} lines\n{next}"));
    Ok(Exit::Done)
}
