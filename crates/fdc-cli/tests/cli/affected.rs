//! What a change affects and who runs a line, on a case in a Git repository.

use std::path::{Path, PathBuf};
use std::process::Command;

use fdc_case::recording::{Judgement, Recording, TestRun};
use fdc_core::Outcome;

use crate::program::{Run, fdc_in};
use crate::schemas::problem;

const CART: &str = "import tax

LIMIT = 3


def add(cart, line):
    if len(cart) < LIMIT:
        cart.append(line)
    return cart


def total(cart):
    return sum(cart)
";

const TESTS: &str = "import pytest
from shop import cart


@pytest.fixture
def empty():
    return []


def test_add(empty):
    assert cart.add(empty, 1) == [1]


@pytest.mark.parametrize('lines', [[], [1]])
def test_total(lines):
    assert cart.total(lines) == sum(lines)


def test_nothing():
    pass
";

struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    /// Two functions and four tests, measured at the one commit.
    fn new() -> Self {
        let project = Project {
            folder: tempfile::tempdir().unwrap(),
        };
        project.write("shop/cart.py", CART);
        project.write("shop/rates.json", "{}\n");
        project.write("tests/test_cart.py", TESTS);
        project.git(&["init", "--quiet"]);
        project.git(&["add", "."]);
        project.git(&["commit", "--quiet", "--message", "first"]);
        project.collect();
        project
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn edit(&self, name: &str, old: &str, new: &str) {
        let text = std::fs::read_to_string(self.folder.path().join(name)).unwrap();
        assert!(text.contains(old), "{old}");
        self.write(name, &text.replacen(old, new, 1));
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.current_dir(self.folder.path()).args(arguments);
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "Ann");
            command.env(format!("GIT_{who}_EMAIL"), "ann@example.com");
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn collect(&self) {
        let (root, commit) = (self.root(), self.git(&["rev-parse", "HEAD"]));
        let about = [("collector", "pytest"), ("root", root.to_str().unwrap())];
        let mut recording = Recording::open(&root.join("case.fdc"), &about).unwrap();
        let notes = [("commit", commit), ("uncommitted", String::new())];
        recording.note(&notes).unwrap();
        let add = [("shop/cart.py::add", 7), ("shop/cart.py::add", 8)];
        let total = [("shop/cart.py::total", 13)];
        for (name, outcome, lines) in [
            ("test_add", Outcome::Pass, &add[..]),
            ("test_total[lines0]", Outcome::Pass, &total[..]),
            ("test_total[lines1]", Outcome::Fail, &total[..]),
            ("test_nothing", Outcome::Pass, &[]),
        ] {
            let element =
                |&(method, line): &(&str, u32)| recording.element("shop/cart.py", method, line);
            let mut elements: Vec<u32> = lines.iter().map(element).collect();
            let name = format!("tests/test_cart.py::{name}");
            let run = TestRun {
                name: &name,
                judgement: Judgement::Judged(outcome),
                seconds: None,
                note: None,
                failure: None,
            };
            recording.record(&run, &mut elements).unwrap();
        }
        recording.finish(true).unwrap();
    }

    fn fdc(&self, arguments: &[&str]) -> Run {
        fdc_in(self.folder.path(), arguments)
    }

    /// Affected tests without their file, and what was said.
    #[track_caller]
    fn affected(&self, more: &[&str]) -> (Vec<String>, String) {
        let run = self.fdc(&[&["affected"], more].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let bare = |line: &str| line.replace("tests/test_cart.py::", "");
        (run.stdout.lines().map(bare).collect(), run.stderr)
    }
}

#[test]
fn a_changed_function_affects_the_tests_that_ran_it_wherever_its_lines_are_now() {
    let project = Project::new();
    let (tests, said) = project.affected(&[]);
    assert!(
        tests.is_empty() && said.starts_with("0 of 4 tests affected by 0 files"),
        "{said}"
    );
    project.edit(
        "shop/cart.py",
        "import tax\n",
        "import tax\n\n# New.\n# Lines.\n\n",
    );
    assert!(
        project.affected(&[]).0.is_empty(),
        "blank lines and comments"
    );
    project.edit("shop/cart.py", "return sum(cart)", "return sum(cart) + 0");
    let expected = ["test_total[lines0]", "test_total[lines1]"];
    assert_eq!(project.affected(&[]).0, expected);
    project.git(&["add", "."]);
    assert_eq!(project.affected(&["--since", "HEAD"]).0, expected, "staged");
    project.git(&["commit", "--quiet", "--message", "second"]);
    let (tests, said) = project.affected(&["--since", "HEAD"]);
    assert_eq!(tests, expected);
    assert!(said.contains("1 file is not as at HEAD"), "{said}");
}

#[test]
fn what_runs_at_import_affects_every_test_that_ran_the_file() {
    let project = Project::new();
    project.edit("shop/cart.py", "LIMIT = 3", "LIMIT = 4");
    let (tests, _) = project.affected(&[]);
    assert_eq!(
        tests,
        ["test_add", "test_total[lines0]", "test_total[lines1]"]
    );
    project.git(&["checkout", "--quiet", "."]);
    project.edit("shop/cart.py", "import tax", "import duty as LIMIT");
    let (tests, _) = project.affected(&[]);
    assert_eq!(tests, ["test_add"], "what mentions the name of an import");
}

#[test]
fn a_test_whose_own_source_changed_is_affected_and_new_ones_are_told() {
    let project = Project::new();
    project.edit("tests/test_cart.py", "    pass", "    assert True");
    assert_eq!(project.affected(&[]).0, ["test_nothing"]);
    project.edit("tests/test_cart.py", "[[], [1]]", "[[], [1], [2]]");
    let (tests, _) = project.affected(&[]);
    assert_eq!(
        tests,
        ["test_nothing", "test_total"],
        "its cases may be others"
    );
    project.write("tests/test_new.py", "def test_new():\n    pass\n");
    let (tests, said) = project.affected(&[]);
    assert_eq!(tests, ["test_nothing", "test_total", "tests/test_new.py"]);
    assert!(said.contains("new tests that the case does not know:\n  tests/test_new.py"));
    project.edit("tests/test_cart.py", "return []", "return list()");
    assert_eq!(
        project.affected(&[]).0.len(),
        5 - 1,
        "a fixture is everybody's"
    );
}

#[test]
fn tests_that_are_gone_are_told_and_not_printed() {
    let project = Project::new();
    project.edit("tests/test_cart.py", "def test_nothing():\n    pass\n", "");
    let (tests, said) = project.affected(&[]);
    assert!(tests.is_empty(), "{tests:?}");
    let gone = "gone since:\n  tests/test_cart.py::test_nothing";
    assert!(said.ends_with(&format!("{gone}\n")), "{said}");
    std::fs::remove_file(project.root().join("tests/test_cart.py")).unwrap();
    assert!(project.affected(&[]).0.is_empty());
}

#[test]
fn files_that_coverage_cannot_see_are_named() {
    let project = Project::new();
    project.write("notes.md", "Read.\n");
    let (tests, said) = project.affected(&[]);
    assert!(tests.is_empty(), "{tests:?}");
    assert!(
        said.contains("taken to concern no test:\n  notes.md"),
        "{said}"
    );
    project.write("shop/rates.json", "[]\n");
    let (tests, said) = project.affected(&[]);
    assert_eq!(tests.len(), 4);
    assert!(
        said.contains("so all are listed:\n  shop/rates.json"),
        "{said}"
    );
    let (tests, said) = project.affected(&["--only-covered"]);
    assert!(tests.is_empty());
    assert!(said.contains("and left out:\n  shop/rates.json"), "{said}");
    project.write("shop/rates.json", "{}\n");
    project.write("tests/conftest.py", "x = 1\n");
    assert_eq!(project.affected(&[]).0.len(), 4);
    std::fs::remove_file(project.root().join("tests/conftest.py")).unwrap();
    project.write("other/conftest.py", "x = 1\n");
    assert!(project.affected(&[]).0.is_empty(), "below its folder alone");
}

#[test]
fn the_json_says_why_and_conforms() {
    let project = Project::new();
    project.edit("shop/cart.py", "return sum(cart)", "return sum(cart) + 0");
    project.edit("tests/test_cart.py", "    pass", "    assert True");
    project.write("tests/test_new.py", "def test_new():\n    pass\n");
    project.write("shop/rates.json", "[]\n");
    let document = project.fdc(&["affected", "--format", "json"]).json();
    assert_eq!(problem("affected", &document), None);
    let why = |test: &serde_json::Value| test["why"].as_str().unwrap().to_owned();
    let tests = document["tests"].as_array().unwrap();
    let why: Vec<String> = tests.iter().map(why).collect();
    let expected = ["any-test", "own-source", "ran-function", "ran-function"];
    assert_eq!(why, expected);
    assert_eq!(tests[2]["what"], "total");
    for place in ["shop/cart.py:13", "total", "shop/cart.py:1-2"] {
        let document = project.fdc(&["who", place, "--format", "json"]).json();
        assert_eq!(problem("who", &document), None);
    }
}

#[test]
fn a_case_that_does_not_tell_its_commit_wants_a_revision() {
    let project = Project::new();
    let document = project.root().join("old.json");
    let case = project.root().join("case.fdc");
    let (case, json) = (case.to_str().unwrap(), document.to_str().unwrap());
    project.fdc(&["import", case, "-o", json]).done();
    std::fs::remove_file(case).unwrap();
    project
        .fdc(&["import", json, "--source", ".", "-o", case])
        .done();
    project.write("pytest.ini", "");
    project.git(&["add", "pytest.ini"]);
    project.git(&["commit", "--quiet", "--message", "second"]);
    let run = project.fdc(&["affected"]);
    assert_eq!(run.code, Some(2));
    let said = "error: the case does not tell at which commit it was measured\n  name the revision that it was measured at: --since REV\n";
    assert_eq!(run.stderr, said);
    project.edit("shop/cart.py", "return sum(cart)", "return sum(cart) + 0");
    std::fs::remove_file(json).unwrap();
    let (tests, _) = project.affected(&["--since", "HEAD"]);
    assert_eq!(tests, ["test_total[lines0]", "test_total[lines1]"]);
    assert_eq!(
        project.fdc(&["affected", "--since", "nowhere"]).code,
        Some(2)
    );
}

#[test]
fn who_runs_a_place_is_told_with_failing_tests_first() {
    let project = Project::new();
    for (place, expected) in [
        (
            "shop/cart.py:13",
            "outcome  lines  test\nfail         1  tests/test_cart.py::test_total[lines1]\npass         1  tests/test_cart.py::test_total[lines0]\n",
        ),
        (
            "add",
            "outcome  lines  test\npass         2  tests/test_cart.py::test_add\n",
        ),
        (
            "./shop/cart.py:1-7",
            "outcome  lines  test\npass         1  tests/test_cart.py::test_add\n",
        ),
        ("cart.py:2", ""),
    ] {
        assert_eq!(project.fdc(&["who", place]).done(), expected, "{place}");
    }
    let run = project.fdc(&["who", "cart.py"]);
    assert_eq!(run.stdout.lines().count(), 4);
    assert_eq!(
        run.stderr,
        "shop/cart.py: 3 of 4 tests run it (3 lines measured)\n"
    );
    let run = project.fdc(&["who", "shop/card.py:3"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("did you mean \"shop/cart.py\"?"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_export_is_read_again_with_the_same_coverage() {
    let project = Project::new();
    let ranked = |case: &Path| {
        let case = case.to_str().unwrap();
        let failed = "tests/test_cart.py::test_total[lines1]";
        let arguments = [
            "rank",
            case,
            "--source",
            ".",
            "--formula",
            "ochiai",
            "--failed",
            failed,
        ];
        project.fdc(&arguments).done()
    };
    let expected = ranked(&project.root().join("case.fdc"));
    assert!(expected.contains("total"), "{expected}");
    for (format, name) in [
        ("lcov", "case.info"),
        ("cobertura", "case.cobertura"),
        ("coverage.py", "case.coverage"),
        ("dataset", "case.json"),
    ] {
        project
            .fdc(&["export", "case.fdc", "--format", format])
            .done();
        let out = project.root().join(name);
        assert_eq!(ranked(&out), expected, "{format}");
        let relative = project.root().join("relative");
        let arguments = [
            "export",
            "case.fdc",
            "--format",
            format,
            "--relative",
            "-o",
            "relative",
        ];
        project.fdc(&arguments).done();
        if format == "lcov" {
            let text = |path: &Path| std::fs::read_to_string(path).unwrap();
            assert!(text(&relative).contains("SF:shop/cart.py\n"));
            let whole = format!("SF:{}/shop/cart.py\n", project.root().display());
            assert!(text(&out).contains(&whole));
        }
        let _ = std::fs::remove_dir_all(&relative).or_else(|_| std::fs::remove_file(&relative));
    }
    let run = project.fdc(&["export", "case.fdc", "--format", "jacoco"]);
    assert_eq!(run.code, Some(2));
    let run = project.fdc(&["export", "case.fdc", "--format", "case"]);
    assert_eq!(
        run.code,
        Some(2),
        "it would be written over: {}",
        run.stderr
    );
}
