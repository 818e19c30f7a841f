//! `fdc watch`: the command's own output and exit code, and where to look if it fails.

use std::path::Path;
use std::process::Command;

use crate::program::{Run, fdc_in, python};

const SHOP: &str = "def price(count):\n    if count < 0:\n        raise ValueError('count')\n    \
                    return count * 3\n\n\ndef total(counts):\n    return sum(price(count) for count in counts)\n";
const TESTS: &str = "import pytest\nimport shop\n\n\ndef test_price():\n    assert shop.price(2) == 6\n\n\n\
                     def test_total():\n    assert shop.total([1, 2]) == 9\n";

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

fn outcome_of(case: &Path, test: &str) -> Option<fdc_core::Outcome> {
    let spectrum = fdc_case::Case::open(case).unwrap().measured().unwrap();
    let found = spectrum.tests.iter().find(|own| own.name == test);
    found.unwrap_or_else(|| panic!("no {test}")).outcome
}

#[test]
fn a_failing_pytest_ends_with_the_suspects_and_its_case_is_kept_up() {
    let Some(python) = python() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "pytest.ini", "[pytest]\n");
    write(folder, "shop.py", SHOP);
    write(folder, "test_shop.py", TESTS);
    let watch = |more: &[&str]| -> Run {
        let words = [
            "watch",
            "--",
            &*python,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
        ];
        fdc_in(folder, &[&words, more].concat())
    };
    let fdc_lines = |run: &Run| -> Vec<String> {
        let lines = run.stdout.lines().filter(|line| line.starts_with("fdc: "));
        lines.map(str::to_owned).collect()
    };

    // All pass: nothing is said, and what was measured is kept.
    let run = watch(&[]);
    assert_eq!((run.code, fdc_lines(&run).len()), (Some(0), 0), "{run:?}");
    let case = folder.join("case.fdc");
    assert!(outcome_of(&case, "test_shop.py::test_total").is_some());
    let before = std::fs::read(&case).unwrap();
    let run = watch(&[]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        before == std::fs::read(&case).unwrap(),
        "nothing new is nothing written"
    );

    // A bug: the suspects, after all that pytest says.
    write(folder, "shop.py", &SHOP.replace("* 3", "* 4"));
    let run = watch(&[]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let lines = fdc_lines(&run);
    assert!(lines[0].starts_with("fdc: 1. shop.py:"), "{run:?}");
    assert!(lines[0].contains(" price ("), "{lines:?}");
    assert!(
        lines.last().unwrap().contains("fdc rank case.fdc"),
        "{lines:?}"
    );
    assert!(
        run.stdout
            .ends_with(&format!("{}\n", lines.last().unwrap())),
        "{run:?}"
    );

    // A part of the tests: of the others the case keeps what it has.
    write(folder, "test_shop.py", &TESTS.replace("== 9", "== 12"));
    write(folder, "shop.py", &SHOP.replace("* 3", "* 4"));
    let run = watch(&["-k", "total"]);
    assert_eq!((run.code, fdc_lines(&run).len()), (Some(0), 0), "{run:?}");
    let passed = Some(fdc_core::Outcome::Pass);
    assert_eq!(outcome_of(&case, "test_shop.py::test_total"), passed);

    // A wrong option is pytest's own matter, and so is its exit code.
    let run = watch(&["--no-such-option"]);
    assert_eq!(run.code, Some(4), "{run:?}");

    // A case that cannot be used: one line, and the run is as it was.
    write(folder, "case.fdc", "this is no case at all");
    let run = watch(&[]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let lines = fdc_lines(&run);
    assert!(
        lines.len() == 1 && lines[0].contains("cannot be used"),
        "{run:?}"
    );
    let left = std::fs::read_to_string(&case).unwrap();
    assert_eq!(left, "this is no case at all");
}

const LIB: &str = "pub fn price(count: i32) -> i32 {\n    count * 4\n}\n\n\
                   pub fn total(counts: &[i32]) -> i32 {\n    counts.iter().map(|&c| price(c)).sum()\n}\n\n\
                   pub fn name() -> String {\n    \"shop\".to_uppercase()\n}\n\n\
                   #[cfg(test)]\nmod tests {\n    \
                   #[test]\n    fn named() {\n        assert_eq!(super::name(), \"SHOP\");\n    }\n\n    \
                   #[test]\n    fn sums() {\n        assert_eq!(super::total(&[1, 2]), 9);\n    }\n}\n";

#[test]
fn a_failing_cargo_test_ends_with_the_suspects() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::create_dir(folder.join("src")).unwrap();
    let manifest =
        "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    write(folder, "Cargo.toml", manifest);
    write(folder, "src/lib.rs", LIB);
    let watch = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fdc"));
        command.args(["watch", "--", "cargo", "test", "--offline", "--lib"]);
        let target = folder.join("target");
        let output = command
            .current_dir(folder)
            .env("CARGO_TARGET_DIR", target)
            .output();
        let output = output.unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let (code, stdout, stderr) = watch();
    assert_eq!(code, Some(101), "{stdout}{stderr}");
    assert!(stdout.contains("test tests::sums ... FAILED"), "{stdout}");
    let lines: Vec<&str> = stderr
        .lines()
        .filter(|line| line.starts_with("fdc: "))
        .collect();
    assert!(lines[0].starts_with("fdc: 1. src/lib.rs:"), "{stderr}");
    assert!(
        !lines.iter().any(|line| line.contains("name (")),
        "{stderr}"
    );

    write(folder, "src/lib.rs", &LIB.replace("* 4", "* 3"));
    let before = std::fs::read(folder.join("case.fdc")).unwrap();
    let (code, stdout, stderr) = watch();
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(!stderr.contains("fdc: "), "{stderr}");
    assert!(before == std::fs::read(folder.join("case.fdc")).unwrap());
}
