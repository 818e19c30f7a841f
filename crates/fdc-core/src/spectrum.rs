//! The spectrum: a program's elements, its tests with their outcomes, and the coverage between.

use std::collections::HashMap;
use std::sync::Arc;

use crate::coverage::{Coverage, Names, TestId};
use crate::evidence::{FailureRecord, FileHistory};
use crate::mutants::MutantRecord;
use crate::rows::Rows;
use crate::tally::Verdict;

/// How a test ended. A test that was never judged has no outcome (`None` where it is stored).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It passed.
    Pass,
    /// It failed, or ended with an error.
    Fail,
}

impl Outcome {
    /// `"pass"` or `"fail"`.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
        }
    }
}

/// The origin of virtual tests: a person's statements about parts of the program.
pub const VIRTUAL: &str = "virtual";

/// A test and what is known of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Test {
    /// Its identity, unique in the spectrum.
    pub name: String,
    /// The measured outcome.
    pub outcome: Option<Outcome>,
    /// A person's verdict; goes before the measured outcome.
    pub label: Option<Verdict>,
    /// Its outcome changes from run to run.
    pub flaky: bool,
    /// Who wrote it, where that is known (`human`, `evosuite`, ...).
    pub origin: Option<String>,
    /// How it failed, where the run told.
    pub failure: Option<FailureRecord>,
}

impl Test {
    /// What counts: the person's verdict, else the measured outcome.
    pub fn verdict(&self) -> Option<Verdict> {
        self.label.or(self.outcome.map(Verdict::certain))
    }
}

/// Index of a method in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodId(pub u32);

impl MethodId {
    /// As an index into slices.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A method or function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// Qualified name with parameter types.
    pub name: String,
    /// Index into [`Program::files`].
    pub file: u32,
}

/// A source line of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Element {
    /// The method it belongs to.
    pub method: MethodId,
    /// Line number; in inputs that name statements freely, the statement's number in order.
    pub line: u32,
}

/// The program under test, as far as it was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Paths relative to the project's root, or classes where no path is known.
    pub files: Vec<String>,
    /// Methods; names are unique.
    pub methods: Vec<Method>,
    /// Elements, each once.
    pub elements: Vec<Element>,
    /// The input's own names of the elements, where a line number does not say it all; else empty.
    pub labels: Vec<String>,
}

impl Program {
    /// The method of every element, in order.
    pub fn method_of(&self) -> impl Iterator<Item = u32> + '_ {
        self.elements.iter().map(|element| element.method.0)
    }
}

/// Methods gathered by name while an input is read.
#[derive(Debug, Default)]
pub struct ProgramBuilder {
    program: Program,
    files: HashMap<String, u32>,
    methods: HashMap<String, MethodId>,
}

impl ProgramBuilder {
    /// The method of that name, made if new; `file` is asked only then.
    pub fn method(&mut self, name: &str, file: impl FnOnce() -> String) -> MethodId {
        if let Some(&known) = self.methods.get(name) {
            return known;
        }
        let path = file();
        let file = *self.files.entry(path).or_insert_with_key(|path| {
            self.program.files.push(path.clone());
            self.program.files.len() as u32 - 1
        });
        let id = MethodId(self.program.methods.len() as u32);
        self.program.methods.push(Method {
            name: name.to_owned(),
            file,
        });
        self.methods.insert(name.to_owned(), id);
        id
    }

    /// Appends an element.
    pub fn element(&mut self, method: MethodId, line: u32, label: Option<String>) {
        self.program.elements.push(Element { method, line });
        self.program.labels.extend(label);
    }

    /// What was gathered.
    pub fn finish(self) -> Program {
        self.program
    }
}

/// What is known of the fault, in data sets of past bugs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// Methods the fix changed, ascending.
    pub methods: Vec<MethodId>,
    /// Elements the fix changed or removed; empty where it only inserts.
    pub elements: Vec<u32>,
    /// Whether it was put there on purpose: a mutant.
    pub is_mutant: bool,
}

/// Which bug this is, in data sets of past bugs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bug {
    /// The project.
    pub subject: String,
    /// The number of the bug in it.
    pub version: u32,
}

