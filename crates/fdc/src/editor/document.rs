//! A text of the project as it stands in an editor, with what is known of its lines.

use std::collections::BTreeMap;
use std::path::Path;

use fdc_core::coverage::TestId;
use fdc_source::{Language, Outline};

use super::lines::MovedLines;
use super::{EditorCase, Suspect};

/// Tests that a hover or a suspect names.
const NAMED: usize = 5;
/// Lenses of failing tests above one function, where it is run with many parameters.
const SAME_FUNCTION: usize = 3;

/// A text of the project.
pub struct Document {
    path: String,
    /// The files of the program that it is; none in a test's own file.
    files: Vec<u32>,
    text: String,
    /// Where measured lines are now; none if it is not known what was measured.
    moved: Option<MovedLines>,
}

/// What is marked in a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    /// Whether another version of the text was measured, so that nothing can be said of its lines.
    pub is_outdated: bool,
    /// The most suspicious first.
    pub marks: Vec<Mark>,
}

/// A suspect where it is now.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Its most suspicious lines, from 1: the first and the last that stand together.
    pub lines: (u32, u32),
    /// The method.
    pub method: String,
    /// Its place, from 1.
    pub rank: f64,
    /// Among so many methods.
    pub of: usize,
    /// Its score as people read it.
    pub score: String,
    /// Why.
    pub reasons: Vec<String>,
    /// Failing tests that run it.
    pub failing: usize,
    /// Passing tests that run it.
    pub passing: usize,
    /// The first failing tests, and the calls of their stacks.
    pub related: Vec<Related>,
}

/// A place elsewhere that belongs to a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Below the project's root.
    pub path: String,
    /// From 1.
    pub line: u32,
    /// What is there.
    pub words: String,
}

/// What stands above a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// From 1.
    pub line: u32,
    /// What it says.
    pub kind: LensKind,
}

/// What a lens says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LensKind {
    /// So many tests run the function.
    RunBy {
        /// Its name in the case.
        method: String,
        /// How many.
        tests: u32,
        /// Of these, failing ones.
        failing: u32,
    },
    /// The function is a test that fails.
    Fails {
        /// The test.
        test: String,
        /// How, in a line.
        message: Option<String>,
    },
    /// The function is the test to look at next.
    Next {
        /// The test.
        test: String,
    },
}

/// What is known of a measured line.
#[derive(Clone, Debug, PartialEq)]
pub struct HoveredLine {
    /// How many tests run it.
    pub tests: usize,
    /// Of these, failing ones.
    pub failing: usize,
    /// The first of them, failing ones first, with whether they fail.
    pub names: Vec<(String, bool)>,
    /// Its suspiciousness, if a failing test runs it.
    pub score: Option<f64>,
    /// The method that it is in, if that is among the first suspects: name, place, score, reasons.
    pub suspect: Option<Suspect>,
    /// How many methods were ranked.
    pub of: usize,
}

impl EditorCase {
    /// A text of a file of the project; none if the file is not below the root.
    pub fn document(&self, file: &Path, text: &str) -> Option<Document> {
        let root = self.root()?;
        let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        let names = real.strip_prefix(root).ok()?.components();
        let names: Option<Vec<&str>> = names.map(|name| name.as_os_str().to_str()).collect();
        Some(self.document_at(names?.join("/"), text))
    }

    /// The same of the file as it is on the disk.
    pub fn on_disk(&self, file: &Path) -> Option<Document> {
        let document = self.document(file, "")?;
        let source = self.roots.project.as_ref()?.read(&document.path)?;
        Some(self.document_at(document.path, &source.lines.join("\n")))
    }

    fn document_at(&self, path: String, text: &str) -> Document {
        let files = self.files_of(&path);
        let measured = (!files.is_empty()).then(|| self.measured(&path)).flatten();
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        Document {
            moved: measured.map(|measured| MovedLines::new(&measured, &lines)),
            path,
            files,
            text: text.to_owned(),
        }
    }

