//! pytest-output — what pytest prints: outcomes of tests, and no coverage.
//!
//! ```text
//! ============================= test session starts ==============================
//! tests/test_cart.py::test_empty PASSED                                    [ 50%]
//! tests/test_cart.py::test_one FAILED                                      [100%]
//! =================================== FAILURES ===================================
//! ___________________________________ test_one ___________________________________
//! tests/test_cart.py:17: in test_one
//!     assert total([3]) == 3
//! E   assert 4 == 3
//! =========================== short test summary info ============================
//! FAILED tests/test_cart.py::test_one - assert 4 == 3
//! ```
//! It goes with coverage: `pytest -v | tee log.txt`, then
//! `fdc import cov/ --outcomes log.txt -o case.fdc`, or as one more input. Run pytest with `-v` or
//! `-rA`: without, it names only the tests that fail, and the others stay unknown. Tracebacks are kept
//! in every style of `--tb`; colours do not disturb. Names are matched with those of the coverage as
//! `fdc explain junit` tells. Skipped tests and those that are expected to fail are left out; an error
//! in a fixture is a failure.

use std::collections::HashMap;
use std::path::Path;

use crate::input::read_bytes;
use crate::outcomes::TestResult;
use crate::text::utf8;
use crate::trace::{self, without_colours};
use crate::{Format, Reader};
use fdc_case::recording::Judgement;
use fdc_case::{FileError, Result};
use fdc_core::spectrum::Outcome;

pub(crate) const FORMAT: Format = Format {
    name: "pytest-output",
    summary: "What pytest prints: outcomes of tests, to go with coverage",
    detect: |sample| {
        let text = without_colours(sample.text());
        text.lines().any(|line| banner(line).is_some())
    },
    reader: Reader::Outcomes(|path| parse(path, &read_bytes(path)?)),
    endings: &[],
    write: None,
    source: include_str!("pytest_output.rs"),
};

const FAILURES: &str = "FAILURES";
const ERRORS: &str = "ERRORS";
const SUMMARY: &str = "short test summary info";
const TITLES: [&str; 8] = [
    "test session starts",
    ERRORS,
    FAILURES,
    "XFAILURES",
    "PASSES",
    "XPASSES",
    "warnings summary",
    SUMMARY,
];

const FAIL: Judgement = Judgement::Judged(Outcome::Fail);
const PASS: Judgement = Judgement::Judged(Outcome::Pass);
const WORDS: [(&str, Judgement); 6] = [
    ("PASSED", PASS),
    ("FAILED", FAIL),
    ("ERROR", FAIL),
    ("XPASS", PASS),
    ("SKIPPED", Judgement::Skipped),
    ("XFAIL", Judgement::Skipped),
];

/// Reads what was printed; `path` is for messages.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<TestResult>> {
    let text = without_colours(utf8(path, bytes)?);
    let mut printed = Printed {
        path,
        results: Vec::new(),
        known: HashMap::new(),
    };
    let mut section = "";
    // A test's heading, and the lines of its traceback.
    let mut blocks: Vec<(usize, &str, Vec<&str>)> = Vec::new();
    let mut in_block = false;
    // With `--tb=line` there are no headings, but the order is that of the summary.
    let mut short = vec![Vec::new()];
    let mut failed = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(title) = banner(line) {
            (section, in_block) = (title, false);
            continue;
        }
        if section != FAILURES && section != ERRORS {
            let Some((test, judgement)) = result(line, section) else {
                continue;
            };
            let at = printed.add(number, test, judgement);
            if section == SUMMARY && line.starts_with("FAILED") {
                failed.push(at);
            }
            continue;
        }
        match (framed(line, '_'), blocks.last_mut()) {
            (Some(title), _) => {
                blocks.push((number, title, Vec::new()));
                in_block = true;
            }
            (None, Some(block)) if in_block => block.2.push(line),
            _ => {
                let last = short.len() - 1;
                short[last].push(line);
                if trace::is_pytest_place(line) {
                    short.push(Vec::new());
                }
            }
        }
    }
    for (number, title, lines) in blocks {
        printed.explain(number, title, &lines.join("\n"));
    }
    short.pop();
    if short.len() == failed.len() {
        for (at, lines) in failed.into_iter().zip(short) {
            let told = trace::failure(&lines.join("\n"));
            printed.results[at].failure.get_or_insert(told);
        }
    }
    if printed.results.is_empty() {
        let error = FileError::bad(path, "the result of a test", "none");
        return Err(error.hint("run pytest with -v, which names every test"));
    }
    Ok(printed.results)
}

