//! Sources of the case for a person to read: a file with what is known of each line, and a test.

use std::collections::BTreeMap;

use fdc_core::{Level, Suite};
use fdc_draw::highlight::{Syntax, SyntaxRun, highlight};
use fdc_draw::text::shortened;
use fdc_source::{Roots, Source};
use serde::Serialize;

use crate::failed_test::FailedTest;
use crate::label::picture::Picture;
use crate::label::session::Session;
use crate::label::state::SessionState;
use crate::{Counted, Heat, Ranked};

/// Lines shown at once; a page of more would take long to draw.
const AT_ONCE: usize = 1000;
/// Longest line that is shown, in characters; generated code has lines of megabytes.
const LONGEST: usize = 400;

/// A stretch of a line for colours: its class on a page, and its length in units of UTF-16, as
/// scripts count.
pub type ColouredRun = (&'static str, usize);

/// A part of a file, or all of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileView {
    /// As the case has it.
    pub file: String,
    /// Below the project's root; none if the source is not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What to know before trusting the lines.
    pub notes: Vec<String>,
    /// Lines of the source.
    pub total: usize,
    /// In order: all from the first to the last, or only those measured if there is no source.
    pub lines: Vec<LineView>,
}

/// A line of a [`FileView`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineView {
    /// From 1.
    pub number: u32,
    /// As it stands in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What its stretches are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub syntax: Vec<ColouredRun>,
    /// What was measured.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub details: Option<LineDetails>,
}

/// How suspicious a line is, and why.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LineDetails {
    /// Its suspiciousness; none where it is infinite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Its heat, 0 to [`fdc_draw::source::STEPS`].
    pub step: usize,
    /// Failing tests that run it (a verdict believed in part counts as a part).
    pub failing: f64,
    /// Passing tests that run it.
    pub passing: f64,
    /// The ambiguity group it is in, by its number in the [`Picture`], if the failing test runs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
    /// Lines of that group, here and elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_lines: Option<u64>,
}

/// A test's source.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TestView {
    /// The test.
    pub name: String,
    /// Its file below the project's root; none if it is not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The number of the first line.
    pub first: u32,
    /// As they stand in the file.
    pub lines: Vec<String>,
    /// What the stretches of each line are.
    pub syntax: Vec<Vec<ColouredRun>>,
    /// Whether the file was changed after the coverage was measured, as far as its time tells.
    pub newer: bool,
    /// The line that the failure went through last, if it is among them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<u32>,
}

impl FileView {
    /// The lines of a file around one of them; none if the case has no such file. It is a file of the
    /// program, or one that a failing test's stack goes through.
    pub fn new(session: &Session, roots: &Roots, file: &str, around: u32) -> Option<Self> {
        let spectrum = session.spectrum();
        let mut files = spectrum.program.files.iter();
        let Some(number) = files.position(|name| name == file) else {
            return Self::of_call(session, roots, file, around);
        };
        let number = number as u32;
        let state = SessionState::new(session);
        let selection = &state.selection;
        let ranked = Ranked::new(
            spectrum,
            Level::File,
            session.options().scoring.clone(),
            Counted::of_session(selection),
            roots.project.as_ref(),
            Some(0),
        );
        let suite = selection.suite();
        let labels = group_labels(&ranked, suite, number);
        let numbers = Picture::of(session, selection, &state.ranking).numbers;
        let heats = ranked.heat(number);
        let details = |heat: &Heat, label: Option<&u32>| LineDetails {
            score: heat.score.is_finite().then_some(heat.score),
            step: heat.step,
            failing: heat.failing,
            passing: heat.passing,
            group: label.and_then(|label| numbers.get(label).copied()),
            group_lines: label.map(|label| suite.groups().size(*label)),
        };
        let line = |number: u32, text: Option<&String>, syntax: Vec<ColouredRun>| LineView {
            number,
            syntax,
            text: text.map(|text| shortened(text, LONGEST)),
            details: (heats.get(&number)).map(|heat| details(heat, labels.get(&number))),
        };
        let source = ranked.source(number);
        let lines = match &source {
            Some(source) => near(source, around)
                .map(|(number, text, syntax)| line(number, Some(text), syntax))
                .collect(),
            None if ranked.has_lines() => {
                let shown = heats.range(around.saturating_sub(AT_ONCE as u32 / 2)..);
                let shown = shown.take(AT_ONCE);
                shown
                    .map(|(&number, _)| line(number, None, Vec::new()))
                    .collect()
            }
            // Statements that the input names freely have no lines.
            None => Vec::new(),
        };
        let notes = source
            .iter()
            .flat_map(|source| ranked.doubts(source, number));
        Some(FileView {
            file: file.to_owned(),
            notes: notes.collect(),
            total: source.as_ref().map_or(0, |source| source.lines.len()),
            path: source.map(|source| source.path.clone()),
            lines,
        })
    }
}

