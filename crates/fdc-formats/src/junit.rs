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
//! `failure` and `error` are failures, and the stack trace in them is kept; tests with `skipped` are left out. `flakyFailure` and
//! `flakyError` (Surefire ran the test again and it passed) mark the test as flaky.
//!
//! Names are matched with those of the coverage in parts: `tests.test_x.TestC` + `test_m[p]` is
//! `tests/test_x.py::TestC::test_m[p]`, `org.x.CartTest` + `adds` is `org.x.CartTest#adds`. A result
//! that fits two tests is an error; results that fit none are reported. A test that occurs twice
//! failed if one of the two did.

use std::path::Path;

use crate::input::read_bytes;
use crate::outcomes::TestResult;
use crate::trace;
use crate::xml::{Document, Node, root_name};
use crate::{Format, Reader};
use fdc_case::Result;
use fdc_case::recording::Judgement::{Judged, Skipped};
use fdc_core::evidence::FailureRecord;
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
    let mut failure = (None, None);
    while let Some(node) = document.next()? {
        match node {
            Node::Start(element) => match (&*element.name, &mut open) {
                ("testcase", None) => {
                    open = Some(TestResult {
                        class: element.get("classname").unwrap_or_default().to_owned(),
                        name: document.required(&element, "name")?.to_owned(),
                        judgement: Judged(Outcome::Pass),
                        flaky: false,
                        failure: None,
                        path: path.to_owned(),
                        line: element.line,
                    });
                }
                ("testcase", Some(_)) => return Err(document.nested(&element, "tests")),
                ("failure" | "error", Some(test)) => {
                    test.judgement = Judged(Outcome::Fail);
                    let attribute = |name| element.get(name).map(str::to_owned);
                    failure = (attribute("type"), attribute("message"));
                }
                ("skipped", Some(test)) if test.judgement == Judged(Outcome::Pass) => {
                    test.judgement = Skipped;
                }
                ("flakyFailure" | "flakyError", Some(test)) => test.flaky = true,
                _ => {}
            },
            Node::End(name) if name == "testcase" => results.extend(open.take()),
            Node::End(name) => {
                if let ("failure" | "error", Some(test)) = (&*name, &mut open) {
                    let told = how(std::mem::take(&mut failure), document.text());
                    test.failure.get_or_insert(told);
                }
            }
        }
    }
    Ok(results)
}

/// Java gives the exception as the type; others put a word there, or nothing, and tell it in the text.
fn how((kind, message): (Option<String>, Option<String>), text: &str) -> FailureRecord {
    let mut told = trace::failure(text);
    let message = message.filter(|message| !message.is_empty());
    match kind.filter(|kind| kind.contains('.') && !kind.contains(' ')) {
        Some(kind) => {
            told.exception = Some(kind);
            told.message = message.or(told.message);
        }
        None => told.message = told.message.or(message),
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(testcase: &str) -> FailureRecord {
        let text = format!("<testsuite><testcase name='t'>{testcase}</testcase></testsuite>");
        let mut results = parse(Path::new("x"), text.as_bytes()).unwrap();
        results.remove(0).failure.unwrap()
    }

    #[test]
    fn a_failure_is_kept_with_its_trace() {
        let java = failure(
            "<failure type='java.lang.AssertionError' message='a &lt; b'><![CDATA[java.lang.AssertionError: a < b\n\
             \tat org.x.Cart.total(Cart.java:7)\n]]></failure><system-out>\tat no.No.no(No.java:1)</system-out>",
        );
        let said = (java.exception.as_deref(), java.message.as_deref());
        assert_eq!(said, (Some("java.lang.AssertionError"), Some("a < b")));
        let places: Vec<_> = java
            .frames
            .iter()
            .map(|frame| (&*frame.place, frame.line))
            .collect();
        assert_eq!(places, [("org.x.Cart", 7)]);

        let pytest = failure(
            "<failure message='ValueError: no &amp; no'>E   ValueError: no &amp; no&#10;&#10;shop/cart.py:10: ValueError</failure>",
        );
        let said = (pytest.exception.as_deref(), pytest.message.as_deref());
        assert_eq!(said, (Some("ValueError"), Some("no & no")));
        assert_eq!(pytest.frames[0].line, 10);

        let nextest = failure(
            "<failure type='test failure with exit code 101' message='thread panicked'>thread 'a' (3) panicked at src/lib.rs:3:5:\n\
             no\nnote: run with `RUST_BACKTRACE=1`</failure>",
        );
        let said = (nextest.exception.as_deref(), nextest.message.as_deref());
        assert_eq!(said, (Some("panic"), Some("no")));

        let bare = failure("<error message='Failed'/>");
        assert_eq!(bare.message.as_deref(), Some("Failed"));
        assert_eq!((bare.exception, bare.frames), (None, Vec::new()));
    }
}
