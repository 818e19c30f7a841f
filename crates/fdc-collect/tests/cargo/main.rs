//! `fdc collect cargo` on `testdata/cargo-project`.
//!
//! Every collection runs in a process of its own: this very test program, asked for the test
//! `collector` with its orders in variables. So it can have an environment and be killed.

mod orders;
mod project;

use std::collections::BTreeSet;

use orders::Orders;
use project::{Project, git};

/// Lines of a file.
fn lines<const N: usize>(file: &str, lines: [u32; N]) -> BTreeSet<(String, u32)> {
    lines.map(|line| (file.to_owned(), line)).into()
}

#[test]
fn every_test_is_measured_alone() {
    let project = Project::new();
    let report = project.collect(&Orders::default());
    assert_eq!(report.error, None, "{report:?}");
    let note = "till (own_harness): a test harness of its own that lists no tests; not measured";
    assert!(report.notes.iter().any(|n| n == note), "{report:?}");
    let case = project.case();
    let outcomes: Vec<_> = case.tests.iter().map(|t| (&*t.name, &*t.outcome)).collect();
    assert_eq!(
        outcomes,
        [
            ("till::basket::nothing_costs_nothing", "pass"),
            ("till::basket::three_things_cost_their_sum", "fail"),
            ("till::basket::two_things_cost_their_sum", "pass"),
            ("till::program::a_test_runs_where_cargo_runs_it", "pass"),
            ("till::program::the_program_refuses_words", "pass"),
            ("till::tests::a_discount_is_taken_off", "pass"),
            ("till::tests::flags_stay_in_force", "pass"),
            ("till::tests::largest_of_letters_needs_no_swap", "pass"),
            ("till::tests::largest_of_numbers", "pass"),
            ("till::tests::too_large_a_discount_is_refused", "pass"),
            ("till::trouble::aborts", "pass"),
            ("till::trouble::exits", "pass"),
            ("till::trouble::hangs", "pass"),
            ("till::trouble::overflows", "pass"),
            ("till::trouble::wavers", "pass"),
        ]
    );
    let skipped = [(
        "till::tests::slow".to_owned(),
        "ignored: takes a year".to_owned(),
    )];
    assert_eq!(case.skipped, skipped);
    let failure = case.test("till::basket::three_things_cost_their_sum");
    let expected = "panicked at tests/basket.rs:24:5: assertion `left == right` failed";
    assert_eq!(failure.note.as_deref(), Some(expected));
    assert_eq!(
        failure.lines,
        lines("src/basket.rs", [8, 9, 10, 13, 14, 15, 16, 19])
    );
    let expected = "src/basket.rs::Basket::total";
    assert_eq!(case.method("src/basket.rs", 16), Some(expected));
    // Copies of a generic function count for its one source; the swap is one test's alone.
    let numbers = case.test("till::tests::largest_of_numbers");
    assert_eq!(
        numbers.lines,
        lines("src/lib.rs", [6, 7, 8, 9, 10, 11, 13, 14])
    );
    let letters = case.test("till::tests::largest_of_letters_needs_no_swap");
    assert_eq!(letters.lines, lines("src/lib.rs", [6, 7, 8, 9, 11, 13, 14]));
    // A macro counts where it is called.
    let discount = case.test("till::tests::a_discount_is_taken_off");
    assert_eq!(discount.lines, lines("src/lib.rs", [22, 23, 25, 26, 27]));
    // The line that panics counts.
    let refused = case.test("till::tests::too_large_a_discount_is_refused");
    assert_eq!(refused.lines, lines("src/lib.rs", [22, 23, 24]));
    // The package's program ran in a process of its own.
    let program = case.test("till::program::the_program_refuses_words");
    let mut expected = lines("src/basket.rs", [8, 9, 10]);
    expected.extend(lines("src/main.rs", [3, 4, 5, 6, 7, 8, 14, 15, 16]));
    assert_eq!(program.lines, expected);
    assert!(!project.root().join("case.fdc.work").exists());
}

#[test]
fn a_test_that_ends_the_process_fails_and_keeps_what_it_ran() {
    let project = Project::new();
    project.trouble("hang\nabort\nexit\noverflow");
    let orders = Orders {
        only: "trouble".into(),
        timeout: "8".into(),
        ..Orders::default()
    };
    let report = project.collect(&orders);
    assert_eq!(report.error, None, "{report:?}");
    let case = project.case();
    let note = |name: &str| case.test(name).note.clone().unwrap_or_default();
    for (name, outcome, expected, line) in [
        ("till::trouble::hangs", "fail", "timed out after 8 s", 37),
        (
            "till::trouble::aborts",
            "fail",
            "the test ended the process: signal SIGABRT",
            43,
        ),
        (
            "till::trouble::exits",
            "fail",
            "the test ended the process before it was over",
            44,
        ),
        (
            "till::trouble::overflows",
            "fail",
            "the test ended the process: signal SIGABRT",
            53,
        ),
    ] {
        let test = case.test(name);
        assert_eq!(test.outcome, outcome, "{name}");
        assert!(note(name).starts_with(expected), "{name}: {}", note(name));
        let place = ("src/lib.rs".to_owned(), line);
        assert!(test.lines.contains(&place), "{name}: {:?}", test.lines);
    }
    assert!(note("till::trouble::overflows").contains("stack overflow"));
    assert_eq!(case.test("till::trouble::wavers").outcome, "pass");
}

