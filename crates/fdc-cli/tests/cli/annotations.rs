//! What a service shows beside the code: `--format annotations` and `gitlab`, links and source in a
//! comment.

use std::fs;

use serde_json::Value;

use crate::program::{fdc, fdc_in, testdata};
use crate::schemas::problem;
use crate::subjects::{INPUTS, ORDERS_FAULTY, folder, orders, write_json};

/// An annotation as GitHub's runner reads it: `::warning` or `::notice`, properties, text.
struct Annotation {
    command: String,
    properties: Vec<(String, String)>,
    message: String,
}

impl Annotation {
    fn read(line: &str) -> Option<Self> {
        let (command, rest) = line.strip_prefix("::")?.split_once(' ')?;
        let (properties, message) = rest.split_once("::")?;
        let properties = properties.split(',').map(|property| {
            let (name, value) = property.split_once('=')?;
            let value = value.replace("%3A", ":").replace("%2C", ",");
            Some((name.to_owned(), unescaped(&value)))
        });
        Some(Annotation {
            command: command.to_owned(),
            properties: properties.collect::<Option<_>>()?,
            message: unescaped(message),
        })
    }

    fn names(&self) -> Vec<&str> {
        self.properties.iter().map(|(name, _)| &**name).collect()
    }
}

fn unescaped(text: &str) -> String {
    let text = text.replace("%0D", "\r").replace("%0A", "\n");
    text.replace("%25", "%")
}

/// Whether the line is an annotation with a title and, if it names a file, its lines.
pub(crate) fn is_annotation(line: &str) -> bool {
    Annotation::read(line).is_some_and(|own| {
        ["warning", "notice"].contains(&&*own.command)
            && [
                &["title"][..],
                &["file", "title"],
                &["file", "line", "endLine", "title"],
            ]
            .contains(&&*own.names())
            && own.message.contains("place ")
    })
}

#[test]
fn every_input_is_annotated_and_makes_a_code_quality_report() {
    for (input, options) in INPUTS {
        for level in ["method", "line", "file"] {
            let run = |format: &str| {
                let start = [
                    "rank", input, "-n", "7", "--level", level, "--format", format,
                ];
                fdc(&[&start, *options].concat())
            };
            let text = run("annotations").done();
            assert!(
                !text.is_empty() && text.lines().all(is_annotation),
                "{text}"
            );
            let findings = run("gitlab").json();
            assert_eq!(problem("gitlab", &findings), None, "{findings:#}");
        }
    }
}

#[test]
fn annotations_and_findings_are_at_the_lines_of_the_log() {
    let folder = folder();
    let project = folder.path().join("services/shop");
    fs::create_dir_all(project.join("src/orders")).unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    write_json(&project, "orders.json", &orders());
    let source = testdata().join("orders/src/orders/discount.py");
    fs::copy(source, project.join("src/orders/discount.py")).unwrap();
    let run = |format: &str| {
        let start = ["rank", "orders.json", "--formula", "ochiai", "--format"];
        fdc_in(&project, &[&start[..], &[format]].concat())
    };
    let log = run("sarif").json();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let text = run("annotations").done();
    let first = Annotation::read(text.lines().next().unwrap()).unwrap();
    assert_eq!(first.command, "warning");
    let path = "services/shop/src/orders/discount.py";
    let expected = [
        ("file", path),
        ("line", "55"),
        ("endLine", "55"),
        ("title", &format!("Suspect 1: {ORDERS_FAULTY}")),
    ];
    assert_eq!(
        first.properties,
        expected.map(|(name, value)| (name.to_owned(), value.to_owned()))
    );
    assert_eq!(first.message, results[0]["message"]["text"]);
    let commands = text
        .lines()
        .map(|line| Annotation::read(line).unwrap().command);
    let levels: Vec<Value> = commands.map(Value::from).collect();
    let of_log = results.iter().map(|result| match &result["level"] {
        level if level == "note" => Value::from("notice"),
        level => level.clone(),
    });
    assert_eq!(levels, of_log.collect::<Vec<_>>());

    let findings = run("gitlab").json();
    assert_eq!(findings.as_array().unwrap().len(), results.len());
    for (finding, result) in findings.as_array().unwrap().iter().zip(results) {
        let print = &result["partialFingerprints"]["fdcSuspect/v1"];
        assert_eq!(finding["fingerprint"], *print);
    }
    assert_eq!(findings[0]["location"]["path"], path);
    assert_eq!(findings[0]["location"]["lines"]["begin"], 55);
}

#[test]
fn a_report_is_written_beside_the_code_too_and_a_ranking_is_no_comment() {
    let folder = folder();
    let orders = testdata().join("orders/orders.json");
    let import = ["import", orders.to_str().unwrap(), "-o", "case.fdc"];
    fdc_in(folder.path(), &import).done();
    let report = |format: &str| {
        let all = ["report", "case.fdc", "--suspects", "3", "--format", format];
        fdc_in(folder.path(), &all)
    };
    let text = report("annotations").done();
    assert!(text.lines().count() == 3 && text.lines().all(is_annotation));
    let findings = report("gitlab").json();
    assert_eq!(problem("gitlab", &findings), None);
    assert_eq!(findings.as_array().unwrap().len(), 3);
    let refused = fdc_in(folder.path(), &["rank", "case.fdc", "--format", "markdown"]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("annotations, gitlab"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_comment_links_to_the_commit_and_shows_the_first_lines() {
    let folder = folder();
    let orders = testdata().join("orders");
    let case = orders.join("orders.json");
    let import = ["import", case.to_str().unwrap(), "-o", "case.fdc"];
    fdc_in(folder.path(), &import).done();
    let comment = |address: &str| {
        let start = ["report", "case.fdc", "--format", "markdown", "--source"];
        let links = [orders.to_str().unwrap(), "--permalinks", address];
        fdc_in(folder.path(), &[&start[..], &links].concat())
    };
    let text = comment("https://github.com/a/b/blob/c0ffee").done();
    let first = text.lines().find(|line| line.starts_with("1. ")).unwrap();
    assert!(
        first.contains("[`src/orders/discount.py:55`](https://github.com/a/b/blob/c0ffee/"),
        "{first}"
    );
    assert!(
        first.contains("/src/orders/discount.py#L55): place 1, "),
        "{first}"
    );
    assert_eq!(text.matches("   ```python\n").count(), 3, "{text}");
    let shown = "   Lines 48 to 56:\n   ```python\n   def tiered_discount(line):\n";
    assert!(text.contains(shown), "{text}");
    let refused = comment("see (here)");
    assert_eq!(refused.code, Some(2));
    assert!(
        refused
            .stderr
            .contains("expected an address such as https://"),
        "{}",
        refused.stderr
    );
}
