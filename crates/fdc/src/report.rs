//! `report`: a labelled case in one document; and a ranking as a page, or for programs that show it
//! beside the code.

pub mod annotations;
mod cell;
mod failed;
pub mod gitlab;
mod markdown;
mod page;
mod permalinks;
mod ranking;
pub mod sarif;
mod snippet;
mod suspects_map;

use fdc_core::{Level, Named};
use fdc_source::{Roots, TestSource};

pub use cell::{session_cell, session_map};
pub use permalinks::Permalinks;
pub use suspects_map::{suspects_map, suspects_map_laid_out};

use crate::failed_test::FailedTest;
use crate::label::advice::Advice;
use crate::label::{Picture, Session, View};
use crate::rank::{Counted, RankNote, Ranked, Suspects};

/// A page is to stay below this, so that it can be mailed and attached.
const LARGEST_PAGE: usize = 2 << 20;
/// Source lines of each suspect; fewer, where the page would get too large.
const SHOWN_LINES: [u32; 4] = [60, 24, 8, 1];

/// What a report is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    /// A page.
    Html,
    /// A log.
    Sarif,
    /// A comment.
    Markdown,
    /// Workflow commands.
    Annotations,
    /// A code quality report.
    Gitlab,
}

impl Named for ReportFormat {
    const TABLE: &'static [(Self, &'static str, &'static str)] = &[
        (ReportFormat::Html, "html", "One offline page"),
        (
            ReportFormat::Sarif,
            "sarif",
            "SARIF 2.1.0, for code scanning",
        ),
        (
            ReportFormat::Markdown,
            "markdown",
            "For a comment on a pull request",
        ),
        (
            ReportFormat::Annotations,
            "annotations",
            "Workflow commands of GitHub Actions, which annotate the code",
        ),
        (
            ReportFormat::Gitlab,
            "gitlab",
            "A code quality report for GitLab",
        ),
    ];
}

impl ReportFormat {
    /// Of a file whose name ends so, the dot left out.
    pub fn by_ending(ending: &str) -> Option<Self> {
        match &*ending.to_ascii_lowercase() {
            "html" | "htm" => Some(ReportFormat::Html),
            "sarif" => Some(ReportFormat::Sarif),
            "md" | "markdown" => Some(ReportFormat::Markdown),
            _ => None,
        }
    }

    /// A ranking for programs that show it beside the code; none for formats that people read.
    pub fn beside_code(self, ranked: &Ranked<'_>, suspects: &mut Suspects) -> Option<Report> {
        let document: fn(&Suspects) -> ReportDocument = match self {
            ReportFormat::Html | ReportFormat::Markdown => return None,
            ReportFormat::Sarif => {
                |suspects| ReportDocument::Json(sarif::log(suspects, env!("CARGO_PKG_VERSION")))
            }
            ReportFormat::Annotations => {
                |suspects| ReportDocument::Text(annotations::text(suspects))
            }
            ReportFormat::Gitlab => |suspects| ReportDocument::Json(gitlab::findings(suspects)),
        };
        let notes = ranked.look_up_for_scanning(suspects);
        let document = document(suspects);
        Some(Report { document, notes })
    }
}

/// What to tell of a session.
pub struct ReportRequest<'a> {
    /// The case, with its answers.
    pub session: &'a Session,
    /// Where its sources are.
    pub roots: &'a Roots,
    /// The heading.
    pub title: String,
    /// So many suspects at the most.
    pub suspects: usize,
    /// How the report is made, for whoever wants to make it again.
    pub command: String,
    /// What it is written as.
    pub format: ReportFormat,
    /// Where a comment links to.
    pub permalinks: Option<Permalinks>,
}

/// A report, and what to know beside it.
pub struct Report {
    /// The document.
    pub document: ReportDocument,
    /// What to know.
    pub notes: Vec<RankNote>,
}

/// What a report is.
pub enum ReportDocument {
    /// A page, a comment or workflow commands.
    Text(String),
    /// For another program.
    Json(serde_json::Value),
}

/// Everything that a page or a comment tells.
struct State<'a> {
    request: &'a ReportRequest<'a>,
    view: View,
    advice: Advice,
    picture: Picture,
    suspects: Suspects,
    /// How the failing tests failed, as far as it is known.
    failures: Vec<FailedTest>,
    /// The source of the first failing test.
    failed_source: Option<TestSource>,
    /// What to know of the sources.
    doubts: Vec<String>,
    /// The source of the next test.
    test_source: Option<TestSource>,
}

/// Reports on a session.
pub fn report(request: &ReportRequest<'_>) -> Report {
    let session = request.session;
    let selection = session.selection();
    let ranked = Ranked::new(
        session.spectrum(),
        Level::Method,
        session.options().scoring.clone(),
        Counted::of_session(&selection),
        request.roots.project.as_ref(),
        Some(request.suspects),
    );
    let mut suspects = ranked.suspects();
    if let Some(report) = request.format.beside_code(&ranked, &mut suspects) {
        return report;
    }
    ranked.look_up(&mut suspects);
    let doubts = ranked.all_doubts();
    let mut notes = Vec::from_iter(ranked.missing(&suspects));
    notes.extend(doubts.iter().cloned().map(RankNote::Words));
    let view = View::new(session, suspects.places.len());
    let next = view.next.as_ref();
    let mut failures = session.failures();
    failures.retain(FailedTest::is_known);
    let state = State {
        request,
        failed_source: request.roots.test(&view.failing),
        failures,
        test_source: next.and_then(|next| request.roots.test(&next.test)),
        advice: Advice::new(session),
        picture: Picture::new(session),
        view,
        suspects,
        doubts,
    };
    let text = match request.format {
        ReportFormat::Markdown => markdown::text(&state, &ranked),
        _ => fitting_page(&state, &ranked),
    };
    Report {
        document: ReportDocument::Text(text),
        notes,
    }
}

/// The page with as much source as it has room for.
fn fitting_page(state: &State<'_>, ranked: &Ranked<'_>) -> String {
    let mut html = String::new();
    for lines in SHOWN_LINES {
        html = page::html(state, ranked.listings(&state.suspects, lines));
        if html.len() < LARGEST_PAGE {
            break;
        }
    }
    html
}
