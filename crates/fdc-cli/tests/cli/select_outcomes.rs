//! `fdc select`: which outcomes it uses, and which tests it chooses from.

use fdc_case::Case;
use fdc_core::{Outcome, Verdict};
use serde_json::{Value, json};

use crate::program::{Run, fdc_in, listed};
use crate::subjects::{ORDERS_FAILING, dataset, folder, orders, write_json};

fn added(run: Run) -> Vec<String> {
    let document = run.json();
    let steps = document["steps"].as_array().expect("steps").iter().skip(1);
    steps
        .map(|step| step["added"].as_str().expect("a test").to_owned())
        .collect()
}

/// The orders with the outcome of every test but the failing one changed.
fn orders_with(change: impl Fn(usize, &str) -> Value) -> Value {
    let mut orders = orders();
    for (number, test) in orders["tests"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .enumerate()
    {
        if test["name"] != ORDERS_FAILING {
            test["outcome"] = change(number, test["outcome"].as_str().unwrap());
        }
    }
    orders
}

#[test]
fn a_candidates_outcome_is_never_used_unless_revealed() {
    let folder = folder();
    let flip = |_, outcome: &str| {
        if outcome == "pass" {
            json!("fail")
        } else {
            json!("pass")
        }
    };
    write_json(folder.path(), "as-it-is.json", &orders());
    write_json(folder.path(), "flipped.json", &orders_with(flip));
    write_json(
        folder.path(),
        "mixed.json",
        &orders_with(|number, _| json!(["pass", "fail"][number % 2])),
    );
    write_json(
        folder.path(),
        "unknown.json",
        &orders_with(|_, _| json!("unknown")),
    );
    for metric in listed("metrics") {
        for format in ["json", "table"] {
            let run = |input: &str| {
                let start = ["select", input, "--failing", ORDERS_FAILING];
                fdc_in(
                    folder.path(),
                    &[&start[..], &["--metric", &metric, "--format", format]].concat(),
                )
                .done()
            };
            let expected = run("as-it-is.json");
            for input in ["flipped.json", "mixed.json", "unknown.json"] {
                assert_eq!(run(input), expected, "{metric} {input}");
            }
        }
    }
}

#[test]
fn revealed_outcomes_are_used() {
    let folder = folder();
    write_json(folder.path(), "as-it-is.json", &orders());
    write_json(
        folder.path(),
        "fails.json",
        &orders_with(|_, _| json!("fail")),
    );
    let run = |input: &str| {
        let start = ["select", input, "--failing", ORDERS_FAILING, "--reveal"];
        fdc_in(
            folder.path(),
            &[&start[..], &["--metric", "fdg", "--format", "json"]].concat(),
        )
        .json()
    };
    let (passing, failing) = (run("as-it-is.json"), run("fails.json"));
    assert_eq!(failing["steps"][1]["outcome"], "fail");
    assert_ne!(passing["steps"][1]["faulty"], failing["steps"][1]["faulty"]);
}

#[test]
fn tests_of_unknown_outcome_are_the_candidates_when_there_are_any() {
    let folder = folder();
    let unknown = [3usize, 50, 90];
    let orders = orders_with(|number, outcome| {
        if unknown.contains(&number) {
            json!("unknown")
        } else {
            json!(outcome)
        }
    });
    write_json(folder.path(), "some.json", &orders);
    let run = |more: &[&str]| {
        let start = ["select", "some.json", "-n", "all", "--format", "json"];
        added(fdc_in(folder.path(), &[&start[..], more].concat()))
    };
    let mut expected = unknown.map(|number| orders["tests"][number]["name"].as_str().unwrap());
    expected.sort_unstable();
    for start in ["labelled", "known"] {
        let mut picks = run(&["--start", start]);
        picks.sort();
        assert_eq!(picks, expected, "{start}");
    }
    assert_eq!(
        run(&["--reveal"]).len(),
        116,
        "in evaluation every other test"
    );
}

#[test]
fn a_start_from_known_outcomes_ranks_with_them() {
    let folder = folder();
    let tests: &[(&str, Option<&str>, &[u32])] = &[
        ("f", Some("fail"), &[0, 1, 2]),
        ("p", Some("pass"), &[0]),
        ("u", None, &[1]),
    ];
    write_json(folder.path(), "known.json", &dataset(tests, 3));
    let start = |more: &[&str]| {
        let start = "select known.json --format json --formula ochiai";
        let start: Vec<&str> = start.split(' ').collect();
        fdc_in(folder.path(), &[&start[..], more].concat()).json()["steps"][0]["top"].clone()
    };
    let ranks = |top: Value| -> Vec<u64> {
        top.as_array()
            .unwrap()
            .iter()
            .map(|place| place["rank"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(ranks(start(&[])), [3, 3, 3], "the failing test alone");
    assert_eq!(ranks(start(&["--start", "known"])), [2, 2, 3]);
}

#[test]
fn nothing_left_to_choose_is_said_in_a_note() {
    let folder = folder();
    write_json(folder.path(), "orders.json", &orders());
    let run = fdc_in(
        folder.path(),
        &[
            "select",
            "orders.json",
            "--start",
            "known",
            "--format",
            "json",
        ],
    );
    assert_eq!(
        run.stderr,
        "note: there is no test to choose: the outcome of every other test is known\n"
    );
    assert_eq!(added(run), Vec::<String>::new());
    let alone: &[(&str, Option<&str>, &[u32])] = &[("f", Some("fail"), &[0])];
    write_json(folder.path(), "alone.json", &dataset(alone, 1));
    let run = fdc_in(folder.path(), &["select", "alone.json"]);
    assert_eq!(
        run.stderr,
        "note: there is no test to choose: the failing test is the only one\n"
    );
    assert_eq!(run.code, Some(0));
}

#[test]
fn a_persons_labels_join_the_start() {
    let folder = folder();
    let tests: &[(&str, Option<&str>, &[u32])] = &[
        ("f", Some("fail"), &[0, 1, 2]),
        ("labelled", None, &[0, 1]),
        ("u1", None, &[1]),
        ("u2", None, &[2]),
        ("measured", Some("pass"), &[1]),
    ];
    write_json(folder.path(), "input.json", &dataset(tests, 3));
    fdc_in(folder.path(), &["import", "input.json", "-o", "case.fdc"]).done();
    let run = || {
        fdc_in(
            folder.path(),
            &"select case.fdc -n all --format json --formula ochiai"
                .split(' ')
                .collect::<Vec<_>>(),
        )
    };
    let before = run().json();
    assert_eq!(before["steps"].as_array().unwrap().len(), 1 + 3);
    assert_eq!(
        before["steps"][0]["top"][0],
        json!({"method": "src/a.py::m0", "rank": 3})
    );

    let case = Case::open(&folder.path().join("case.fdc")).unwrap();
    case.add_label(
        "labelled",
        Verdict::certain(Outcome::Pass),
        "ann",
        "2026-01-01T00:00:00Z",
    )
    .unwrap();
    drop(case);
    let after = run().json();
    assert_eq!(
        after["steps"][0]["top"][0],
        json!({"method": "src/a.py::m2", "rank": 1})
    );
    let mut picks = added(run());
    picks.sort();
    assert_eq!(picks, ["u1", "u2"], "judged tests are no candidates");
}

#[test]
fn all_failing_tests_count_unless_one_is_named() {
    let folder = folder();
    let tests: &[(&str, Option<&str>, &[u32])] = &[
        ("a", Some("fail"), &[0]),
        ("b", Some("fail"), &[1]),
        ("c", Some("pass"), &[0, 1]),
    ];
    write_json(folder.path(), "two.json", &dataset(tests, 2));
    let all = fdc_in(folder.path(), &["select", "two.json", "--format", "json"]).json();
    assert_eq!(
        (&all["failing"], &all["also_failing"]),
        (&json!("a"), &json!(["b"]))
    );
    let named = fdc_in(
        folder.path(),
        &["select", "two.json", "--failing", "b", "--format", "json"],
    );
    let named = named.json();
    assert_eq!(
        (&named["failing"], named.get("also_failing")),
        (&json!("b"), None)
    );
}
