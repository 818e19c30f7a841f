//! `fdc mutate`: tries the tests on small changes of the code that they run.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use fdc::mutate::{Mutant, MutantCounts, MutateRequest, MutationScore, mutate, score};
use fdc_collect::{CollectOptions, Ecosystem, MutateOptions};
use fdc_core::Shard;
use fdc_core::named::Named as _;
use fdc_draw::text::counted;
use serde::Serialize;

use crate::args::choice;
use crate::commands::collect::{EcosystemSettings, kinds};
use crate::exit::{Exit, Result};
use crate::output::{note, printable, put, put_json};
use crate::progress::Bar;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MutateFormat {
    /// For people
    Table,
    /// For programs, all of it (schemas/mutate.schema.json)
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct MutateArguments {
    #[arg(value_name = "ECOSYSTEM", value_parser = choice::ecosystem(), hide_possible_values = true, help = kinds())]
    pub ecosystem: Option<&'static Ecosystem>,
    /// The project's folder
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub root: PathBuf,
    /// The case of `fdc collect`, which takes up the results; an interrupted run is resumed
    #[arg(long, value_name = "FILE", default_value = "case.fdc")]
    pub case: PathBuf,
    /// How many mutants the case shall have, spread evenly over methods [default: all there are]
    #[arg(long, short, value_name = "N")]
    pub number: Option<usize>,
    /// Try part K of N of these alone, on this machine; `fdc merge` makes one case of all parts
    #[arg(long, value_name = "K/N", default_value_t = Shard::WHOLE, hide_default_value = true)]
    pub shard: Shard,
    /// Stop after this time: 90s, 10m, 2h
    #[arg(long, value_name = "TIME", value_parser = choice::time)]
    pub budget: Option<Duration>,
    /// Draws the mutants
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Seconds a test may take [default: ten times what it took, and five more]
    #[arg(long, value_name = "SECONDS", value_parser = choice::seconds)]
    pub timeout: Option<Duration>,
    /// Try this many mutants at the same time [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Try nothing: show what no test noticed
    #[arg(long)]
    pub report: bool,
    /// How to print
    #[arg(long, default_value = "table")]
    pub format: MutateFormat,
    #[command(flatten)]
    pub settings: EcosystemSettings,
    /// Arguments for the project's own test command
    #[arg(last = true, value_name = "ARGUMENTS")]
    pub arguments: Vec<OsString>,
}

/// Methods and mutants that a table shows.
const SHOWN: usize = 20;

pub(crate) fn run(arguments: MutateArguments, quiet: bool) -> Result<Exit> {
    let case = arguments.case.clone();
    let score = match arguments.report {
        true => score(&case)?,
        false => tried(arguments_of(&arguments), quiet)?,
    };
    match arguments.format {
        MutateFormat::Json => put_json(&document(&score), None)?,
        MutateFormat::Table => put(&table(&case.display().to_string(), &score), None)?,
    }
    Ok(Exit::Done)
}

fn arguments_of(arguments: &MutateArguments) -> MutateRequest {
    MutateRequest {
        ecosystem: arguments.ecosystem,
        options: MutateOptions {
            run: CollectOptions {
                root: arguments.root.clone(),
                case: arguments.case.clone(),
                shard: arguments.shard,
                timeout: arguments.timeout,
                jobs: arguments.jobs.map(usize::from),
                arguments: arguments.arguments.clone(),
                settings: arguments.settings.given.clone(),
                ..CollectOptions::default()
            },
            number: arguments.number,
            budget: arguments.budget,
            seed: arguments.seed,
            alone: false,
        },
    }
}

fn tried(request: MutateRequest, quiet: bool) -> Result<MutationScore> {
    let reply = mutate(request, &Bar::new(quiet)?)?;
    let left = reply.counts.planned - reply.counts.done;
    if left > 0 {
        let text = format!("{left} mutants are left: the same command goes on");
        note(quiet, &text);
    }
    Ok(reply.score)
}

fn table(case: &str, score: &MutationScore) -> String {
    let MutantCounts {
        noticed,
        unnoticed,
        broken,
    } = score.all;
    let share = score
        .all
        .share()
        .map_or(String::new(), |share| format!(" ({:.0} %)", 100.0 * share));
    let mut text = format!(
        "{case}: {} in {}; tests notice {noticed}{share} and miss {unnoticed}",
        counted(u64::from(noticed + unnoticed + broken), "mutant"),
        counted(score.methods.len() as u64, "method")
    );
    if broken > 0 {
        text += &format!("; {broken} cannot be built");
    }
    text += "\n";
    if score.unnoticed.is_empty() {
        return text;
    }
    text += "\nNo test would notice:\n";
    let mut shown = 0;
    for (method, _) in &score.methods {
        let own = score.unnoticed.iter().filter(|one| one.method == *method);
        for mutant in own.take(SHOWN - shown) {
            shown += 1;
            text += &format!("  {}\n", line(mutant));
        }
    }
    let rest = score.unnoticed.len() - shown;
    if rest > 0 {
        text += &format!("  and {rest} more: fdc mutate --case {case} --report --format json\n");
    }
    text
}

/// A change in a line: place, kind, and what becomes what.
fn line(mutant: &Mutant) -> String {
    let words = |text: &str| {
        let text: Vec<&str> = text.split_whitespace().collect();
        let text = printable(&text.join(" ")).into_owned();
        match text.char_indices().nth(40) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text,
        }
    };
    let (before, after) = (words(&mutant.original), words(&mutant.change.replacement));
    let after = if after.is_empty() { "nothing" } else { &after };
    // Some tools tell what was done, and not to what.
    let change = match before.is_empty() {
        true => after.to_owned(),
        false => format!("{before} -> {after}"),
    };
    let place = format!("{}:{}", printable(&mutant.change.path), mutant.line);
    format!("{place}  {change}  ({})", printable(&mutant.mutator))
}

#[derive(Serialize)]
struct Document<'s> {
    schema: u32,
    noticed: u32,
    unnoticed: u32,
    broken: u32,
    methods: Vec<MethodEntry<'s>>,
    unnoticed_mutants: Vec<MutantEntry<'s>>,
}

#[derive(Serialize)]
struct MethodEntry<'s> {
    name: &'s str,
    noticed: u32,
    unnoticed: u32,
    broken: u32,
}

#[derive(Serialize)]
struct MutantEntry<'s> {
    file: &'s str,
    line: u32,
    method: &'s str,
    mutator: &'s str,
    original: &'s str,
    replacement: &'s str,
    fate: &'s str,
    tests: u32,
}

fn document(score: &MutationScore) -> Document<'_> {
    Document {
        schema: 1,
        noticed: score.all.noticed,
        unnoticed: score.all.unnoticed,
        broken: score.all.broken,
        methods: score.methods.iter().map(method_entry).collect(),
        unnoticed_mutants: score.unnoticed.iter().map(mutant_entry).collect(),
    }
}

fn method_entry((name, tally): &(String, MutantCounts)) -> MethodEntry<'_> {
    MethodEntry {
        name,
        noticed: tally.noticed,
        unnoticed: tally.unnoticed,
        broken: tally.broken,
    }
}

fn mutant_entry(mutant: &Mutant) -> MutantEntry<'_> {
    MutantEntry {
        file: &mutant.change.path,
        line: mutant.line,
        method: &mutant.method,
        mutator: &mutant.mutator,
        original: &mutant.original,
        replacement: &mutant.change.replacement,
        fate: mutant.fate.name(),
        tests: mutant.tests,
    }
}
