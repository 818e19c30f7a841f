//! Front doors translate and draw; they do not compute. What computes cannot be used without being
//! imported, so their imports show it.

use crate::{none, sources};

/// The crates that people and programs meet.
const FRONT_DOORS: &[&str] = &[
    "fdc-cli",
    "fdc-python",
    "fdc-tui",
    "fdc-web",
    "fdc-lsp",
    "fdc-jni",
];

/// What works on tests, methods and lines, by the name it is imported by.
const COMPUTING: &[&str] = &[
    "Agnostic",
    "Aware",
    "ByCounts",
    "Groups",
    "LineMatrix",
    "Network",
    "Ranker",
    "Ranking",
    "Rows",
    "ScoreMatrix",
    "Selection",
    "Suite",
    "Suspects",
    "Tally",
    "bootstrap",
    "friedman",
    "groups",
    "posthoc",
    "stats",
    "suspects",
    "tally",
    "wilcoxon",
];

/// Where a front door may use one all the same, and why.
const ALLOWED: &[(&str, &str, &str)] = &[
    (COMPARE, "friedman", CHOICES),
    (COMPARE, "posthoc", CHOICES),
    (COMPARE, "stats", CHOICES),
    (PYTHON_COMPARE, "posthoc", CHOICES),
    (PYTHON_COMPARE, "stats", CHOICES),
    (
        "crates/fdc-cli/src/commands/rank/terminal.rs",
        "Suspects",
        "the part of a reply that a table is drawn of",
    ),
    (
        "crates/fdc-cli/src/commands/compare/json.rs",
        "stats",
        "the types of a reply that is written as JSON",
    ),
    (
        "crates/fdc-python/src/spectrum/matrix.rs",
        "Rows",
        "rows of Python become rows of a spectrum",
    ),
];

const COMPARE: &str = "crates/fdc-cli/src/commands/compare.rs";
const PYTHON_COMPARE: &str = "crates/fdc-python/src/compare.rs";
const CHOICES: &str = "names that help, completions and keywords offer";

#[test]
fn front_doors_import_nothing_that_computes() {
    let found: Vec<_> = uses()
        .into_iter()
        .filter(|(path, name)| {
            !ALLOWED
                .iter()
                .any(|(allowed, what, _)| allowed == path && what == name)
        })
        .map(|(path, name)| format!("{path} imports {name}"))
        .collect();
    none(
        &found,
        "let crates/fdc compute it and give it back in a reply, or add a line with the reason to \
         ALLOWED if it is only translated here",
    );
}

#[test]
fn no_exception_is_left_over() {
    let uses = uses();
    let idle: Vec<_> = ALLOWED
        .iter()
        .filter(|(path, name, _)| {
            !uses
                .iter()
                .any(|(used_in, used)| used_in == path && used == name)
        })
        .map(|(path, name, _)| format!("{path} does not import {name}"))
        .collect();
    none(&idle, "take these out of ALLOWED");
}

#[test]
fn imports_are_found_in_all_their_forms() {
    let text = "use fdc_core::{Level, tally::{Tally, Verdict}};\n\
                use std::rc::Rc;\n\
                fn f(a: &fdc_core::suite::Suite) -> Groups {}\n\
                // fdc_core::Ranker\n";
    assert_eq!(
        imported(text),
        ["Level", "tally", "Tally", "Verdict", "suite", "Suite"]
    );
}

/// Every file of a front door with what it imports of `COMPUTING`.
fn uses() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for name in FRONT_DOORS {
        for (path, text) in sources(name) {
            let mut names = imported(&text);
            names.retain(|name| COMPUTING.contains(&name.as_str()));
            names.sort();
            names.dedup();
            found.extend(names.into_iter().map(|name| (path.clone(), name)));
        }
    }
    found
}

/// All names in paths that begin in one of our crates.
fn imported(text: &str) -> Vec<String> {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| format!("{line}\n"))
        .collect();
    let mut names = Vec::new();
    for start in ["fdc::", "fdc_"] {
        for (at, _) in code.match_indices(start) {
            let begins = !code[..at]
                .chars()
                .next_back()
                .is_some_and(|before| before.is_alphanumeric() || before == '_' || before == ':');
            if let Some((_, path)) = code[at..].split_once("::").filter(|_| begins) {
                names.extend(path_names(path));
            }
        }
    }
    names
}

/// The names of a path, down into its braces.
fn path_names(path: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut name = String::new();
    let mut depth = 0;
    for sign in path.chars() {
        let belongs = sign.is_alphanumeric() || sign == '_';
        if belongs {
            name.push(sign);
            continue;
        }
        if !name.is_empty() {
            names.push(std::mem::take(&mut name));
        }
        match sign {
            '{' => depth += 1,
            '}' => depth -= 1,
            ':' => {}
            _ if depth > 0 => {}
            _ => break,
        }
        if sign == '}' && depth <= 0 {
            break;
        }
    }
    names
}
