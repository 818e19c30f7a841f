//! Which test covers which lines, gathered from any number of inputs; at the end, a spectrum.
//!
//! Tests that cover the same lines of a file share one set, to save memory. Lines may come in any
//! number of pieces: new ones are joined with what is known once they are more than that, since a copy
//! of everything for each piece would take as many copies as there are pieces.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

use fdc_core::Spectrum;
use fdc_core::evidence::FailureRecord;
use fdc_core::rows::Rows;
use fdc_core::spectrum::{MethodId, ProgramBuilder, Test};

use crate::project::Project;
use fdc_case::recording::Judgement;
use fdc_case::{FileError, Result};
use fdc_source::{
    FunctionLines, LineOwners, LineSet, ListedFunction, is_test_file, is_test_function,
};

/// How many lines a program may have: an element each would fill the memory, and a few bytes of some
/// formats can stand for millions.
const MOST_LINES: usize = 10_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileIndex(usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TestIndex(pub(crate) usize);

/// A file as the inputs know it.
#[derive(Debug, Default)]
pub(crate) struct MeasuredFile {
    /// Relative to the project's root, where it is known.
    pub(crate) path: String,
    /// Every line that could have been run.
    pub(crate) lines: LineSet,
    new_lines: Vec<Range<u32>>,
    /// Functions that the format knows, each once.
    pub(crate) functions: Vec<ListedFunction>,
    known_functions: HashSet<ListedFunction>,
}

#[derive(Debug, Default)]
pub(crate) struct MeasuredTest {
    pub(crate) name: String,
    pub(crate) judgement: Option<Judgement>,
    pub(crate) flaky: bool,
    pub(crate) failure: Option<FailureRecord>,
    /// By file.
    covered: BTreeMap<usize, Rc<LineSet>>,
}

/// Tests x lines, growing.
#[derive(Debug)]
pub struct LineMatrix<'p> {
    project: &'p Project,
    files: Vec<MeasuredFile>,
    /// By path as measured, and by path relative to the project.
    file_of: HashMap<String, usize>,
    pub(crate) tests: Vec<MeasuredTest>,
    test_of: HashMap<String, usize>,
    sets: HashSet<Rc<LineSet>>,
    /// By test and file, what is not in the set yet.
    newly_covered: HashMap<(usize, usize), Vec<Range<u32>>>,
    notes: Vec<String>,
    /// The lines of the project's class files are in it.
    pub(crate) has_class_files: bool,
}

impl<'p> LineMatrix<'p> {
    /// Nothing yet.
    pub fn new(project: &'p Project) -> Self {
        LineMatrix {
            project,
            files: Vec::new(),
            file_of: HashMap::new(),
            tests: Vec::new(),
            test_of: HashMap::new(),
            sets: HashSet::new(),
            newly_covered: HashMap::new(),
            notes: Vec::new(),
            has_class_files: false,
        }
    }

    pub(crate) fn file(&mut self, measured: &str) -> FileIndex {
        if let Some(&known) = self.file_of.get(measured) {
            return FileIndex(known);
        }
        let path = self.project.relative(measured);
        let index = *self.file_of.entry(path.clone()).or_insert_with(|| {
            self.files.push(MeasuredFile {
                path,
                ..MeasuredFile::default()
            });
            self.files.len() - 1
        });
        self.file_of.insert(measured.to_owned(), index);
        FileIndex(index)
    }

    pub(crate) fn test(&mut self, name: &str) -> TestIndex {
        if let Some(&known) = self.test_of.get(name) {
            return TestIndex(known);
        }
        self.tests.push(MeasuredTest {
            name: name.to_owned(),
            ..MeasuredTest::default()
        });
        self.test_of.insert(name.to_owned(), self.tests.len() - 1);
        TestIndex(self.tests.len() - 1)
    }

    /// Lines of a file that could be run, and which of them the test ran.
    pub(crate) fn lines(&mut self, test: TestIndex, file: FileIndex, lines: &BTreeMap<u32, bool>) {
        self.executable(file, &lines.keys().copied().collect());
        let run = lines.iter().filter(|&(_, &run)| run);
        self.cover(test, file, run.map(|(&line, _)| line).collect());
    }

    pub(crate) fn executable(&mut self, file: FileIndex, lines: &LineSet) {
        let file = &mut self.files[file.0];
        if note_new(&file.lines, &mut file.new_lines, lines) {
            file.join();
        }
    }

    /// A function of a file, as the format knows it.
    pub(crate) fn function(
        &mut self,
        file: FileIndex,
        name: String,
        qualified: bool,
        lines: FunctionLines,
    ) {
        let file = &mut self.files[file.0];
        let function = ListedFunction {
            name,
            qualified,
            lines,
        };
        if file.known_functions.insert(function.clone()) {
            file.functions.push(function);
        }
    }

