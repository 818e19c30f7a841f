//! pit — mutations.xml of PIT (pitest): which tests fail with which mutant, for Java.
//!
//! ```text
//! mvn test-compile org.pitest:pitest-maven:mutationCoverage -DfullMutationMatrix=true -DoutputFormats=XML
//! fdc import case.fdc --mutants target/pit-reports/mutations.xml -o with-mutants.fdc
//! ```
//! PIT stops at the first test that fails with a mutant unless it is told `fullMutationMatrix=true`;
//! reports without all of them are refused. Each module of a project has a report of its own: give all
//! of them.
//!
//! KILLED is killed, SURVIVED and NO_COVERAGE survived, TIMED_OUT hung, MEMORY_ERROR and RUN_ERROR
//! crashed, NON_VIABLE broken. Mutants that were not tried are left out.

use std::path::Path;

use fdc_case::mutants::Fate;
use fdc_case::{FileError, Result};
use fdc_core::evidence::FailureRecord;

use super::{ForeignMutant, ForeignPlace, Identity, KillMatrix, unknown_fate};
use crate::input::read_bytes;
use crate::text::{DAMAGED, MAX_LINE, bad_line, line_number, quoted};
use crate::xml::{Document, Element, Node, root_name};
use crate::{Format, Reader};

pub(crate) const FORMAT: Format = Format {
    name: "pit",
    summary: "PIT's mutations.xml with the full matrix: mutants, for --mutants",
    detect: |sample| root_name(sample).is_some_and(|name| name == ROOTS[0]),
    reader: Reader::Mutants(|path| parse(path, &read_bytes(path)?)),
    endings: &[],
    write: None,
    source: include_str!("pit.rs"),
};

const ROOTS: &[&str] = &["mutations"];
const FULL_MATRIX: &str = "run PIT with fullMutationMatrix=true and output format XML";
const FATES: &str = "KILLED, SURVIVED, NO_COVERAGE, TIMED_OUT, MEMORY_ERROR, RUN_ERROR, NON_VIABLE, \
                     NOT_STARTED, STARTED";

/// Reads a report; `path` is for messages.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<KillMatrix> {
    let mut document = Document::new(path, bytes, ROOTS)?;
    let mut matrix = KillMatrix::default();
    let mut open: Option<Mutation> = None;
    while let Some(node) = document.next()? {
        match node {
            Node::Start(element) => match (&*element.name, &open) {
                ("mutation", None) => {
                    let status = document.required(&element, "status")?.to_owned();
                    open = Some(Mutation::new(&element, status));
                }
                ("mutation", Some(_)) => return Err(document.nested(&element, "mutants")),
                ("killingTest", Some(_)) => {
                    let expected = "all tests that fail with a mutant, as <killingTests>";
                    let found = "the first of them alone, as <killingTest>";
                    let line = element.line;
                    return Err(bad_line(path, line, expected, found, FULL_MATRIX));
                }
                _ => {}
            },
            Node::End(name) => {
                if name == "mutation" {
                    if let Some(mutation) = open.take() {
                        mutation.add_to(&mut matrix, path)?;
                    }
                } else if let Some(mutation) = &mut open {
                    mutation.take(&name, document.text());
                }
            }
        }
    }
    Ok(matrix)
}

/// What PIT tells of a mutant, as it is read.
#[derive(Default)]
struct Mutation {
    /// Where it stands in the file.
    at: usize,
    status: String,
    tests_run: Option<u32>,
    source_file: String,
    class: String,
    method: String,
    types: String,
    line: String,
    mutator: String,
    indexes: Vec<String>,
    killing: Option<String>,
    covering: Option<u32>,
    description: String,
}

impl Mutation {
    fn new(element: &Element, status: String) -> Self {
        let tests_run = element.get("numberOfTestsRun");
        Mutation {
            at: element.line,
            status,
            tests_run: tests_run.and_then(|count| count.parse().ok()),
            ..Mutation::default()
        }
    }

    fn take(&mut self, name: &str, text: &str) {
        let field = match name {
            "sourceFile" => &mut self.source_file,
            "mutatedClass" => &mut self.class,
            "mutatedMethod" => &mut self.method,
            "methodDescription" => &mut self.types,
            "lineNumber" => &mut self.line,
            "mutator" => &mut self.mutator,
            "description" => &mut self.description,
            "index" => return self.indexes.push(text.to_owned()),
            "killingTests" => return self.killing = Some(text.to_owned()),
            "coveringTests" => return self.covering = Some(names(text).count() as u32),
            _ => return,
        };
        text.clone_into(field);
    }

