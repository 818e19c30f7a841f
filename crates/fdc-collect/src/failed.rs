//! Which tests failed, by what a test command printed and the reports that it wrote.
//!
//! Read are the lines of libtest (`cargo test`), cargo-nextest and `go test`, plain and with `-json`,
//! and the XML reports of Surefire and Gradle. Names are told as parts of a test's identity in the
//! case, since commands do not tell all of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fdc_formats::junit;
use serde::Deserialize;

/// Folders that build tools put reports of tests into.
const REPORTS: &[&str] = &["surefire-reports", "failsafe-reports", "test-results"];
const DEEPEST: usize = 8;
/// What cargo-nextest calls a test that failed.
const NEXTEST: &[&str] = &["FAIL", "ABORT", "TIMEOUT", "LEAK-FAIL"];

/// Patterns for [`Filter`](crate::filter::Filter) of the tests that failed, from what the command
/// printed.
pub fn failed_in_output(output: &str) -> Vec<String> {
    let mut names = BTreeSet::new();
    let mut listed = false;
    for line in output.lines() {
        let line = plain(line);
        // libtest lists them once more at its end, whatever tests print meanwhile.
        listed = line == "failures:" || listed && (line.is_empty() || line.starts_with("    "));
        let found = of_libtest(&line)
            .or_else(|| of_nextest(&line))
            .or_else(|| of_go(&line))
            .or_else(|| of_go_events(&line))
            .or_else(|| {
                listed
                    .then(|| line.strip_prefix("    ").map(str::to_owned))
                    .flatten()
            });
        names.extend(found.filter(|name| !name.is_empty() && !name.starts_with(' ')));
    }
    names.into_iter().map(pattern).collect()
}

/// The same from reports below the root that were written since the command `began`.
pub fn failed_in_reports(root: &Path, began: SystemTime) -> Vec<String> {
    let mut names = BTreeSet::new();
    let mut folders = vec![(root.to_owned(), false, 0)];
    while let Some((folder, in_reports, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < DEEPEST && !name.starts_with('.') => {
                    folders.push((path, in_reports || REPORTS.contains(&&*name), depth + 1));
                }
                Ok(kind) if kind.is_file() && in_reports && name.ends_with(".xml") => {
                    names.extend(of_report(&path, began).into_iter().flatten());
                }
                _ => {}
            }
        }
    }
    names.into_iter().map(pattern).collect()
}

/// Of a report that is not half written, and not of a run before.
fn of_report(path: &PathBuf, began: SystemTime) -> Option<Vec<String>> {
    let modified = path.metadata().and_then(|data| data.modified()).ok()?;
    if modified < began {
        return None;
    }
    let results = junit::parse(path, &fs::read(path).ok()?).ok()?;
    let failed = results.iter().filter_map(|result| result.failed());
    let name = |(class, name): (&str, &str)| {
        let own = name.split(['(', '[', '{', ' ']).next().unwrap_or_default();
        format!("{class}#{own}")
    };
    Some(failed.map(name).collect())
}

/// `test parser::reads ... FAILED`.
fn of_libtest(line: &str) -> Option<String> {
    let line = line.strip_prefix("test ")?.strip_suffix("FAILED")?;
    let name = line.split(" ... ").next()?;
    let name = name.strip_suffix(" - should panic").unwrap_or(name);
    Some(name.to_owned())
}

/// `        FAIL [   0.004s] (1/2) shop::checkout total`.
fn of_nextest(line: &str) -> Option<String> {
    let (word, rest) = line.trim_start().split_once(" [")?;
    let word = word.trim_end();
    let again = word
        .strip_prefix("TRY ")
        .and_then(|word| word.split_once(' '));
    let word = again.map_or(word, |(_, word)| word);
    if !NEXTEST.contains(&word) && !word.starts_with("SIG") {
        return None;
    }
    let (_, rest) = rest.split_once(']')?;
    let mut words = rest
        .split_whitespace()
        .filter(|word| !word.starts_with('('));
    let (_program, name) = (words.next()?, words.next()?);
    Some(name.to_owned())
}

