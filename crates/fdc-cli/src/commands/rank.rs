//! `fdc rank`: the suspicious methods, lines or files.

mod terminal;

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use fdc::rank::{RankNote, RankReply, RankRequest, SHOWN_LINES, rank};
use fdc::report::ReportFormat;
use fdc::{Input, InputRequest};
use fdc_core::{Level, Named};

use crate::args::input::InputArguments;
use crate::args::scoring::ScoringArguments;
use crate::args::{choice, own_command};
use crate::commands::report::put_document;
use crate::exit::{Exit, Result};
use crate::output::{notes, put, put_data, put_json};

/// What a ranking is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RankFormat {
    /// One that only rankings have.
    Own(OwnFormat),
    /// One that reports have, too.
    Report(ReportFormat),
}

/// Formats of rankings alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnFormat {
    Table,
    Json,
    Csv,
    Gzoltar,
}

impl Named for OwnFormat {
    const TABLE: &'static [(Self, &'static str, &'static str)] = &[
        (OwnFormat::Table, "table", "For people"),
        (
            OwnFormat::Json,
            "json",
            "For programs (schemas/rank.schema.json)",
        ),
        (OwnFormat::Csv, "csv", "`rank,score,name`"),
        (
            OwnFormat::Gzoltar,
            "gzoltar",
            "`name;suspiciousness_value`, as GZoltar writes rankings",
        ),
    ];
}

#[derive(Args, Debug)]
pub(crate) struct RankArguments {
    /// The input.
    #[command(flatten)]
    pub input: InputArguments,
    /// Use only this failing test and all passing ones (repeatable; default: all failing tests)
    #[arg(long, value_name = "TEST")]
    pub failing: Vec<String>,
    /// How places are computed.
    #[command(flatten)]
    pub scoring: ScoringArguments,
    /// A model of sharp to rank by, as `fdc train --recipe sharp` writes it (default: the built-in one)
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// What to rank
    #[arg(long, default_value = "method", value_parser = choice::choice::<Level>())]
    pub level: Level,
    /// How to print
    #[arg(long, default_value = "table", value_parser = format())]
    pub format: RankFormat,
    /// How many places to print (default: 100 for html, all for json, csv and gzoltar, else 10;
    /// 5 of each of several faults in a table)
    #[arg(long, short = 'n', value_name = "N")]
    pub top: Option<usize>,
    /// Source lines to show of each suspect (default: 12 for table, 60 for html)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub lines: Option<u32>,
    /// Show no source
    #[arg(long, conflicts_with = "lines")]
    pub no_source: bool,
    /// Suspect more what changed since this Git revision, such as origin/main or the last commit that
    /// passed; its sources are those of --source
    #[arg(long, value_name = "REVISION")]
    pub since: Option<String>,
    /// Count flaky tests as well (default: only those named by --failing)
    #[arg(long)]
    pub include_flaky: bool,
    /// Write to this file instead of the terminal
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Exit with code 1 if there is a suspect
    #[arg(long)]
    pub exit_code: bool,
}

/// Places in a table and beside the code, by default: what a person goes through.
const FIRST_PLACES: usize = 10;
/// Places of each of several faults in a table, by default.
const PLACES_OF_FAULT: usize = 5;
/// Places on a page, by default.
const PAGE_PLACES: usize = 100;

/// The formats of rankings, and those of reports but for the comment, which tells of a session.
fn format() -> impl TypedValueParser<Value = RankFormat> {
    let own = OwnFormat::all().map(RankFormat::Own);
    let reports = ReportFormat::all().filter(|&format| format != ReportFormat::Markdown);
    let formats: Vec<RankFormat> = own.chain(reports.map(RankFormat::Report)).collect();
    let value = |format: &RankFormat| match format {
        RankFormat::Own(own) => choice::offered(*own),
        RankFormat::Report(report) => choice::offered(*report),
    };
    PossibleValuesParser::new(formats.iter().map(value)).map(|name| {
        let own = OwnFormat::named(&name).map(RankFormat::Own);
        own.or_else(|| ReportFormat::named(&name).map(RankFormat::Report))
            .expect("the parser knows the names of the tables alone")
    })
}