    fn add_to(self, matrix: &mut KillMatrix, path: &Path) -> Result<()> {
        let Some(fate) = fate(&self.status, path, self.at)? else {
            matrix.left_out += 1;
            return Ok(());
        };
        let line = line_number(&self.line).filter(|&line| line <= MAX_LINE);
        let line = line.ok_or_else(|| {
            let expected = format!("a line number up to {MAX_LINE} as <lineNumber>");
            bad_line(path, self.at, expected, quoted(&self.line), DAMAGED)
        })?;
        if self.class.is_empty() {
            return Err(self.missing(path, "mutatedClass", DAMAGED));
        }
        let Some(killing) = &self.killing else {
            return Err(self.missing(path, "killingTests", FULL_MATRIX));
        };
        let kills = names(killing).map(|name| {
            let test = matrix.test(&test_name(name));
            (test, FailureRecord::default())
        });
        let kills = kills.collect();
        let package = self.class.rfind('.').map(|end| &self.class[..end]);
        let folder = package.map_or(String::new(), |own| own.replace('.', "/") + "/");
        let file = (!self.source_file.is_empty()).then(|| folder + &self.source_file);
        let (inner, indexes) = (last(&self.class), self.indexes.join(","));
        let key = format!("{inner}.{}{} {indexes}", self.method, self.types);
        matrix.mutants.push(ForeignMutant {
            place: ForeignPlace {
                class: Some(self.class),
                file,
                method: Some(self.method),
                line,
            },
            mutator: last(&self.mutator).to_owned(),
            original: String::new(),
            replacement: self.description,
            identity: Identity::Key(key),
            fate,
            tests: self.covering.or(self.tests_run),
            kills,
        });
        Ok(())
    }

    fn missing(&self, path: &Path, element: &str, hint: &str) -> FileError {
        let expected = format!("<{element}> in <mutation>");
        bad_line(path, self.at, expected, "none", hint)
    }
}

/// What became of it; nothing if it was not tried.
fn fate(status: &str, path: &Path, line: usize) -> Result<Option<Fate>> {
    Ok(Some(match status {
        "KILLED" => Fate::Killed,
        "SURVIVED" | "NO_COVERAGE" => Fate::Survived,
        "TIMED_OUT" => Fate::Hung,
        "MEMORY_ERROR" | "RUN_ERROR" => Fate::Crashed,
        "NON_VIABLE" => Fate::Broken,
        "NOT_STARTED" | "STARTED" => return Ok(None),
        other => {
            let place = format_args!("line {line}");
            return Err(unknown_fate(path, place, FATES, other));
        }
    }))
}

fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split('|')
        .map(str::trim)
        .filter(|name| !name.is_empty())
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// A test as cases name it, `pkg.Class#method(int)[1]`. PIT has JUnit 4's `pkg.Class.method(pkg.Class)`
/// and, after the class, the JUnit Platform's unique ids.
fn test_name(text: &str) -> String {
    let Some(at) = text.find("[engine:") else {
        return described(text);
    };
    let id = text[at..].trim_start_matches('[').trim_end_matches(']');
    let mut name = String::new();
    for part in id.split("]/[").skip(1) {
        let (kind, value) = part.split_once(':').unwrap_or(("", part));
        match kind {
            "class" | "runner" => name += value,
            "nested-class" => name = format!("{name}${value}"),
            // Vintage has the whole description of JUnit 4.
            "test" => name = format!("{name}#{}", described(value)),
            kind if kind.ends_with("invocation") || kind.starts_with("dynamic") => {
                name = format!("{name}[{}]", value.trim_start_matches('#'));
            }
            _ => name = format!("{name}#{value}"),
        }
    }
    name
}

/// Without the class in brackets at the end.
fn described(text: &str) -> String {
    let open = text.rfind('(').filter(|_| text.ends_with(')'));
    let class = |open: usize| &text[open + 1..text.len() - 1];
    // Types of parameters stand there, too.
    let open = open.filter(|&open| text.starts_with(class(open)) || class(open).contains('.'));
    text[..open.unwrap_or(text.len())].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_named_as_cases_name_them() {
        for (pit, expected) in [
            ("a.T.adds(a.T)", "a.T.adds"),
            ("a.T.adds[2](a.T)", "a.T.adds[2]"),
            (
                "a.T.[engine:junit-jupiter]/[class:a.T]/[method:adds()]",
                "a.T#adds()",
            ),
            (
                "a.T.[engine:junit-jupiter]/[class:a.T]/[nested-class:In]/[test-template:m(int)]\
                 /[test-template-invocation:#2]",
                "a.T$In#m(int)[2]",
            ),
            (
                "a.T.[engine:junit-vintage]/[runner:a.T]/[test:sums(a.T)]",
                "a.T#sums",
            ),
            (
                "a.T.[engine:junit-jupiter]/[class:a.T]/[test-factory:made()]/[dynamic-test:#1]",
                "a.T#made()[1]",
            ),
            ("a.T", "a.T"),
            ("[engine:", ""),
        ] {
            assert_eq!(test_name(pit), expected);
        }
    }
}