    pub(crate) fn cover(&mut self, test: TestIndex, file: FileIndex, lines: LineSet) {
        if lines.is_empty() {
            return;
        }
        self.executable(file, &lines);
        let place = (test.0, file.0);
        let Some(known) = self.tests[test.0].covered.get(&file.0) else {
            return self.put(place, lines);
        };
        let mut new = self.newly_covered.remove(&place).unwrap_or_default();
        if note_new(known, &mut new, &lines) {
            self.join(place, new);
        } else if !new.is_empty() {
            self.newly_covered.insert(place, new);
        }
    }

    /// Adds what came after the first piece.
    fn join(&mut self, place: (usize, usize), new: Vec<Range<u32>>) {
        let mut lines = LineSet::clone(&self.tests[place.0].covered[&place.1]);
        lines.extend(new);
        self.put(place, lines);
    }

    fn put(&mut self, (test, file): (usize, usize), lines: LineSet) {
        let shared = self.sets.get(&lines).cloned().unwrap_or_else(|| {
            let lines = Rc::new(lines);
            self.sets.insert(Rc::clone(&lines));
            lines
        });
        self.tests[test].covered.insert(file, shared);
    }

    fn join_all(&mut self) {
        self.files.iter_mut().for_each(MeasuredFile::join);
        for (place, new) in std::mem::take(&mut self.newly_covered) {
            self.join(place, new);
        }
    }

    /// Says how a test ended; told twice, the worse counts.
    pub(crate) fn judge(&mut self, test: TestIndex, judgement: Judgement) {
        let known = &mut self.tests[test.0].judgement;
        *known = Some(known.map_or(judgement, |known| known.worse(judgement)));
    }

    /// Lines that can be run, test code among them.
    pub fn line_count(&mut self) -> usize {
        self.join_all();
        self.files.iter().map(|file| file.lines.len()).sum()
    }

    pub(crate) fn project(&self) -> &'p Project {
        self.project
    }

    /// Something a person should know.
    pub(crate) fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The spectrum, and what a person should know about it. Tests are in the order of their
    /// names, elements by file and line. `path` is for messages.
    pub fn finish(mut self, path: &Path) -> Result<(Spectrum, Vec<String>)> {
        let count = self.line_count();
        if count > MOST_LINES {
            let expected = format!("at most {MOST_LINES} lines in all files together");
            return Err(FileError::bad(path, expected, count.to_string())
                .hint("the coverage is damaged, or of too much: measure a part of the program"));
        }
        let mut order: Vec<usize> = (0..self.files.len()).collect();
        order.sort_by(|&a, &b| self.files[a].path.cmp(&self.files[b].path));
        let mut builder = MethodNames::default();
        // Per file the number of its first element, and the lines that are elements.
        let mut elements: Vec<(u32, Vec<u32>)> = vec![Default::default(); self.files.len()];
        let mut count = 0;
        let mut without_functions = Vec::new();
        let all = self.project.include_tests;
        for &file in &order {
            let measured = &self.files[file];
            let path = &measured.path;
            if !all && is_test_file(path) {
                continue;
            }
            let source = || self.project.text(path);
            let owners = LineOwners::of(path, &measured.lines, &measured.functions, source);
            self.notes.extend(owners.note.clone());
            if owners.is_one_method && !measured.lines.is_empty() {
                without_functions.push(path.clone());
            }
            let mut lines = Vec::new();
            // Most lines belong to the method of the line before.
            let mut last: Option<(&str, Option<MethodId>)> = None;
            for line in measured.lines.iter() {
                let Some(name) = owners.name(line) else {
                    continue;
                };
                let method = match last {
                    Some((known, method)) if std::ptr::eq(known, name) => method,
                    _ => (all || !is_test_function(path, name)).then(|| builder.method(name, path)),
                };
                last = Some((name, method));
                if let Some(method) = method {
                    builder.program.element(method, line, None);
                    lines.push(line);
                }
            }
            let first = count;
            count += lines.len() as u32;
            elements[file] = (first, lines);
        }
        let note = note_on_functions(&without_functions, &self.project.root);
        self.notes.extend(note);
        let rows = self.rows(path, &elements, count)?;
        let tests = self.kept_tests().map(|test| Test {
            name: test.name.clone(),
            outcome: test.judgement.and_then(Judgement::outcome),
            flaky: test.flaky,
            failure: test.failure.clone(),
            ..Test::default()
        });
        let tests = tests.collect();
        let spectrum = Spectrum::new(None, builder.program.finish(), tests, rows, None)
            .map_err(|error| FileError::inconsistent(path, &error))?;
        Ok((spectrum, self.notes))
    }

    fn rows(&mut self, path: &Path, elements: &[(u32, Vec<u32>)], count: u32) -> Result<Rows> {
        self.tests.sort_by(|a, b| a.name.cmp(&b.name));
        let mut rows = Rows::new(count);
        for test in self.kept_tests() {
            let mut row: Vec<Range<u32>> = Vec::new();
            for (&file, set) in &test.covered {
                let (first, lines) = &elements[file];
                for run in set.runs() {
                    let before = |end: u32| lines.partition_point(|&line| line < end) as u32;
                    row.push(first + before(run.start)..first + before(run.end));
                }
            }
            row.sort_unstable_by_key(|run| run.start);
            let pushed = rows.push(row);
            pushed.map_err(|error| {
                let error = FileError::bad(path, "ascending lines", error.to_string());
                error.hint("this is a bug of fdc: please report it")
            })?;
        }
        Ok(rows)
    }

    fn kept_tests(&self) -> impl Iterator<Item = &MeasuredTest> {
        let tests = self.tests.iter();
        tests.filter(|test| test.judgement != Some(Judgement::Skipped))
    }
}