pub(crate) fn run(arguments: &RankArguments, quiet: bool) -> Result<Exit> {
    let mut input = Input::read(InputRequest {
        since: arguments.since.clone(),
        ..arguments.input.request()
    })?;
    notes(quiet, &input.notes);
    let format = arguments.format;
    let (shows_source, top) = match format {
        RankFormat::Own(OwnFormat::Table) => (true, Some(FIRST_PLACES)),
        // A document names the places of calls.
        RankFormat::Own(OwnFormat::Json) => (true, None),
        RankFormat::Own(_) => (false, None),
        RankFormat::Report(ReportFormat::Html) => (true, Some(PAGE_PLACES)),
        RankFormat::Report(_) => (true, Some(FIRST_PLACES)),
    };
    let shows = shows_source && !arguments.no_source;
    let sources = if shows { input.sources()? } else { None };
    let mut scoring = arguments.scoring.scoring()?;
    if let Some(model) = &arguments.model {
        scoring = scoring.by_model(model)?;
    }
    if scoring.hears_kills() {
        input.add_kills()?;
    }
    let request = RankRequest {
        failing: arguments.failing.clone(),
        level: arguments.level,
        scoring,
        include_flaky: arguments.include_flaky,
        top: arguments.top.or(top),
    };
    let mut reply = rank(&input.spectrum, sources.as_ref(), &request)?;
    let out = arguments.out.as_deref();
    match format {
        RankFormat::Own(OwnFormat::Json) => put_json(&reply.suspects, out)?,
        RankFormat::Own(OwnFormat::Csv) => put_data(&reply.suspects.csv(), out)?,
        RankFormat::Own(OwnFormat::Gzoltar) => put_data(&reply.suspects.gzoltar(), out)?,
        RankFormat::Own(OwnFormat::Table) => {
            let most = arguments.top.unwrap_or(PLACES_OF_FAULT);
            for fault in &mut reply.suspects.faults {
                fault.places.truncate(most);
            }
            put(&terminal::text(&reply, arguments.lines), out)?;
        }
        RankFormat::Report(format) => {
            match format.beside_code(&reply.ranked, &mut reply.suspects) {
                Some(report) => {
                    put_document(&report.document, out)?;
                    reply.notes.extend(report.notes);
                }
                None => put_data(&page(&mut reply, arguments), out)?,
            }
        }
    }
    let mut said: Vec<String> = reply.notes.iter().map(words).collect();
    if format == RankFormat::Own(OwnFormat::Table) {
        said.extend(terminal::source_notes(
            &reply,
            arguments.input.source.is_some(),
        ));
    }
    notes(quiet, &said);
    Ok(if arguments.exit_code && reply.suspects.ranked > 0 {
        // The failing tests cover something, so something is suspected.
        Exit::Finding
    } else {
        Exit::Done
    })
}

fn page(reply: &mut RankReply, arguments: &RankArguments) -> String {
    let input = arguments.input.inputs[0].file_name().unwrap_or_default();
    let title = format!("Suspects in {}", input.to_string_lossy());
    let RankReply {
        suspects,
        ranked,
        notes,
    } = reply;
    ranked.look_up(suspects);
    notes.extend(ranked.all_doubts().into_iter().map(RankNote::Words));
    let said: Vec<String> = notes.iter().map(words).collect();
    let listings = ranked.listings(suspects, arguments.lines.unwrap_or(SHOWN_LINES));
    notes.extend(ranked.missing(suspects));
    let failing = ranked.sources().zip(suspects.failing.first());
    let test = failing.and_then(|(sources, test)| sources.test(test));
    let command = own_command::text();
    let page = suspects.page(&title, &said, listings, test.as_ref(), &command);
    page.html()
}

/// A note in the words of the command line.
pub(crate) fn words(note: &RankNote) -> String {
    match note {
        RankNote::Words(words) => words.clone(),
        RankNote::SeveralFaults(faults) => {
            format!(
                "no method explains all failing tests: {faults} faults are likely; --faults one ranks them as one"
            )
        }
        RankNote::FlakyLeftOut(1) => "1 flaky test is left out; --include-flaky counts it".into(),
        RankNote::FlakyLeftOut(n) => {
            format!("{n} flaky tests are left out; --include-flaky counts them")
        }
        RankNote::SourcesMissing { missing, of } => format!(
            "the source of {missing} of the first {of} suspects was not found; name the project's root with --source"
        ),
        RankNote::FilesMissing { missing, of } => format!(
            "{missing} of {of} suspects have no known file, and code scanning shows none without; \
             name the project's root with --source"
        ),
    }
}
