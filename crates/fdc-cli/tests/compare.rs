//! `fdc compare` on results that `fdc evaluate` made: three small bugs, variants of
//! `testdata/orders` that lack some of its tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use boon::{Compiler, Schemas};
use serde_json::Value;

/// A folder with `all` (four metrics), `few` (fewer bugs), `other` (total with another formula).
static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    for version in 1..=3 {
        let path = data.join(format!("orders-{version}.json"));
        std::fs::write(path, variant(version).to_string()).unwrap();
    }
    let evaluate = |options: &[&str]| {
        let output = fdc_in(folder.path(), &[&["evaluate"], options].concat());
        assert!(output.status.success(), "{}", stderr(&output));
    };
    let ten = ["--tests", "10"];
    evaluate(
        &[
            &["data", "--metrics", "total,fdg,split,random", "-o", "all"],
            &ten[..],
        ]
        .concat(),
    );
    let two = ["data/orders-1.json", "data/orders-3.json"];
    evaluate(
        &[
            &two[..],
            &["--metrics", "cover", "-o", "few", "--tests", "4"],
        ]
        .concat(),
    );
    let other = [
        "data",
        "--metrics",
        "total",
        "--formula",
        "dstar",
        "-o",
        "other",
    ];
    evaluate(&[&other[..], &ten].concat());
    folder
});

