//! `fdc report`: a labelled case in one file.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::label::session;
use crate::program::{fdc_in, testdata};
use crate::rank_page::links_lead_somewhere;
use crate::subjects::{ORDERS_FAILING, ORDERS_FAULTY, failed_case, folder, write_json};

const FORMATS: [&str; 5] = ["html", "sarif", "markdown", "annotations", "gitlab"];

/// Answers a session, one request a line.
fn label(folder: &Path, requests: &[Value]) {
    let arguments = ["label", "case.fdc", "--start", "labelled", "--who", "ann"];
    session(folder, &arguments, requests);
}

/// The orders with some answers, one of them taken back.
fn labelled() -> tempfile::TempDir {
    let folder = folder();
    let orders = testdata().join("orders/orders.json");
    let import = ["import", orders.to_str().unwrap(), "-o", "case.fdc"];
    fdc_in(folder.path(), &import).done();
    let answer = |verdict: &str| json!({"do": "answer", "verdict": verdict});
    label(
        folder.path(),
        &[
            answer("pass"),
            answer("fail"),
            json!({"do": "undo"}),
            answer("pass"),
            answer("skip"),
            json!({"do": "fine", "method": "orders/cart.py::Cart.add"}),
        ],
    );
    folder
}

fn report(folder: &Path, options: &[&str]) -> String {
    let orders = testdata().join("orders");
    let start = ["report", "case.fdc", "--start", "labelled", "--source"];
    let all = [&start[..], &[orders.to_str().unwrap()], options].concat();
    fdc_in(folder, &all).done()
}

#[test]
fn a_report_begins_with_what_failed() {
    let (folder, _case) = failed_case();
    let of = |format: &str| {
        let arguments = ["report", "case.fdc", "--format", format];
        fdc_in(folder.path(), &arguments).done()
    };
    let page = of("html");
    links_lead_somewhere(&page);
    let at = |words: &str| {
        page.find(words)
            .unwrap_or_else(|| panic!("{words}: {page}"))
    };
    let order = [
        "What failed</h2>",
        "AssertionError: assert 3 == 4\n +4</pre>",
        "<li><a href=\"#file-1-2\">total shop.py:2</a></li>",
        "It failed here:",
        "Suspects</h2>",
        "Map</h2>",
    ];
    assert!(order.map(at).is_sorted(), "{:?}", order.map(at));
    assert!(page.contains("<span class=\"sk\">return</span>"));
    let comment = of("markdown");
    let line =
        "- `tests/test_shop.py::test_total`: `AssertionError: assert 3 == 4` at `shop.py:2`\n";
    assert!(comment.contains(line), "{comment}");
    let block = "```text\nAssertionError: assert 3 == 4\n +4\n  at total shop.py:2\n";
    assert!(comment.contains(block), "{comment}");
}

#[test]
fn the_page_holds_ranking_map_next_test_history_and_source() {
    let folder = labelled();
    let page = report(folder.path(), &[]);
    links_lead_somewhere(&page);
    for heading in [
        "Suspects",
        "Map",
        "Next test",
        "Answers",
        "More source",
        "How it was made",
    ] {
        assert!(page.contains(&format!(">{heading}</h2>")), "{heading}");
    }
    assert!(page.contains(ORDERS_FAILING));
    assert!(
        page.contains(&format!(">{ORDERS_FAULTY}</a>")),
        "a link to its source"
    );
    assert!(page.contains("<svg") && page.contains("<a class=\"leaf\" href=\"#file-1-"));
    assert!(page.contains("<tr id=\"file-1-"), "source");
    assert_eq!(page.matches("<td>taken back</td>").count(), 1);
    assert_eq!(page.matches("<td>counts</td>").count(), 4);
    assert!(page.contains("<td>orders/cart.py::Cart.add is fine</td>"));
    assert!(page.contains("Places that an answer would change"));
    assert!(page.contains(", from line "), "the source of the next test");
    assert!(
        page.contains("after 3 answers and 1 skipped test, no further one is expected"),
        "advice"
    );
    assert_eq!(page, report(folder.path(), &[]), "the same twice");
}

#[test]
fn the_report_counts_what_the_session_counts() {
    let folder = labelled();
    let log: Value = serde_json::from_str(&report(folder.path(), &["--format", "sarif"])).unwrap();
    let run = &log["runs"][0];
    // Two verdicts and one statement; the skipped and the undone answer count for nothing.
    assert_eq!(run["properties"]["failing"], 1.0);
    assert_eq!(run["properties"]["passing"], 3.0);
    assert_eq!(run["results"].as_array().unwrap().len(), 20);
    let few = report(folder.path(), &["--format", "sarif", "--suspects", "3"]);
    let few: Value = serde_json::from_str(&few).unwrap();
    assert_eq!(few["runs"][0]["results"].as_array().unwrap().len(), 3);
}

#[test]
fn the_comment_is_short_and_says_where_to_look_and_what_next() {
    let folder = labelled();
    let text = report(folder.path(), &["--format", "markdown"]);
    assert!(text.starts_with(&format!(
        "### Where the fault behind `{ORDERS_FAILING}` may be\n"
    )));
    let first = text.lines().find(|line| line.starts_with("1. ")).unwrap();
    assert!(first.contains("` at `src/orders/"), "{first}");
    assert!(text.contains("\n10. ") && !text.contains("\n11. "));
    assert!(text.contains("**Look at next:** `tests/"), "{text}");
    assert!(text.contains("- If it passes: ") && text.contains("- If it fails: "));
    assert!(
        text.contains("<summary>5 answers, 1 taken back; 0 doubts</summary>"),
        "{text}"
    );
    assert!(text.len() < 8_000, "{}", text.len());
}