    /// Where a test is in a document (from 1), by its function.
    pub fn test_line(&self, document: &Document, test: &str) -> Option<u32> {
        let named = |own: &fdc_core::spectrum::Test| own.name == test;
        let number = self.spectrum.tests.iter().position(named)?;
        let own = self.functions[number].as_ref()?;
        let outline = Outline::of(Language::of_path(&document.path)?, &document.text);
        let mut functions = outline.functions().iter();
        let function = functions.find(|found| found.name == own.function)?;
        (own.path == document.path).then_some(function.first)
    }

    /// The suspects in a document.
    pub fn marks(&self, document: &Document) -> Marks {
        if document.files.is_empty() {
            return Marks::default();
        }
        let Some(moved) = &document.moved else {
            return Marks {
                is_outdated: true,
                marks: Vec::new(),
            };
        };
        let own = |suspect: &&Suspect| suspect.path.as_ref() == Some(&document.path);
        let marks = self.suspects().iter().filter(own);
        Marks {
            is_outdated: false,
            marks: marks.filter_map(|own| self.mark(own, moved)).collect(),
        }
    }

    /// None if its most suspicious lines were edited.
    fn mark(&self, suspect: &Suspect, moved: &MovedLines) -> Option<Mark> {
        let (first, last) = suspect.hottest?;
        let start = (first..=last).find_map(|line| moved.now(line))?;
        // A run that was torn apart is marked down to where it was torn.
        let together = (first..=last).filter_map(|line| moved.now(line));
        let end = together.fold(start, |end, line| if line == end + 1 { line } else { end });
        Some(Mark {
            lines: (start, end),
            method: suspect.name.clone(),
            rank: suspect.rank,
            of: self.ranking.methods,
            score: suspect.score_text(),
            reasons: suspect.reasons.clone(),
            failing: suspect.failing_count,
            passing: suspect.passing_count,
            related: self.related(suspect),
        })
    }

    fn related(&self, suspect: &Suspect) -> Vec<Related> {
        let mut related = Vec::new();
        for name in &suspect.failing {
            let named = |test: &TestId| self.spectrum.test(*test).name == *name;
            let Some(test) = self.failures.keys().copied().find(named) else {
                continue;
            };
            let failure = &self.failures[&test];
            let message = failure.message.as_deref().unwrap_or("no message");
            if let Some(function) = &self.functions[test.index()] {
                related.push(Related {
                    path: function.path.clone(),
                    line: function.first,
                    words: format!("fails: {name}: {message}"),
                });
            }
            related.extend(failure.frames.iter().map(|frame| Related {
                path: frame.path.clone(),
                line: frame.line,
                words: match frame.function.as_str() {
                    "" => format!("called by {name}"),
                    function => format!("{function}, called by {name}"),
                },
            }));
        }
        related
    }

    /// What stands above the functions of a document, by line.
    pub fn lenses(&self, document: &Document) -> Vec<Lens> {
        let language = Language::of_path(&document.path);
        let outline = language.map(|language| Outline::of(language, &document.text));
        let mut lenses = self.methods_run(document, outline.as_ref());
        lenses.extend(self.own_tests(document, outline.as_ref()));
        lenses.sort_by_key(|lens| lens.line);
        lenses
    }

    fn methods_run(&self, document: &Document, outline: Option<&Outline>) -> Vec<Lens> {
        // By method, its first line that is still there.
        let mut first: BTreeMap<u32, u32> = BTreeMap::new();
        for (line, element) in document.measured_lines(self).into_iter().flatten() {
            let method = self.spectrum.program.elements[element as usize].method.0;
            first.entry(method).or_insert(line);
        }
        let lens = |(&method, &line): (&u32, &u32)| {
            let run_by = self.run_by[method as usize];
            Lens {
                line: outline
                    .and_then(|outline| outline.at(line))
                    .map_or(line, |function| function.first),
                kind: LensKind::RunBy {
                    method: self.spectrum.program.methods[method as usize].name.clone(),
                    tests: run_by.tests,
                    failing: run_by.failing,
                },
            }
        };
        first.iter().map(lens).collect()
    }

