//! What people see, whole: tables, manual pages, help and errors, as they stand in `snapshots/`.
//! `INSTA_UPDATE=always cargo test -p fdc-cli --test cli snapshots` writes them anew.

use insta::assert_snapshot;

use crate::program::{command, fdc, testdata};

/// Everything that a run said, and how it ended.
fn seen(arguments: &[&str]) -> String {
    let run = fdc(arguments);
    let mut text = run.stdout;
    if !run.stderr.is_empty() {
        text += &format!("--- to standard error\n{}", run.stderr);
    }
    if run.code != Some(0) {
        text += &format!("--- exit code {:?}\n", run.code.expect("no signal"));
    }
    text
}

fn check(screens: &[(&str, &[&str])]) {
    for (name, arguments) in screens {
        assert_snapshot!(*name, seen(arguments));
    }
}

#[test]
fn rankings_look_as_they_did() {
    check(&[
        ("rank", &["rank", "orders/orders.json"]),
        (
            "rank_with_source",
            &["rank", "orders/orders.json", "--source", "orders"],
        ),
        (
            "rank_lines",
            &[
                "rank",
                "orders/orders.json",
                "--level",
                "line",
                "--top",
                "5",
            ],
        ),
        (
            "rank_files",
            &["rank", "orders/orders.json", "--level", "file"],
        ),
        ("rank_paper", &["rank", "paper-example/example.csv"]),
    ]);
}

#[test]
fn choices_look_as_they_did() {
    check(&[
        ("select", &["select", "orders/orders.json"]),
        ("select_paper", &["select", "paper-example/example.csv"]),
        ("demo", &["demo"]),
    ]);
}

#[test]
fn lists_look_as_they_did() {
    for what in [
        "metrics",
        "formulas",
        "formats",
        "ecosystems",
        "generators",
        "mutators",
        "models",
    ] {
        assert_snapshot!(format!("list_{what}"), seen(&["list", what]));
    }
}

#[test]
fn manual_pages_look_as_they_did() {
    for name in ["split", "rlfdc", "ochiai", "lcov", "pytest", "pynguin"] {
        assert_snapshot!(format!("explain_{name}"), seen(&["explain", name]));
    }
}

#[test]
fn help_looks_as_it_did() {
    let commands = [
        "demo",
        "collect",
        "watch",
        "import",
        "export",
        "affected",
        "who",
        "rank",
        "select",
        "label",
        "report",
        "serve",
        "lsp",
        "mutate",
        "generate",
        "train",
        "evaluate",
        "compare",
        "study",
        "model",
        "list",
        "explain",
        "completions",
        "man",
    ];
    assert_snapshot!("help", seen(&["--help"]));
    for name in commands {
        assert_snapshot!(format!("help_{name}"), seen(&[name, "--help"]));
    }
    for columns in ["80", "120"] {
        let mut rank = command(&testdata(), &["rank", "--help"]);
        let output = rank.env("COLUMNS", columns).output().expect("it starts");
        let text = String::from_utf8(output.stdout).expect("output is UTF-8");
        assert_snapshot!(format!("help_rank_{columns}"), text);
    }
}

#[test]
fn errors_look_as_they_did() {
    check(&[
        ("error_no_case", &["label", "nowhere.fdc"]),
        ("error_no_file", &["rank", "nowhere.json"]),
        ("error_no_coverage", &["rank", "orders/README.md"]),
        (
            "error_unknown_metric",
            &["select", "orders/orders.json", "--metric", "slpit"],
        ),
        (
            "error_unknown_test",
            &["rank", "orders/orders.json", "--failing", "test_nothing"],
        ),
        ("error_unknown_option", &["rank", "--formla", "ochiai"]),
        ("error_no_outcomes", &["rank", "csv/named.csv"]),
        ("error_unknown_page", &["explain", "ochai"]),
    ]);
}
