//! junit — JUnit XML: outcomes of tests, and no coverage.
//!
//! ```text
//! <testsuite name="shop">
//!   <testcase classname="org.x.CartTest" name="adds"/>
//!   <testcase classname="org.x.CartTest" name="sums"><failure message="..."/></testcase>
//! </testsuite>
//! ```
//! Written by Surefire, Gradle, pytest (`--junitxml`), gotestsum, cargo-nextest, Jest and others. It
//! goes with coverage: `fdc import cov/ --outcomes report.xml -o case.fdc`, or as one more input.
//! `failure` and `error` are failures; tests with `skipped` are left out. `flakyFailure` and
//! `flakyError` (Surefire ran the test again and it passed) mark the test as flaky.
//!
//! Names are matched with those of the coverage in parts: `tests.test_x.TestC` + `test_m[p]` is
//! `tests/test_x.py::TestC::test_m[p]`, `org.x.CartTest` + `adds` is `org.x.CartTest#adds`. A result
//! that fits two tests is an error; results that fit none are told. A test that stands twice
//! failed if one of the two did.

use std::path::Path;

use crate::input::{Sample, read_bytes};
use crate::line_matrix::Judgement;
use crate::outcomes::TestResult;
use crate::xml::{Document, Node, root_name};
use crate::{Format, Reader};
use fdc_case::FileError;

pub(crate) const FORMAT: Format = Format {
    name: "junit",
    summary: "JUnit XML: outcomes of tests, to go with coverage",
    detect,
    reader: Reader::Outcomes(read),
    write: None,
    source: include_str!("junit.rs"),
};

fn detect(sample: &Sample) -> bool {
    matches!(
        root_name(sample).as_deref(),
        Some("testsuites" | "testsuite")
    )
}

/// Reads a report.
pub fn read(path: &Path) -> Result<Vec<TestResult>, FileError> {
    parse(path, &read_bytes(path)?)
}

/// Reads a report from memory; `path` is for messages.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<TestResult>, FileError> {
    let mut document = Document::new(path, bytes)?;
    let mut results: Vec<TestResult> = Vec::new();
    let mut open: Option<TestResult> = None;
    let mut depth = 0;
    while let Some(node) = document.next()? {
        match node {
            Node::Start(element) => {
                if depth == 0 && !matches!(&*element.name, "testsuites" | "testsuite") {
                    let found = format!("<{}>", element.name);
                    let expected = "<testsuites> or <testsuite>".to_owned();
                    return Err(document.bad(element.line, expected, found));
                }
                depth += 1;
                match (&*element.name, &mut open) {
                    ("testcase", None) => {
                        open = Some(TestResult {
                            class: element.get("classname").unwrap_or_default().to_owned(),
                            name: document.required(&element, "name")?.to_owned(),
                            judgement: Judgement::Pass,
                            flaky: false,
                            path: path.to_owned(),
                            line: element.line,
                        });
                    }
                    ("testcase", Some(_)) => {
                        let found = "<testcase> inside another".to_owned();
                        return Err(document.bad(
                            element.line,
                            "a flat list of tests".into(),
                            found,
                        ));
                    }
                    ("failure" | "error", Some(test)) => test.judgement = Judgement::Fail,
                    ("skipped", Some(test)) if test.judgement == Judgement::Pass => {
                        test.judgement = Judgement::Skip;
                    }
                    ("flakyFailure" | "flakyError", Some(test)) => test.flaky = true,
                    _ => {}
                }
            }
            Node::End(name) => {
                depth -= 1;
                if name == "testcase" {
                    results.extend(open.take());
                }
            }
        }
    }
    Ok(results)
}
