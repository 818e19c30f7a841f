//! A tool's mutants, joined to the methods and tests of measured coverage.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use fdc_case::mutants::{Fate, Kill, Mutant, SourceChange};
use fdc_case::{FileError, Result};
use fdc_core::Spectrum;
use fdc_core::naming::java_class;
use fdc_core::spectrum::{MethodId, Test, VIRTUAL};

use super::{ForeignMutant, ForeignPlace, Identity, ImportedMutants, KillMatrix};
use crate::outcomes::{TestNames, some_of};
use crate::text::quoted;

/// Finds methods and tests. Mutants of other code, and those that only other tests kill, are left out.
pub(super) fn join(
    path: &Path,
    tool: &str,
    matrix: &KillMatrix,
    spectrum: &Spectrum,
) -> Result<ImportedMutants> {
    let tests = tests(path, matrix, spectrum)?;
    if !tests.is_empty() && tests.iter().all(Option::is_none) {
        return Err(no_test_known(path, matrix, spectrum));
    }
    let code = MeasuredCode::of(spectrum);
    let mut left = LeftOut::default();
    let mut mutants = Vec::new();
    let mut spelled: HashMap<(String, (usize, usize), String), u32> = HashMap::new();
    for foreign in &matrix.mutants {
        let Some(found) = code.find(&foreign.place) else {
            left.elsewhere += 1;
            continue;
        };
        let known = |(test, failure): &(usize, _)| {
            let test = spectrum.tests[tests[*test]?].name.clone();
            let failure = Clone::clone(failure);
            Some(Kill { test, failure })
        };
        let mut kills: Vec<Kill> = foreign.kills.iter().filter_map(known).collect();
        if foreign.fate == Fate::Killed && kills.is_empty() {
            left.by_others += 1;
            continue;
        }
        left.failures += foreign.kills.len() - kills.len();
        kills.sort_by(|one, other| one.test.cmp(&other.test));
        // Several sets of parameters may be one test of the coverage.
        kills.dedup_by(|one, other| one.test == other.test);
        let mut mutant = code.mutant(tool, foreign, found, kills);
        let change = &mut mutant.change;
        let place = (
            change.path.clone(),
            change.bytes,
            change.replacement.clone(),
        );
        let again = spelled.entry(place).or_default();
        *again += 1;
        if *again > 1 {
            change.replacement += &format!(" #{again}");
        }
        mutants.push(mutant);
    }
    if mutants.is_empty() {
        return Err(no_mutant_known(path, matrix, spectrum));
    }
    let note = left.note(path, matrix);
    Ok(ImportedMutants { mutants, note })
}

/// By number in the matrix, the test that has the name.
fn tests(path: &Path, matrix: &KillMatrix, spectrum: &Spectrum) -> Result<Vec<Option<usize>>> {
    let real = |test: &&Test| test.origin.as_deref() != Some(VIRTUAL);
    let names = spectrum.tests.iter().filter(real);
    let names: Vec<&str> = names.map(|test| &*test.name).collect();
    let known = TestNames::of(&names);
    let find = |name: &String| match known.find(name).as_slice() {
        [] => Ok(None),
        &[test] => Ok(Some(test)),
        several => {
            let found = several.iter().map(|&test| quoted(names[test])).collect();
            let expected = format!("one test called {}", quoted(name));
            Err(FileError::bad(path, expected, some_of(found))
                .hint("measure with full test names, as the mutation tool has them"))
        }
    };
    matrix.tests.iter().map(find).collect()
}

#[derive(Default)]
struct LeftOut {
    /// Mutants in code that was not measured.
    elsewhere: usize,
    /// Mutants that tests killed of which none is known.
    by_others: usize,
    /// Failures of such tests with other mutants.
    failures: usize,
}

