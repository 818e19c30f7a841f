//! `fdc rank` with sources at hand: the heat map, and which files are shown.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use fdc_core::Spectrum;
use fdc_core::coverage::TestId;
use serde_json::json;

use crate::hostile_names::is_harmless;
use crate::program::{command, fdc, fdc_in, testdata};
use crate::subjects::{dataset, folder, write_json};

const ORDERS: &[&str] = &[
    "rank",
    "orders/orders.json",
    "--source",
    "orders",
    "--formula",
    "ochiai",
];

/// A project with the file that `dataset` speaks of, and the dataset beside it.
fn project(source: &[u8]) -> tempfile::TempDir {
    let folder = folder();
    let tests: &[(&str, Option<&str>, &[u32])] = &[
        ("a", Some("fail"), &[0, 1]),
        ("b", Some("pass"), &[0, 2]),
        ("c", Some("pass"), &[2]),
    ];
    write_json(folder.path(), "case.json", &dataset(tests, 4));
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(folder.path().join("src/a.py"), source).unwrap();
    folder
}

/// The dataset of a project as a case file, changed.
fn write_case(folder: &Path, about: &[(&str, &str)], change: impl FnOnce(&mut Spectrum)) {
    let mut spectrum = fdc_formats::read(&folder.join("case.json")).unwrap();
    change(&mut spectrum);
    fdc_case::import(&spectrum, &folder.join("case.fdc"), about).unwrap();
}

#[test]
fn the_table_is_followed_by_the_hottest_lines_of_the_first_suspects() {
    let table = fdc(&[ORDERS, &["-n", "5"]].concat()).done();
    let expected = "
5 of 70 methods; more with -n.

orders/discount.py::tiered_discount  src/orders/discount.py
  48          │ def tiered_discount(line):
  49          │     \"\"\"The discount on a line of bulk goods, by the highest tier it reaches.\"\"\"
  50  0.250 ▃ │     if not line.product.bulk:
  51  0.267 ▃ │         return ZERO
  52  0.500 ▆ │     percent = Decimal(0)
  53  0.500 ▆ │     for minimum, tier_percent in BULK_TIERS:
  54  0.500 ▆ │         if line.quantity > minimum:
  55  0.707 █ │             percent = tier_percent
  56  0.500 ▆ │     return percentage(line.subtotal(), percent)

orders/parsing.py::parse_quantity  src/orders/parsing.py
";
    assert!(table.contains(expected), "{table}");
    assert_eq!(
        table.matches("│ def ").count(),
        3,
        "three suspects: {table}"
    );
}

#[test]
fn a_longer_suspect_is_cut_to_its_hottest_stretch() {
    let table = fdc(&[ORDERS, &["-n", "1", "--lines", "3"]].concat()).done();
    let expected = "src/orders/discount.py
   ⋮
  54  0.500 ▆ │     if line.quantity > minimum:
  55  0.707 █ │         percent = tier_percent
  56  0.500 ▆ │ return percentage(line.subtotal(), percent)
";
    assert!(table.ends_with(expected), "{table}");
}

#[test]
fn files_show_their_hottest_stretch_too() {
    let table = fdc(&[ORDERS, &["-n", "1", "--level", "file"]].concat()).done();
    assert!(table.contains("55  0.707 █ │"), "{table}");
    assert_eq!(table.matches('⋮').count(), 2, "{table}");
}

#[test]
fn lines_are_ranked_with_their_text() {
    let table = fdc(&[ORDERS, &["-n", "2", "--level", "line"]].concat()).done();
    let expected = "
rank  score  line                   source
   1  0.707  orders/discount.py:55  percent = tier_percent
   3  0.577  orders/parsing.py:58   quantity *= 12
";
    assert!(table.contains(expected), "{table}");
}

#[test]
fn nothing_is_shown_where_no_source_is_wanted_or_found() {
    let without = fdc(&["rank", "orders/orders.json", "--no-source"]).done();
    assert!(!without.contains('│'));
    let elsewhere = folder();
    let input = testdata().join("orders/orders.json");
    let input = input.to_str().unwrap();
    let here = fdc_in(elsewhere.path(), &["rank", input]);
    assert_eq!((&*here.stdout, &*here.stderr), (&*without, ""));
    let asked = fdc_in(elsewhere.path(), &["rank", input, "--source", "."]);
    assert_eq!(asked.stdout, without);
    assert!(
        asked
            .stderr
            .starts_with("note: the source of 3 of 3 files was not found below "),
        "{}",
        asked.stderr
    );
    for input in ["paper-example/example.csv", "tcm/names.tcm"] {
        let table = fdc(&["rank", input, "--source", "."]);
        let notes: Vec<&str> = table.stderr.lines().collect();
        assert_eq!(notes.len(), 1, "statements are no lines: {notes:?}");
        assert!(notes[0].ends_with(" elements were read"), "{notes:?}");
        assert!(!table.done().contains('│'));
    }
}

