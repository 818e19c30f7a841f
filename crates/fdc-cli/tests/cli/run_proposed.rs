//! `--run`: a proposed test is run instead of asked for.

use std::path::Path;

use serde_json::{Value, json};

use crate::label::Label;
use crate::program::{fdc_in, python};

const CART: &str = "import os\n\n\ndef price(count):\n    return count * 3\n\n\ndef fee(count):\n    \
    return 1 if 'FEE' in os.environ else 2\n\n\ndef total(count):\n    return price(count) + fee(count)\n";
const TESTS: &str = "import cart\n\n\ndef test_price():\n    assert cart.price(2) == 6\n\n\n\
    def test_fee():\n    assert cart.fee(2) == 1\n\n\ndef test_total():\n    assert cart.total(2) == 7\n";

/// A project whose case says that all but `test_total` passes. By now `fee` is wrong, too.
fn collected(folder: &Path, python: &str) {
    std::fs::write(folder.join("pytest.ini"), "[pytest]\n").unwrap();
    std::fs::write(folder.join("cart.py"), CART).unwrap();
    std::fs::write(folder.join("test_cart.py"), TESTS.replace("== 1", "== 2")).unwrap();
    // As it was told the first time, so it is run later.
    let collect = ["collect", "pytest", "--python", python];
    let collect = [&collect[..], &["--", "-p", "no:cacheprovider"]].concat();
    fdc_in(folder, &collect).done();
    std::fs::write(folder.join("test_cart.py"), TESTS).unwrap();
}

#[test]
fn select_runs_what_it_chooses_and_ranks_by_how_it_ends_now() {
    let Some(python) = python() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    collected(folder, &python);
    let case = folder.join("case.fdc");
    let before = std::fs::read(&case).unwrap();
    let select = ["select", "case.fdc", "--run", "--format", "json"];
    let reply = fdc_in(folder, &[&select[..], &["--formula", "ochiai"]].concat()).json();
    let outcomes = |name: &str| -> Value {
        let mut steps = reply["steps"].as_array().unwrap().iter();
        let step = steps.find(|step| step["added"] == name);
        step.unwrap_or_else(|| panic!("no {name}: {reply}"))["outcome"].clone()
    };
    // The case says that it passes.
    assert_eq!(outcomes("test_cart.py::test_fee"), "fail");
    assert_eq!(outcomes("test_cart.py::test_price"), "pass");
    let last = reply["steps"].as_array().unwrap().last().unwrap();
    assert_eq!(last["top"][0]["method"], "cart.py::fee", "{last}");
    assert!(
        before == std::fs::read(&case).unwrap(),
        "select writes nothing"
    );
}

#[test]
fn label_runs_tests_and_keeps_how_they_ended_as_answers() {
    let Some(python) = python() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    collected(folder, &python);
    let start = ["--start", "labelled", "--who", "eve", "--trust", "0.8"];
    let (mut label, first) = Label::start(folder, &[&start[..], &["--run"]].concat());
    assert_eq!(first["runs"]["ran"], 0, "{first}");
    let state = label.ask(&json!({"do": "run"}));
    let answers = state["answers"].as_array().unwrap();
    assert_eq!(state["runs"]["ran"], answers.len(), "{state}");
    let of_fee = answers
        .iter()
        .find(|answer| answer["subject"] == "test_cart.py::test_fee");
    let of_fee = of_fee.unwrap_or_else(|| panic!("{state}"));
    // What was measured is believed, whatever is thought of people.
    let said = ["verdict", "who", "trust"].map(|key| of_fee[key].clone());
    assert_eq!(said, [json!("fail"), json!("fdc"), json!(1.0)]);
    assert_eq!(state["suspects"][0]["method"], "cart.py::fee", "{state}");
    // It can be taken back like any answer, and is not run again until something else is answered.
    let state = label.ask(&json!({"do": "undo", "id": of_fee["id"]}));
    assert!(state["next"]["test"].is_string(), "{state}");
    label.ask(&json!({"do": "quit"}));
    label.child.wait().unwrap();
}

#[test]
fn a_test_that_is_gone_is_not_asked_for_again() {
    let Some(python) = python() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    collected(folder, &python);
    let others = TESTS.split("def test_fee").next().unwrap();
    std::fs::write(folder.join("test_cart.py"), others).unwrap();
    let (mut label, _) = Label::start(folder, &["--start", "labelled", "--run"]);
    let state = label.ask(&json!({"do": "run"}));
    let answers = state["answers"].as_array().unwrap();
    let of_fee = answers
        .iter()
        .find(|answer| answer["subject"] == "test_cart.py::test_fee");
    assert_eq!(
        of_fee.unwrap_or_else(|| panic!("{state}"))["verdict"],
        "skip"
    );
    label.ask(&json!({"do": "quit"}));
    label.child.wait().unwrap();
}

#[test]
fn an_imported_case_and_a_session_without_run_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let orders = crate::program::testdata().join("orders/orders.json");
    let orders = orders.to_str().unwrap();
    fdc_in(folder, &["import", orders, "-o", "case.fdc"]).done();
    for command in ["select", "label"] {
        let run = fdc_in(folder, &[command, "case.fdc", "--run"]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(
            run.stderr.contains("was imported, not collected"),
            "{run:?}"
        );
    }
    let run = fdc_in(folder, &["select", orders, "--run"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("`fdc collect` has made"), "{run:?}");
    let (mut label, _) = Label::start(folder, &["--start", "labelled"]);
    let refused = label.ask(&json!({"do": "run"}));
    assert_eq!(refused["event"], "error", "{refused}");
    label.ask(&json!({"do": "quit"}));
    label.child.wait().unwrap();
}