#[test]
fn a_killed_collection_goes_on_where_it_was() {
    let project = Project::new();
    let orders = Orders {
        exclude: "program".into(),
        ..Orders::default()
    };
    assert_eq!(project.collect(&orders).error, None);
    let whole = project.case();
    project.remove_case();
    // With one worker, tests in the order of their names, and no limit it stops for good at `hangs`.
    project.trouble("hang");
    let hanging = Orders {
        jobs: "1".into(),
        ..orders.clone()
    };
    let mut collector = project.start(&hanging);
    let orphan = project.wait_for_process("till", "trouble-", "hangs");
    collector.kill().unwrap();
    collector.wait().unwrap();
    project.trouble("");
    let report = project.collect(&orders);
    assert_eq!(report.error, None, "{report:?}");
    let ran = [
        "till::trouble::hangs",
        "till::trouble::overflows",
        "till::trouble::wavers",
    ];
    assert_eq!(report.finished, ran);
    assert_eq!(project.case(), whole);
    assert!(
        project::has_ended(orphan),
        "the hanging test was left behind"
    );
}

#[test]
fn tests_are_chosen_by_name_and_unsteady_ones_are_found() {
    let project = Project::new();
    project.trouble("waver");
    let orders = Orders {
        only: "till::tests::*,*wavers".into(),
        exclude: "letters".into(),
        runs: "3".into(),
        ..Orders::default()
    };
    let report = project.collect(&orders);
    assert_eq!(report.error, None, "{report:?}");
    let case = project.case();
    let names: Vec<_> = case.tests.iter().map(|test| &*test.name).collect();
    assert_eq!(
        names,
        [
            "till::tests::a_discount_is_taken_off",
            "till::tests::flags_stay_in_force",
            "till::tests::largest_of_numbers",
            "till::tests::too_large_a_discount_is_refused",
            "till::trouble::wavers",
        ]
    );
    let flaky: Vec<_> = case
        .tests
        .iter()
        .filter(|test| test.flaky)
        .map(|t| &*t.name)
        .collect();
    assert_eq!(flaky, ["till::trouble::wavers"]);
}

#[test]
fn only_what_a_change_touches_is_measured_again() {
    let project = Project::new();
    project.write(".gitignore", "/target\n");
    git(project.root(), &["init", "--quiet"]);
    git(project.root(), &["add", "."]);
    git(project.root(), &["commit", "--quiet", "--message", "start"]);
    assert_eq!(project.collect(&Orders::default()).error, None);
    let since = Orders {
        since: "HEAD".into(),
        ..Orders::default()
    };
    let report = project.collect(&since);
    // Skipped tests are looked at again: they may not be skipped any more.
    assert_eq!(report.finished, ["till::tests::slow"], "{:?}", report.notes);
    let basket = project.read("src/basket.rs").replace("sum - 1", "sum");
    project.write("src/basket.rs", &basket);
    let trouble = project
        .read("tests/trouble.rs")
        .replace("not this time", "not now");
    project.write("tests/trouble.rs", &trouble);
    let report = project.collect(&since);
    assert_eq!(report.error, None, "{report:?}");
    let expected = [
        "till::basket::nothing_costs_nothing",
        "till::basket::three_things_cost_their_sum",
        "till::basket::two_things_cost_their_sum",
        "till::tests::slow",
        "till::trouble::wavers",
    ];
    assert_eq!(report.finished, expected);
    let case = project.case();
    assert_eq!(
        case.test("till::basket::three_things_cost_their_sum")
            .outcome,
        "pass"
    );
}

#[test]
fn llvms_own_tools_say_the_same() {
    let Some((profdata, cov)) = project::llvm_tools() else {
        return;
    };
    let project = Project::new();
    let orders = Orders::default();
    assert_eq!(project.collect(&orders).error, None);
    let ours = project.case();
    project.remove_case();
    let tools = Orders {
        variables: vec![
            ("LLVM_PROFDATA".into(), profdata.clone()),
            ("LLVM_COV".into(), cov),
        ],
        ..orders
    };
    let report = project.collect(&tools);
    assert_eq!(report.error, None, "{report:?}");
    project.case().must_be(&ours);
    // Tools of another LLVM are refused before anything is measured.
    let old = project.script("llvm-cov", "echo LLVM version 14.0.6");
    let mixed = Orders {
        variables: vec![
            ("LLVM_PROFDATA".into(), profdata),
            ("LLVM_COV".into(), old.clone()),
        ],
        ..Orders::default()
    };
    project.remove_case();
    let error = project.collect(&mixed).error.unwrap();
    assert!(
        error.starts_with(&format!("{old} is of LLVM 14.0.6, but rustc ")),
        "{error}"
    );
    assert!(error.contains("rustup component add llvm-tools"), "{error}");
}

#[test]
fn a_build_that_fails_shows_the_compilers_words() {
    let project = Project::new();
    let broken = project
        .read("src/basket.rs")
        .replace("i64 = self", "u8 = self");
    project.write("src/basket.rs", &broken);
    let error = project.collect(&Orders::default()).error.unwrap();
    assert!(
        error.starts_with("the tests do not build (cargo: exit code 101)\n"),
        "{error}"
    );
    assert!(error.contains("error[E0"), "{error}");
    assert!(error.contains("src/basket.rs:14"), "{error}");
    project.write("Cargo.toml", "[package]\nname = 7\n");
    let error = project.collect(&Orders::default()).error.unwrap();
    assert!(error.starts_with("cargo metadata failed in "), "{error}");
}

#[test]
fn a_project_without_tests_says_so() {
    let project = Project::new();
    let orders = Orders {
        arguments: "--bin till".into(),
        ..Orders::default()
    };
    let error = project.collect(&orders).error.unwrap();
    assert!(error.starts_with("no tests found in "), "{error}");
    assert!(!project.root().join("case.fdc").exists());
}

/// No test, but the collector that the tests above start.
#[test]
fn collector() {
    orders::carry_out();
}
