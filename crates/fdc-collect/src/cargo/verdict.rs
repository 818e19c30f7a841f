//! How a test ended, from what Rust's test harness printed.

use std::process::ExitStatus;

use fdc_case::recording::Judgement;
use fdc_core::evidence::FailureRecord;
use fdc_formats::trace;

use crate::process::status_text;
use crate::{FAIL, PASS};

const LONGEST_NOTE: usize = 300;

/// Judges a run of one test by the harness's last line, its exit status (none: it took too long), and
/// what went to stderr; and why, unless it passed.
pub(crate) fn judge(
    status: Option<ExitStatus>,
    limit: f64,
    output: &str,
    errors: &str,
    test: &str,
) -> (Judgement, Option<String>) {
    let Some(status) = status else {
        return (FAIL, Some(format!("timed out after {limit} s")));
    };
    let Some(counts) = Counts::last_in(output) else {
        let how = match status.success() {
            true => "the test ended the process before it was over".to_owned(),
            false => format!("the test ended the process: {}", status_text(status)),
        };
        let reason = reason(output, errors, test).map(|reason| format!("; {reason}"));
        return (FAIL, Some(cut(how + &reason.unwrap_or_default())));
    };
    match counts {
        Counts { failed: 1.., .. } => {
            let reason = reason(output, errors, test);
            let reason = reason.unwrap_or_else(|| status_text(status));
            (FAIL, Some(cut(reason)))
        }
        Counts { passed: 1.., .. } if status.success() => (PASS, None),
        Counts { passed: 1.., .. } => {
            let note = format!("passed, then the process ended: {}", status_text(status));
            (FAIL, Some(note))
        }
        Counts { ignored: 1.., .. } => (Judgement::Skipped, Some(cut(ignored_why(output)))),
        _ => {
            let note = "the test program lists this test but does not run it";
            (Judgement::Skipped, Some(note.to_owned()))
        }
    }
}

/// The counts of `test result: ok. 1 passed; 0 failed; 0 ignored; ...`.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    passed: u32,
    failed: u32,
    ignored: u32,
}

impl Counts {
    fn last_in(output: &str) -> Option<Self> {
        let mut lines = output.lines().rev();
        let line = lines.find_map(|line| line.strip_prefix("test result: "))?;
        let (_, counts) = line.split_once(". ")?;
        let count = |word: &str| {
            let mut parts = counts.split("; ");
            parts.find_map(|part| part.strip_suffix(word)?.trim_end().parse().ok())
        };
        Some(Counts {
            passed: count("passed")?,
            failed: count("failed")?,
            ignored: count("ignored")?,
        })
    }
}

/// What was printed from the panic of the test's own thread on, else of any.
fn panic<'a>(errors: &'a str, test: &str) -> Option<&'a str> {
    let starts = errors
        .match_indices("thread '")
        .map(|(at, _)| &errors[at..]);
    let panics = starts.filter_map(|text| Some((trace::panic_of(text.lines().next()?)?.0, text)));
    let panics: Vec<(&str, &str)> = panics.collect();
    let own = panics.iter().find(|(thread, _)| *thread == test);
    own.or(panics.first()).map(|&(_, text)| text)
}

/// The panic's place, and the calls that led to it where a backtrace was printed.
pub(crate) fn failure(errors: &str, test: &str) -> Option<FailureRecord> {
    panic(errors, test).map(trace::failure)
}

/// Why it failed: a panic, an `Err` it returned, or a remark of the harness.
fn reason(output: &str, errors: &str, test: &str) -> Option<String> {
    if let Some(text) = panic(errors, test) {
        let mut lines = text.lines();
        let (_, place) = trace::panic_of(lines.next()?)?;
        let message = lines.find(|line| !line.trim().is_empty());
        return Some(match message {
            // From 1.73 on the place ends in a colon and the message is on the next line.
            Some(message) if place.ends_with(':') => format!("panicked at {place} {message}"),
            _ => format!("panicked at {place}"),
        });
    }
    let remark = |line: &&str| line.starts_with("Error: ") || line.starts_with("note: test ");
    let all = errors.lines().chain(output.lines());
    let remark = all.map(str::trim_end).find(remark);
    let last = || errors.lines().rev().find(|line| !line.trim().is_empty());
    remark.or_else(last).map(str::to_owned)
}

fn ignored_why(output: &str) -> String {
    let mut lines = output.lines();
    let why = lines.find_map(|line| line.split_once("... ignored, "));
    why.map_or("ignored".to_owned(), |(_, why)| format!("ignored: {why}"))
}

