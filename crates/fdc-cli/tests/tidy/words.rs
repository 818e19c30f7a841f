//! Words and counts in documents, help and messages.

use std::process::Command;

use crate::{files, none, read};

/// Words that a first page may have, blocks of code included.
const FIRST_PAGE: usize = 900;

/// Phrases that are no natural English, and what to write instead.
const AWKWARD: &[(&str, &str)] = &[
    ("goes on where it was", "resumes, continues"),
    ("unless told", "default: ..."),
    ("times less time", "times faster"),
];

/// Names of types that are metaphors.
const METAPHORS: &[&str] = &[
    "Attendance",
    "Course",
    "Desk",
    "Door",
    "Office",
    "Paper",
    "Wishes",
    "Workplace",
];

#[test]
fn the_first_page_is_short() {
    let words = read("README.md").split_whitespace().count();
    assert!(
        words <= FIRST_PAGE,
        "README.md has {words} words, {FIRST_PAGE} are allowed: move something to docs/"
    );
}

#[test]
fn counts_in_documents_are_those_of_the_tables() {
    let mut wrong = Vec::new();
    for (noun, count) in [
        ("formulas", listed("formulas")),
        ("metrics", listed("metrics")),
        ("ecosystems", listed("ecosystems")),
        ("generators", listed("generators")),
    ] {
        for document in documents() {
            for (number, text) in counted(&read(&document), noun) {
                if number != count {
                    wrong.push(format!("{document}: {text}: there are {count}"));
                }
            }
        }
    }
    none(&wrong, "`fdc list` is right; correct the document");
    assert!(
        read("README.md").contains("26 formulas"),
        "the count of formulas is gone from README.md: check another sentence here"
    );
}

#[test]
fn documents_and_messages_are_natural_english() {
    let mut found = Vec::new();
    for path in [files("", &[".md"]), files("crates", &[".rs", ".js"])].concat() {
        // These lists themselves.
        if path.contains("/tests/tidy/") {
            continue;
        }
        // A phrase may be broken at the end of a line, in comments behind `//!`.
        let text = read(&path)
            .replace("\n//! ", " ")
            .replace("\n/// ", " ")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        for (phrase, better) in AWKWARD {
            if text.contains(phrase) {
                found.push(format!("{path}: \"{phrase}\": write \"{better}\""));
            }
        }
    }
    none(&found, "say it as one would in a conversation");
}

#[test]
fn types_are_named_by_nouns_of_the_domain() {
    let mut found = Vec::new();
    for path in files("crates", &[".rs"]) {
        for line in read(&path).lines() {
            let mut words = line.split(|sign: char| !sign.is_alphanumeric() && sign != '_');
            let declares = words.any(|word| ["struct", "enum", "trait", "type"].contains(&word));
            if declares && words.next().is_some_and(|name| METAPHORS.contains(&name)) {
                found.push(format!("{path}: {}", line.trim()));
            }
        }
    }
    none(&found, "name the type by what it is in this domain");
}

/// Pages that state how many of a thing there are.
fn documents() -> Vec<String> {
    let mut paths = files("docs", &[".md"]);
    paths.extend(["README.md", "ARCHITECTURE.md", "CHANGELOG.md"].map(str::to_owned));
    paths
}

/// How many entries `fdc list` shows, below its heading.
fn listed(what: &str) -> usize {
    let output = Command::new(env!("CARGO_BIN_EXE_fdc"))
        .args(["list", what])
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "fdc list {what} failed");
    String::from_utf8_lossy(&output.stdout).lines().count() - 1
}

/// `26 formulas`, `26 suspiciousness formulas`: the number, and the words.
fn counted(text: &str, noun: &str) -> Vec<(usize, String)> {
    let words: Vec<_> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|sign: char| !sign.is_alphanumeric()))
        .collect();
    let mut found = Vec::new();
    for (at, _) in words.iter().enumerate().filter(|(_, word)| **word == noun) {
        for before in 1..=2.min(at) {
            if let Ok(number) = words[at - before].parse() {
                found.push((number, words[at - before..=at].join(" ")));
            }
        }
    }
    found
}
