//! `fdc report`: a labelled case as it stands, in one file.

mod markdown;
mod page;

use std::path::Path;

use fdc::label::advice::Advice;
use fdc::label::{Picture, Session, View};
use fdc::report::{Findings, Suspects, sarif};
use fdc::{Counted, Ranked};
use fdc_core::Level;
use fdc_source::TestSource;

use crate::args::report::{ReportArguments, ReportFormat};
use crate::exit::{Exit, Problem};
use crate::output::{note, put_data, put_json};
use crate::session;

/// A page is to stay below this, so that it can be mailed and attached.
const LARGEST_PAGE: usize = 2 << 20;
/// Source lines of each suspect; fewer, where the page would get too large.
const SHOWN_LINES: [u32; 4] = [60, 24, 8, 1];

/// Everything that a report tells, whatever its format.
struct State<'a> {
    view: View,
    advice: Advice,
    picture: Picture,
    suspects: Suspects,
    ranked: &'a Ranked<'a>,
    /// The source of the next test.
    test_source: Option<TestSource>,
}

/// Runs the command.
pub fn run(arguments: &ReportArguments, quiet: bool) -> Result<Exit, Problem> {
    let out = arguments
        .out
        .as_deref()
        .filter(|&out| out != Path::new("-"));
    let format = format(arguments, out)?;
    let asked = &arguments.session;
    let session = session::open(asked)?;
    let roots = session.roots(asked.source.as_deref())?;
    let selection = session.selection();
    let ranked = Ranked::new(
        session.spectrum(),
        Level::Method,
        session.options().ranking,
        Counted::of_session(&selection),
        roots.project.as_ref(),
        Some(asked.suspects),
    );
    let title = title(&asked.case);
    let mut findings = Findings::new(&ranked);
    let mut notes = Vec::new();
    if format == ReportFormat::Sarif {
        let suspects = findings.for_scanning(title, &mut notes);
        put_json(&sarif::Log::new(&suspects, env!("CARGO_PKG_VERSION")), out)?;
    } else {
        let mut suspects = findings.suspects(title);
        suspects.notes = findings.doubts();
        notes.extend(findings.missing(&suspects));
        notes.extend(suspects.notes.iter().cloned());
        let state = State::new(&session, &ranked, suspects, |test| roots.test(test));
        let text = match format {
            ReportFormat::Markdown => markdown::text(&state),
            _ => fitting_page(&state, &mut findings),
        };
        put_data(&text, out)?;
    }
    for text in &notes {
        note(quiet, &format!("note: {text}"));
    }
    Ok(Exit::Done)
}

impl<'a> State<'a> {
    fn new(
        session: &Session,
        ranked: &'a Ranked<'a>,
        suspects: Suspects,
        test_source: impl Fn(&str) -> Option<TestSource>,
    ) -> Self {
        let view = View::new(session, ranked.ranking.places.len());
        let next = view.next.as_ref();
        State {
            test_source: next.and_then(|next| test_source(&next.test)),
            advice: Advice::new(session),
            picture: Picture::new(session),
            view,
            suspects,
            ranked,
        }
    }
}

/// The page with as much source as it has room for.
fn fitting_page(state: &State, findings: &mut Findings) -> String {
    let mut html = String::new();
    for lines in SHOWN_LINES {
        html = page::html(state, findings.listings(&state.suspects, lines));
        if html.len() < LARGEST_PAGE {
            break;
        }
    }
    html
}

fn format(arguments: &ReportArguments, out: Option<&Path>) -> Result<ReportFormat, Problem> {
    let of_ending = |out: &Path| {
        let ending = out.extension().unwrap_or_default().to_string_lossy();
        ReportFormat::of_ending(&ending).ok_or_else(|| {
            let message = format!(
                "{}: expected a name that ends in .html, .sarif or .md",
                out.display()
            );
            Problem::usage(message).hint("--format html, sarif or markdown says what to write")
        })
    };
    match (arguments.format, out) {
        (Some(format), _) => Ok(format),
        (None, Some(out)) => of_ending(out),
        (None, None) => Ok(ReportFormat::Html),
    }
}

fn title(case: &Path) -> String {
    let name = case.file_name().unwrap_or_default();
    format!("Suspects in {}", name.to_string_lossy())
}