/// Everything of one program version: elements, tests, outcomes, coverage.
#[derive(Clone, Debug)]
pub struct Spectrum {
    /// Which bug, if the input says.
    pub bug: Option<Bug>,
    /// What was measured.
    pub program: Arc<Program>,
    /// The tests, in the order of the coverage's rows.
    pub tests: Vec<Test>,
    /// Who covers what.
    pub coverage: Arc<Coverage>,
    /// The fault, if the input knows it.
    pub fault: Option<Fault>,
    /// What version control tells of each file; empty if nothing is known.
    pub history: Vec<Option<FileHistory>>,
    /// Methods that changed since a revision that was good, ascending; `None` if none is known.
    pub changed: Option<Vec<u32>>,
    /// The mutants that the tests were tried on before; empty if there are none.
    pub mutants: Arc<[MutantRecord]>,
}

type Result<T, E = SpectrumError> = std::result::Result<T, E>;

/// An inconsistent spectrum.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpectrumError {
    /// Two tests or two methods share a name.
    #[error("{what} {name:?} stands twice, as number {first} and {second}")]
    Duplicate {
        /// `test` or `method`.
        what: &'static str,
        /// The name.
        name: String,
        /// Its first place, from 0.
        first: usize,
        /// Its second place.
        second: usize,
    },
    /// Two elements are the same line of the same method.
    #[error("element {second} is the same as element {first}: line {line} of {method:?}")]
    DuplicateElement {
        /// The method's name.
        method: String,
        /// The line.
        line: u32,
        /// First place, from 0.
        first: usize,
        /// Second place.
        second: usize,
    },
    /// The number of rows is not the number of tests.
    #[error("expected a coverage row for each of {tests} tests, found {rows}")]
    RowCount {
        /// Number of tests.
        tests: usize,
        /// Number of rows.
        rows: usize,
    },
    /// An index points nowhere.
    #[error("{what} {index} is out of range: there are {count}")]
    OutOfRange {
        /// What the index is of.
        what: &'static str,
        /// The index.
        index: u64,
        /// How many there are.
        count: usize,
    },
}

impl Spectrum {
    /// Checks that the parts fit together and builds the spectrum. `rows` are over elements.
    pub fn new(
        bug: Option<Bug>,
        program: impl Into<Arc<Program>>,
        tests: Vec<Test>,
        rows: Rows,
        fault: Option<Fault>,
    ) -> Result<Self> {
        let program = program.into();
        check_program(&program)?;
        check_names("test", tests.iter().map(|test| &*test.name))?;
        if rows.len() != tests.len() {
            return Err(SpectrumError::RowCount {
                tests: tests.len(),
                rows: rows.len(),
            });
        }
        assert_eq!(rows.width() as usize, program.elements.len());
        if let Some(fault) = &fault {
            let methods = fault.methods.iter().map(|method| u64::from(method.0));
            check_range("faulty method", methods, program.methods.len())?;
            let elements = fault.elements.iter().map(|&element| u64::from(element));
            check_range("faulty element", elements, program.elements.len())?;
        }
        let coverage = Coverage::with_methods(rows, program.method_of());
        Ok(Spectrum {
            bug,
            coverage: Arc::new(coverage.named(Names::of(&program, &tests))),
            program,
            tests,
            fault,
            history: Vec::new(),
            changed: None,
            mutants: Arc::default(),
        })
    }

    /// Puts further tests and their rows behind; the coverage before, which [`Self::shrink`] takes.
    pub fn grow(&mut self, tests: Vec<Test>, rows: &Rows) -> Result<Arc<Coverage>> {
        assert_eq!(rows.len(), tests.len());
        let old = self.tests.len();
        self.tests.extend(tests);
        let names = self.tests.iter().map(|test| &*test.name);
        if let Err(error) = check_names("test", names) {
            self.tests.truncate(old);
            return Err(error);
        }
        let grown = self.coverage.with_rows(rows, self.program.method_of());
        let grown = grown.named(Names::of(&self.program, &self.tests));
        Ok(std::mem::replace(&mut self.coverage, Arc::new(grown)))
    }

