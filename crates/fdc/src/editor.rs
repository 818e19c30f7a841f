//! `editor`: what an editor shows of a case. The suspects, the tests that run a function or a line, the
//! test to look at next; on lines that move as the text is edited.

mod coverage;
mod document;
mod failures;
mod lines;
mod tests_of;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fdc_case::Case;
use fdc_collect::digests::measured_lines;
use fdc_core::coverage::TestId;
use fdc_core::failing::failing_tests;
use fdc_core::spectrum::VIRTUAL;
use fdc_core::{Level, Outcome, Spectrum};
use fdc_learn::catalogue;
use fdc_source::{Roots, TestFunction};
use serde::Serialize;

pub use coverage::{CoveredFile, CoveredLine};
pub use document::{Document, HoveredLine, Lens, LensKind, Mark, Marks, Related};
pub use tests_of::{TestList, TestsOf};

use crate::error::Result;
use crate::heat::Heat;
use crate::input::roots;
use crate::rank::{RankRequest, Scoring, Suspect, rank};
use crate::select::{SelectRequest, select};
use failures::ShownFailure;
use tests_of::RunBy;

/// Suspects whose place and reasons are known, though fewer are marked.
const RANKED: usize = 100;

/// Which case, and how much of it is shown.
#[derive(Clone, Debug)]
pub struct EditorRequest {
    /// The case file.
    pub case: PathBuf,
    /// The project's root; where the case was collected, if left out.
    pub source: Option<PathBuf>,
    /// The folder that is open in the editor: the root of a case that does not tell it, or tells one
    /// that is not here.
    pub workspace: Option<PathBuf>,
    /// So many suspects are marked.
    pub suspects: usize,
}

/// A case as an editor asks for it. It is read once, and does not follow changes of the file.
pub struct EditorCase {
    spectrum: Spectrum,
    roots: Roots,
    digests: HashMap<String, String>,
    ranking: Ranking,
    /// So many suspects are marked.
    marked: usize,
    /// `(file, line, element)`, ascending.
    elements: Vec<(u32, u32, u32)>,
    /// By method.
    run_by: Vec<RunBy>,
    /// By test.
    functions: Vec<Option<TestFunction>>,
    failures: HashMap<TestId, ShownFailure>,
    next: Option<(TestId, String)>,
    note: Option<String>,
    /// By path below the root, the text that was measured, if it can still be had.
    measured: RefCell<HashMap<String, Option<Arc<Vec<String>>>>>,
}

/// A test of the case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EditorTest {
    /// Its id.
    pub name: String,
    /// `pass` or `fail`, where it is known.
    pub outcome: Option<&'static str>,
    /// Its outcome changes from run to run.
    pub flaky: bool,
    /// How it failed, in a line.
    pub message: Option<String>,
    /// Its file below the project's root, where it is found.
    pub path: Option<String>,
    /// Its first line there, from 1.
    pub first: Option<u32>,
    /// Its last line.
    pub last: Option<u32>,
}

/// The test to look at next.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NextTest {
    /// Which.
    pub test: EditorTest,
    /// Why it.
    pub why: String,
}

impl EditorCase {
    /// Reads the case and ranks; without a failing test there are no suspects.
    pub fn open(request: &EditorRequest) -> Result<Self> {
        let case = Case::open(&request.case)?;
        let moment = case.moment()?;
        let spectrum = case.spectrum()?;
        let noted = case
            .about("root")?
            .is_some_and(|root| Path::new(&root).is_dir());
        let open = request.workspace.as_deref();
        let open = open.filter(|folder| !noted && folder.is_dir());
        let roots = roots(&case, request.source.as_deref().or(open))?;
        let digests = case.source_digests()?;
        let notes = case.notes()?;
        let note = case.interruption()?;
        drop(moment);
        let fails = failing_tests(&spectrum, &[""; 0]).is_ok();
        let ranking = match fails {
            true => ranking(&spectrum, &roots, request.suspects.max(RANKED))?,
            false => Ranking::default(),
        };
        let next = if fails { next(&spectrum)? } else { None };
        let mut elements: Vec<(u32, u32, u32)> = Vec::new();
        if spectrum.program.labels.is_empty() {
            let program = &spectrum.program;
            let file = |method: usize| program.methods[method].file;
            let numbered = (0..).zip(&program.elements);
            elements.extend(numbered.map(|(n, e)| (file(e.method.index()), e.line, n)));
            elements.sort_unstable();
        }
        let functions = failures::functions(&spectrum, &roots);
        Ok(EditorCase {
            run_by: tests_of::run_by(&spectrum),
            failures: failures::shown(&spectrum, &roots, &functions, &notes),
            digests,
            ranking,
            marked: request.suspects,
            elements,
            functions,
            next,
            note,
            measured: RefCell::default(),
            spectrum,
            roots,
        })
    }

    /// The project's root, if it is here.
    pub fn root(&self) -> Option<&Path> {
        Some(self.roots.project.as_ref()?.root())
    }

    /// What to know of the case, in a sentence: its collection was interrupted, or is under way.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// The suspects that are marked, the most suspicious first.
    pub fn suspects(&self) -> &[Suspect] {
        let suspects = &self.ranking.suspects;
        &suspects[..suspects.len().min(self.marked)]
    }

    /// All tests, in the order of the case.
    pub fn tests(&self) -> Vec<EditorTest> {
        self.real_tests().map(|test| self.test(test)).collect()
    }