/// `    --- FAIL: TestSum/two (0.00s)`.
fn of_go(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("--- FAIL: ")?;
    let (name, _) = rest.rsplit_once(" (")?;
    Some(name.to_owned())
}

fn of_go_events(line: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Event {
        #[serde(rename = "Action")]
        action: String,
        #[serde(rename = "Test")]
        test: Option<String>,
    }
    if !line.starts_with('{') {
        return None;
    }
    let event: Event = serde_json::from_str(line).ok()?;
    event.test.filter(|_| event.action == "fail")
}

fn pattern(name: String) -> String {
    // As it stands, where it would be taken for a pattern of the whole name.
    match name.contains(['*', '?']) {
        true => format!("*{name}*"),
        false => name,
    }
}

/// Without colours, and what a terminal's line end leaves.
fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut parts = line.split("\u{1b}[");
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = part.find(|c: char| c.is_ascii_alphabetic());
        text.push_str(end.map_or("", |end| &part[end + 1..]));
    }
    text.truncate(text.trim_end_matches('\r').len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failing_tests_are_found_in_what_each_tool_prints() {
        for (output, expected) in [
            (
                "running 3 tests\ntest tests::ok ... ok\ntest tests::sum ... FAILED\n\
                 test tests::panics - should panic ... FAILED\n\n\
                 failures:\n\n---- tests::sum stdout ----\nthread 'tests::sum' panicked\n\n\
                 failures:\n    tests::panics\n    tests::sum\n\ntest result: FAILED. 1 passed\n",
                vec!["tests::panics", "tests::sum"],
            ),
            // What a test prints stands between its name and its end.
            (
                "test tests::loud ... hello\nFAILED\n\nfailures:\n    tests::loud\n",
                vec!["tests::loud"],
            ),
            (
                "        PASS [   0.004s] (1/3) shop tests::ok\n\
                 \u{1b}[31;1m        FAIL\u{1b}[0m [   0.004s] (2/3) \u{1b}[35mshop\u{1b}[0m tests::sum\r\n\
                 \x20    SIGABRT [   0.1s] shop::checkout total\n\
                 \x20 TRY 2 FAIL [   0.1s] shop::checkout again\n",
                vec!["again", "tests::sum", "total"],
            ),
            (
                "--- FAIL: TestSum (0.00s)\n    --- FAIL: TestSum/two_(2) (0.00s)\n--- PASS: TestX (0.0s)\nFAIL\n",
                vec!["TestSum", "TestSum/two_(2)"],
            ),
            (
                "{\"Action\":\"fail\",\"Package\":\"a/b\",\"Test\":\"TestX/a*b\"}\n\
                 {\"Action\":\"pass\",\"Test\":\"TestY\"}\n{\"Action\":\"fail\",\"Package\":\"a/b\"}\n",
                vec!["*TestX/a*b*"],
            ),
        ] {
            assert_eq!(failed_in_output(output), expected, "{output}");
        }
    }

    #[test]
    fn reports_of_this_run_tell_and_older_ones_do_not() {
        let root = tempfile::tempdir().unwrap();
        let reports = root.path().join("core/target/surefire-reports");
        fs::create_dir_all(&reports).unwrap();
        let report = "<testsuite><testcase classname='org.x.CartTest' name='adds(int)[1]'>\
                      <failure/></testcase><testcase classname='org.x.CartTest' name='ok'/></testsuite>";
        fs::write(reports.join("TEST-org.x.CartTest.xml"), report).unwrap();
        fs::write(reports.join("TEST-cut.xml"), &report[..30]).unwrap();
        fs::write(root.path().join("other.xml"), report).unwrap();
        let began = SystemTime::UNIX_EPOCH;
        assert_eq!(
            failed_in_reports(root.path(), began),
            ["org.x.CartTest#adds"]
        );
        let later = SystemTime::now() + std::time::Duration::from_secs(60);
        assert!(failed_in_reports(root.path(), later).is_empty());
    }
}