    /// The tests in this document that fail, and the one to look at next.
    fn own_tests(&self, document: &Document, outline: Option<&Outline>) -> Vec<Lens> {
        let next = self.next.as_ref().map(|(test, _)| *test);
        let mut tests: Vec<TestId> = self.failures.keys().copied().chain(next).collect();
        tests.sort_unstable();
        tests.dedup();
        let mut lenses: Vec<Lens> = Vec::new();
        for test in tests {
            let Some(own) = &self.functions[test.index()] else {
                continue;
            };
            let functions = outline.map_or(&[][..], Outline::functions);
            let function = functions.iter().find(|found| found.name == own.function);
            let (true, Some(function)) = (own.path == document.path, function) else {
                continue;
            };
            let line = function.first;
            let name = || self.spectrum.test(test).name.clone();
            let same = lenses.iter().filter(|lens| lens.line == line).count();
            if next == Some(test) {
                let kind = LensKind::Next { test: name() };
                lenses.push(Lens { line, kind });
            }
            let failure = self.failures.get(&test).filter(|_| same < SAME_FUNCTION);
            if let Some(failure) = failure {
                let message = failure.message.clone();
                let kind = LensKind::Fails {
                    test: name(),
                    message,
                };
                lenses.push(Lens { line, kind });
            }
        }
        lenses
    }

    /// What is known of a line of a document (from 1), if it was measured and is as it was.
    pub fn hover(&self, document: &Document, line: u32) -> Option<HoveredLine> {
        let measured = document.moved.as_ref()?.before(line)?;
        let tests = self.that_run_line(&document.files, measured)?;
        let (failing, passing): (Vec<TestId>, Vec<TestId>) =
            tests.iter().partition(|&&test| self.fails(test));
        let first = failing.iter().chain(&passing).take(NAMED);
        let names = first.map(|&test| (self.spectrum.test(test).name.clone(), self.fails(test)));
        let heat = document.files.iter().find_map(|&file| {
            let heat = self.ranking.heat.get(file as usize)?.get(&measured)?;
            (heat.step > 0).then_some(heat)
        });
        let is_in = |suspect: &&Suspect| {
            document.files.contains(&self.file_of(suspect)) && suspect.lines.contains(&measured)
        };
        Some(HoveredLine {
            tests: tests.len(),
            failing: failing.len(),
            names: names.collect(),
            score: heat.map(|heat| heat.score),
            suspect: self.ranking.suspects.iter().find(is_in).cloned(),
            of: self.ranking.methods,
        })
    }

    fn file_of(&self, suspect: &Suspect) -> u32 {
        self.spectrum.program.methods[suspect.unit as usize].file
    }
}

impl Document {
    /// Below the project's root.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// A line's text, by its number from 1.
    pub fn line(&self, number: u32) -> Option<&str> {
        self.text.lines().nth((number as usize).checked_sub(1)?)
    }

    /// Where a measured line is now, if it is as it was.
    pub fn now(&self, measured: u32) -> Option<u32> {
        self.moved.as_ref()?.now(measured)
    }

    /// The line that was measured where this one is now.
    pub fn measured(&self, now: u32) -> Option<u32> {
        self.moved.as_ref()?.before(now)
    }

    /// `(line, element)` of the measured lines that are as they were, by line; none if it is not known
    /// what was measured.
    pub(super) fn measured_lines(&self, case: &EditorCase) -> Option<Vec<(u32, u32)>> {
        let moved = self.moved.as_ref()?;
        let measured = self.files.iter().flat_map(|&file| case.measured_in(file));
        let now = |&(_, line, element): &(u32, u32, u32)| Some((moved.now(line)?, element));
        let mut lines: Vec<(u32, u32)> = measured.filter_map(now).collect();
        lines.sort_unstable();
        Some(lines)
    }
}