/// The seeded bug, without some of the passing tests: none, every third, every fourth.
fn variant(version: u64) -> Value {
    let text = std::fs::read(root().join("testdata/orders/orders.json")).unwrap();
    let mut bug: Value = serde_json::from_slice(&text).unwrap();
    bug["version"] = version.into();
    let tests = bug["tests"].as_array().unwrap();
    let kept: Vec<usize> = (0..tests.len())
        .filter(|&test| {
            let dropped = version > 1 && (test as u64).is_multiple_of(version + 1);
            !dropped || tests[test]["outcome"] != "pass"
        })
        .collect();
    for key in ["tests", "coverage"] {
        let all = bug[key].as_array().unwrap();
        bug[key] = kept.iter().map(|&test| all[test].clone()).collect();
    }
    bug
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fdc_in(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fdc"));
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    command
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("the program starts")
}

fn compare(arguments: &[&str]) -> Output {
    fdc_in(FOLDER.path(), &[&["compare"], arguments].concat())
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
fn done(arguments: &[&str]) -> String {
    let output = compare(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// What it printed, whatever the lines.
#[track_caller]
fn prose(arguments: &[&str]) -> String {
    done(arguments)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[track_caller]
fn refused(arguments: &[&str], code: i32, words: &[&str]) {
    let output = compare(arguments);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(output.stdout.is_empty());
    for word in words {
        assert!(said.contains(word), "{word:?} is not in: {said}");
    }
}

#[test]
fn csv_has_a_row_per_metric_and_number_of_tests_and_full_last() {
    let csv = done(&["all", "--format", "csv"]);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "metric,tests,acc@1,acc@3,acc@5,acc@10,mAP");
    assert_eq!(lines.len(), 1 + 4 * 12);
    let points: Vec<&str> = lines[1..13]
        .iter()
        .map(|l| l.split(',').nth(1).unwrap())
        .collect();
    let expected = [
        "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "full",
    ];
    assert_eq!(points, expected);
    let order: Vec<&str> = (0..4)
        .map(|m| lines[1 + 12 * m].split(',').next().unwrap())
        .collect();
    assert_eq!(order, ["total", "fdg", "split", "random"]);
    // With the failing test alone the fault is no better placed than 65 others.
    assert!(lines[1].starts_with("total,0,0,0,0,0,0.015"));
    let by_project = done(&["all", "--format", "csv", "--by-project", "--metrics", "fdg"]);
    assert!(by_project.starts_with("project,metric,tests,"));
    assert_eq!(by_project.lines().count(), 1 + 2 * 12);
    assert_eq!(done(&["all/results.parquet", "--format", "csv"]), csv);
}

#[test]
fn the_table_names_the_best_the_test_and_why() {
    let text = done(&["all"]);
    insta::assert_snapshot!("compare", text);
    assert!(!text.contains('\u{1b}'), "no colours in a pipe");
    assert!(text.lines().all(|line| line.trim_end() == line));
    let two = prose(&["all", "--metrics", "fdg,split", "--quiet"]);
    assert!(two.contains("Wilcoxon's signed-rank test fits"));
    assert!(!two.contains("What the words mean"));
    let one = prose(&["all", "--metrics", "fdg"]);
    assert!(one.contains("No test of significance: too few metrics"));
}

#[test]
fn bugs_without_results_of_all_metrics_are_left_out_and_the_shortest_run_decides() {
    let text = prose(&["all", "few"]);
    assert!(text.contains("5 metrics on 2 bugs of 1 project, up to four tests added."));
    assert!(text.contains("1 bug was left out"));
    assert!(text.contains("(orders 2 has no results of cover)"));
}

#[test]
fn one_metric_of_two_inputs_is_told_apart() {
    let output = compare(&["all", "other", "--metrics", "total", "--format", "csv"]);
    let csv = String::from_utf8_lossy(&output.stdout);
    assert!(
        csv.contains("\ntotal@all,0,") && csv.contains("\ntotal@other,0,"),
        "{csv}"
    );
    let said = stderr(&output);
    assert!(said.contains("told apart"), "{said}");
    assert!(
        said.contains("formula is \"ochiai\" in all, \"dstar\" in other"),
        "{said}"
    );
    refused(
        &["all", "other", "--against", "total"],
        2,
        &["METRIC@INPUT"],
    );
}

#[test]
fn bugs_are_listed_by_gain() {
    let text = prose(&["all", "--bugs", "total", "fdg"]);
    assert!(
        text.contains("From total to fdg, after ten tests:"),
        "{text}"
    );
    assert!(text.contains("of 3 bugs got better"));
    let csv = done(&["all", "--bugs", "total", "fdg", "--format", "csv"]);
    assert!(
        csv.starts_with("bug,AP total,AP fdg,AP gain,rank total,rank fdg,rank change\norders ")
    );
    assert_eq!(csv.lines().count(), 4);
}

#[test]
fn markdown_and_latex_hold_tables_and_the_paragraph() {
    let markdown = done(&["all", "--format", "markdown"]);
    assert!(markdown.contains("| metric | area | mAP |"));
    assert!(markdown.contains("We compared 4 metrics"));
    let latex = done(&["all", "--format", "latex"]);
    assert!(latex.contains("\\toprule") && latex.contains("We compared 4 metrics"));
    assert_eq!(
        latex.matches("\\begin{table}").count(),
        latex.matches("\\end{table}").count()
    );
}

#[test]
fn json_conforms_to_its_schema() {
    let path = root().join("schemas/compare.schema.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let url = "urn:fdc:schema:compare:1";
    assert_eq!(schema["$id"], url);
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.add_resource(url, schema).unwrap();
    let index = compiler.compile(url, &mut schemas).unwrap();
    for options in [
        &["all"][..],
        &["all", "few", "--by-project", "--bugs", "total", "fdg"],
        &[
            "all",
            "--metrics",
            "fdg,total",
            "--measure",
            "area",
            "--against",
            "total",
        ],
        &["all", "--metrics", "fdg", "--ties", "corrected"],
        &["all", "other", "--posthoc", "nemenyi"],
    ] {
        let text = done(&[options, &["--format", "json"]].concat());
        let document: Value = serde_json::from_str(&text).unwrap();
        if let Err(error) = schemas.validate(&document, index) {
            panic!("{options:?}: {error:#}\n{document:#}");
        }
    }
}

#[test]
fn pictures_and_the_report_are_written() {
    let out = tempfile::tempdir().unwrap();
    let plots = out.path().join("deep/plots");
    let report = out.path().join("report.html");
    let (plots_text, report_text) = (plots.to_str().unwrap(), report.to_str().unwrap());
    let arguments = [
        "all",
        "--plots",
        plots_text,
        "--report",
        report_text,
        "--against",
        "total",
    ];
    let output = compare(&arguments);
    let html = std::fs::read_to_string(&report);
    // A machine without fonts has no PNG, and says so.
    if stderr(&output).contains("no usable font") {
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let names = [
        "map",
        "acc-at-1",
        "acc-at-3",
        "acc-at-5",
        "acc-at-10",
        "critical-difference",
        "rank-change",
        "rank-change-against",
    ];
    for name in names {
        let svg = std::fs::read_to_string(plots.join(format!("{name}.svg"))).unwrap();
        assert!(svg.starts_with("<?xml"));
        let png = plots.join(format!("{name}.png"));
        if cfg!(feature = "png") {
            assert!(std::fs::read(png).unwrap().starts_with(b"\x89PNG"));
        } else {
            assert!(!png.exists());
        }
    }
    let html = html.unwrap();
    assert_eq!(html.matches("<figure>").count(), names.len());
    assert!(html.contains("We compared 4 metrics") && html.contains("class=\"sortable\""));
    compare(&arguments);
    assert_eq!(
        std::fs::read_to_string(&report).unwrap(),
        html,
        "the same bytes again"
    );
}

#[test]
fn mistakes_are_answered_with_what_to_do() {
    refused(
        &["all", "--metrics", "fdgg"],
        2,
        &["no results of metric 'fdgg'", "'fdg'"],
    );
    refused(
        &["all", "--metrics", "zzzzzz"],
        2,
        &["there are: total, fdg, split, random"],
    );
    refused(&["all", "--metrics", "fdg,fdg"], 2, &["listed twice"]);
    refused(
        &["all", "--against", "cover"],
        2,
        &["no results of metric 'cover'"],
    );
    refused(
        &["all", "--metrics", "fdg,split", "--against", "total"],
        2,
        &["list it in --metrics"],
    );
    refused(&["nowhere"], 3, &["nowhere", "cannot open"]);
    refused(
        &["data"],
        3,
        &["a folder without results.parquet", "fdc evaluate"],
    );
    refused(
        &["data/orders-1.json"],
        3,
        &["expected a results folder", "found a file"],
    );
}

#[test]
fn damaged_and_interrupted_results_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cut.parquet");
    let whole = std::fs::read(FOLDER.path().join("all/results.parquet")).unwrap();
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    refused(&[file.to_str().unwrap()], 3, &["cut.parquet", "damaged"]);

    let interrupted = folder.path().join("half");
    std::fs::create_dir(&interrupted).unwrap();
    std::fs::write(interrupted.join("options.json"), "{}").unwrap();
    std::fs::write(interrupted.join("journal.jsonl"), "").unwrap();
    let words = ["an evaluation that was interrupted", "it resumes"];
    refused(&[interrupted.to_str().unwrap()], 3, &words);

    let ranks = folder.path().join("ranks.csv");
    let header = fdc_study::published::HEADER;
    std::fs::write(&ranks, format!("{header}\nX,Lang,1,0,t,3;x,1\n")).unwrap();
    refused(
        &[ranks.to_str().unwrap()],
        3,
        &["ranks.csv", "line 2", "expected"],
    );
}

#[test]
fn published_ranks_are_read_and_metrics_without_a_common_bug_refused() {
    let folder = tempfile::tempdir().unwrap();
    let header = fdc_study::published::HEADER;
    let text = format!("{header}\nX,Lang,1,0,t,4 2;2 1,2 2\nY,Lang,1,0,t,4 2;4 4,2 2\n");
    let plain = folder.path().join("ranks.csv");
    std::fs::write(&plain, &text).unwrap();
    let csv = done(&[plain.to_str().unwrap(), "--format", "csv"]);
    assert_eq!(
        csv,
        "metric,tests,acc@1,acc@3,acc@5,acc@10,mAP\n\
         X,0,0,1,1,1,0.5000\nX,1,1,1,1,1,1.0000\nX,full,0,1,1,1,1.0000\n\
         Y,0,0,1,1,1,0.5000\nY,1,0,0,1,1,0.5000\nY,full,0,1,1,1,1.0000\n"
    );
    let table = done(&[plain.to_str().unwrap()]);
    assert!(!table.contains("EXAM"), "not known from ranks alone");

    let apart = text.replace("Y,Lang,1", "Y,Lang,2");
    std::fs::write(&plain, apart).unwrap();
    refused(
        &[plain.to_str().unwrap()],
        3,
        &["no bug has results of all of X, Y"],
    );
}
