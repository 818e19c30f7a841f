//! `fdc rank --format sarif`.

use std::fs;

use serde_json::{Value, json};

use crate::hostile_names::{case, is_harmless};
use crate::program::{Run, fdc, fdc_in};
use crate::schemas::problem;
use crate::subjects::{ORDERS_FAILING, ORDERS_FAULTY, folder, orders, write_json};

fn results(run: Run) -> Vec<Value> {
    let log = run.json();
    if let Some(problem) = problem("sarif-subset", &log) {
        panic!("{problem}\n{log:#}");
    }
    log["runs"][0]["results"].as_array().unwrap().clone()
}

fn uri(result: &Value) -> &str {
    let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    uri.as_str().unwrap_or("none")
}

#[test]
fn the_first_suspects_are_results_at_their_hottest_lines() {
    let folder = folder();
    write_json(folder.path(), "orders.json", &orders());
    fs::create_dir_all(folder.path().join("src/orders")).unwrap();
    let source = crate::program::testdata().join("orders/src/orders/discount.py");
    fs::copy(source, folder.path().join("src/orders/discount.py")).unwrap();
    let results = results(fdc_in(
        folder.path(),
        &[
            "rank",
            "orders.json",
            "--format",
            "sarif",
            "--formula",
            "ochiai",
        ],
    ));
    assert_eq!(results.len(), 10);
    let first = &results[0];
    assert_eq!(first["ruleId"], "fdc/suspicious-method");
    assert_eq!(uri(first), "src/orders/discount.py");
    let region = &first["locations"][0]["physicalLocation"]["region"];
    assert_eq!(*region, json!({"startLine": 55, "endLine": 55}));
    let region = &first["relatedLocations"][0]["physicalLocation"]["region"];
    assert_eq!(*region, json!({"startLine": 50, "endLine": 56}));
    let logical = &first["locations"][0]["logicalLocations"][0];
    assert_eq!(logical["fullyQualifiedName"], ORDERS_FAULTY);
    let message = first["message"]["text"].as_str().unwrap();
    assert!(message.contains(ORDERS_FAILING), "{message}");
    assert_eq!(
        uri(&results[1]),
        "orders/parsing.py",
        "not at hand: as the input names it"
    );
    let levels: Vec<&str> = results
        .iter()
        .map(|r| r["level"].as_str().unwrap())
        .collect();
    assert_eq!(
        levels[..4],
        ["warning", "warning", "warning", "note"],
        "places 1, 3, 3, 6"
    );
}

#[test]
fn paths_start_at_the_top_of_the_repository() {
    let folder = folder();
    let project = folder.path().join("services/a b");
    fs::create_dir_all(project.join("src")).unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    let tests: &[(&str, Option<&str>, &[u32])] = &[("a", Some("fail"), &[0])];
    write_json(&project, "case.json", &crate::subjects::dataset(tests, 1));
    fs::write(project.join("src/a.py"), "x = 1\n").unwrap();
    let run = fdc_in(&project, &["rank", "case.json", "--format", "sarif"]);
    assert_eq!(uri(&results(run)[0]), "services/a%20b/src/a.py");
}

#[test]
fn a_class_without_a_file_has_no_path_and_a_note_says_so() {
    let folder = folder();
    let shop = crate::program::testdata().join("gzoltar/shop");
    let shop = shop.to_str().unwrap();
    let run = fdc_in(folder.path(), &["rank", shop, "--format", "sarif"]);
    assert_eq!(
        run.stderr,
        "note: 4 of 4 suspects have no known file, and code scanning shows none without; \
         name the project's root with --source\n"
    );
    assert!(results(run).iter().all(|result| uri(result) == "none"));
    fs::create_dir_all(folder.path().join("app/src/main/java/org/shop")).unwrap();
    let file = folder.path().join("app/src/main/java/org/shop/Cart.java");
    fs::write(file, "class Cart {}\n").unwrap();
    let results = results(fdc_in(folder.path(), &["rank", shop, "--format", "sarif"]));
    assert_eq!(uri(&results[0]), "app/src/main/java/org/shop/Cart.java");
}

#[test]
fn a_line_keeps_its_fingerprint_when_code_above_it_moves() {
    let folder = folder();
    fs::create_dir(folder.path().join("src")).unwrap();
    let print = |shift: u32| {
        let case = json!({
            "methods": ["src/a.py::f"],
            "elements": [[0, 1 + shift], [0, 2 + shift]],
            "tests": [{"name": "t", "outcome": "fail"}],
            "coverage": [[0, 1]],
        });
        write_json(folder.path(), "case.json", &case);
        let above = "# above\n".repeat(shift as usize);
        fs::write(folder.path().join("src/a.py"), format!("{above}one\ntwo\n")).unwrap();
        let run = ["rank", "case.json", "--format", "sarif", "--level", "line"];
        let results = results(fdc_in(folder.path(), &run));
        let prints = results.iter().map(|r| r["partialFingerprints"].to_string());
        prints.collect::<Vec<_>>()
    };
    let before = print(0);
    assert_ne!(before[0], before[1]);
    assert_eq!(print(7), before);
}

#[test]
fn hostile_names_make_a_valid_log() {
    let folder = folder();
    write_json(folder.path(), "hostile.json", &case());
    for level in ["method", "line", "file"] {
        let run = [
            "rank",
            "hostile.json",
            "-n",
            "100",
            "--format",
            "sarif",
            "--level",
            level,
        ];
        let run = fdc_in(folder.path(), &run);
        is_harmless(&run.stdout);
        is_harmless(&run.stderr);
        results(run);
    }
}

#[test]
fn a_finding_may_fail_the_build() {
    let run = fdc(&[
        "rank",
        "orders/orders.json",
        "--format",
        "sarif",
        "--exit-code",
    ]);
    assert_eq!(run.code, Some(1));
    assert_eq!(
        problem("sarif-subset", &serde_json::from_str(&run.stdout).unwrap()),
        None
    );
}