impl LeftOut {
    fn note(&self, path: &Path, matrix: &KillMatrix) -> String {
        let all = matrix.mutants.iter();
        let killed = all.filter(|own| own.fate == Fate::Killed).count();
        let mut note = format!(
            "{}: {} mutants, {killed} killed",
            path.display(),
            matrix.mutants.len()
        );
        for (count, what) in [
            (self.elsewhere, "in code that was not measured"),
            (
                self.by_others,
                "killed only by tests that the case does not have",
            ),
            (
                self.failures,
                match self.failures {
                    1 => "failure of a test that the case does not have",
                    _ => "failures of tests that the case does not have",
                },
            ),
            (matrix.left_out, "more not tried"),
        ] {
            if count > 0 {
                note += &format!("; {count} {what}");
            }
        }
        note
    }
}

const SAME: &str = "is the report of the same code and tests?";

fn no_test_known(path: &Path, matrix: &KillMatrix, spectrum: &Spectrum) -> FileError {
    let such = spectrum.tests.first().map(|own| quoted(&own.name));
    let such = such.map_or(String::new(), |own| format!(", such as {own}"));
    let (count, name) = (matrix.tests.len(), quoted(&matrix.tests[0]));
    let found = format!("{count} tests, such as {name}, that fit none");
    let expected = format!("failures of the measured tests{such}");
    FileError::bad(path, expected, found).hint(SAME)
}

fn no_mutant_known(path: &Path, matrix: &KillMatrix, spectrum: &Spectrum) -> FileError {
    let such = spectrum.program.methods.first();
    let such = such.map_or(String::new(), |own| format!(", such as {}", own.name));
    let expected = format!("mutants of the measured code{such}");
    let found = match matrix.mutants.first() {
        None => "none that was tried".to_owned(),
        Some(first) => {
            let (count, place) = (matrix.mutants.len(), first.place.spelled());
            format!("{count} mutants, such as in {place}, that are in none of it")
        }
    };
    FileError::bad(path, expected, found).hint(SAME)
}

impl ForeignPlace {
    fn spelled(&self) -> String {
        let unit = self.file.as_deref().or(self.class.as_deref());
        format!("{}:{}", unit.unwrap_or_default(), self.line)
    }
}

/// A method, and the element that the mutant is on, if there is one.
#[derive(Clone, Copy)]
struct Found {
    method: MethodId,
    element: Option<usize>,
}

/// The methods and elements of a spectrum by class and file.
struct MeasuredCode<'s> {
    spectrum: &'s Spectrum,
    classes: HashMap<&'s str, Unit>,
    /// By number of the file.
    files: Vec<Unit>,
    /// Files by the last part of their path.
    by_name: HashMap<&'s str, Vec<usize>>,
    /// By column, how many tests run it.
    tests: Vec<u32>,
}

/// A file, or a class with those inside it.
#[derive(Default)]
struct Unit {
    /// Elements by line.
    lines: BTreeMap<u32, Vec<usize>>,
}

impl<'s> MeasuredCode<'s> {
    fn of(spectrum: &'s Spectrum) -> Self {
        let program = &spectrum.program;
        let mut classes: HashMap<&str, Unit> = HashMap::new();
        let mut files: Vec<Unit> = Vec::new();
        files.resize_with(program.files.len(), Unit::default);
        for (number, element) in program.elements.iter().enumerate() {
            let method = &program.methods[element.method.index()];
            let class = java_class(&method.name).map(outermost);
            let class = class.map(|class| classes.entry(class).or_default());
            for unit in class.into_iter().chain(files.get_mut(method.file as usize)) {
                unit.lines.entry(element.line).or_default().push(number);
            }
        }
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (number, path) in program.files.iter().enumerate() {
            by_name.entry(last_part(path)).or_default().push(number);
        }
        let coverage = &spectrum.coverage;
        let mut tests = vec![0; coverage.column_count()];
        for test in coverage.tests() {
            let row = coverage.row(test);
            row.for_each(|column| tests[column as usize] += 1);
        }
        MeasuredCode {
            spectrum,
            classes,
            files,
            by_name,
            tests,
        }
    }

