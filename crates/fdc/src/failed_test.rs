//! How failing tests failed, as people read it first: exception, message, and the calls, with their
//! places in the project. Names and messages are as the case has them; whoever draws them escapes them.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use fdc_core::Spectrum;
use fdc_core::coverage::TestId;
use fdc_core::evidence::Frame;
use fdc_draw::text::printable_name;
use fdc_source::Sources;
use serde::Serialize;

/// Calls of a stack that are told: the innermost ones.
const MOST_CALLS: usize = 50;

/// How a failing test failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FailedTest {
    /// The test.
    pub test: String,
    /// The exception or panic, as its language names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
    /// What it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The stack, innermost first.
    #[serde(rename = "frames", skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<FailedCall>,
}

/// One call of its stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FailedCall {
    /// The class or the path of the file, as the run told it.
    pub place: String,
    /// The function; empty if it is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub function: String,
    /// The line; none if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The program's file that it is in, as the input names it; none in tests and libraries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The file's path below the project's root with `/`, where it was looked for and found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl FailedTest {
    /// Of these failing tests, in their order; a test of which nothing is known has its name alone.
    pub fn of(spectrum: &Spectrum, tests: &[TestId]) -> Vec<Self> {
        // By place: stacks go through the same files.
        let mut files: HashMap<&str, Option<&str>> = HashMap::new();
        let mut all = Vec::with_capacity(tests.len());
        for &test in tests {
            let test = spectrum.test(test);
            let mut failed = FailedTest {
                test: test.name.clone(),
                ..FailedTest::default()
            };
            if let Some(record) = &test.failure {
                failed.exception.clone_from(&record.exception);
                failed.message.clone_from(&record.message);
                for frame in record.frames.iter().take(MOST_CALLS) {
                    let find = || spectrum.program.file_of(frame);
                    let file = files.entry(&frame.place).or_insert_with(find);
                    failed.calls.push(FailedCall::new(frame, *file));
                }
            }
            all.push(failed);
        }
        all
    }

    /// Looks the calls up below the project's root.
    pub fn look_up(failed: &mut [Self], sources: &Sources) {
        // By the name that is looked for: its path and how many lines it has.
        let mut read: BTreeMap<String, Option<(String, usize)>> = BTreeMap::new();
        for call in failed.iter_mut().flat_map(|failed| &mut failed.calls) {
            let name = call.file.as_ref().unwrap_or(&call.place);
            let found = read.entry(name.clone()).or_insert_with(|| {
                let source = sources.read(name)?;
                Some((source.path, source.lines.len()))
            });
            let within = |lines: usize| call.line.is_none_or(|line| line as usize <= lines);
            let found = found.as_ref().filter(|(_, lines)| within(*lines));
            call.path = found.map(|(path, _)| path.clone());
        }
    }

    /// Whether anything is known of how it failed.
    pub fn is_known(&self) -> bool {
        self.exception.is_some() || self.message.is_some() || !self.calls.is_empty()
    }

    /// Exception and message in a line: "NullPointerException: the order is null".
    pub fn headline(&self) -> Option<String> {
        let first = |text: &String| text.trim().lines().next().map(str::to_owned);
        let message = self.message.as_ref().and_then(first);
        let words = match (self.short_exception(), message) {
            (None, message) => message?,
            (Some(exception), None) => exception.to_owned(),
            // pytest has the one in the other.
            (Some(exception), Some(message)) if message.starts_with(exception) => message,
            (Some(exception), Some(message)) => format!("{exception}: {message}"),
        };
        (!words.is_empty()).then_some(words)
    }

    /// The first of these lines of a file that the stack goes through, the innermost call first; calls
    /// were looked up.
    pub fn line_in(&self, path: &str, lines: Range<u32>) -> Option<u32> {
        let here = |call: &&FailedCall| call.path.as_deref() == Some(path);
        let mut called = self.calls.iter().filter(here).filter_map(|call| call.line);
        called.find(|line| lines.contains(line))
    }

    /// The exception without its package.
    pub fn short_exception(&self) -> Option<&str> {
        let exception = self.exception.as_deref()?;
        exception.rsplit(['.', ':']).find(|part| !part.is_empty())
    }

    /// The test's own name, without its file, class or modules.
    pub fn short_name(&self) -> &str {
        short_name(&self.test)
    }
}

