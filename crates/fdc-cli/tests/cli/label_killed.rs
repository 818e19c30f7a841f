//! `fdc label`, killed at any moment: what was shown as taken is in the file, and the file is whole.

use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::label::Label;
use crate::program::fdc_in;
use crate::subjects::{dataset, folder, write_json};

const ROUNDS: u64 = 25;

/// A failing test over all methods and many tests over some of them.
fn stored(folder: &Path) {
    let names: Vec<String> = (0..150).map(|test| format!("t{test}")).collect();
    let rows: Vec<Vec<u32>> = (0..150)
        .map(|test| vec![test % 12, 12 + test % 7])
        .collect();
    let all: Vec<u32> = (0..20).collect();
    let mut tests: Vec<(&str, Option<&str>, &[u32])> = vec![("fails", Some("fail"), &all)];
    let unjudged = names.iter().zip(&rows);
    tests.extend(unjudged.map(|(name, row)| (name.as_str(), None, row.as_slice())));
    write_json(folder, "case.json", &dataset(&tests, 20));
    fdc_in(folder, &["import", "case.json", "-o", "case.fdc"]).done();
}

/// The answers of a state that stand, by their ids.
fn standing(state: &Value) -> Vec<String> {
    let answers = state["answers"].as_array().unwrap().iter();
    let standing = answers.filter(|answer| answer["undone"] == false);
    standing
        .map(|answer| answer["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn an_answer_that_was_shown_as_taken_is_never_lost() {
    let folder = folder();
    stored(folder.path());
    let mut shown: Vec<String> = Vec::new();
    for round in 0..ROUNDS {
        let (mut label, state) = Label::start(folder.path(), &[]);
        assert_eq!(
            standing(&state),
            shown,
            "round {round}: all that was shown, nothing else"
        );
        let kind = ["pass", "fail", "skip"][round as usize % 3];
        let state = label.ask(&json!({"do": "answer", "verdict": kind}));
        let taken = standing(&state);
        assert_eq!(taken.len(), shown.len() + 1);
        label.child.kill().unwrap();
        label.child.wait().unwrap();
        shown = taken;
    }
}

#[test]
fn a_kill_in_the_middle_of_many_requests_leaves_a_whole_file() {
    let folder = folder();
    stored(folder.path());
    let mut known: Vec<String> = Vec::new();
    for round in 0..ROUNDS {
        let (mut label, state) = Label::start(folder.path(), &[]);
        let before = standing(&state);
        let kept = known.iter().filter(|id| before.contains(id)).count();
        assert_eq!(kept, known.len(), "round {round}: an answer is gone");
        // Requests ahead of the replies, and the end at a moment that is different every time.
        let requests = [
            json!({"do": "answer", "verdict": "pass"}),
            json!({"do": "fine", "method": format!("src/a.py::m{}", round % 20)}),
            json!({"do": "answer", "verdict": "skip"}),
        ];
        for request in requests.iter().cycle().take(6) {
            writeln!(label.requests, "{request}").unwrap();
        }
        let mut child = label.child;
        let end = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_micros(round * 2_713 % 40_000));
            child.kill().unwrap();
            child.wait().unwrap();
        });
        known = before;
        for line in label.replies.lines().map_while(Result::ok) {
            // The last line may be cut off: then it was not shown.
            if let Ok(state) = serde_json::from_str::<Value>(&line) {
                if state["event"] == "state" {
                    known = standing(&state);
                } else {
                    assert!(line.contains("has said so before"), "{line}");
                }
            }
        }
        end.join().unwrap();
    }
    let ranked = fdc_in(folder.path(), &["rank", "case.fdc", "--format", "json"]).json();
    assert_eq!(ranked["methods"].as_array().unwrap().len(), 20);
}
