//! `fdc select`: the tests to run, label or look at next, and why.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use fdc::Input;
use fdc::select::{SelectReply, SelectRequest, select, select_running};
use fdc_core::{Start, TieBreak};
use fdc_draw::text::counted;

use crate::args::choice;
use crate::args::input::InputArguments;
use crate::args::scoring::ScoringArguments;
use crate::args::session::ChoiceArguments;
use crate::exit::{Exit, Result};
use crate::output::{Columns, note, notes, put, put_json, rank_text, shown_name};
use crate::progress::Bar;

/// How many tests to choose; without a number, every candidate: that prioritises a whole suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count(pub Option<usize>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SelectFormat {
    /// For people
    Table,
    /// For programs (schemas/select.schema.json)
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct SelectArguments {
    /// The input.
    #[command(flatten)]
    pub input: InputArguments,
    /// What is chosen by, and from what.
    #[command(flatten)]
    pub choice: ChoiceArguments,
    /// How many tests to choose: a number, or all
    #[arg(long, short = 'n', value_name = "N", default_value = "10", value_parser = count)]
    pub number: Count,
    /// For evaluation: add each chosen test's true outcome and show the ranking after it
    #[arg(long, conflicts_with = "start")]
    pub reveal: bool,
    /// Run each chosen test, as the collector of the case did, and show the ranking after it
    #[arg(long, conflicts_with = "reveal")]
    pub run: bool,
    /// What is known at the start
    #[arg(long, default_value = "labelled", value_parser = choice::choice::<Start>())]
    pub start: Start,
    /// Which of equally good tests to choose
    #[arg(long, default_value = "file", value_parser = choice::choice::<TieBreak>())]
    pub ties: TieBreak,
    /// Of the random order of --ties random
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Stop early once three tests in a row change nothing: the first five places with --reveal,
    /// the groups of suspects without it
    #[arg(long)]
    pub until_stable: bool,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_seconds: Option<u32>,
    /// How places are computed.
    #[command(flatten)]
    pub scoring: ScoringArguments,
    /// How to print
    #[arg(long, default_value = "table")]
    pub format: SelectFormat,
    /// Write to this file instead of the terminal
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

fn count(text: &str) -> Result<Count, String> {
    match (text, text.parse()) {
        ("all", _) => Ok(Count(None)),
        (_, Ok(number)) => Ok(Count(Some(number))),
        _ => Err("expected a number or `all`".to_owned()),
    }
}

pub(crate) fn run(arguments: &SelectArguments, quiet: bool) -> Result<Exit> {
    let (choice, seconds) = (&arguments.choice, arguments.max_seconds);
    let request = SelectRequest {
        failing: choice.failing.clone(),
        metric: choice.metric()?,
        origins: choice.origin.clone(),
        start: arguments.start,
        ties: arguments.ties,
        seed: arguments.seed,
        reveal: arguments.reveal,
        number: arguments.number.0,
        until_stable: arguments.until_stable,
        time: seconds.map(|seconds| Duration::from_secs(seconds.into())),
        scoring: choice.scoring(&arguments.scoring)?,
        explain: true,
    };
    let mut input = Input::read(arguments.input.request())?;
    if request.scoring.hears_kills() {
        input.add_kills()?;
    }
    notes(quiet, &input.notes);
    let reply = match arguments.run {
        true => select_running(
            &input.spectrum,
            &request,
            &input.rerun()?,
            &Bar::new(quiet)?,
        )?,
        false => select(&input.spectrum, &request)?,
    };
    if let Some(why) = reply.nothing {
        note(quiet, &format!("note: there is no test to choose: {why}"));
    }
    let out = arguments.out.as_deref();
    match arguments.format {
        SelectFormat::Json => put_json(&reply, out)?,
        SelectFormat::Table => put(&text(&reply), out)?,
    }
    Ok(Exit::Done)
}

fn text(reply: &SelectReply) -> String {
    let bold = anstyle::Style::new().bold();
    let also = match reply.also_failing.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let mut text = format!(
        "Failing test: {bold}{}{bold:#}{also}\nIt covers {}; {} at the top. Metric: {}.\n\n",
        shown_name(&reply.failing),
        counted(reply.covered, "line"),
        match reply.steps[0].tied {
            1 => "1 method is".to_owned(),
            tied => format!("{tied} methods are tied"),
        },
        reply.metric,
    );
    match reply.reveal {
        true => text += &revealed(reply),
        false => explained(reply, &mut text),
    }
    if reply.tells_little {
        text.push_str("\nNo outcome is expected to tell much of where the fault is: look at the first suspects (`fdc rank`).\n");
    }
    if reply.left == 0 && reply.steps.len() > 1 {
        text.push_str("\nThat was every candidate.\n");
    }
    text
}

/// A paragraph for every test, with the reason.
fn explained(reply: &SelectReply, text: &mut String) {
    let bold = anstyle::Style::new().bold();
    let dim = anstyle::Style::new().dimmed();
    for (number, step) in reply.steps.iter().enumerate() {
        let (Some(test), Some(score), Some(why)) = (&step.added, step.score, &step.reason) else {
            continue;
        };
        let (test, reason) = (shown_name(test), why.reason.words());
        *text += &format!(
            "{number:>4}. {bold}{test}{bold:#}  {dim}value {score:.4}{dim:#}\n      {reason}\n"
        );
        if let Some(words) = &why.reason.metric_says {
            *text += &format!("      {words}\n");
        }
        if let Some(tied) = &why.tied {
            *text += &format!(
                "      suspects tied at the top: {}; {} if it passes, {} if it fails\n",
                tied.tied_before, tied.tied_if_it_passes, tied.tied_if_it_fails,
            );
        }
    }
    if reply.steps.len() > 2 {
        text.push_str("\nEach outlook assumes that the tests listed above it pass.\n");
    }
}

/// A table with a row for every test, and what its outcome did to the ranking.
fn revealed(reply: &SelectReply) -> String {
    let heading = match reply.steps[0].faulty {
        Some(_) => "faulty method",
        None => "first place",
    };
    let headings = [
        ">tests", "added", "outcome", ">score", ">tied", ">rank", heading,
    ];
    let mut columns = Columns::new(&headings);
    for (number, step) in reply.steps.iter().enumerate() {
        let first = match &step.faulty {
            Some(_) => step.best_faulty(),
            None => step.top.first(),
        };
        let added = step.added.as_deref().map(shown_name);
        let score = step.score.map(|score| format!("{score:.4}"));
        columns.line([
            number.to_string(),
            added.unwrap_or_else(|| "(the failing test alone)".into()),
            step.outcome.unwrap_or_default().to_owned(),
            score.unwrap_or_default(),
            step.tied.to_string(),
            first.map_or("-".into(), |place| rank_text(place.rank)),
            first.map_or("-".into(), |place| shown_name(&place.method)),
        ]);
    }
    columns.text()
}
