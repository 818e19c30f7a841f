//! What is known beside coverage: how tests failed, how often files changed, what changed since.

use std::path::Path;
use std::process::Command;

use fdc_core::Spectrum;

use crate::program::{fdc, fdc_in, testdata};
use crate::subjects::folder;

const LIMIT: &str = "tests/test_cart.py::TestCart::test_limit[4]";
/// Lines 4 and 5 are `price`, lines 9 and 10 are `total`.
const DATA: &str = r#"{"methods": ["shop/cart.py::price", "shop/cart.py::total"],
    "elements": [[0, 4], [0, 5], [1, 9], [1, 10]],
    "tests": [{"name": "t::fails", "outcome": "fail"}, {"name": "t::passes", "outcome": "pass"}],
    "coverage": [[0, 1, 1, 1], [0]]}"#;

fn imported(folder: &Path, arguments: &[&str]) -> Spectrum {
    let case = folder.join("case.fdc");
    let import = [&["import"], arguments, &["-o", case.to_str().unwrap()]].concat();
    fdc(&import).done();
    fdc_case::read(&case).unwrap()
}

/// The exception, and the methods that the stack of a test goes through.
fn told<'s>(spectrum: &'s Spectrum, test: &str) -> (&'s str, Vec<&'s str>) {
    let id = spectrum.test_named(test).unwrap();
    let failure = spectrum.test(id).failure.as_ref().unwrap();
    let methods = spectrum.methods_in_trace(id).unwrap_or_default();
    let names = methods.into_iter();
    let names = names.map(|method| &*spectrum.program.methods[method as usize].name);
    (failure.exception.as_deref().unwrap(), names.collect())
}

#[test]
fn reports_bring_stack_traces_into_the_case() {
    let folder = folder();
    let coverage = ["coverage.py/lines.coverage", "--source", "subjects/python"];
    let expected = ("ValueError", vec!["shop/cart.py::Cart.add"]);
    let outcomes = ["--outcomes", "junit/pytest.xml"];
    let case = imported(folder.path(), &[&coverage[..], &outcomes].concat());
    assert_eq!(told(&case, LIMIT), expected);

    let add = case.program.elements.iter();
    let add = add.filter(|element| case.method_name(element.method).ends_with("Cart.add"));
    let line = add.map(|element| element.line).max().unwrap();
    let log = folder.path().join("log.txt");
    let text = format!(
        "===== test session starts =====\n\
         tests/test_cart.py::TestCart::test_add PASSED [ 50%]\n{LIMIT} FAILED [100%]\n\
         ===== FAILURES =====\n_____ TestCart.test_limit[4] _____\n\
         tests/test_cart.py:9: in test_limit\n    cart.add(1, count)\n\
         shop/cart.py:{line}: in add\n    raise ValueError\nE   ValueError: too many\n"
    );
    std::fs::write(&log, text).unwrap();
    let outcomes = ["--outcomes", log.to_str().unwrap()];
    let case = imported(folder.path(), &[&coverage[..], &outcomes].concat());
    assert_eq!(told(&case, LIMIT), expected);

    let data = folder.path().join("data.json");
    let text = r#"{"methods": ["src/lib.rs::total", "src/lib.rs::price"],
        "elements": [[0, 9], [1, 13], [1, 14]],
        "tests": [{"name": "shop::tests::prices_are_checked"}, {"name": "shop::tests::empty_is_free"}],
        "coverage": [[0, 1], [0]]}"#;
    std::fs::write(&data, text).unwrap();
    let cargo = [data.to_str().unwrap(), "cargo-output/backtrace.txt"];
    let case = imported(folder.path(), &cargo);
    let expected = ("panic", vec!["src/lib.rs::total", "src/lib.rs::price"]);
    assert_eq!(told(&case, "shop::tests::prices_are_checked"), expected);
}