impl FileView {
    /// A file of tests, which nothing was measured of.
    fn of_call(session: &Session, roots: &Roots, place: &str, around: u32) -> Option<Self> {
        let failures = session.failures();
        let mut calls = failures.iter().flat_map(|failed| &failed.calls);
        calls.find(|call| call.place == place && call.path.is_some())?;
        let source = roots.read(place)?;
        let line = |(number, text, syntax): (u32, &String, Vec<ColouredRun>)| LineView {
            number,
            syntax,
            text: Some(shortened(text, LONGEST)),
            details: None,
        };
        Some(FileView {
            file: place.to_owned(),
            notes: Vec::new(),
            total: source.lines.len(),
            lines: near(&source, around).map(line).collect(),
            path: Some(source.path),
        })
    }
}

/// The lines of a source around one of them, with their numbers.
fn near(source: &Source, around: u32) -> impl Iterator<Item = (u32, &String, Vec<ColouredRun>)> {
    let last_start = source.lines.len().saturating_sub(AT_ONCE);
    let start = (around as usize).saturating_sub(AT_ONCE / 2);
    let syntax = stretches(&source.path, &source.lines);
    let all = (1..).zip(&source.lines).zip(syntax);
    let shown = all.skip(start.min(last_start)).take(AT_ONCE);
    shown.map(|((number, text), syntax)| (number, text, syntax))
}

/// The stretches of all lines of a file.
fn stretches(path: &str, lines: &[String]) -> Vec<Vec<ColouredRun>> {
    let of_line = |(line, runs): (&String, Vec<SyntaxRun>)| {
        let mut rest = line.as_str();
        let stretch = |(kind, length): (Syntax, usize)| {
            let (piece, after) = rest.split_at_checked(length)?;
            rest = after;
            Some((kind.class(), piece.encode_utf16().count()))
        };
        runs.into_iter().map_while(stretch).collect()
    };
    let runs = highlight(path, lines.iter().map(String::as_str));
    lines.iter().zip(runs).map(of_line).collect()
}

impl TestView {
    /// The source of a test as far as it is found; none if the case has no such test.
    pub fn new(session: &Session, roots: &Roots, name: &str) -> Option<Self> {
        let mut tests = session.spectrum().tests.iter();
        let test = tests.find(|test| test.name == name)?;
        let name = test.name.clone();
        let mut view = TestView::default();
        let place = test.failure.as_ref().and_then(|own| own.source.as_ref());
        let project = roots.project.as_ref();
        let known = || project?.test_at(&place?.file, place?.first, place?.last);
        if let Some(source) = roots.test(&name).or_else(known) {
            let shown = source.lines.iter().take(AT_ONCE);
            view.lines = shown.map(|line| shortened(line, LONGEST)).collect();
            view.syntax = stretches(&source.path, &source.lines);
            let path = source.path;
            view.first = source.first;
            view.newer = source.newer;
            let mut failures = session.failures().into_iter();
            let failed = failures.find(|failed| failed.test == name);
            let last = source.first + source.lines.len() as u32;
            let line = |failed: FailedTest| failed.line_in(&path, source.first..last);
            view.failed_at = failed.and_then(line);
            view.path = Some(path);
        }
        Some(TestView { name, ..view })
    }
}

/// By line of a file, the suite's label for the group of its first suspicious element.
fn group_labels(ranked: &Ranked<'_>, suite: &Suite<'_>, file: u32) -> BTreeMap<u32, u32> {
    let program = &ranked.spectrum.program;
    let mut labels = BTreeMap::new();
    for (index, element) in program.elements.iter().enumerate() {
        if program.methods[element.method.index()].file != file {
            continue;
        }
        let column = suite.coverage().column_of(index) as usize;
        let label = suite.groups().labels()[column];
        if suite.is_suspicious(label) {
            labels.entry(element.line).or_insert(label);
        }
    }
    labels
}