fn cut(note: String) -> String {
    note.chars().take(LONGEST_NOTE).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    fn result(passed: u32, failed: u32, ignored: u32) -> String {
        let word = if failed > 0 { "FAILED" } else { "ok" };
        format!(
            "\nrunning 1 test\ntest a::b ... ok\n\ntest result: {word}. {passed} passed; \
             {failed} failed; {ignored} ignored; 0 measured; 4 filtered out; finished in 0.00s\n\n"
        )
    }

    #[test]
    fn a_panic_tells_its_place_its_message_and_its_calls() {
        let errors = "thread 'x' panicked at src/x.rs:1:1:\nfirst\n\
            thread 'a::b' (7) panicked at src/lib.rs:9:5:\nassertion failed\n  left: 1\n\
            stack backtrace:\n   0: core::panic\n             at /rustc/core/panic.rs:3:5\n   \
            1: shop::total\n             at ./src/shop.rs:40:13\n\
            note: Some details are omitted\n";
        let found = failure(errors, "a::b").unwrap();
        assert_eq!(
            found.message.as_deref(),
            Some("assertion failed\n  left: 1")
        );
        let frames = found.frames.iter().map(|frame| (&*frame.place, frame.line));
        let expected = [
            ("src/lib.rs", 9),
            ("/rustc/core/panic.rs", 3),
            ("src/shop.rs", 40),
        ];
        assert_eq!(frames.collect::<Vec<_>>(), expected);
        assert_eq!(failure("Error: \"no\"\n", "a::b"), None);
    }

    #[test]
    fn the_harness_has_the_last_word_unless_the_process_dies() {
        let (exit, signal) = (|code: i32| code << 8, |number: i32| number);
        let panic = "thread 'a::b' (7) panicked at src/lib.rs:9:5:\nassertion failed: 1 > 2\n";
        let other = format!("thread 'x' panicked at src/x.rs:1:1:\nfirst\n{panic}");
        let old = "thread 'a::b' panicked at 'no', src/lib.rs:9:5\n";
        for (raw, output, errors, expected, note) in [
            (exit(0), result(1, 0, 0), "", PASS, None),
            (
                exit(101),
                result(0, 1, 0),
                panic,
                FAIL,
                Some("panicked at src/lib.rs:9:5: assertion failed: 1 > 2"),
            ),
            (
                exit(101),
                result(0, 1, 0),
                &other,
                FAIL,
                Some("panicked at src/lib.rs:9:5: assertion failed: 1 > 2"),
            ),
            (
                exit(101),
                result(0, 1, 0),
                old,
                FAIL,
                Some("panicked at 'no', src/lib.rs:9:5"),
            ),
            (
                exit(101),
                result(0, 1, 0),
                "Error: \"bad\"\n",
                FAIL,
                Some("Error: \"bad\""),
            ),
            (exit(101), result(0, 1, 0), "", FAIL, Some("exit code 101")),
            (
                exit(0),
                result(0, 0, 1),
                "",
                Judgement::Skipped,
                Some("ignored"),
            ),
            (
                exit(0),
                "test a ... ignored, slow\n".to_owned() + &result(0, 0, 1),
                "",
                Judgement::Skipped,
                Some("ignored: slow"),
            ),
            (
                exit(0),
                result(0, 0, 0),
                "",
                Judgement::Skipped,
                Some("the test program lists this test but does not run it"),
            ),
            (
                exit(0),
                "running 1 test\n".to_owned(),
                "",
                FAIL,
                Some("the test ended the process before it was over"),
            ),
            (
                exit(3),
                "running 1 test\n".to_owned(),
                "",
                FAIL,
                Some("the test ended the process: exit code 3"),
            ),
            (
                signal(6),
                String::new(),
                "fatal runtime error: stack overflow\n",
                FAIL,
                Some(
                    "the test ended the process: signal SIGABRT; fatal runtime error: stack overflow",
                ),
            ),
            (
                signal(11),
                result(1, 0, 0),
                "",
                FAIL,
                Some("passed, then the process ended: signal SIGSEGV"),
            ),
        ] {
            let status = Some(ExitStatus::from_raw(raw));
            let (judgement, why) = judge(status, 0.0, &output, errors, "a::b");
            assert_eq!(
                (judgement, why.as_deref()),
                (expected, note),
                "{output} {errors}"
            );
        }
        let (judgement, why) = judge(None, 1.5, "", "", "a::b");
        assert_eq!(
            (judgement, why.as_deref()),
            (FAIL, Some("timed out after 1.5 s"))
        );
    }

    #[test]
    fn what_a_test_prints_is_not_taken_for_the_result() {
        let output = format!("test result: ok. 9 passed\n{}", result(0, 1, 0));
        let expected = Counts {
            passed: 0,
            failed: 1,
            ignored: 0,
        };
        assert_eq!(Counts::last_in(&output), Some(expected));
        assert_eq!(
            Counts::last_in("test result: ok\ntest result: what. ever"),
            None
        );
    }
}
