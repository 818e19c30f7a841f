//! `fdc rank`: the suspicious methods, lines or files.

mod json;
mod notes;
mod terminal;

use fdc::report::findings::SHOWN_LINES;
use fdc::report::{Findings, sarif};
use fdc::{Counted, Input, Ranked};
use fdc_core::failing::failing_tests;
use fdc_draw::Page;
use fdc_source::Sources;

use self::notes::{notes, separate_faults};
use crate::args::rank::{RankArguments, RankFormat};
use crate::exit::{Exit, Problem};
use crate::output::{self, note, own_command, put, put_data, put_json};

/// Places in a table and in SARIF, unless told: what a person goes through.
const FIRST_PLACES: usize = 10;
/// Places on a page, unless told.
const PAGE_PLACES: usize = 100;

/// Runs the command.
pub fn run(arguments: &RankArguments, quiet: bool) -> Result<Exit, Problem> {
    let mut input = Input::read(arguments.input.request())?;
    output::notes(quiet, &input.notes);
    let sources = shown_sources(&input, arguments)?;
    let spectrum = &mut input.spectrum;
    if arguments.include_flaky {
        spectrum
            .tests
            .iter_mut()
            .for_each(|test| test.flaky = false);
    }
    let spectrum = &*spectrum;
    let failing = failing_tests(spectrum, &arguments.failing)?;
    let top = arguments.top.or(match arguments.format {
        RankFormat::Table | RankFormat::Sarif => Some(FIRST_PLACES),
        RankFormat::Html => Some(PAGE_PLACES),
        RankFormat::Json | RankFormat::Csv | RankFormat::Gzoltar => None,
    });
    let separate = separate_faults(spectrum, &failing);
    let ranked = Ranked::new(
        spectrum,
        arguments.level,
        arguments.scoring.options(),
        Counted::of_failing(spectrum, failing),
        sources.as_ref(),
        top,
    );
    let out = arguments.out.as_deref();
    let mut notes = notes(&ranked, &separate);
    match arguments.format {
        RankFormat::Json => put_json(&json::document(&ranked, &separate), out)?,
        RankFormat::Csv => put_data(&ranked.csv(), out)?,
        RankFormat::Gzoltar => put_data(&ranked.gzoltar(), out)?,
        RankFormat::Table => {
            let wishes = terminal::Wishes {
                lines: arguments.lines,
                sources: arguments.input.source.is_some(),
            };
            put(&terminal::text(&ranked, wishes, &mut notes), out)?;
        }
        RankFormat::Sarif => {
            let suspects = Findings::new(&ranked).for_scanning(title(arguments), &mut notes);
            put_json(&sarif::Log::new(&suspects, env!("CARGO_PKG_VERSION")), out)?;
        }
        RankFormat::Html => put_data(&page(&ranked, arguments, &mut notes).html(), out)?,
    }
    for text in &notes {
        note(quiet, &format!("note: {text}"));
    }
    Ok(if arguments.exit_code && ranked.units > 0 {
        // The failing tests cover something, so something is suspected.
        Exit::Finding
    } else {
        Exit::Done
    })
}

fn title(arguments: &RankArguments) -> String {
    let input = arguments.input.inputs[0].file_name().unwrap_or_default();
    format!("Suspects in {}", input.to_string_lossy())
}

fn page(ranked: &Ranked, arguments: &RankArguments, notes: &mut Vec<String>) -> Page {
    let mut findings = Findings::new(ranked);
    let mut suspects = findings.suspects(title(arguments));
    notes.extend(findings.doubts());
    suspects.notes = notes.clone();
    let listings = findings.listings(&suspects, arguments.lines.unwrap_or(SHOWN_LINES));
    notes.extend(findings.missing(&suspects));
    suspects.page(listings, &own_command())
}

/// Where sources are looked for, if the format shows any.
fn shown_sources(input: &Input, arguments: &RankArguments) -> Result<Option<Sources>, Problem> {
    let shows = matches!(
        arguments.format,
        RankFormat::Table | RankFormat::Sarif | RankFormat::Html
    );
    if arguments.no_source || !shows {
        return Ok(None);
    }
    input.sources()
}
