//! Machine output keeps the documented contract.

use boon::{Compiler, Schemas};
use fdc_case::mutants::{Fate, Mutant, MutantRecording, SourceChange};
use serde_json::{Value, json};

use crate::program::{fdc, root};
use crate::subjects::{INPUTS, failed_case, folder, write_json};

/// What a document breaks of `schemas/NAME.schema.json`, if anything.
pub(crate) fn problem(name: &str, document: &Value) -> Option<String> {
    let path = root().join(format!("schemas/{name}.schema.json"));
    let text = std::fs::read(path).expect("the schema is in the repository");
    let schema: Value = serde_json::from_slice(&text).expect("JSON");
    let version = &schema["properties"]["schema"]["const"];
    let url = format!("urn:fdc:schema:{name}:{}", version.as_u64().unwrap_or(1));
    assert_eq!(schema["$id"], Value::from(url.as_str()));
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.add_resource(&url, schema).expect("a schema");
    let index = compiler
        .compile(&url, &mut schemas)
        .expect("a valid schema");
    schemas
        .validate(document, index)
        .err()
        .map(|error| format!("{error:#}"))
}

#[track_caller]
fn conforms(name: &str, arguments: &[&str]) {
    let document = fdc(arguments).json();
    if let Some(problem) = problem(name, &document) {
        panic!("{arguments:?}: {problem}\n{document:#}");
    }
}

#[test]
fn rank_json_of_every_input_at_every_level_conforms() {
    for (input, options) in INPUTS {
        for level in ["method", "line", "file"] {
            let start = ["rank", input, "--format", "json", "--level", level];
            conforms("rank", &[&start, *options].concat());
        }
    }
}

#[test]
fn rank_sarif_of_every_input_at_every_level_conforms() {
    for (input, options) in INPUTS {
        for level in ["method", "line", "file"] {
            let start = ["rank", input, "--format", "sarif", "--level", level];
            conforms("sarif-subset", &[&start, *options].concat());
        }
    }
}

#[test]
fn rank_json_with_infinite_scores_and_fractional_places_conforms() {
    let alone = [
        "rank",
        "csv/named.csv",
        "--failing",
        "first test",
        "--format",
        "json",
    ];
    conforms("rank", &[&alone[..], &["--formula", "dstar"]].concat());
    let orders = ["rank", "orders/orders.json", "--format", "json"];
    conforms("rank", &[&orders[..], &["--tie", "average"]].concat());
    conforms("rank", &[&orders[..], &["-n", "0"]].concat());
}

#[test]
fn rank_json_with_separate_faults_conforms() {
    let folder = folder();
    let tests: &[(&str, Option<&str>, &[u32])] =
        &[("a", Some("fail"), &[0]), ("b", Some("fail"), &[1])];
    let input = write_json(
        folder.path(),
        "two.json",
        &crate::subjects::dataset(tests, 2),
    );
    let input = input.to_str().unwrap();
    assert!(fdc(&["rank", input, "--format", "json"]).json()["separate_faults"].is_array());
    conforms("rank", &["rank", input, "--format", "json"]);
}

#[test]
fn rank_json_of_tests_that_are_known_to_have_failed_conforms() {
    let (folder, case) = failed_case();
    let source = folder.path().to_str().unwrap();
    let start = ["rank", case.to_str().unwrap(), "--format", "json"];
    let arguments = [&start[..], &["--source", source]].concat();
    conforms("rank", &arguments);
    let document = fdc(&arguments).json();
    assert_eq!(
        document["failures"],
        json!([{
            "test": "tests/test_shop.py::test_total",
            "exception": "AssertionError",
            "message": "AssertionError: assert 3 == 4\n +4",
            "frames": [
                {"place": "shop.py", "function": "total", "line": 2, "file": "shop.py", "path": "shop.py"},
                {"place": "tests/test_shop.py", "function": "test_total", "line": 4,
                 "path": "tests/test_shop.py"},
                {"place": "../secret.py", "function": "test_total", "line": 1},
            ],
        }])
    );
    let bare = fdc(&[&arguments[..], &["--no-source"]].concat()).json();
    assert!(bare["failures"][0]["frames"][0].get("path").is_none());
}

#[test]
fn select_json_of_every_input_conforms() {
    for (input, options) in INPUTS {
        let failing: &[&str] = match *input {
            "tcm/lines.tcm" => &["--failing", "org.shop.CartTest.addsTwice"],
            _ => options,
        };
        let start = ["select", input, "--format", "json"];
        conforms("select", &[&start, failing].concat());
        conforms("select", &[&start, failing, &["--reveal"]].concat());
        conforms(
            "select",
            &[&start, failing, &["--start", "known", "-n", "all"]].concat(),
        );
    }
}

#[test]
fn the_schemas_refuse_what_is_not_the_contract() {
    let rank = fdc(&["rank", "orders/orders.json", "--format", "json"]).json();
    let select = fdc(&["select", "orders/orders.json", "--format", "json"]).json();
    let changed = |document: &Value, pointer: &str, value: Value| {
        let mut document = document.clone();
        *document.pointer_mut(pointer).expect("a place") = value;
        document
    };
    for (pointer, value) in [
        ("/schema", json!(1)),
        ("/tie", json!("worst")),
        ("/failing", json!([])),
        ("/methods/0/score", json!("NaN")),
        ("/methods/0/rank", json!(0)),
        ("/methods/0", json!({"name": "m", "score": 1, "rank": 1})),
    ] {
        assert!(
            problem("rank", &changed(&rank, pointer, value)).is_some(),
            "{pointer}"
        );
    }
    for (pointer, value) in [
        ("/steps", json!([])),
        ("/steps/0/added", json!("a test")),
        ("/steps/1/added", json!(null)),
        ("/steps/1/outcome", json!("error")),
        ("/steps/1/reason/covers", json!(-1)),
        ("/steps/1/top/0/method", json!(null)),
    ] {
        assert!(
            problem("select", &changed(&select, pointer, value)).is_some(),
            "{pointer}"
        );
    }
    let mut more = rank.clone();
    more["more"] = json!(1);
    assert!(problem("rank", &more).is_some(), "no unknown keys");
}

#[test]
fn mutate_json_conforms_with_and_without_mutants() {
    let folder = folder();
    let case = folder.path().join("case.fdc");
    let path = case.to_str().unwrap();
    fdc(&["import", "orders/orders.json", "-o", path]).done();
    let arguments = ["mutate", "--report", "--format", "json", "--case", path];
    conforms("mutate", &arguments);
    let mutant = |place, fate| Mutant {
        change: SourceChange {
            path: "orders/cart.py".into(),
            bytes: (place, place + 1),
            replacement: "-".into(),
            digest: "of the file".into(),
        },
        method: "orders/cart.py::total".into(),
        line: 7,
        mutator: "arithmetic".into(),
        original: "+".into(),
        fate,
        tests: 3,
        seconds: 0.5,
        kills: Vec::new(),
    };
    let mut recording = MutantRecording::open(&case).unwrap();
    for (place, fate) in [(1, Fate::Survived), (2, Fate::Hung), (3, Fate::Broken)] {
        recording.record(&mutant(place, fate)).unwrap();
    }
    recording.finish().unwrap();
    conforms("mutate", &arguments);
    let document = fdc(&arguments).json();
    let counts = ["noticed", "unnoticed", "broken"].map(|key| document[key].clone());
    assert_eq!(counts, [json!(1), json!(1), json!(1)]);
    assert_eq!(document["unnoticed_mutants"][0]["line"], json!(7));
}
