//! `fdc generate`: new tests that tell suspects apart, made or taken in.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::error::{Error, ErrorKind};
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use fdc::generate::{GenerateRequest, SearchRequest, Summary, generate};
use fdc_collect::settings::Settings;
use fdc_draw::text::counted;
use fdc_generate::summary::{SearchSummary, UnitSummary};
use fdc_generate::{Budget, GENERATORS, Generator, SearchLevel};

use crate::args::choice::{choice, seconds};
use crate::args::settings;
use crate::exit::{Exit, Result};
use crate::output::{Columns, printable_name, put, shown_name};
use crate::progress::Bar;

/// What makes the tests, and how.
#[derive(Debug)]
pub(crate) struct GenerateArguments {
    pub generator: &'static Generator,
    pub target: TargetArguments,
    /// None where tests are taken in.
    pub search: Option<SearchArguments>,
    pub settings: Settings,
}

/// What tests are made for, and where they go.
#[derive(Args, Debug)]
pub(crate) struct TargetArguments {
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
pub(crate) struct SearchArguments {
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

pub(crate) fn run(arguments: GenerateArguments, quiet: bool) -> Result<Exit> {
    let target = arguments.target;
    let out = target.out.clone();
    let request = GenerateRequest {
        generator: arguments.generator,
        case: target.case,
        failing: target.failing,
        out: target.out,
        timeout: target.timeout,
        search: arguments.search.map(search),
        settings: arguments.settings,
    };
    let summary = generate(request, &Bar::new(quiet)?)?;
    put(&text(&summary, &out), None)?;
    Ok(Exit::Done)
}

fn search(arguments: SearchArguments) -> SearchRequest {
    SearchRequest {
        criterion: arguments.criterion,
        model: arguments.model,
        level: arguments.level,
        budget: match arguments.generations {
            Some(generations) => Budget::Generations(generations),
            None => Budget::Seconds(arguments.budget.as_secs_f64()),
        },
        seed: arguments.seed,
    }
}

/// What came out, for people.
fn text(summary: &Summary, out: &Path) -> String {
    let mut text = String::new();
    if !summary.units.is_empty() {
        text = units(&summary.units) + "\n";
    }
    for left in &summary.left_out {
        text += &format!("Left out: {} ({})\n", shown_name(&left.name), left.why);
    }
    let made = counted(summary.made, "test");
    text += &format!("{made} made, {} kept", summary.kept);
    let removed = summary.removed.iter();
    let removed = removed.map(|(reason, count)| format!("{count} {}", reason.words()));
    let removed: Vec<String> = removed.collect();
    text += &match removed.is_empty() {
        true => ".\n".to_owned(),
        false => format!("; removed: {}.\n", removed.join(", ")),
    };
    let Summary {
        covered,
        suspicious,
        groups_before,
        groups,
        outside,
        ..
    } = summary;
    text += &format!(
        "The kept tests cover {covered} of the {suspicious} lines that the failing test covers; groups of suspects: \
         {groups_before} -> {groups}.\n"
    );
    if *outside > 0 {
        text += &format!("{outside} lines they run are not in the case and were ignored.\n");
    }
    let (pass, fail) = (summary.outcomes.pass, summary.outcomes.fail);
    if pass + fail > 0 {
        text += &format!("Outcomes by the fixed version: {fail} fail, {pass} pass.\n");
    }
    let out = out.display();
    text +=
        &format!("\n{out}/pool.fdc  the case with the kept tests\n{out}/tests     their sources\n");
    if summary.kept > 0 {
        let (failing, tool) = (printable_name(&summary.failing), &summary.tool);
        text += &format!("next: fdc select {out}/pool.fdc --failing '{failing}' --origin {tool}\n");
    }
    text
}

fn units(units: &[UnitSummary]) -> String {
    if units.iter().all(|unit| unit.search.is_none()) {
        let mut columns = Columns::new(&["class", ">tests", ">kept"]);
        for unit in units {
            let cells = [unit.made, unit.kept].map(|count| count.to_string());
            columns.line(std::iter::once(shown_name(&unit.name)).chain(cells));
        }
        return columns.text();
    }
    let mut columns = Columns::new(&[
        "class",
        ">budget",
        ">rounds",
        ">generations",
        ">native calls",
        ">groups",
        ">tests",
        ">kept",
    ]);
    for unit in units {
        let search = unit.search.clone().unwrap_or_default();
        let groups = search.groups;
        columns.line([
            shown_name(&unit.name),
            budget(&search),
            search.rounds.to_string(),
            search.generations_done.to_string(),
            search.evaluations.to_string(),
            groups.map_or("-".into(), |[before, after]| format!("{before} -> {after}")),
            unit.made.to_string(),
            unit.kept.to_string(),
        ]);
    }
    let mut text = columns.text();
    for unit in units {
        let search = unit.search.as_ref();
        if let Some(problem) = search.and_then(|search| search.problem.as_ref()) {
            text += &format!("{}: {problem}\n", shown_name(&unit.name));
        }
    }
    text
}

fn budget(search: &SearchSummary) -> String {
    match (search.seconds, search.generations) {
        (Some(seconds), _) => format!("{seconds:.0} s"),
        (None, Some(generations)) => format!("{generations} gen."),
        (None, None) => "-".to_owned(),
    }
}
