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
//! that fits two tests is an error; results that fit none are reported. A test that occurs twice
//! failed if one of the two did.

use std::path::Path;

use crate::input::read_bytes;
use crate::outcomes::TestResult;
use crate::xml::{Document, Node, root_name};
use crate::{Format, Reader};
use fdc_case::Result;
use fdc_case::recording::Judgement::{Judged, Skipped};
use fdc_core::spectrum::Outcome;

pub(crate) const FORMAT: Format = Format {
    name: "junit",
    summary: "JUnit XML: outcomes of tests, to go with coverage",
    detect: |sample| root_name(sample).is_some_and(|name| ROOTS.contains(&&*name)),
    reader: Reader::Outcomes(|path| parse(path, &read_bytes(path)?)),
    endings: &[],
    write: None,
    source: include_str!("junit.rs"),
};

const ROOTS: &[&str] = &["testsuites", "testsuite"];

/// Reads a report; `path` is for messages.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<TestResult>> {
    let mut document = Document::new(path, bytes, ROOTS)?;
    let mut results: Vec<TestResult> = Vec::new();
    let mut open: Option<TestResult> = None;
    while let Some(node) = document.next()? {
        match node {
            Node::Start(element) => match (&*element.name, &mut open) {
                ("testcase", None) => {
                    open = Some(TestResult {
                        class: element.get("classname").unwrap_or_default().to_owned(),
                        name: document.required(&element, "name")?.to_owned(),
                        judgement: Judged(Outcome::Pass),
                        flaky: false,
                        path: path.to_owned(),
                        line: element.line,
                    });
                }
                ("testcase", Some(_)) => return Err(document.nested(&element, "tests")),
                ("failure" | "error", Some(test)) => test.judgement = Judged(Outcome::Fail),
                ("skipped", Some(test)) if test.judgement == Judged(Outcome::Pass) => {
                    test.judgement = Skipped;
                }
                ("flakyFailure" | "flakyError", Some(test)) => test.flaky = true,
                _ => {}
            },
            Node::End(name) if name == "testcase" => results.extend(open.take()),
            Node::End(_) => {}
        }
    }
    Ok(results)
}