#[test]
fn a_source_folder_that_is_none_is_bad_input() {
    for wrong in ["nowhere", "orders/orders.json"] {
        let run = fdc(&["rank", "orders/orders.json", "--source", wrong]);
        assert_eq!(run.code, Some(3), "{}", run.stderr);
        assert!(run.stderr.contains(wrong), "{}", run.stderr);
        assert!(
            run.stderr
                .contains("give the folder of the sources that were measured"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn a_case_knows_where_it_was_collected() {
    let project = project(b"one = 1\ntwo = 2\n");
    let root = project.path().to_str().unwrap();
    write_case(project.path(), &[("root", root)], |_| {});
    let elsewhere = folder();
    let case = project.path().join("case.fdc");
    let case = case.to_str().unwrap();
    let table = fdc_in(elsewhere.path(), &["rank", case]).done();
    assert!(table.contains("│ two = 2\n"), "{table}");
    // On another machine that folder is not there; then the current one is tried.
    write_case(project.path(), &[("root", "/not/on/this/machine")], |_| {});
    let table = fdc_in(project.path(), &["rank", "case.fdc"]).done();
    assert!(table.contains("│ two = 2\n"), "{table}");
}

#[test]
fn a_source_that_is_not_what_was_measured_is_said_to_be() {
    let project = project(b"one = 1\ntwo = 2\nthree = 3\nfour = 4\n");
    write_case(project.path(), &[], |_| {});
    let source = File::options()
        .write(true)
        .open(project.path().join("src/a.py"))
        .unwrap();
    let hour = Duration::from_secs(3600);
    let rank = || fdc_in(project.path(), &["rank", "case.fdc"]);
    source.set_modified(SystemTime::now() - hour).unwrap();
    assert_eq!(rank().stderr, "");
    source.set_modified(SystemTime::now() + hour).unwrap();
    assert_eq!(
        rank().stderr,
        "note: src/a.py was changed after the case was written: its lines may have moved, measure again\n"
    );
    source.set_len(9).unwrap();
    source.set_modified(SystemTime::now() - hour).unwrap();
    assert_eq!(
        rank().stderr,
        "note: src/a.py ends at line 2, but line 4 was measured: it is not the file that was measured\n"
    );
    assert_eq!(rank().code, Some(0));
    let quiet = fdc_in(project.path(), &["rank", "case.fdc", "--quiet"]);
    assert_eq!(quiet.stderr, "");
}

#[test]
fn several_files_of_that_name_are_counted() {
    let project = project(b"one\ntwo\n");
    let root = project.path();
    fs::create_dir_all(root.join("x")).unwrap();
    fs::create_dir_all(root.join("y/z")).unwrap();
    fs::rename(root.join("src"), root.join("x/src")).unwrap();
    fs::create_dir_all(root.join("y/z/src")).unwrap();
    fs::write(root.join("y/z/src/a.py"), "other\nother\n").unwrap();
    let run = fdc_in(root, &["rank", "case.json"]);
    assert!(run.stdout.contains("│ two\n"), "{}", run.stdout);
    assert!(
        run.stderr
            .contains("note: x/src/a.py is shown for src/a.py; other files of that name: 1\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_name_cannot_lead_out_of_the_project() {
    let outside = folder();
    fs::write(outside.path().join("secret.py"), "the secret\n").unwrap();
    let inside = outside.path().join("project");
    fs::create_dir(&inside).unwrap();
    let absolute = outside.path().join("secret.py");
    for name in [
        "../secret.py",
        absolute.to_str().unwrap(),
        "x/../../secret.py",
    ] {
        let case = json!({
            "methods": [format!("{name}::f")],
            "elements": [[0, 1]],
            "tests": [{"name": "t", "outcome": "fail"}],
            "coverage": [[0]],
        });
        write_json(&inside, "case.json", &case);
        for format in ["table", "html", "sarif"] {
            let run = fdc_in(
                &inside,
                &["rank", "case.json", "--source", ".", "--format", format],
            );
            assert!(!run.done().contains("the secret"), "{name} {format}");
        }
    }
}

#[test]
fn hostile_source_is_shown_harmless() {
    let source =
        b"if x:\x1b[2J\x1b]0;pwned\x07\n\tcaf\xe9 \xe2\x80\xae evil <b>&\"'\n\xff\n\x00four\r\n";
    let project = project(source);
    for level in ["method", "line", "file"] {
        let run = fdc_in(project.path(), &["rank", "case.json", "--level", level]);
        is_harmless(&run.stdout);
        is_harmless(&run.stderr);
        let text = run.done();
        assert!(
            text.contains("caf\u{fffd} \\u{202e} evil <b>&\"'"),
            "{text}"
        );
    }
    let page = ["rank", "case.json", "--format", "html"];
    let page = fdc_in(project.path(), &page).done();
    assert!(page.contains("caf\u{fffd} \u{fffd} evil &lt;b&gt;&amp;&quot;&#39;"));
    is_harmless(&page);
}

#[test]
fn long_lines_are_cut_to_the_width() {
    let long = format!("one\n{}\n", "漢".repeat(3000));
    let project = project(long.as_bytes());
    for level in ["method", "line"] {
        let table = fdc_in(project.path(), &["rank", "case.json", "--level", level]).done();
        let line = table.lines().find(|line| line.contains('漢')).unwrap();
        assert!(line.ends_with('…'), "{line}");
        let columns: usize = line.chars().map(|c| if c == '漢' { 2 } else { 1 }).sum();
        assert!((90..=100).contains(&columns), "{columns} columns: {line}");
    }
}

#[test]
fn colours_add_nothing_but_colours() {
    let plain = fdc(ORDERS).done();
    for (variables, sign) in [
        (&[("COLORTERM", "truecolor")][..], "\u{1b}[38;2;220;42;36m"),
        (&[("TERM", "xterm-256color")], "\u{1b}[38;5;160m"),
        (&[("TERM", "xterm")], "\u{1b}[31m"),
    ] {
        let mut run = command(&testdata(), ORDERS);
        run.env_remove("COLORTERM").env("CLICOLOR_FORCE", "1");
        let output = run.envs(variables.iter().copied()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(&format!("{sign}0.707 █")), "{text}");
        assert_eq!(anstream::adapter::strip_str(&text).to_string(), plain);
        let mut run = command(&testdata(), ORDERS);
        let output = run
            .env("NO_COLOR", "1")
            .envs(variables.iter().copied())
            .output();
        assert_eq!(String::from_utf8(output.unwrap().stdout).unwrap(), plain);
    }
}

#[test]
fn flaky_tests_are_left_out_unless_asked_for() {
    let project = project(b"one\ntwo\nthree\nfour\n");
    let rank = |more: &[&str]| fdc_in(project.path(), &[&["rank", "case.fdc"], more].concat());
    write_case(project.path(), &[], |spectrum| {
        spectrum.tests[1].flaky = true
    });
    let run = rank(&[]);
    assert!(
        run.stdout.starts_with("1 failing and 1 passing tests"),
        "{}",
        run.stdout
    );
    assert_eq!(
        run.stderr,
        "note: 1 flaky test is left out; --include-flaky counts it\n"
    );
    assert_eq!(rank(&["--format", "json"]).json()["flaky_left_out"], 1);
    let all = rank(&["--include-flaky"]);
    assert!(
        all.stdout.starts_with("1 failing and 2 passing tests"),
        "{}",
        all.stdout
    );
    assert_eq!(all.stderr, "");
    let json = rank(&["--include-flaky", "--format", "json"]).json();
    assert!(json.get("flaky_left_out").is_none());

    write_case(project.path(), &[], |spectrum| {
        spectrum.tests[0].flaky = true
    });
    let none = rank(&[]);
    assert_eq!(none.code, Some(3));
    assert!(
        none.stderr
            .contains("no test fails among 3 (1 flaky, left out)"),
        "{}",
        none.stderr
    );
    assert_eq!(rank(&["--include-flaky"]).code, Some(0));
    let named = rank(&["--failing", "a"]);
    assert_eq!((named.code, &*named.stderr), (Some(0), ""));
    let spectrum = fdc_formats::read(&project.path().join("case.fdc")).unwrap();
    assert!(spectrum.test(TestId(0)).flaky, "ranking changes no case");
}