    /// Takes the tests away that were put after others; `coverage` is that of the others.
    pub fn shrink(&mut self, coverage: Arc<Coverage>) {
        self.tests.truncate(coverage.test_count());
        self.coverage = coverage;
    }

    /// The test of that name.
    pub fn test_named(&self, name: &str) -> Option<TestId> {
        let index = self.tests.iter().position(|test| test.name == name)?;
        Some(TestId(index as u32))
    }

    /// A test.
    pub fn test(&self, id: TestId) -> &Test {
        &self.tests[id.index()]
    }

    /// The files whose history is known, by number.
    pub fn known_history(&self) -> impl Iterator<Item = (u32, FileHistory)> + '_ {
        let known = (0..).zip(&self.history);
        known.filter_map(|(file, known)| Some((file, (*known)?)))
    }

    /// A method's name.
    pub fn method_name(&self, id: MethodId) -> &str {
        &self.program.methods[id.index()].name
    }

    /// The tests whose verdict is that they fail, flaky ones left out, in order.
    pub fn failing_tests(&self) -> impl Iterator<Item = TestId> + '_ {
        self.tests_judged(Outcome::Fail)
    }

    /// The tests whose verdict is that they pass, flaky ones left out, in order.
    pub fn passing_tests(&self) -> impl Iterator<Item = TestId> + '_ {
        self.tests_judged(Outcome::Pass)
    }

    /// Methods that take part in rankings: those with an element.
    pub fn methods_with_elements(&self) -> Vec<bool> {
        let mut present = vec![false; self.program.methods.len()];
        for element in &self.program.elements {
            present[element.method.index()] = true;
        }
        present
    }

    /// The faulty methods that can be ranked (those without elements are dropped).
    pub fn rankable_faults(&self) -> Vec<MethodId> {
        let present = self.methods_with_elements();
        let faulty = self.fault.iter().flat_map(|fault| &fault.methods);
        let ranked = faulty.filter(|method| present[method.index()]);
        ranked.copied().collect()
    }

    fn tests_judged(&self, outcome: Outcome) -> impl Iterator<Item = TestId> + '_ {
        self.coverage.tests().filter(move |&id| {
            let test = self.test(id);
            !test.flaky && test.verdict().is_some_and(|own| own.outcome == outcome)
        })
    }
}

fn check_program(program: &Program) -> Result<()> {
    check_names("method", program.methods.iter().map(|method| &*method.name))?;
    let files = program.methods.iter().map(|method| u64::from(method.file));
    check_range("file", files, program.files.len())?;
    let methods = program.elements.iter().map(|e| u64::from(e.method.0));
    check_range("method", methods, program.methods.len())?;

    let mut places: Vec<usize> = (0..program.elements.len()).collect();
    places.sort_by_key(|&place| program.elements[place]);
    for pair in places.windows(2) {
        let element = program.elements[pair[0]];
        if element == program.elements[pair[1]] {
            return Err(SpectrumError::DuplicateElement {
                method: program.methods[element.method.index()].name.clone(),
                line: element.line,
                first: pair[0],
                second: pair[1],
            });
        }
    }
    Ok(())
}

fn check_range(what: &'static str, mut all: impl Iterator<Item = u64>, count: usize) -> Result<()> {
    match all.find(|&index| index >= count as u64) {
        None => Ok(()),
        Some(index) => Err(SpectrumError::OutOfRange { what, index, count }),
    }
}

impl Names {
    fn of(program: &Program, tests: &[Test]) -> Self {
        let methods = program.methods.iter();
        Names {
            tests: tests.iter().map(|test| test.name.clone()).collect(),
            methods: methods.map(|method| method.name.clone()).collect(),
        }
    }
}

fn check_names<'a>(what: &'static str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut places = HashMap::with_capacity(names.size_hint().0);
    for (second, name) in names.enumerate() {
        if let Some(first) = places.insert(name, second) {
            return Err(SpectrumError::Duplicate {
                what,
                name: name.to_owned(),
                first,
                second,
            });
        }
    }
    Ok(())
}
