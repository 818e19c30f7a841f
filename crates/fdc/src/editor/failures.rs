//! Where tests stand, and how the failing ones failed.

use std::collections::{BTreeMap, HashMap};

use fdc_core::Spectrum;
use fdc_core::coverage::TestId;
use fdc_source::{Roots, Sources, TestFunction};

/// Failing tests of which more than the name is shown.
const FAILURES: usize = 50;
/// Calls of a stack that are shown.
const FRAMES: usize = 8;
/// Characters of a message that are shown.
const LONGEST: usize = 200;

/// How a test failed.
#[derive(Clone, Debug, Default)]
pub(super) struct ShownFailure {
    /// In a line.
    pub(super) message: Option<String>,
    /// Calls in files of the project, the innermost first.
    pub(super) frames: Vec<ShownFrame>,
}

/// A call of a stack.
#[derive(Clone, Debug)]
pub(super) struct ShownFrame {
    /// Below the project's root.
    pub(super) path: String,
    /// From 1.
    pub(super) line: u32,
    /// Empty where it is not known.
    pub(super) function: String,
}

/// The function of every test, as far as it is found.
pub(super) fn functions(spectrum: &Spectrum, roots: &Roots) -> Vec<Option<TestFunction>> {
    let names = || spectrum.tests.iter().map(|test| &*test.name);
    let Some(project) = &roots.project else {
        return vec![None; spectrum.tests.len()];
    };
    let mut found = project.tests(names());
    for (function, test) in found.iter_mut().zip(&spectrum.tests) {
        let place = test.failure.as_ref().and_then(|own| own.source.as_ref());
        if let (None, Some(place)) = (&function, place) {
            *function = Some(TestFunction {
                path: place.file.clone(),
                function: String::new(),
                first: place.first,
                last: place.last,
            });
        }
    }
    found
}

/// How the first failing tests failed; `notes` are those of the case, by test.
pub(super) fn shown(
    spectrum: &Spectrum,
    roots: &Roots,
    functions: &[Option<TestFunction>],
    notes: &[Option<String>],
) -> HashMap<TestId, ShownFailure> {
    let mut paths = Paths::new(roots.project.as_ref());
    let tests = (0..).map(TestId).zip(&spectrum.tests);
    let failing = tests.filter(|&(id, _)| super::fails(spectrum, id));
    let shown = failing.take(FAILURES).map(|(id, test)| {
        let record = test.failure.clone().unwrap_or_default();
        let told = [record.exception, record.message];
        let told: Vec<&str> = told.iter().flatten().map(|text| first_line(text)).collect();
        let told = Some(told.join(": ")).filter(|told| !told.is_empty());
        let noted = || notes.get(id.index())?.clone();
        let message = told.or_else(noted);
        let own = functions[id.index()].as_ref();
        let frames = record.frames.iter().filter(|frame| frame.line > 0);
        let frames = frames.filter_map(|frame| {
            Some(ShownFrame {
                path: paths.find(&frame.place)?,
                line: frame.line,
                function: frame.function.clone(),
            })
        });
        // The test itself is shown beside its calls.
        let frames = frames.filter(|frame| own.is_none_or(|own| own.path != frame.path));
        let failure = ShownFailure {
            message: message.map(|text| first_line(&text).chars().take(LONGEST).collect()),
            frames: frames.take(FRAMES).collect(),
        };
        (id, failure)
    });
    shown.collect()
}

fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default().trim()
}

/// Files that stacks name, each looked for once.
struct Paths<'a> {
    sources: Option<&'a Sources>,
    found: BTreeMap<String, Option<String>>,
}

impl<'a> Paths<'a> {
    fn new(sources: Option<&'a Sources>) -> Self {
        Paths {
            sources,
            found: BTreeMap::new(),
        }
    }

    fn find(&mut self, place: &str) -> Option<String> {
        let sources = self.sources?;
        let look = || sources.read(place).map(|source| source.path);
        let found = self.found.entry(place.to_owned()).or_insert_with(look);
        found.clone()
    }
}