#[test]
fn the_ending_of_the_file_says_what_is_written() {
    let folder = labelled();
    let at = |name: &str| folder.path().join(name);
    for (name, format) in [
        ("a.html", "html"),
        ("a.HTM", "html"),
        ("a.sarif", "sarif"),
        ("a.md", "markdown"),
        ("a.markdown", "markdown"),
    ] {
        assert_eq!(report(folder.path(), &["-o", name]), "");
        let printed = report(folder.path(), &["--format", format]);
        let written = fs::read_to_string(at(name)).unwrap();
        // The command line differs, and it is part of the page.
        assert_eq!(written.lines().next(), printed.lines().next(), "{name}");
        assert!(written.lines().count() == printed.lines().count(), "{name}");
    }
    report(folder.path(), &["-o", "text.txt", "--format", "markdown"]);
    assert!(
        fs::read_to_string(at("text.txt"))
            .unwrap()
            .starts_with("### ")
    );
    let page = report(folder.path(), &["-o", "-"]);
    assert!(page.starts_with("<!DOCTYPE html>") && !at("-").exists());
    let refused = fdc_in(folder.path(), &["report", "case.fdc", "-o", "report.pdf"]);
    assert_eq!(refused.code, Some(2));
    assert_eq!(
        refused.stderr,
        "error: report.pdf: expected a name that ends in .html, .sarif or .md\n  \
         --format says what to write: html, sarif, markdown, annotations, gitlab\n"
    );
    assert!(!at("report.pdf").exists());
}

#[test]
fn what_cannot_be_reported_leaves_an_earlier_report_alone() {
    let folder = folder();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("report.html", "earlier");
    write("broken.fdc", "no case at all");
    for (case, code) in [("missing.fdc", 3), ("broken.fdc", 3)] {
        let run = fdc_in(folder.path(), &["report", case, "-o", "report.html"]);
        assert_eq!(run.code, Some(code), "{}", run.stderr);
        assert!(run.stderr.contains(case), "{}", run.stderr);
    }
    let kept = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert_eq!(kept, "earlier");
}

#[test]
fn a_project_of_50_000_lines_is_a_page_below_2_mib_and_a_comment_that_github_takes() {
    let folder = folder();
    fs::create_dir(folder.path().join("src")).unwrap();
    // 100 files of 500 long lines in methods of 25 with long names; tests run every second, third, …
    // method.
    let (files, lines, method) = (100u32, 500u32, 25u32);
    let long = "with_a_name_that_explains_everything_".repeat(6);
    let path = |file: u32| format!("src/{long}{file}.py");
    let methods: Vec<String> = (0..files * lines / method)
        .map(|m| format!("{}::{long}{m}", path(m * method / lines)))
        .collect();
    let elements: Vec<[u32; 2]> = (0..files * lines)
        .map(|e| [e / method, e % lines + 1])
        .collect();
    let row = |every: u32| -> Vec<u32> {
        let run = (0..files * lines).filter(|e| (e / method).is_multiple_of(every));
        let mut last = 0;
        run.map(|e| e - std::mem::replace(&mut last, e)).collect()
    };
    let mut tests = vec![json!({"name": "fails", "outcome": "fail"})];
    tests.extend((2..200).map(|every| json!({"name": format!("tests/{long}.py::{long}{every}")})));
    let coverage: Vec<Vec<u32>> = (1..200).map(row).collect();
    let case =
        json!({"methods": methods, "elements": elements, "tests": tests, "coverage": coverage});
    write_json(folder.path(), "large.json", &case);
    let text = format!(
        "{}\n",
        "if (a < b && c > d) value = \"<compute>\" ".repeat(10)
    );
    for file in 0..files {
        fs::write(folder.path().join(path(file)), text.repeat(lines as usize)).unwrap();
    }
    fdc_in(folder.path(), &["import", "large.json", "-o", "case.fdc"]).done();
    let answers: Vec<Value> = (0..60)
        .map(|_| json!({"do": "answer", "verdict": "pass"}))
        .collect();
    label(folder.path(), &answers);
    let run = |format: &str| {
        let all = [
            "report", "case.fdc", "--start", "labelled", "--format", format,
        ];
        fdc_in(folder.path(), &all).done()
    };
    let page = run("html");
    assert!(page.len() < 2 << 20, "{} bytes", page.len());
    assert!(
        page.contains("class=\"q6\""),
        "the source of the first is shown"
    );
    assert!(page.contains(" more methods: "), "the map gathers");
    links_lead_somewhere(&page);
    let comment = run("markdown");
    assert!(comment.chars().count() < 65_536, "{}", comment.len());
}

#[test]
fn a_case_without_a_test_to_ask_for_and_without_sources_is_reported_too() {
    let folder = folder();
    let case = json!({
        "methods": ["m"], "elements": [[0, 1]],
        "tests": [{"name": "fails", "outcome": "fail"}], "coverage": [[0]],
    });
    write_json(folder.path(), "case.json", &case);
    fdc_in(folder.path(), &["import", "case.json", "-o", "case.fdc"]).done();
    for format in FORMATS {
        let run = fdc_in(folder.path(), &["report", "case.fdc", "--format", format]);
        let text = run.done();
        assert!(!text.contains("NaN"), "{text}");
        // A comment on a ranking in which nobody was asked has no word about it.
        let said = text.contains("No test is left");
        assert_eq!(said, format == "html", "{text}");
    }
}
