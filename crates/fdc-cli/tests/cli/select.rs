//! `fdc select`: what it chooses, and when it stops.

use fdc_core::ranking::{Level, Ranker, RankingOptions};
use fdc_core::{Metric, Selection};
use serde_json::{Value, json};

use crate::program::{fdc, fdc_in, listed, testdata};
use crate::subjects::{ORDERS_FAILING, ORDERS_FAULTY, folder, large_dataset, write_json};

const ORDERS: &[&str] = &[
    "select",
    "orders/orders.json",
    "--metric",
    "weight:alpha=0.3",
    "--formula",
    "ochiai",
];

fn json_of(start: &[&str], more: &[&str]) -> Value {
    fdc(&[start, more, &["--format", "json"]].concat()).json()
}

fn added(document: &Value) -> Vec<String> {
    let steps = document["steps"].as_array().expect("steps").iter().skip(1);
    steps
        .map(|step| step["added"].as_str().expect("a test").to_owned())
        .collect()
}

#[test]
fn of_equally_good_tests_a_seed_draws_one() {
    // entbug sees nothing but densities, so that many tests tie.
    let tied = &[
        "select",
        "orders/orders.json",
        "--metric",
        "entbug",
        "--formula",
        "ochiai",
    ];
    let chosen = |more: &[&str]| added(&json_of(tied, &[&["--reveal"], more].concat()));
    let random = |seed: &str| chosen(&["--ties", "random", "--seed", seed]);
    assert_eq!(chosen(&[]), chosen(&["--ties", "file", "--seed", "7"]));
    assert_eq!(random("1"), random("1"));
    let orders = ["0", "1", "2", "3", "4"].map(random);
    assert!(orders.iter().any(|order| *order != orders[0]));
    let value = |more: &[&str]| {
        let document = json_of(tied, &[&["--reveal", "-n", "1"], more].concat());
        document["steps"][1]["score"].clone()
    };
    assert_eq!(
        value(&[]),
        value(&["--ties", "random"]),
        "the best all the same"
    );
}