impl MeasuredFile {
    fn join(&mut self) {
        self.lines.extend(std::mem::take(&mut self.new_lines));
    }
}

/// Notes lines that are not known yet; whether it is time to join them with those that are.
fn note_new(known: &LineSet, new: &mut Vec<Range<u32>>, lines: &LineSet) -> bool {
    if !known.contains_all(lines) {
        new.extend(lines.runs().iter().cloned());
    }
    new.len() > known.runs().len()
}

/// Methods with names that are their own: one that another file has too gets its path.
#[derive(Default)]
struct MethodNames {
    program: ProgramBuilder,
    file_of: HashMap<String, String>,
}

impl MethodNames {
    fn method(&mut self, name: &str, path: &str) -> MethodId {
        let first = self.file_of.entry(name.to_owned());
        let first = first.or_insert_with(|| path.to_owned());
        let name = match first == path {
            true => name,
            false => &format!("{path}::{name}"),
        };
        self.program.method(name, || path.to_owned())
    }
}

fn note_on_functions(paths: &[String], root: &Path) -> Option<String> {
    let files = match paths {
        [] => return None,
        [only] => format!("{only} is"),
        [first, rest @ ..] => format!("{first} and {} more files are", rest.len()),
    };
    let root = root.display();
    Some(format!(
        "{files} not found under {root}: each file counts as one method (`fdc import --source` says where they are)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of all sets, those that nobody has any more among them.
    fn stored(matrix: &LineMatrix<'_>) -> usize {
        matrix.sets.iter().map(|set| set.runs().len()).sum()
    }

    #[test]
    fn lines_in_many_pieces_are_stored_a_few_times_and_not_once_per_piece() {
        let project = Project::default();
        let mut matrix = LineMatrix::new(&project);
        let (test, file) = (matrix.test("t"), matrix.file("a.c"));
        let pieces = 2000;
        for piece in 0..pieces {
            let line = 2 * (piece * 7 % pieces) + 1;
            matrix.lines(
                test,
                file,
                &BTreeMap::from([(line, true), (line + 1, false)]),
            );
        }
        assert!(
            stored(&matrix) <= 2 * pieces as usize,
            "{}",
            stored(&matrix)
        );
        assert_eq!(matrix.line_count(), 2 * pieces as usize);
        let (spectrum, _) = matrix.finish(Path::new("a.info")).unwrap();
        let odd: Vec<u32> = (0..pieces).map(|piece| 2 * piece).collect();
        assert_eq!(
            spectrum.coverage.elements(fdc_core::coverage::TestId(0)),
            odd
        );
    }

    #[test]
    fn tests_that_cover_the_same_lines_in_pieces_still_share_a_set() {
        let project = Project::default();
        let mut matrix = LineMatrix::new(&project);
        let file = matrix.file("a.c");
        for number in 0..100 {
            let test = matrix.test(&format!("t{number}"));
            for lines in [[1, 3, 5], [11, 13, 15], [3, 5, 7]] {
                matrix.cover(test, file, lines.into_iter().collect());
            }
        }
        matrix.line_count();
        let sets: HashSet<_> = matrix
            .tests
            .iter()
            .map(|test| Rc::as_ptr(&test.covered[&0]))
            .collect();
        assert_eq!(sets.len(), 1);
        assert_eq!(matrix.tests[0].covered[&0].len(), 7);
    }
}