    /// The test to look at next, if one fails and another can tell more.
    pub fn next(&self) -> Option<NextTest> {
        let (test, why) = self.next.as_ref()?;
        Some(NextTest {
            test: self.test(*test),
            why: why.clone(),
        })
    }

    fn test(&self, id: TestId) -> EditorTest {
        let test = self.spectrum.test(id);
        let function = self.functions[id.index()].as_ref();
        EditorTest {
            name: test.name.clone(),
            outcome: test.verdict().map(|verdict| verdict.outcome.name()),
            flaky: test.flaky,
            message: self
                .failures
                .get(&id)
                .and_then(|failure| failure.message.clone()),
            path: function.map(|function| function.path.clone()),
            first: function.map(|function| function.first),
            last: function.map(|function| function.last),
        }
    }

    /// Tests that can be run: no statements.
    fn real_tests(&self) -> impl Iterator<Item = TestId> + '_ {
        let tests = (0..).map(TestId).zip(&self.spectrum.tests);
        let real = tests.filter(|(_, test)| is_real(test.origin.as_deref()));
        real.map(|(id, _)| id)
    }

    fn fails(&self, test: TestId) -> bool {
        fails(&self.spectrum, test)
    }

    /// The text of a file of the program as it was measured. Once found it stays, whatever is saved.
    fn measured(&self, path: &str) -> Option<Arc<Vec<String>>> {
        if let Some(known) = self.measured.borrow().get(path) {
            return known.clone();
        }
        let found = self.find_measured(path).map(Arc::new);
        let mut measured = self.measured.borrow_mut();
        measured.insert(path.to_owned(), found.clone());
        found
    }

    fn find_measured(&self, path: &str) -> Option<Vec<String>> {
        let sources = self.roots.project.as_ref()?;
        let files = self.files_of(path);
        let mut names = files.iter().map(|&file| self.file_name(file));
        let digest = names.find_map(|name| self.digests.get(name));
        let source = sources.read(path)?;
        let lines = measured_lines(sources.root(), source, digest.map(String::as_str))?;
        // A text that ends before the last line that was measured is another one.
        let last = files.iter().map(|&file| self.measured_in(file).last());
        let last = last.flatten().map(|&(_, line, _)| line).max().unwrap_or(0);
        (lines.len() >= last as usize).then_some(lines)
    }

    /// `(file, line, element)` of the measured lines of a file, ascending.
    fn measured_in(&self, file: u32) -> &[(u32, u32, u32)] {
        let start = self.elements.partition_point(|e| e.0 < file);
        let end = self.elements.partition_point(|e| e.0 <= file);
        &self.elements[start..end]
    }

    fn file_name(&self, file: u32) -> &str {
        &self.spectrum.program.files[file as usize]
    }

    /// The files of the program that are this one; classes may share it.
    fn files_of(&self, path: &str) -> Vec<u32> {
        let Some(sources) = &self.roots.project else {
            return Vec::new();
        };
        let own = path.rsplit('/').next().unwrap_or(path);
        let stem = own.split('.').next().unwrap_or(own);
        let may_be = |name: &str| {
            let class = name.rsplit('.').next().unwrap_or(name);
            name.rsplit('/').next() == Some(own) || class.split('$').next() == Some(stem)
        };
        let named = (0..).zip(&self.spectrum.program.files);
        let named = named.filter(|(_, name)| may_be(name));
        let found = |name: &str| sources.read(name).is_some_and(|source| source.path == path);
        let is_it = |name: &str| name == path || found(name);
        named
            .filter(|(_, name)| is_it(name))
            .map(|(file, _)| file)
            .collect()
    }
}

fn is_real(origin: Option<&str>) -> bool {
    origin != Some(VIRTUAL)
}

fn fails(spectrum: &Spectrum, test: TestId) -> bool {
    let verdict = spectrum.test(test).verdict();
    verdict.is_some_and(|verdict| verdict.outcome == Outcome::Fail)
}

/// Empty where no test fails.
#[derive(Default)]
struct Ranking {
    /// The first places of methods that a failing test runs.
    suspects: Vec<Suspect>,
    /// How many methods were ranked.
    methods: usize,
    /// By file, then line.
    heat: Vec<BTreeMap<u32, Heat>>,
}

fn ranking(spectrum: &Spectrum, roots: &Roots, top: usize) -> Result<Ranking> {
    let request = RankRequest {
        failing: Vec::new(),
        level: Level::Method,
        scoring: Scoring::default(),
        include_flaky: false,
        top: Some(top),
    };
    let reply = rank(spectrum, roots.project.as_ref(), &request)?;
    let mut suspects = reply.suspects;
    reply.ranked.look_up(&mut suspects);
    suspects.places.retain(|suspect| suspect.failing_count > 0);
    let files = 0..spectrum.program.files.len() as u32;
    Ok(Ranking {
        suspects: suspects.places,
        methods: suspects.ranked,
        heat: files.map(|file| reply.ranked.heat(file)).collect(),
    })
}

/// What `fdc select` chooses first.
fn next(spectrum: &Spectrum) -> Result<Option<(TestId, String)>> {
    let request = SelectRequest {
        number: Some(1),
        ..SelectRequest::by(catalogue::asked_for(None, None)?)
    };
    let reply = select(spectrum, &request)?;
    let chosen = reply.steps.into_iter().find_map(|step| {
        let (name, why) = (step.added?, step.reason?);
        let named = |test: &fdc_core::spectrum::Test| test.name == name;
        let number = spectrum.tests.iter().position(named)?;
        Some((TestId(number as u32), why.reason.words()))
    });
    Ok(chosen)
}