    /// By class or file and line, else by name.
    fn find(&self, place: &ForeignPlace) -> Option<Found> {
        let class = place.class.as_deref();
        let class = class.and_then(|class| self.classes.get(outermost(class)));
        let file = || Some(&self.files[self.file(place.file.as_deref()?)?]);
        let unit = class.or_else(file)?;
        let element = unit.lines.get(&place.line);
        let element = element.and_then(|own| self.likeliest(own, place));
        if let Some(element) = element {
            return Some(Found {
                method: self.spectrum.program.elements[element].method,
                element: Some(element),
            });
        }
        let elements = unit.lines.iter().flat_map(|(&line, own)| {
            let away = line.abs_diff(place.line);
            own.iter().map(move |&element| (away, element))
        });
        let named = elements.filter(|&(_, element)| self.is_named(element, place));
        let (_, nearest) = named.min()?;
        Some(Found {
            method: self.spectrum.program.elements[nearest].method,
            element: None,
        })
    }

    /// Of the elements on a line, one of the method of that name.
    fn likeliest(&self, elements: &[usize], place: &ForeignPlace) -> Option<usize> {
        let mut named = elements.iter().filter(|own| self.is_named(**own, place));
        named.next().or(elements.first()).copied()
    }

    fn is_named(&self, element: usize, place: &ForeignPlace) -> bool {
        let method = self.spectrum.program.elements[element].method;
        let name = self.spectrum.method_name(method);
        let Some(wanted) = &place.method else {
            return false;
        };
        let own_class = java_class(name);
        if own_class.is_some() && place.class.is_some() && own_class != place.class.as_deref() {
            return false;
        }
        let own = simple_name(name);
        let is_constructor = wanted == "<init>"
            && own_class.is_some_and(|class| class.rsplit(['.', '$']).next() == Some(own));
        own == wanted || is_constructor
    }

    /// The one file whose path ends so, or that is all of the end.
    fn file(&self, path: &str) -> Option<usize> {
        let path = path.replace('\\', "/");
        let files = &self.spectrum.program.files;
        let named = self.by_name.get(last_part(&path))?;
        if let Some(&same) = named.iter().find(|own| files[**own] == path) {
            return Some(same);
        }
        let ends = |long: &str, short: &str| {
            let front = long.strip_suffix(short);
            front.is_some_and(|front| front.is_empty() || front.ends_with('/'))
        };
        let mut fitting = named.iter().filter(|own| {
            let own = files[**own].replace('\\', "/");
            ends(&own, &path) || ends(&path, &own)
        });
        let first = fitting.next().copied();
        first.filter(|_| fitting.next().is_none())
    }

    fn mutant(&self, tool: &str, own: &ForeignMutant, found: Found, kills: Vec<Kill>) -> Mutant {
        let program = &self.spectrum.program;
        let (bytes, replacement) = match &own.identity {
            Identity::Bytes(first, last) => ((*first, *last), own.replacement.clone()),
            Identity::Key(key) => ((0, 0), format!("{} [{key}]", own.replacement)),
        };
        let measured = found.element.map(|element| {
            let column = self.spectrum.coverage.column_of(element);
            self.tests[column as usize]
        });
        let tests = own.tests.or(measured).unwrap_or(0);
        let file = program.methods[found.method.index()].file;
        Mutant {
            change: SourceChange {
                path: program.files[file as usize].clone(),
                bytes,
                replacement,
                digest: SourceChange::imported_digest(tool),
            },
            method: self.spectrum.method_name(found.method).to_owned(),
            line: own.place.line,
            mutator: own.mutator.clone(),
            original: own.original.clone(),
            fate: own.fate,
            tests: tests.max(kills.len() as u32),
            seconds: 0.0,
            kills,
        }
    }
}

/// `a.B` of `a.B$C`.
fn outermost(class: &str) -> &str {
    let start = class.rfind('.').map_or(0, |at| at + 1);
    let inner = class[start..].char_indices().skip(1);
    let mut ends = inner.filter(|&(_, letter)| letter == '$');
    ends.next().map_or(class, |(at, _)| &class[..start + at])
}

fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// A method's own name: `m` of `a.B#m(int)` and of `b.py::B.m`.
fn simple_name(method: &str) -> &str {
    let name = method.split('(').next().unwrap_or(method);
    let name = name.split('@').next().unwrap_or(name);
    name.rsplit(['#', ':', '.', '/']).next().unwrap_or(name)
}