/// Whether pytest ended before it had run all tests, because of `-x` or `--maxfail`.
pub(crate) fn stopped_early(text: &str) -> bool {
    let text = without_colours(text);
    let mut titles = text.lines().filter_map(|line| framed(line, '!'));
    titles.any(|title| title.starts_with("stopping after "))
}

struct Printed<'p> {
    path: &'p Path,
    results: Vec<TestResult>,
    known: HashMap<String, usize>,
}

impl Printed<'_> {
    /// A test stands in the progress and in the summary; the worse counts.
    fn add(&mut self, line: usize, test: &str, judgement: Judgement) -> usize {
        let at = *self.known.entry(test.to_owned()).or_insert_with(|| {
            self.results.push(TestResult {
                class: String::new(),
                name: test.to_owned(),
                judgement,
                flaky: false,
                failure: None,
                path: self.path.to_owned(),
                line,
            });
            self.results.len() - 1
        });
        let known = &mut self.results[at].judgement;
        *known = known.worse(judgement);
        at
    }

    /// Gives a traceback to the next test of that name; the heading does not name the file.
    fn explain(&mut self, line: usize, title: &str, text: &str) {
        let test = match title.strip_prefix("ERROR ") {
            Some(error) => match error.split_once(" of ") {
                Some((_, test)) => test,
                // The collection of a file.
                None => return,
            },
            None => title,
        };
        let is_it = |result: &&mut TestResult| {
            let own = result.name.split_once("::");
            let own = own.is_some_and(|(_, own)| own.replace("::", ".") == test);
            own && result.judgement == FAIL && result.failure.is_none()
        };
        let at = match self
            .results
            .iter_mut()
            .find_map(|own| is_it(&own).then_some(own))
        {
            Some(result) => result,
            None => {
                let at = self.add(line, test, FAIL);
                &mut self.results[at]
            }
        };
        at.failure.get_or_insert(trace::failure(text));
    }
}

/// The title of `===== title =====`; what tests print may look the same.
fn banner(line: &str) -> Option<&str> {
    framed(line, '=').filter(|title| TITLES.contains(title))
}

/// The title of `_____ title _____`.
fn framed(line: &str, mark: char) -> Option<&str> {
    let inner = line.trim_matches(mark);
    let title = inner.strip_prefix(' ')?.strip_suffix(' ')?;
    (line.starts_with(mark) && line.ends_with(mark)).then_some(title)
}

/// A test and how it ended: `WORD test - why` in the summary, `test WORD [ 33%]` in the progress, or
/// `[gw0] [ 33%] WORD test` with several workers.
fn result<'l>(line: &'l str, section: &str) -> Option<(&'l str, Judgement)> {
    let by_workers = line
        .strip_prefix("[gw")
        .and_then(|line| line.splitn(3, "] ").nth(2));
    let word_first = match section == SUMMARY {
        true => Some(line),
        false => by_workers,
    };
    let mut words = WORDS.iter();
    let (test, judgement) = match word_first {
        Some(line) => words.find_map(|&(word, judgement)| {
            let rest = line.strip_prefix(word)?.strip_prefix(' ')?;
            Some((without_reason(rest), judgement))
        })?,
        None => words.find_map(|&(word, judgement)| {
            let at = line.find(&format!(" {word}"))?;
            Some((&line[..at], judgement))
        })?,
    };
    // A file that cannot be collected is no test.
    test.contains("::").then_some((test, judgement))
}