#[test]
fn the_start_comes_first_and_the_faulty_method_is_followed() {
    let document = json_of(ORDERS, &["--reveal"]);
    assert_eq!(document["schema"], 1);
    assert_eq!(document["metric"], "weight:alpha=0.3");
    assert_eq!(document["failing"], ORDERS_FAILING);
    assert_eq!(document["reveal"], true);
    let steps = document["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 11, "the start and ten tests");
    for key in ["added", "score", "outcome"] {
        assert_eq!(steps[0][key], Value::Null);
    }
    assert_eq!(
        steps[0]["faulty"],
        json!([{"method": ORDERS_FAULTY, "rank": 65}])
    );
    for step in &steps[1..] {
        assert_eq!(step["outcome"], "pass");
        assert_eq!(step["faulty"][0]["method"], ORDERS_FAULTY);
    }
    assert_eq!(steps[10]["faulty"][0]["rank"], 2);
}

#[test]
fn sharp_is_the_default() {
    let document = json_of(&ORDERS[..2], &["--reveal"]);
    assert_eq!(document["metric"], "sharp");
    assert_eq!(
        document,
        json_of(&ORDERS[..2], &["--reveal", "--metric", "sharp"])
    );
}

#[test]
fn faulty_is_absent_where_the_input_does_not_know_it() {
    let document = json_of(&["select", "gzoltar/shop", "--reveal"], &[]);
    for step in document["steps"].as_array().unwrap() {
        assert!(step.get("faulty").is_none());
    }
}

#[test]
fn picks_scores_and_ranks_are_those_of_the_core() {
    let spectrum = fdc_formats::read(&testdata().join("orders/orders.json")).unwrap();
    let failing = spectrum.test_named(ORDERS_FAILING).unwrap();
    let ranker = Ranker::new(&spectrum, Level::Method, RankingOptions::default());
    let faults = spectrum.rankable_faults();
    let hand_made = listed("metrics")
        .into_iter()
        .filter_map(|name| Metric::parse(&name).ok());
    let mut compared = 0;
    for metric in hand_made {
        let document = json_of(
            &["select", "orders/orders.json", "--formula", "ochiai"],
            &["--reveal", "-n", "12", "--metric", &metric.label],
        );
        let steps = document["steps"].as_array().unwrap();
        assert_eq!(steps.len(), 13);
        let mut selection = Selection::new(&spectrum, failing);
        for (number, step) in steps.iter().enumerate() {
            if number > 0 {
                let pick = selection.best(&metric).unwrap();
                assert_eq!(
                    step["added"],
                    spectrum.test(pick.test).name.as_str(),
                    "{metric:?}"
                );
                assert_eq!(step["score"].as_f64(), Some(pick.score), "{metric:?}");
                selection.add(pick.test, spectrum.test(pick.test).verdict());
            }
            let ranks = ranker.places(selection.tally(), &spectrum.coverage, &faults);
            assert_eq!(
                step["faulty"][0]["rank"].as_f64(),
                Some(ranks[0]),
                "{metric:?}"
            );
        }
        compared += 1;
    }
    assert!(compared >= 15);
}

#[test]
fn reasons_count_suspicious_lines_and_groups() {
    let document = json_of(ORDERS, &["-n", "2"]);
    assert_eq!(
        document["steps"][1]["reason"],
        json!({
            "covers": 122, "suspicious": 225, "splits": 1, "groups": 1,
            "largest_split": [122, 103], "tied_before": 65, "tied_if_it_passes": 28, "tied_if_it_fails": 44,
        })
    );
    let table = fdc(&[ORDERS, &["-n", "2"]].concat()).done();
    let first = "   1. tests/test_invoice.py::test_invoice_of_small_order  value 24.7709\n      \
                 covers 122 of 225 suspicious lines, splits 1 of 1 group (largest: 225 into 122 and 103)\n      \
                 suspects tied at the top: 65; 28 if it passes, 44 if it fails\n";
    assert!(table.contains(first), "{table}");
}

#[test]
fn all_takes_every_candidate_once() {
    for reveal in [&["--reveal"][..], &[]] {
        let document = json_of(ORDERS, &[&["-n", "all"], reveal].concat());
        let mut picks = added(&document);
        assert_eq!(picks.len(), 116);
        picks.sort();
        picks.dedup();
        assert_eq!(picks.len(), 116);
        assert!(!picks.contains(&ORDERS_FAILING.to_owned()));
    }
    let table = fdc(&[ORDERS, &["-n", "all"]].concat()).done();
    assert!(table.ends_with("\nThat was every candidate.\n"));
}

#[test]
fn a_number_above_the_pool_takes_the_pool_and_none_takes_none() {
    assert_eq!(added(&json_of(ORDERS, &["-n", "100000"])).len(), 116);
    assert_eq!(added(&json_of(ORDERS, &["-n", "0"])).len(), 0);
}

#[test]
fn until_stable_stops_after_three_tests_that_change_nothing() {
    let document = json_of(ORDERS, &["--reveal", "--until-stable", "-n", "all"]);
    let steps = document["steps"].as_array().unwrap();
    assert!(steps.len() < 117, "{}", steps.len());
    let tops: Vec<&Value> = steps.iter().map(|step| &step["top"]).collect();
    let last = tops.len() - 1;
    assert!(tops[last - 3..].iter().all(|top| *top == tops[last]));
    assert_ne!(tops[last - 4], tops[last]);
    let whole = json_of(ORDERS, &["--reveal", "-n", "all"]);
    assert_eq!(
        whole["steps"].as_array().unwrap()[..steps.len()],
        steps[..],
        "the same tests so far"
    );
}

#[test]
fn until_stable_without_outcomes_looks_at_the_groups_of_suspects() {
    let document = json_of(
        &ORDERS[..2],
        &["--until-stable", "-n", "all", "--metric", "total"],
    );
    let steps = document["steps"].as_array().unwrap();
    assert!(steps.len() < 117, "{}", steps.len());
    let splits = |step: &Value| step["reason"]["splits"].as_u64().unwrap();
    let last_three = &steps[steps.len() - 3..];
    assert!(last_three.iter().all(|step| splits(step) == 0));
    assert_ne!(splits(&steps[steps.len() - 4]), 0);
}

#[test]
fn a_time_limit_stops_a_long_run_with_what_there_is() {
    let folder = folder();
    write_json(folder.path(), "large.json", &large_dataset(3000, 20_000));
    let start = [
        "select",
        "large.json",
        "--metric",
        "flint",
        "--format",
        "json",
    ];
    let limited = [&start[..], &["-n", "all", "--max-seconds", "1"]].concat();
    let document = fdc_in(folder.path(), &limited).json();
    let chosen = added(&document).len();
    assert!(chosen < 2999, "{chosen}");
    if chosen > 0 {
        let number = chosen.min(3).to_string();
        let first = fdc_in(folder.path(), &[&start[..], &["-n", &number]].concat()).json();
        assert_eq!(added(&first), added(&document)[..chosen.min(3)]);
    }
}

#[test]
fn a_time_limit_that_is_not_reached_changes_nothing() {
    let unlimited = json_of(ORDERS, &[]);
    assert_eq!(json_of(ORDERS, &["--max-seconds", "600"]), unlimited);
}

#[test]
fn a_file_gets_the_bytes_that_a_pipe_gets() {
    for more in [&["--format", "json"][..], &["--reveal"], &[]] {
        let folder = folder();
        let out = folder.path().join("tests");
        let stdout = fdc(&[ORDERS, more].concat()).done();
        let written = fdc(&[ORDERS, more, &["-o", out.to_str().unwrap()]].concat());
        assert_eq!(written.done(), "");
        assert_eq!(std::fs::read_to_string(&out).unwrap(), stdout);
    }
}

#[test]
fn formula_tie_and_aggregate_reach_the_ranks() {
    let rank = |more: &[&str]| {
        json_of(ORDERS, &[&["--reveal", "-n", "3"], more].concat())["steps"][3]["faulty"][0]["rank"]
            .clone()
    };
    assert_eq!(rank(&[]), 20);
    assert_eq!(rank(&["--tie", "min"]), 1);
    assert_eq!(rank(&["--tie", "average"]), 10.5);
    assert_ne!(rank(&["--aggregate", "mean"]), 20);
    let other = ["--formula", "dstar"];
    assert_eq!(json_of(&ORDERS[..4], &other)["formula"], "dstar");
}

#[test]
fn the_learned_distribution_ranks_and_chooses_by_default() {
    let document = json_of(&ORDERS[..2], &["--reveal"]);
    assert_eq!(document["formula"], "sharp");
    assert_eq!(document["steps"][0]["faulty"][0]["rank"], 1);
    let steps = document["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 11);
    for step in &steps[1..] {
        let (bits, fails) = (&step["score"], &step["reason"]["fails"]);
        assert!((0.0..=1.0).contains(&bits.as_f64().unwrap()));
        assert!((0.0..=1.0).contains(&fails.as_f64().unwrap()));
        assert_eq!(step["reason"].get("tied_before"), None);
    }
}