impl FailedCall {
    fn new(frame: &Frame, file: Option<&str>) -> Self {
        FailedCall {
            place: frame.place.clone(),
            function: frame.function.clone(),
            line: (frame.line > 0).then_some(frame.line),
            file: file.map(str::to_owned),
            path: None,
        }
    }

    /// Where it is: path or place, and line.
    pub fn spot(&self) -> String {
        let place = self.path.as_ref().unwrap_or(&self.place);
        match self.line {
            Some(line) => format!("{place}:{line}"),
            None => place.clone(),
        }
    }
}

/// One line for each of the first tests that something is known of, and how many more there are:
/// "test_total: AssertionError: assert 3 == 4".
pub fn summary(failed: &[FailedTest], most: usize) -> Vec<String> {
    let known = failed.iter().filter(|failed| failed.is_known());
    let line = |failed: &FailedTest| {
        let headline = failed.headline()?;
        Some(printable_name(&format!(
            "{}: {headline}",
            failed.short_name()
        )))
    };
    let all: Vec<String> = known.filter_map(line).collect();
    let more = all.len().saturating_sub(most);
    let more = (more > 0).then(|| format!("and {more} more"));
    all.into_iter().take(most).chain(more).collect()
}

/// What comes last in a test's id; the parameters may hold anything.
fn short_name(test: &str) -> &str {
    let bare = test.find(['[', '(']).unwrap_or(test.len());
    let own = match test[..bare].rfind(['#', ':', '/']) {
        Some(at) => &test[at + 1..],
        None => test,
    };
    if own.is_empty() { test } else { own }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(exception: Option<&str>, message: Option<&str>) -> FailedTest {
        FailedTest {
            test: "tests/test_a.py::TestCart::test_total[1::2]".into(),
            exception: exception.map(str::to_owned),
            message: message.map(str::to_owned),
            calls: Vec::new(),
        }
    }

    #[test]
    fn a_headline_says_exception_and_message_once() {
        for (exception, message, headline) in [
            (Some("java.lang.Error"), Some("no\nway"), Some("Error: no")),
            (Some("E"), None, Some("E")),
            (
                Some("AssertionError"),
                Some("AssertionError: assert 3 == 4\n + 4"),
                Some("AssertionError: assert 3 == 4"),
            ),
            (None, Some("\n  left: 3"), Some("left: 3")),
            (None, Some(""), None),
            (None, None, None),
        ] {
            let found = failed(exception, message).headline();
            assert_eq!(found.as_deref(), headline);
        }
    }

    #[test]
    fn a_summary_has_one_line_a_test_and_counts_the_rest() {
        let one = failed(None, Some("a\u{1b}[2J\nb"));
        assert_eq!(
            summary(std::slice::from_ref(&one), 3),
            ["test_total[1::2]: a\\u{1b}[2J"]
        );
        let nothing = failed(None, None);
        let all = [one.clone(), nothing, one.clone(), one];
        let lines = summary(&all, 2);
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[2], "and 1 more");
    }

    #[test]
    fn the_last_part_of_an_id_is_the_tests_own() {
        for (id, own) in [
            ("a.b.CartTest#total(int)[2]", "total(int)[2]"),
            ("till::tests::largest", "largest"),
            ("./shop/TestX/sub", "sub"),
            ("alone", "alone"),
            ("a#", "a#"),
        ] {
            assert_eq!(short_name(id), own, "{id}");
        }
    }
}
