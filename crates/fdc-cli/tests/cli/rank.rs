//! `fdc rank`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::program::{fdc, fdc_in, listed};
use crate::subjects::{ORDERS_FAILING, ORDERS_FAULTY, dataset, failed_case, folder, write_json};

const ORDERS: &[&str] = &["rank", "orders/orders.json", "--formula", "ochiai"];
/// `1 / sqrt(2)` as `ef / sqrt(F (ef+ep))` comes out.
const ROOT_OF_HALF: f64 = 0.707_106_781_186_547_5;
const PAPER: &[&str] = &["rank", "paper-example/example.csv", "--formula", "ochiai"];

fn json_of(start: &[&str], more: &[&str]) -> Value {
    fdc(&[start, more, &["--format", "json"]].concat()).json()
}

/// `(name, rank)` of every entry.
fn places(entries: &Value) -> Vec<(String, f64)> {
    let place = |entry: &Value| {
        let name = entry["name"].as_str().expect("a name");
        (name.to_owned(), entry["rank"].as_f64().expect("a rank"))
    };
    entries
        .as_array()
        .expect("a list")
        .iter()
        .map(place)
        .collect()
}

#[test]
fn above_the_table_stands_how_tests_failed() {
    let (_folder, case) = failed_case();
    let text = fdc(&["rank", case.to_str().unwrap()]).done();
    let lines: Vec<&str> = text.lines().take(4).collect();
    assert_eq!(lines[2], "test_total: AssertionError: assert 3 == 4");
    assert_eq!((lines[1], lines[3]), ("", ""), "a line of its own");
}

#[test]
fn json_tells_what_was_computed_and_how() {
    let document = json_of(ORDERS, &[]);
    let keys: BTreeSet<&str> = document
        .as_object()
        .unwrap()
        .keys()
        .map(|key| &**key)
        .collect();
    let expected = [
        "aggregate",
        "failing",
        "formula",
        "methods",
        "schema",
        "tie",
    ];
    assert_eq!(keys, BTreeSet::from(expected));
    assert_eq!(document["schema"], 2);
    assert_eq!(document["formula"], "ochiai");
    assert_eq!(document["tie"], "max");
    assert_eq!(document["aggregate"], "max");
    assert_eq!(document["failing"], json!([ORDERS_FAILING]));
    let methods = document["methods"].as_array().unwrap();
    assert_eq!(methods.len(), 70, "all methods, not the first ten");
    let first = json!({
        "name": ORDERS_FAULTY,
        "file": "orders/discount.py",
        "line": 55,
        "score": ROOT_OF_HALF,
        "rank": 1,
    });
    assert_eq!(methods[0], first);
}

#[test]
fn the_papers_example_ranks_as_printed() {
    let places = places(&json_of(PAPER, &[])["methods"]);
    let expected = [
        ("m4", 1.0),
        ("m2", 2.0),
        ("m3", 3.0),
        ("m5", 4.0),
        ("m6", 5.0),
        ("m1", 6.0),
    ];
    assert_eq!(places, expected.map(|(name, rank)| (name.to_owned(), rank)));
}

