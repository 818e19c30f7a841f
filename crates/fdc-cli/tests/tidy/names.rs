//! A public name means one thing in the whole workspace.

use std::collections::BTreeMap;

use crate::{crates, none, sources};

/// Crates that no other crate uses, and why their names may be those of others.
const NO_LIBRARIES: &[(&str, &str)] = &[
    ("fdc-cli", "a program has no public interface"),
    (
        "fdc-python",
        "Python's classes have the names of what they translate",
    ),
];

/// Names that several crates have all the same, and why.
const SHARED: &[(&str, &str)] = &[(
    "Result",
    "std's, with the error of the crate as its default, as in std::io",
)];

#[test]
fn a_public_type_name_belongs_to_one_crate() {
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in crates() {
        if NO_LIBRARIES.iter().any(|(own, _)| *own == name) {
            continue;
        }
        for (path, text) in sources(&name) {
            for declared in text.lines().filter_map(public_type) {
                owners
                    .entry(declared.to_owned())
                    .or_default()
                    .push(path.clone());
            }
        }
    }
    let shared: Vec<_> = owners
        .iter()
        .filter(|(_, paths)| paths.len() > 1)
        .filter(|(name, _)| !SHARED.iter().any(|(shared, _)| shared == name))
        .map(|(name, paths)| format!("{name}: {}", paths.join(", ")))
        .collect();
    none(
        &shared,
        "rename all but one, make the others private, or give a reason in SHARED",
    );
}

#[test]
fn no_exception_is_left_over() {
    let mut idle = Vec::new();
    for (shared, _) in SHARED {
        let count = crates()
            .iter()
            .flat_map(|name| sources(name))
            .filter(|(_, text)| text.lines().filter_map(public_type).any(|is| is == *shared))
            .count();
        if count < 2 {
            idle.push(format!("{shared} is declared {count} times"));
        }
    }
    none(&idle, "take these out of SHARED");
}

/// The type that a line declares, if it is public beyond its crate.
fn public_type(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub ")?;
    let (kind, rest) = rest.split_once(' ')?;
    if !["struct", "enum", "trait", "type", "union"].contains(&kind) {
        return None;
    }
    rest.split(|sign: char| !sign.is_alphanumeric()).next()
}
