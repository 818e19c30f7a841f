//! cargo-output — what cargo test prints: outcomes of tests, and no coverage.
//!
//! ```text
//!      Running unittests src/lib.rs (target/debug/deps/shop-507999230d6984fa)
//!
//! running 2 tests
//! test tests::empty ... ok
//! test tests::one ... FAILED
//!
//! ---- tests::one stdout ----
//! thread 'tests::one' panicked at src/lib.rs:28:9:
//! assertion `left == right` failed
//! ```
//! It goes with coverage: `cargo test --no-fail-fast 2>&1 | tee log.txt`, then
//! `fdc import cov/ --outcomes log.txt -o case.fdc`, or as one more input. The panic's place and
//! message are kept, and with `RUST_BACKTRACE=1` the calls that led to it. cargo names the test programs
//! on stderr: without `2>&1` tests of the same name cannot be told apart. Ignored tests are left out.
//! Names are matched with those of the coverage as `fdc explain junit` tells.

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
    name: "cargo-output",
    summary: "What cargo test prints: outcomes of tests, to go with coverage",
    detect: |sample| without_colours(sample.text()).lines().any(is_of_cargo),
    reader: Reader::Outcomes(|path| parse(path, &read_bytes(path)?)),
    endings: &[],
    write: None,
    source: include_str!("cargo_output.rs"),
};

fn is_of_cargo(line: &str) -> bool {
    let count = line.strip_prefix("running ");
    let count =
        count.and_then(|count| count.strip_suffix(" tests").or(count.strip_suffix(" test")));
    count.is_some_and(|count| count.parse::<u32>().is_ok()) || program(line).is_some()
}

/// Reads what was printed; `path` is for messages.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<TestResult>> {
    let text = without_colours(utf8(path, bytes)?);
    let mut results: Vec<TestResult> = Vec::new();
    let mut class = "";
    // What a test printed, with the test.
    let mut captured: Option<(usize, Vec<&str>)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let printed = line
            .strip_prefix("---- ")
            .and_then(|line| line.strip_suffix(" stdout ----"));
        let found = program(line);
        if printed.is_some() || found.is_some() || line == "failures:" {
            explain(&mut results, captured.take());
            let is_it = |own: &TestResult| own.class == class && Some(&*own.name) == printed;
            let of_test = results.iter().rposition(is_it);
            captured = of_test.map(|test| (test, Vec::new()));
            class = found.unwrap_or(class);
        } else if let Some((_, lines)) = &mut captured {
            lines.push(line);
        } else if let Some((name, judgement)) = result(line) {
            results.push(TestResult {
                class: class.to_owned(),
                name: name.to_owned(),
                judgement,
                flaky: false,
                failure: None,
                path: path.to_owned(),
                line: number,
            });
        }
    }
    explain(&mut results, captured);
    if results.is_empty() {
        let error = FileError::bad(path, "the result of a test", "none");
        return Err(error.hint("keep all that cargo test prints, and not --quiet"));
    }
    Ok(results)
}

fn explain(results: &mut [TestResult], captured: Option<(usize, Vec<&str>)>) {
    if let Some((test, lines)) = captured {
        let told = trace::failure(&lines.join("\n"));
        results[test].failure.get_or_insert(told);
    }
}

/// The crate of `Running unittests src/lib.rs (target/debug/deps/shop-507999230d6984fa)` or
/// `Doc-tests shop`.
fn program(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(name) = line.strip_prefix("Doc-tests ") {
        return Some(name);
    }
    let (_, file) = line
        .strip_prefix("Running ")?
        .strip_suffix(')')?
        .rsplit_once('(')?;
    let name = file.rsplit(['/', '\\']).next()?;
    Some(name.rsplit_once('-')?.0)
}

/// `test a::b ... ok`.
fn result(line: &str) -> Option<(&str, Judgement)> {
    let (test, how) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    let judgement = match how.split([' ', ',']).next()? {
        "ok" => Judgement::Judged(Outcome::Pass),
        "FAILED" => Judgement::Judged(Outcome::Fail),
        "ignored" => Judgement::Skipped,
        _ => return None,
    };
    let test = test.strip_suffix(" - should panic").unwrap_or(test);
    Some((test, judgement))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_and_panics_are_read_with_their_crates() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cargo-output");
        for (sample, calls) in [("plain", 1), ("backtrace", 14)] {
            let path = root.join(format!("{sample}.txt"));
            let results = parse(&path, &std::fs::read(&path).unwrap()).unwrap();
            let of = |judgement| {
                let own = results.iter().filter(|own| own.judgement == judgement);
                let mut names: Vec<String> = own
                    .map(|own| format!("{}::{}", own.class, own.name))
                    .collect();
                names.sort();
                names
            };
            let failed = [
                "shop::tests::one_has_its_price",
                "shop::tests::prices_are_checked",
                "shop::tests::says_no",
                "whole::sums",
            ];
            assert_eq!(of(Judgement::Judged(Outcome::Fail)), failed);
            let passed = [
                "shop::src/lib.rs - total (line 5)",
                "shop::tests::empty_is_free",
                "shop::tests::negative_is_refused",
            ];
            assert_eq!(of(Judgement::Judged(Outcome::Pass)), passed);
            assert_eq!(of(Judgement::Skipped), ["shop::tests::later"]);
            let failure = |name: &str| {
                let result = results.iter().find(|own| own.name == name).unwrap();
                result.failure.clone().unwrap()
            };
            let checked = failure("tests::prices_are_checked");
            assert_eq!(checked.message.as_deref(), Some("negative price: -2"));
            assert_eq!(checked.frames[0].line, 13);
            assert_eq!(checked.frames.len(), calls, "{sample}");
            assert_eq!(failure("tests::says_no").message.as_deref(), Some("\"no\""));
            assert_eq!(failure("sums").frames[0].place, "tests/whole.rs");
        }
        let error = parse(Path::new("x"), b"running 0 tests\n").unwrap_err();
        assert!(error.to_string().contains("the result of a test"));
    }
}