#[test]
fn lines_are_named_by_file_and_number_and_know_their_method() {
    let document = json_of(ORDERS, &["--level", "line"]);
    assert!(document.get("methods").is_none());
    let lines = document["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 285);
    let first = json!({
        "name": "orders/discount.py:55",
        "file": "orders/discount.py",
        "line": 55,
        "method": ORDERS_FAULTY,
        "score": ROOT_OF_HALF,
        "rank": 1,
    });
    assert_eq!(lines[0], first);
}

#[test]
fn statements_keep_the_names_their_input_gives_them() {
    let lines = json_of(PAPER, &["--level", "line"]);
    assert_eq!(lines["lines"][0]["name"], "s9");
    assert_eq!(lines["lines"][0]["method"], "m4");
    assert_eq!(lines["lines"][0]["line"], 9);
    let table = fdc(&[
        "rank",
        "tcm/names.tcm",
        "--level",
        "line",
        "--formula",
        "ochiai",
    ])
    .done();
    assert!(table.contains("orders.total:7"), "{table}");
}

#[test]
fn files_are_paths_or_classes() {
    let names = |input: &str| -> Vec<String> {
        let document = json_of(
            &["rank", input, "--level", "file"],
            &["--formula", "ochiai"],
        );
        places(&document["files"])
            .into_iter()
            .map(|(name, _)| name)
            .collect()
    };
    assert_eq!(names("orders/orders.json")[0], "orders/discount.py");
    assert_eq!(names("orders/orders.json").len(), 8);
    assert_eq!(names("gzoltar/shop"), ["org.shop.Cart", "Main"]);
    assert_eq!(names("tcm/paths.tcm.zst"), ["main.c", "shop/cart.py"]);
}

#[test]
fn every_tie_policy_gives_its_place() {
    // s9 and s14 are tied, then five lines with s2.
    let start = &[
        "rank",
        "paper-example/example.csv",
        "--level",
        "line",
        "-n",
        "3",
        "--formula",
        "ochiai",
    ];
    let first_ranks = |tie: &str| -> Vec<f64> {
        let document = json_of(start, &["--tie", tie]);
        assert_eq!(document["tie"], tie);
        places(&document["lines"])
            .into_iter()
            .map(|(_, rank)| rank)
            .collect()
    };
    assert_eq!(first_ranks("max"), [2.0, 2.0, 7.0]);
    assert_eq!(first_ranks("min"), [1.0, 1.0, 3.0]);
    assert_eq!(first_ranks("average"), [1.5, 1.5, 5.0]);
    // One of the two is faulty, two of the five are.
    assert_eq!(first_ranks("expected"), [1.5, 1.5, 4.0]);
}

#[test]
fn every_aggregate_makes_its_own_score_of_the_same_lines() {
    let score = |aggregate: &str| {
        let document = json_of(PAPER, &["--aggregate", aggregate]);
        assert_eq!(document["aggregate"], aggregate);
        let methods = document["methods"].as_array().unwrap().iter();
        let m4 = methods.clone().find(|entry| entry["name"] == "m4").unwrap();
        m4["score"].as_f64().unwrap()
    };
    let lines = json_of(PAPER, &["--level", "line"]);
    let lines = lines["lines"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line["method"] == "m4");
    let scores: Vec<f64> = lines.map(|line| line["score"].as_f64().unwrap()).collect();
    let sum: f64 = scores.iter().sum();
    assert_eq!(scores.len(), 9);
    assert_eq!(score("max"), scores.iter().copied().fold(0.0, f64::max));
    assert!((score("sum") - sum).abs() < 1e-12);
    assert!((score("mean") - sum / 9.0).abs() < 1e-12);
}

#[test]
fn every_listed_formula_ranks() {
    for formula in listed("formulas") {
        let document = json_of(
            &["rank", "paper-example/example.csv"],
            &["--formula", &formula],
        );
        assert_eq!(document["formula"], Value::from(formula));
        assert_eq!(document["methods"].as_array().unwrap().len(), 6);
    }
}

#[test]
fn an_infinite_score_is_a_word_in_json_and_csv() {
    let alone = &[
        "rank",
        "csv/named.csv",
        "--failing",
        "first test",
        "--formula",
        "dstar",
    ];
    assert_eq!(json_of(alone, &[])["methods"][0]["score"], "inf");
    let csv = fdc(&[alone, &["--format", "csv"][..]].concat()).done();
    assert_eq!(csv, "rank,score,name\n1,inf,\"main.py::f\"\n2,0,\"g\"\n");
}

#[test]
fn csv_and_gzoltar_rankings_have_their_headers_and_all_places() {
    let csv = fdc(&[PAPER, &["--format", "csv"]].concat()).done();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("rank,score,name"));
    assert_eq!(lines.next(), Some("1,0.7071067811865475,\"m4\""));
    assert_eq!(lines.count(), 5);
    let gzoltar = fdc(&[PAPER, &["--format", "gzoltar", "--level", "line"]].concat()).done();
    let mut lines = gzoltar.lines();
    assert_eq!(lines.next(), Some("name;suspiciousness_value"));
    assert_eq!(lines.next(), Some("s9;0.7071067811865475"));
    assert_eq!(lines.count(), 27);
}