#[test]
fn a_trace_of_another_version_is_left_out_with_a_note() {
    let folder = folder();
    std::fs::write(folder.path().join("data.json"), DATA).unwrap();
    let report = |line: u32| {
        let text = format!(
            "<testsuite><testcase name='t::fails'><failure>shop/cart.py:{line}: in total\n\
             E   ValueError: no</failure></testcase></testsuite>"
        );
        std::fs::write(folder.path().join("report.xml"), text).unwrap();
        let rank = [
            "rank",
            "data.json",
            "--outcomes",
            "report.xml",
            "--no-source",
        ];
        let run = fdc_in(folder.path(), &rank);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stderr
    };
    assert!(!report(9).contains("stack trace"));
    let note = "note: the stack trace of the failing test is left out: \
                no call is at a measured line of the program; another version?\n";
    let said = report(99);
    assert!(said.contains(note), "{said}");
}

struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Self {
        let made = Repository(folder());
        made.git(&["init", "--quiet"]);
        std::fs::create_dir(made.0.path().join("shop")).unwrap();
        std::fs::write(made.0.path().join("data.json"), DATA).unwrap();
        std::fs::write(made.0.path().join(".gitignore"), "*.json\n*.fdc\n").unwrap();
        made.commit(&source("pass"));
        made.commit(&source("return 1"));
        made
    }

    fn git(&self, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.current_dir(self.0.path()).args(arguments);
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "Ann");
            command.env(format!("GIT_{who}_EMAIL"), "ann@example.com");
        }
        assert!(command.status().unwrap().success(), "{arguments:?}");
    }

    fn commit(&self, text: &str) {
        std::fs::write(self.0.path().join("shop/cart.py"), text).unwrap();
        self.git(&["add", "."]);
        self.git(&["commit", "--quiet", "--message", "change"]);
    }
}

/// Line 9 is the body of `total`.
fn source(body: &str) -> String {
    let lines = [
        "",
        "",
        "def price():",
        "    a = 1",
        "    return a",
        "",
        "",
        "def total():",
    ];
    format!("{}\n    {body}\n    return 2\n", lines.join("\n"))
}

#[test]
fn the_history_of_files_is_imported_with_their_sources() {
    let project = Repository::new();
    let data = project.0.path().join("data.json");
    let source = ["--source", project.0.path().to_str().unwrap()];
    let case = imported(
        project.0.path(),
        &[&[data.to_str().unwrap()], &source[..]].concat(),
    );
    let history = case.history[0].unwrap();
    assert_eq!((history.commits, history.commits_since_change), (2, 0));
    let without = imported(project.0.path(), &[data.to_str().unwrap()]);
    assert!(without.history.is_empty());
}

#[test]
fn what_changed_since_a_revision_is_told_or_refused() {
    let project = Repository::new();
    let root = project.0.path();
    let since = |revision: &str| fdc_in(root, &["rank", "data.json", "--since", revision]);
    let run = since("HEAD~1");
    assert_eq!((run.code, &*run.stderr), (Some(0), ""));
    let run = since("HEAD");
    assert_eq!(
        (run.code, &*run.stderr),
        (
            Some(0),
            "note: nothing has changed since HEAD: ranked without it\n"
        )
    );
    std::fs::write(root.join("notes.txt"), "x").unwrap();
    let run = since("HEAD");
    assert_eq!(
        run.stderr,
        "note: the change of 1 file touches no measured method since HEAD: ranked without it\n"
    );
    let run = since("nowhere");
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr
            .starts_with("error: Git knows no revision \"nowhere\""),
        "{run:?}"
    );
    let data = testdata().join("orders/orders.json");
    let elsewhere = folder();
    let rank = ["rank", data.to_str().unwrap(), "--since", "HEAD"];
    let run = fdc_in(elsewhere.path(), &rank);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("is not in a Git repository"), "{run:?}");

    fdc_in(root, &["import", "data.json", "-o", "case.fdc"]).done();
    let report = ["report", "case.fdc", "--since", "HEAD", "-o", "report.md"];
    let run = fdc_in(root, &report);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.stderr.contains("touches no measured method since HEAD"),
        "{run:?}"
    );
}
