//! A file's lines with what is known of each.

use std::collections::BTreeMap;

use fdc::{Heat, Ranked};
use fdc_core::Suite;
use fdc_draw::text::shortened;
use fdc_source::Roots;
use serde::Serialize;

/// Lines sent at once; a page of more would take long to draw.
const AT_ONCE: usize = 1000;
/// Longest line that is sent, in characters; generated code has lines of megabytes.
const LONGEST: usize = 400;

/// A part of a file, or all of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listing {
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
    pub lines: Vec<Line>,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// From 1.
    pub number: u32,
    /// As it stands in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What was measured.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub details: Option<Details>,
}

/// How suspicious a line is, and why.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Details {
    /// Its suspiciousness; none where it is infinite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Its heat, 0 to [`fdc_draw::source::STEPS`].
    pub step: usize,
    /// Failing tests that run it (a verdict believed in part counts as a part).
    pub failing: f64,
    /// Passing tests that run it.
    pub passing: f64,
    /// The ambiguity group it is in, if the failing test runs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
    /// Lines of that group, here and elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_lines: Option<u64>,
}

/// The ambiguity groups of the tests judged so far.
pub struct Groups<'a> {
    /// Who knows them.
    pub suite: &'a Suite<'a>,
    /// From the suite's labels to the numbers that a person sees.
    pub numbers: BTreeMap<u32, u32>,
}

impl Listing {
    /// Of a file by its number, around a line.
    pub fn new(ranked: &Ranked<'_>, groups: &Groups<'_>, file: u32, around: u32) -> Self {
        let heat = ranked.heat(file);
        let labels = groups.labels(ranked, file);
        let details = |line: u32| {
            let heat = heat.get(&line)?;
            Some(groups.details(*heat, labels.get(&line).copied()))
        };
        let source = ranked.source(file);
        let lines: Vec<Line> = match &source {
            Some(source) => {
                let (count, around) = (source.lines.len(), around as usize);
                let last_start = count.saturating_sub(AT_ONCE);
                let start = around.saturating_sub(AT_ONCE / 2).min(last_start);
                let numbered = (1..).zip(&source.lines).skip(start).take(AT_ONCE);
                let line = |(number, text): (u32, &String)| Line {
                    number,
                    text: Some(shortened(text, LONGEST)),
                    details: details(number),
                };
                numbered.map(line).collect()
            }
            None if ranked.has_lines() => {
                let near = heat.range(around.saturating_sub(AT_ONCE as u32 / 2)..);
                let line = |(&number, _): (&u32, &Heat)| Line {
                    number,
                    text: None,
                    details: details(number),
                };
                near.take(AT_ONCE).map(line).collect()
            }
            // Statements that the input names freely have no lines.
            None => Vec::new(),
        };
        Listing {
            file: ranked.file_name(file).to_owned(),
            notes: source.iter().flat_map(|s| ranked.doubts(s, file)).collect(),
            total: source.as_ref().map_or(0, |source| source.lines.len()),
            path: source.map(|source| source.path.clone()),
            lines,
        }
    }
}

impl Groups<'_> {
    fn details(&self, heat: Heat, label: Option<u32>) -> Details {
        Details {
            score: heat.score.is_finite().then_some(heat.score),
            step: heat.step,
            failing: heat.failing,
            passing: heat.passing,
            group: label.and_then(|label| self.numbers.get(&label).copied()),
            group_lines: label.map(|label| self.suite.groups().size(label)),
        }
    }

    /// By line of a file, the group of its first suspicious element.
    fn labels(&self, ranked: &Ranked<'_>, file: u32) -> BTreeMap<u32, u32> {
        let program = &ranked.spectrum.program;
        let mut labels = BTreeMap::new();
        for (index, element) in program.elements.iter().enumerate() {
            if program.methods[element.method.index()].file != file {
                continue;
            }
            let column = self.suite.coverage().column_of(index) as usize;
            let label = self.suite.groups().labels()[column];
            if self.suite.is_suspicious(label) {
                labels.entry(element.line).or_insert(label);
            }
        }
        labels
    }
}

/// A test's source.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TestListing {
    /// The test.
    pub name: String,
    /// Its file below the project's root; none if it is not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The number of the first line.
    pub first: u32,
    /// The lines.
    pub lines: Vec<String>,
    /// Whether the file was changed after the coverage was measured, as far as its time tells.
    pub newer: bool,
}

impl TestListing {
    /// As far as it is found.
    pub fn new(roots: &Roots, name: &str) -> Self {
        let name = name.to_owned();
        match roots.test(&name) {
            None => TestListing {
                name,
                ..TestListing::default()
            },
            Some(source) => {
                let shown = source.lines.iter().take(AT_ONCE);
                TestListing {
                    name,
                    path: Some(source.path),
                    first: source.first,
                    lines: shown.map(|line| shortened(line, LONGEST)).collect(),
                    newer: source.newer,
                }
            }
        }
    }
}
