//! Studies and evaluations as users run them: tables, resuming after kills, bad data.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

const METRICS: &str = "tfd,fdg,ddu,rlfdc:episodes=20";

fn fdc(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program starts")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fdc"));
    command.args(arguments).env("NO_COLOR", "1");
    command
}

#[track_caller]
fn done(output: Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// Bugs made of `testdata/orders`: each leaves out another few of the passing tests, so that they
/// differ. `origin`: of the failing tests; the others are `generated`.
fn pool(folder: &Path, bugs: u32, origin: Option<&str>) {
    let orders = fs::read_to_string(root().join("testdata/orders/orders.json")).unwrap();
    let orders: Value = serde_json::from_str(&orders).unwrap();
    let subjects = ["Cart", "Desk"];
    for version in 1..=bugs {
        let mut bug = orders.clone();
        let subject = subjects[version as usize % 2];
        bug["subject"] = subject.into();
        bug["version"] = version.into();
        let passes = |test: &Value| test["outcome"] == "pass";
        let tests = orders["tests"].as_array().unwrap();
        let kept: Vec<usize> = (0..tests.len())
            .filter(|&test| !passes(&tests[test]) || test as u32 % (bugs + 2) != version)
            .collect();
        let pick = |field: &str| -> Vec<Value> {
            kept.iter()
                .map(|&test| orders[field][test].clone())
                .collect()
        };
        bug["tests"] = pick("tests").into();
        bug["coverage"] = pick("coverage").into();
        if let Some(origin) = origin {
            for test in bug["tests"].as_array_mut().unwrap() {
                let own = if passes(test) { "generated" } else { origin };
                test["origin"] = own.into();
            }
        }
        let folder = folder.join(subject);
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join(format!("{subject}-{version}.json"));
        fs::write(file, serde_json::to_vec(&bug).unwrap()).unwrap();
    }
}

/// Numbers that look random and are the same each time.
struct Lot(u64);

impl Lot {
    fn below(&mut self, limit: u64) -> u64 {
        // Knuth's MMIX generator.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }
}

/// Kills a command at ten random points, resuming after each; the table must come out as that of an
/// undisturbed one. `words` asks for results in a folder, `results` is where in it they are.
fn killed_ten_times(words: impl Fn(&str) -> Vec<String>, results: &str) {
    let place = TempDir::new().unwrap();
    let start = |out: &Path| {
        let words = words(text(out));
        command(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let table = |out: &Path| out.join(results).join("results.parquet");
    let whole = place.path().join("whole");
    let begun = Instant::now();
    done(start(&whole).output().unwrap());
    let length = begun.elapsed().as_micros() as u64;
    let expected = fs::read(table(&whole)).unwrap();

    let mut lot = Lot(5);
    let (mut kills, mut torn, mut round) = (0, 0, 0);
    while kills < 10 {
        // An evaluation that ends before the kill is over; then the next one is disturbed.
        let folder = place.path().join(format!("round{round}"));
        round += 1;
        assert!(round < 100, "it cannot be killed in time");
        while kills < 10 && !table(&folder).exists() {
            let mut child = start(&folder)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_micros(lot.below(length)));
            child.kill().unwrap();
            let ended = child.wait().unwrap();
            kills += usize::from(ended.code().is_none());
            // A power cut may leave half a line: that unit is done again.
            let journal = folder.join(results).join("journal.jsonl");
            if let Ok(bytes) = fs::read(&journal)
                && bytes.len() > 10
                && !table(&folder).exists()
            {
                fs::write(&journal, &bytes[..bytes.len() - 1 - lot.below(9) as usize]).unwrap();
                torn += 1;
            }
        }
        done(start(&folder).output().unwrap());
        let found = fs::read(table(&folder)).unwrap();
        assert!(found == expected, "other bytes after {kills} kills");
        let options = |out: &Path| fs::read(out.join(results).join("options.json")).unwrap();
        assert_eq!(options(&folder), options(&whole));
    }
    assert!(torn > 0, "no kill hit the work itself");
}

/// An evaluation of these bugs, as words for a folder.
fn evaluation(data: &Path) -> impl Fn(&str) -> Vec<String> {
    move |out| {
        let words = [
            "evaluate",
            text(data),
            "--metrics",
            METRICS,
            "--protocol",
            "cross-version",
            "--quiet",
            "--out",
            out,
        ];
        words.map(str::to_owned).to_vec()
    }
}

#[test]
fn an_evaluation_killed_ten_times_ends_in_the_same_bytes() {
    let data = TempDir::new().unwrap();
    pool(data.path(), 12, None);
    killed_ten_times(evaluation(data.path()), "");
}

#[test]
fn an_evaluation_of_real_bugs_killed_ten_times_ends_in_the_same_bytes() {
    let data = std::env::var_os("FDC_DATA").map_or(root().join("../shared"), PathBuf::from);
    let csv = data.join("defects4j/human/Csv");
    if csv.is_dir() {
        killed_ten_times(evaluation(&csv), "");
    } else {
        eprintln!(
            "NOT TESTED: no real bugs in {} (set FDC_DATA)",
            csv.display()
        );
    }
}

#[test]
fn a_damaged_table_is_evaluated_again() {
    let place = TempDir::new().unwrap();
    let data = place.path().join("data");
    pool(&data, 2, None);
    let out = place.path().join("out");
    let evaluate = || {
        let words = [
            "evaluate",
            text(&data),
            "--metrics",
            "tfd",
            "--out",
            text(&out),
        ];
        let output = fdc(&words);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    evaluate();
    let table = out.join("results.parquet");
    let whole = fs::read(&table).unwrap();
    assert!(evaluate().contains("complete already"));
    assert!(!out.join("journal.jsonl").exists());
    for damaged in [
        &whole[..0],
        &whole[..whole.len() / 2],
        &whole[..whole.len() - 1],
    ] {
        fs::write(&table, damaged).unwrap();
        let refused = fdc(&["compare", text(&out)]);
        assert_eq!(refused.status.code(), Some(3));
        assert!(String::from_utf8_lossy(&refused.stderr).contains("evaluate again"));
        let said = evaluate();
        assert!(said.contains("everything is evaluated again"), "{said}");
        assert_eq!(fs::read(&table).unwrap(), whole);
    }
}

#[test]
fn results_of_other_options_are_refused_and_left_alone() {
    let place = TempDir::new().unwrap();
    let data = place.path().join("data");
    pool(&data, 2, None);
    let out = place.path().join("out");
    let evaluate = |metrics: &str| {
        fdc(&[
            "evaluate",
            text(&data),
            "--metrics",
            metrics,
            "--quiet",
            "--out",
            text(&out),
        ])
    };
    done(evaluate("tfd"));
    let before = fs::read(out.join("results.parquet")).unwrap();
    let refused = evaluate("ddu");
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        message.contains("holds results of other options: metrics is"),
        "{message}"
    );
    assert_eq!(fs::read(out.join("results.parquet")).unwrap(), before);
    pool(&data, 3, None);
    let refused = evaluate("tfd");
    assert_eq!(
        refused.status.code(),
        Some(2),
        "other bugs are other options"
    );
}

const STUDY: &str = r#"
title = "Orders"
about = "Made of one bug."
source = "nobody"

[[run]]
name = "human"
pools = [{ path = "human" }]
metrics = ["tfd", "rlfdc:episodes=12"]
protocol = "cross-version"

[[run]]
name = "generated"
pools = [{ path = "generated" }, { path = "again", repeat = 1 }]
training = [{ path = "human" }]
starters = "human"
metrics = ["rlfdc:episodes=12"]
protocol = "cross-version"

[[curve]]
title = "Chosen tests"
bugs = 10
[[curve.row]]
name = "TfD"
run = "human"
metric = "tfd"
map = 0.5
acc = [[1, 2, 3, 4]]
[[curve.row]]
name = "Generated"
run = "generated"
metric = "rlfdc:episodes=12"
"#;

fn study(place: &Path) -> PathBuf {
    pool(&place.join("human"), 10, None);
    pool(&place.join("generated"), 4, Some("human"));
    pool(&place.join("again"), 6, Some("human"));
    let file = place.join("orders.toml");
    fs::write(&file, STUDY).unwrap();
    file
}

#[test]
fn a_study_prints_and_writes_its_table_and_goes_on_where_it_was() {
    let place = TempDir::new().unwrap();
    let file = study(place.path());
    let out = place.path().join("out");
    let words = [
        "study",
        text(&file),
        "--data",
        text(place.path()),
        "-o",
        text(&out),
        "-q",
    ];
    let printed = done(fdc(&words));
    assert!(
        printed.contains("Ours: 10 bugs (Cart 5, Desk 5); the paper: 10"),
        "{printed}"
    );
    assert!(printed.contains("Generated: 6 bugs only."), "{printed}");
    let csv = fs::read_to_string(out.join("table.csv")).unwrap();
    assert!(csv.starts_with("table,metric,tests,acc@1,"), "{csv}");
    assert_eq!(csv.lines().count(), 1 + 2 * 12, "{csv}");
    let markdown = fs::read_to_string(out.join("table.md")).unwrap();
    assert!(markdown.contains("| Init. | 0 \\(1\\) |"), "{markdown}");
    assert!(
        fs::read_to_string(out.join("table.tex"))
            .unwrap()
            .contains("\\toprule")
    );

    // A bug of a generated pool goes with the model whose fold leaves it out.
    for (folder, bugs) in [("generated-0", 4), ("generated-1", 6)] {
        let options = fs::read(out.join(folder).join("options.json")).unwrap();
        let options: Value = serde_json::from_slice(&options).unwrap();
        assert_eq!(options["inputs"].as_object().unwrap().len(), bugs);
        assert_eq!(options["training"].as_object().unwrap().len(), 10);
    }

    // All is there: a second time nothing is run, and everything comes out the same.
    let table = out.join("human/results.parquet");
    let before = fs::metadata(&table).unwrap().modified().unwrap();
    assert_eq!(done(fdc(&words)), printed);
    assert_eq!(fs::metadata(&table).unwrap().modified().unwrap(), before);
    // And without a folder too.
    assert_eq!(
        done(fdc(&[
            "study",
            text(&file),
            "--data",
            text(place.path()),
            "-q"
        ])),
        printed
    );
    // Other options are refused.
    let more = fdc(&[&words[..], &["--seeds", "2"]].concat());
    assert_eq!(more.status.code(), Some(2));
}

#[test]
fn a_broken_bug_does_not_stop_a_study_but_is_listed() {
    let place = TempDir::new().unwrap();
    let file = study(place.path());
    fs::write(
        place.path().join("human/Cart/Cart-2.json"),
        "{\"subject\":\"Cart\",",
    )
    .unwrap();
    let output = fdc(&[
        "study",
        text(&file),
        "--data",
        text(place.path()),
        "--quiet",
    ]);
    let (printed, message) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert_eq!(output.status.code(), Some(3), "{message}");
    assert!(
        message.contains("left out:") && message.contains("Cart-2.json"),
        "{message}"
    );
    assert!(printed.contains("Ours: 9 bugs"), "{printed}");
}

#[test]
fn random_orders_of_tests_show_how_far_ties_decide() {
    let place = TempDir::new().unwrap();
    pool(&place.path().join("human"), 10, None);
    let data = place.path().join("human");
    let evaluated = |name: &str, more: &[&str]| {
        let out = place.path().join(name);
        let words = [
            "evaluate",
            text(&data),
            "--metrics",
            "entbug,rlfdc:episodes=12",
            "-q",
        ];
        let protocol = [
            "--protocol",
            "cross-version",
            "--seeds",
            "3",
            "-o",
            text(&out),
        ];
        done(fdc(&[&words[..], &protocol[..], more].concat()));
        let compared = done(fdc(&["compare", text(&out)]));
        let json = done(fdc(&["compare", text(&out), "--format", "json"]));
        (
            compared,
            serde_json::from_str::<serde_json::Value>(&json).unwrap(),
        )
    };
    let seeds = |document: &serde_json::Value| {
        let metrics = document["all"].as_array().unwrap().iter();
        metrics
            .map(|own| own["by_seed"]["seeds"].as_u64())
            .collect::<Vec<_>>()
    };
    let (_, by_file) = evaluated("file", &[]);
    assert_eq!(
        seeds(&by_file),
        [None, Some(3)],
        "hand-made metrics have one order"
    );
    let (compared, random) = evaluated("random", &["--ties", "random"]);
    assert_eq!(seeds(&random), [Some(3), Some(3)]);
    assert!(compared.contains("by seed"), "{compared}");
    let again = evaluated("again", &["--ties", "random", "--threads", "1"]).1;
    assert_eq!(again["all"], random["all"], "by seed alone");
    let out = place.path().join("file");
    let words = [
        "evaluate",
        text(&data),
        "--metrics",
        "entbug,rlfdc:episodes=12",
    ];
    let more = [
        "--protocol",
        "cross-version",
        "--seeds",
        "3",
        "--ties",
        "random",
        "-o",
        text(&out),
    ];
    let refused = fdc(&[&words[..], &more[..]].concat());
    assert_eq!(refused.status.code(), Some(2), "a folder of other options");
}

#[test]
fn a_study_whose_pools_are_not_there_is_refused_at_once() {
    let place = TempDir::new().unwrap();
    let rq3 = root().join("studies/rq3.toml");
    let output = fdc(&["study", text(&rq3), "--data", text(place.path())]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{message}");
    for pool in ["generated/line/seed-1", "generated/rlfdc/seed-3"] {
        assert!(message.contains(pool), "{message}");
    }
    let output = fdc(&["study", text(&rq3)]);
    assert_eq!(output.status.code(), Some(2), "without --data");
}

#[test]
fn without_a_file_the_studies_are_listed() {
    let listed = done(command(&["study"]).current_dir(root()).output().unwrap());
    assert!(
        listed.contains("studies/rq1.toml  ") && listed.contains("RQ5: ablation"),
        "{listed}"
    );
    let named = done(fdc(&["study", "--list", text(&root().join("studies"))]));
    assert_eq!(named.lines().count(), listed.lines().count());
}

const LABELLING: &str = r#"
title = "Asked"
about = "Made of one bug."
source = "nobody"

[[run]]
name = "folds"
pools = [{ path = "human" }]
metrics = ["tfd", "fdg", "random", "rlfdc:episodes=12"]
protocol = "cross-version"
tests = 12
seeds = 3

[labelling]
title = "Answers"
top = 1
draws = 4
against = "TfD"
labellers = [{ wrong = 0.0, trust = 1.0 }, { wrong = 0.2, trust = 1.0 }, { wrong = 0.2, trust = 0.9 }]
row = [
  { name = "TfD", run = "folds", metric = "tfd" },
  { name = "FDG", run = "folds", metric = "fdg" },
  { name = "any", run = "folds", metric = "random" },
  { name = "RLFDC", run = "folds", metric = "rlfdc:episodes=12" },
]
"#;

fn labelling_study(place: &Path) -> PathBuf {
    pool(&place.join("human"), 10, None);
    let file = place.join("asked.toml");
    fs::write(&file, LABELLING).unwrap();
    file
}

#[test]
fn a_study_of_labellers_is_the_same_for_any_number_of_threads() {
    let place = TempDir::new().unwrap();
    let file = labelling_study(place.path());
    let run = |threads: &str, more: &[&str]| {
        let out = place.path().join(format!("out{threads}"));
        let words = [
            "study",
            text(&file),
            "--data",
            text(place.path()),
            "-q",
            "--threads",
            threads,
            "-o",
            text(&out),
        ];
        let output = fdc(&[&words[..], more].concat());
        (output, fs::read(out.join("folds/results.parquet")).unwrap())
    };
    let (printed, bytes) = run("1", &[]);
    let printed = done(printed);
    assert!(
        printed.contains("Ours: 10 bugs (Cart 5, Desk 5)."),
        "{printed}"
    );
    for line in ["always right", "20 % wrong"] {
        assert!(printed.contains(line), "{printed}");
    }
    for threads in ["2", "4"] {
        let (again, others) = run(threads, &[]);
        assert_eq!(done(again), printed, "{threads} threads");
        assert!(others == bytes, "other bytes with {threads} threads");
    }
    // Complete results are read, not made again, and say the same.
    assert_eq!(done(run("1", &[]).0), printed);
    assert_eq!(run("1", &["--seeds", "3"]).0.status.code(), Some(0));
    let refused = run("1", &["--seeds", "2"]).0;
    assert_eq!(refused.status.code(), Some(2), "other seeds");
    let other = LABELLING.replace("draws = 4", "draws = 5");
    fs::write(&file, other).unwrap();
    let refused = run("1", &[]).0;
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{message}");
    assert!(message.contains("labelling is"), "{message}");
    let compared = fdc(&["compare", text(&place.path().join("out1/folds"))]);
    let message = String::from_utf8_lossy(&compared.stderr).into_owned();
    assert_eq!(compared.status.code(), Some(3), "{message}");
    assert!(message.contains("a table of other columns"), "{message}");
}

#[test]
fn a_study_of_labellers_killed_ten_times_ends_in_the_same_bytes() {
    let place = TempDir::new().unwrap();
    let file = labelling_study(place.path());
    let words = |out: &str| {
        let words = [
            "study",
            text(&file),
            "--data",
            text(place.path()),
            "-q",
            "-o",
            out,
        ];
        words.map(str::to_owned).to_vec()
    };
    killed_ten_times(words, "folds");
}

#[test]
fn a_study_of_labellers_with_an_unknown_key_is_refused_with_its_line() {
    let place = TempDir::new().unwrap();
    let file = labelling_study(place.path());
    fs::write(&file, LABELLING.replace("draws = 4", "draw = 4")).unwrap();
    let output = fdc(&["study", text(&file), "--data", text(place.path())]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{message}");
    for part in ["asked.toml", "line 17", "draw", "docs/studies.md"] {
        assert!(message.contains(part), "{message}");
    }
}