/// Up to ` - `, which may also stand in a test's parameters.
fn without_reason(text: &str) -> &str {
    let depth = |text: &str, bracket| text.matches(bracket).count();
    let mut ends = text.match_indices(" - ").map(|(at, _)| &text[..at]);
    let end = ends.find(|test| depth(test, '[') == depth(test, ']'));
    end.unwrap_or(text).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(style: &str) -> Vec<TestResult> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/pytest-output");
        let path = root.join(format!("{style}.txt"));
        parse(&path, &std::fs::read(&path).unwrap()).unwrap()
    }

    /// Exception, message, and the calls in the project as `file:line`.
    fn told(results: &[TestResult], test: &str) -> (String, String, Vec<String>) {
        let result = results.iter().find(|result| result.name.ends_with(test));
        let failure = result.unwrap().failure.clone().unwrap();
        let calls = failure.frames.iter().filter_map(|frame| {
            let own = frame.place.trim_start_matches("/home/ann/shop/");
            let own = own.starts_with("shop/") || own.starts_with("tests/");
            let file = frame.place.rsplit('/').next()?;
            own.then(|| format!("{file}:{}", frame.line))
        });
        let mut calls: Vec<String> = calls.collect();
        // A generator's line stands twice, and pytest does not name the function in every style.
        calls.dedup();
        (
            failure.exception.unwrap_or_default(),
            failure.message.unwrap_or_default(),
            calls,
        )
    }

    #[test]
    fn every_style_tells_outcomes_and_where_tests_failed() {
        for style in ["long", "short", "line", "native", "quiet"] {
            let results = sample(style);
            let count = |judgement| {
                let judged = results.iter().filter(|own| own.judgement == judgement);
                judged.count()
            };
            let others = match style {
                "quiet" => (0, 0),
                _ => (1, 2),
            };
            assert_eq!((count(PASS), count(Judgement::Skipped)), others, "{style}");
            assert_eq!(count(FAIL), 4, "{style}: {results:?}");

            let (exception, message, calls) = told(&results, "::test_one[-1]");
            let said = (&*exception, &*message);
            assert_eq!(said, ("ValueError", "negative price: -1"), "{style}");
            let all = ["cart.py:10", "cart.py:5", "test_cart.py:17"];
            let shown = if style == "line" { 1 } else { 3 };
            assert_eq!(calls, all[..shown], "{style}");

            let (exception, message, calls) = told(&results, "::test_checked");
            let said = (&*exception, &*message);
            assert_eq!(said, ("RuntimeError", "bad cart"), "{style}");
            let first = if style == "line" {
                "cart.py:18"
            } else {
                "cart.py:10"
            };
            assert_eq!(calls[0], first, "{style}");

            let (_, message, _) = told(&results, "::test_one[3]");
            assert!(message.starts_with("assert 4 == 3"), "{style}: {message}");
            let (exception, ..) = told(&results, "::test_stock");
            assert_eq!(exception, "KeyError", "{style}");
        }
    }

    #[test]
    fn workers_and_odd_names_are_read() {
        let text = "[gw1] [ 33%] PASSED tests/test_x.py::test_a \n\
            ==== short test summary info ====\n\
            FAILED tests/test_x.py::test_b[a - b] - assert 1\n\
            ERROR tests/test_y.py - ImportError: no\n";
        let results = parse(Path::new("x"), text.as_bytes()).unwrap();
        let names: Vec<_> = results
            .iter()
            .map(|own| (&*own.name, own.judgement))
            .collect();
        let expected = [
            ("tests/test_x.py::test_a", PASS),
            ("tests/test_x.py::test_b[a - b]", FAIL),
        ];
        assert_eq!(names, expected);
        let error = parse(Path::new("x"), b"==== test session starts ====\n..\n").unwrap_err();
        assert!(error.advice().unwrap().contains("-v"));
    }
}