#[test]
fn a_number_of_places_is_kept_in_every_format() {
    let lines = |more: &[&str]| fdc(&[ORDERS, more].concat()).done().lines().count();
    assert_eq!(lines(&["-n", "3", "--format", "csv"]), 1 + 3);
    assert_eq!(lines(&["-n", "3", "--format", "gzoltar"]), 1 + 3);
    assert_eq!(
        json_of(ORDERS, &["-n", "3"])["methods"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    let table = fdc(&[ORDERS, &["-n", "3", "--no-source"]].concat()).done();
    assert!(
        table.ends_with("\n3 of 70 methods; more with -n.\n"),
        "{table}"
    );
    let whole = fdc(&[ORDERS, &["-n", "1000"]].concat()).done();
    assert!(!whole.contains("more with -n"));
}

#[test]
fn the_table_shows_ten_methods_and_where_their_lines_are() {
    let table = fdc(ORDERS).done();
    let expected = "orders 1: 1 failing and 116 passing tests; 70 methods, 285 lines.";
    assert!(table.starts_with(expected), "{table}");
    assert!(
        table.contains("   1  0.707  orders/discount.py::tiered_discount      50-56\n"),
        "{table}"
    );
    assert!(!table.contains('\u{1b}'), "no colours in a pipe");
}

#[test]
fn a_file_gets_the_bytes_that_a_pipe_gets() {
    // A page holds its command line, so it differs in `-o`.
    for format in ["table", "json", "csv", "gzoltar", "sarif"] {
        let folder = folder();
        let out = folder.path().join("ranking");
        let start = [ORDERS, &["--format", format]].concat();
        let stdout = fdc(&start).done();
        let with_out = [&start[..], &["-o", out.to_str().unwrap()]].concat();
        assert_eq!(fdc(&with_out).done(), "", "nothing on standard output");
        let written = std::fs::read_to_string(&out).unwrap();
        assert_eq!(written, stdout);
        assert!(!written.contains('\u{1b}'));
        let forced = crate::program::command(&crate::program::testdata(), &with_out)
            .env("CLICOLOR_FORCE", "1")
            .status();
        assert!(forced.unwrap().success());
        assert_eq!(
            std::fs::read_to_string(&out).unwrap(),
            stdout,
            "plain even if colour is forced"
        );
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            1,
            "no partial file"
        );
    }
}

#[test]
fn a_finding_ends_with_1_only_if_asked_for() {
    assert_eq!(fdc(ORDERS).code, Some(0));
    let asked = fdc(&[ORDERS, &["--exit-code"]].concat());
    assert_eq!(asked.code, Some(1));
    assert_eq!(asked.stderr, "");
    assert!(asked.stdout.contains(ORDERS_FAULTY));
}

/// Two failing tests that share m1, and a passing one.
fn two_failing() -> (tempfile::TempDir, String) {
    let folder = folder();
    let tests: &[(&str, Option<&str>, &[u32])] = &[
        ("a", Some("fail"), &[0, 1]),
        ("b", Some("fail"), &[1, 2]),
        ("c", Some("pass"), &[0, 2]),
    ];
    let path = write_json(folder.path(), "two.json", &dataset(tests, 4));
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[test]
fn only_the_named_failing_tests_count() {
    let (_folder, input) = two_failing();
    let scores = |more: &[&str]| -> Vec<(String, f64)> {
        let document = json_of(&["rank", &input, "--formula", "ochiai"], more);
        let methods = document["methods"].as_array().unwrap().iter();
        let entry = |m: &Value| {
            (
                m["name"].as_str().unwrap()[10..].to_owned(),
                m["score"].as_f64().unwrap(),
            )
        };
        methods.map(entry).collect()
    };
    let all = scores(&[]);
    assert_eq!(all[0], ("m1".to_owned(), 1.0));
    assert_eq!(all[1], ("m0".to_owned(), 0.5));
    assert_eq!(all[2], ("m2".to_owned(), 0.5));
    let of_a = scores(&["--failing", "a"]);
    assert_eq!(of_a[0], ("m1".to_owned(), 1.0));
    assert_eq!(of_a[1], ("m0".to_owned(), ROOT_OF_HALF));
    assert_eq!(of_a[2], ("m2".to_owned(), 0.0));
    assert_eq!(
        scores(&["--failing", "a", "--failing", "b", "--failing", "a"]),
        all
    );
}

#[test]
fn failing_tests_that_no_method_explains_together_are_ranked_apart() {
    let folder = folder();
    let tests: &[(&str, Option<&str>, &[u32])] = &[
        ("a", Some("fail"), &[0, 1]),
        ("b", Some("fail"), &[3]),
        ("c", Some("fail"), &[1, 2]),
        ("nothing", Some("fail"), &[]),
        ("d", Some("pass"), &[0, 3]),
    ];
    write_json(folder.path(), "sets.json", &dataset(tests, 4));
    let table = fdc_in(folder.path(), &["rank", "sets.json"]);
    assert_eq!(table.code, Some(0));
    assert_eq!(
        table.stderr,
        "note: no method explains all failing tests: 2 faults are likely; --faults one ranks them as one\n"
    );
    let headings = table
        .stdout
        .lines()
        .filter(|line| line.starts_with("Fault "));
    assert_eq!(
        headings.collect::<Vec<_>>(),
        [
            "Fault 1 of 2, 2 failing tests: a, c",
            "Fault 2 of 2, 2 failing tests: b, nothing"
        ]
    );
    assert_eq!(
        fdc_in(folder.path(), &["rank", "sets.json", "--quiet"]).stderr,
        ""
    );
    let document = fdc_in(folder.path(), &["rank", "sets.json", "--format", "json"]).json();
    let sets = json!([["a", "c"], ["b", "nothing"]]);
    assert_eq!(document["separate_faults"], sets);
    let of_fault = |fault: usize| document["faults"][fault]["methods"][0]["name"].clone();
    assert_eq!([of_fault(0), of_fault(1)], ["src/a.py::m1", "src/a.py::m3"]);
    assert_eq!(document["methods"][0]["fault"], 1);
    let one = ["rank", "sets.json", "--faults", "one"];
    assert_eq!(fdc_in(folder.path(), &one).stderr, "");
    let by_formula = [
        "rank",
        "sets.json",
        "--formula",
        "ochiai",
        "--format",
        "json",
    ];
    let document = fdc_in(folder.path(), &by_formula).json();
    assert_eq!(document["separate_faults"], sets);
    assert_eq!(document["faults"][1]["methods"][0]["name"], "src/a.py::m3");
    let joined = ["rank", "sets.json", "--failing", "a", "--failing", "c"];
    assert_eq!(fdc_in(folder.path(), &joined).stderr, "");
}

#[test]
fn an_input_without_outcomes_is_told_which_tests_failed() {
    let start = ["rank", "csv/named.csv", "--format", "json"];
    let failed = fdc(&[&start[..], &["--failed", "first test"]].concat()).json();
    assert_eq!(failed["failing"], json!(["first test"]));
    // The other test counts as passing, which --failing alone does not say.
    let table = fdc(&["rank", "csv/named.csv", "--failed", "first test"]).done();
    assert!(
        table.starts_with("1 failing and 1 passing tests"),
        "{table}"
    );
    let table = fdc(&["rank", "csv/named.csv", "--failing", "first test"]).done();
    assert!(
        table.starts_with("1 failing and 0 passing tests"),
        "{table}"
    );
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;
    let folder = folder();
    write_json(
        folder.path(),
        "large.json",
        &crate::subjects::large_dataset(50, 20_000),
    );
    let arguments = ["rank", "large.json", "--format", "json", "--level", "line"];
    let mut child = crate::program::command(folder.path(), &arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let mut reader = BufReader::with_capacity(1, child.stdout.take().unwrap());
    reader.read_line(&mut first).unwrap();
    drop(reader);
    let output = child.wait_with_output().unwrap();
    assert_eq!(first, "{\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}
