//! Inputs made for a test.

use std::path::{Path, PathBuf};

use fdc_core::evidence::{FailureRecord, Frame};
use fdc_core::rows::Rows;
use fdc_core::spectrum::{ProgramBuilder, Test};
use fdc_core::{Outcome, Spectrum};
use serde_json::{Value, json};

use crate::program::testdata;

/// Every input of the test data, and what it takes to rank it.
pub(crate) const INPUTS: &[(&str, &[&str])] = &[
    ("orders/orders.json", &[]),
    ("paper-example/example.csv", &[]),
    ("csv/judged.csv", &[]),
    ("csv/named.csv", &["--failing", "first test"]),
    ("gzoltar/shop", &[]),
    ("gzoltar/shop/matrix.txt", &[]),
    ("gzoltar/unnamed", &[]),
    ("tcm/lines.tcm", &[]),
    ("tcm/names.tcm", &[]),
    ("tcm/paths.tcm.zst", &[]),
];

/// The failing test of `orders/orders.json`.
pub(crate) const ORDERS_FAILING: &str = "tests/test_end_to_end.py::test_school_restocks_its_office";
/// Its faulty method.
pub(crate) const ORDERS_FAULTY: &str = "orders/discount.py::tiered_discount";

/// A dataset object: methods `m0`, `m1`, … of one line each.
pub(crate) fn dataset(tests: &[(&str, Option<&str>, &[u32])], methods: u32) -> Value {
    let names: Vec<String> = (0..methods)
        .map(|method| format!("src/a.py::m{method}"))
        .collect();
    let test = |&(name, outcome, _): &(&str, Option<&str>, &[u32])| match outcome {
        Some(outcome) => json!({"name": name, "outcome": outcome}),
        None => json!({"name": name}),
    };
    let row = |&(_, _, elements): &(&str, Option<&str>, &[u32])| differences(elements);
    json!({
        "methods": names,
        "elements": (0..methods).map(|method| [method, method + 1]).collect::<Vec<_>>(),
        "tests": tests.iter().map(test).collect::<Vec<_>>(),
        "coverage": tests.iter().map(row).collect::<Vec<_>>(),
    })
}

/// A project of two files, and its case: the test fails in `shop.py` and says how. One call is outside.
pub(crate) fn failed_case() -> (tempfile::TempDir, PathBuf) {
    let folder = folder();
    let root = folder.path();
    std::fs::create_dir(root.join("tests")).expect("a folder");
    for (path, text) in [
        (
            "shop.py",
            "def total(x):\n    return x - 1\n\n\ndef rest():\n    pass\n",
        ),
        (
            "tests/test_shop.py",
            "import shop\n\ndef test_total():\n    assert shop.total(4) == 4\n\ndef test_rest():\n    shop.rest()\n",
        ),
    ] {
        std::fs::write(root.join(path), text).expect("a file");
    }
    let mut program = ProgramBuilder::default();
    for (name, line) in [("total", 2), ("rest", 6)] {
        let method = program.method(&format!("shop.py::{name}"), || "shop.py".into());
        program.element(method, line, None);
    }
    let mut rows = Rows::new(2);
    let frame = |place: &str, function: &str, line| -> Frame {
        (place.to_owned(), function.to_owned(), line).into()
    };
    let failure = FailureRecord {
        exception: Some("AssertionError".into()),
        message: Some("AssertionError: assert 3 == 4\n +4".into()),
        frames: vec![
            frame("shop.py", "total", 2),
            frame("tests/test_shop.py", "test_total", 4),
            frame("../secret.py", "test_total", 1),
        ],
        source: None,
    };
    let mut tests = Vec::new();
    for (name, failure, columns) in [("total", Some(failure), [0]), ("rest", None, [1])] {
        rows.push_columns(columns).expect("a row");
        let outcome = match failure {
            Some(_) => Outcome::Fail,
            None => Outcome::Pass,
        };
        tests.push(Test {
            name: format!("tests/test_shop.py::test_{name}"),
            outcome: Some(outcome),
            failure,
            ..Test::default()
        });
    }
    let spectrum = Spectrum::new(None, program.finish(), tests, rows, None).expect("it fits");
    let case = root.join("case.fdc");
    fdc_case::import(&spectrum, &case, &[]).expect("a case");
    (folder, case)
}

/// A dataset of `tests` x `lines`, ten lines a method, each test in runs of lines; the first fails.
pub(crate) fn large_dataset(tests: u32, lines: u32) -> Value {
    let mut state = 7u64;
    let mut below = |limit: u32| {
        // Knuth's MMIX generator.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % u64::from(limit)) as u32
    };
    let mut row = || {
        let mut elements: Vec<u32> = (0..20)
            .flat_map(|_| {
                let start = below(lines - 30);
                start..start + 30
            })
            .collect();
        elements.sort_unstable();
        elements.dedup();
        differences(&elements)
    };
    let outcome = |test: u32| if test == 0 { "fail" } else { "pass" };
    json!({
        "methods": (0..lines / 10).map(|m| format!("src/f{}.py::m{m}", m / 50)).collect::<Vec<_>>(),
        "elements": (0..lines).map(|line| [line / 10, line + 1]).collect::<Vec<_>>(),
        "tests": (0..tests)
            .map(|t| json!({"name": format!("test_{t}"), "outcome": outcome(t)}))
            .collect::<Vec<_>>(),
        "coverage": (0..tests).map(|_| row()).collect::<Vec<_>>(),
    })
}

fn differences(elements: &[u32]) -> Vec<u32> {
    let mut last = 0;
    let step = |&element: &u32| element - std::mem::replace(&mut last, element);
    elements.iter().map(step).collect()
}

/// `orders.json` as a JSON value, to be changed.
pub(crate) fn orders() -> Value {
    let text = std::fs::read(testdata().join("orders/orders.json")).expect("test data");
    serde_json::from_slice(&text).expect("JSON")
}

/// Writes a JSON value to a file of the folder.
pub(crate) fn write_json(folder: &Path, name: &str, value: &Value) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, value.to_string()).expect("a file can be written");
    path
}

pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}
