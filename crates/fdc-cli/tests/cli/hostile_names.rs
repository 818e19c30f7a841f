//! Names come from outside: nothing in them reaches the terminal as a command, nothing is lost.

use serde_json::{Value, json};

use crate::program::fdc_in;
use crate::subjects::{folder, write_json};

pub(crate) const HOSTILE: &[&str] = &[
    "clears \u{1b}[2J the screen",
    "sets a title \u{1b}]0;pwned\u{7}",
    "two\nlines\r\nand more",
    "quo\"tes, commas; and 'more'",
    "back\\slash\\n",
    "right \u{202e}to\u{202c} left \u{200f}\u{2066}x\u{2069} \u{61c}",
    "c1 \u{9b}2J \u{85} and delete \u{7f}",
    "tab\tand nul \u{0}",
    "separators \u{2028} \u{2029}",
    "wide 漢字 and 😀",
    "=cmd|' /C calc'!A0",
    "--failing",
    " spaces ",
];

/// Each hostile name is a test and a method; the first test fails and covers all.
pub(crate) fn case() -> Value {
    let methods: Vec<String> = HOSTILE
        .iter()
        .map(|name| format!("src/{name}.py::{name}"))
        .collect();
    let count = HOSTILE.len();
    let rows: Vec<Vec<usize>> = (0..count)
        .map(|test| {
            if test == 0 {
                [vec![0], vec![1; count - 1]].concat()
            } else {
                vec![test]
            }
        })
        .collect();
    let outcome = |test: usize| if test == 0 { "fail" } else { "pass" };
    json!({
        "subject": HOSTILE[0], "version": 1,
        "methods": methods,
        "elements": (0..count).map(|method| [method, method + 1]).collect::<Vec<_>>(),
        "tests": (0..count).map(|t| json!({"name": HOSTILE[t], "outcome": outcome(t)})).collect::<Vec<_>>(),
        "coverage": rows,
        "faulty_methods": [1], "faulty_elements": [],
    })
}

#[track_caller]
pub(crate) fn is_harmless(text: &str) {
    let hostile = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if let Some(found) = text.chars().find(|&c| hostile(c)) {
        panic!("{found:?} in {text}");
    }
}

#[test]
fn tables_notes_and_errors_show_control_characters_and_never_send_them() {
    let folder = folder();
    write_json(folder.path(), "hostile.json", &case());
    let count = HOSTILE.len();
    for arguments in [
        &["rank", "hostile.json", "-n", "100"][..],
        &["rank", "hostile.json", "-n", "100", "--level", "line"],
        &["rank", "hostile.json", "-n", "100", "--level", "file"],
        &["select", "hostile.json", "-n", "all"],
        &["select", "hostile.json", "-n", "all", "--reveal"],
    ] {
        let run = fdc_in(folder.path(), arguments);
        is_harmless(&run.stdout);
        is_harmless(&run.stderr);
        let text = run.done();
        assert!(text.contains("two\\nlines"), "{text}");
        assert!(text.contains("漢字 and 😀"), "{text}");
        assert!(
            text.lines().count() < 4 * count + 10,
            "a name takes one line: {text}"
        );
    }
    for name in HOSTILE.iter().skip(1).filter(|name| !name.contains('\0')) {
        // `=` keeps a name that starts with `--` a value.
        let failing = format!("--failing={name}");
        let run = fdc_in(folder.path(), &["rank", "hostile.json", &failing]);
        assert_eq!(run.code, Some(2), "{name:?}");
        is_harmless(&run.stderr);
        assert_eq!(run.stderr.lines().count(), 2, "{}", run.stderr);
        let unknown = format!("--failing={name}?");
        is_harmless(&fdc_in(folder.path(), &["rank", "hostile.json", &unknown]).stderr);
        is_harmless(&fdc_in(folder.path(), &["explain", "--", name]).stderr);
    }
}

#[test]
fn json_keeps_every_name_as_it_is() {
    let folder = folder();
    write_json(folder.path(), "hostile.json", &case());
    let rank = fdc_in(folder.path(), &["rank", "hostile.json", "--format", "json"]);
    is_harmless(&rank.stdout);
    let rank = rank.json();
    let mut found: Vec<&str> = rank["methods"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["name"].as_str().unwrap())
        .collect();
    let mut expected: Vec<String> = HOSTILE
        .iter()
        .map(|name| format!("src/{name}.py::{name}"))
        .collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    let select = fdc_in(
        folder.path(),
        &["select", "hostile.json", "-n", "all", "--format", "json"],
    )
    .json();
    assert_eq!(select["failing"], HOSTILE[0]);
    let steps = select["steps"].as_array().unwrap().iter().skip(1);
    let mut found: Vec<&str> = steps.map(|step| step["added"].as_str().unwrap()).collect();
    let mut expected = HOSTILE[1..].to_vec();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn csv_keeps_every_name_as_it_is() {
    let folder = folder();
    write_json(folder.path(), "hostile.json", &case());
    let text = fdc_in(folder.path(), &["rank", "hostile.json", "--format", "csv"]).done();
    for name in HOSTILE {
        let quoted = name.replace('"', "\"\"");
        assert!(
            text.contains(&format!(",\"src/{quoted}.py::{quoted}\"\n")),
            "{name:?} in {text}"
        );
    }
    fdc_in(
        folder.path(),
        &["rank", "hostile.json", "--format", "csv", "-o", "out.csv"],
    )
    .done();
    assert_eq!(
        std::fs::read_to_string(folder.path().join("out.csv")).unwrap(),
        text
    );
}

#[test]
fn a_gzoltar_ranking_stays_one_line_a_unit() {
    let folder = folder();
    write_json(folder.path(), "hostile.json", &case());
    let text = fdc_in(
        folder.path(),
        &["rank", "hostile.json", "--format", "gzoltar"],
    )
    .done();
    assert_eq!(text.lines().count(), 1 + HOSTILE.len());
    is_harmless(&text);
}

#[test]
fn a_case_file_keeps_every_name_as_it_is() {
    let folder = folder();
    write_json(folder.path(), "hostile.json", &case());
    fdc_in(folder.path(), &["import", "hostile.json", "-o", "case.fdc"]).done();
    let rank = |input: &str| fdc_in(folder.path(), &["rank", input, "--format", "json"]).done();
    assert_eq!(rank("case.fdc"), rank("hostile.json"));
}

#[test]
fn a_name_of_20_000_characters_leaves_the_table_readable() {
    let folder = folder();
    let (method, test) = (format!("a.py::{}", "m".repeat(20_000)), "t".repeat(20_000));
    let case = json!({
        "methods": [method, "b.py::short"],
        "elements": [[0, 1], [1, 2]],
        "tests": [{"name": test, "outcome": "fail"}, {"name": format!("{test}u")}],
        "coverage": [[0, 1], [0]],
    });
    write_json(folder.path(), "long.json", &case);
    for words in [&["rank", "long.json"][..], &["select", "long.json"]] {
        let table = fdc_in(folder.path(), words).done();
        let longest = table.lines().map(|line| line.chars().count()).max();
        assert!(longest < Some(300), "{words:?}: {longest:?}");
    }
    let ranked = fdc_in(folder.path(), &["rank", "long.json", "--format", "json"]).json();
    let names: Vec<&Value> = ranked["methods"].as_array().unwrap().iter().collect();
    assert!(names.iter().any(|own| own["name"] == *method));
}
