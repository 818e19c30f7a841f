//! The repository keeps its promises about itself: the map names every file, the docs print what
//! the program prints, names mean one thing, and front doors do not compute. Each test says what
//! to do when it fails. Nothing here needs a network or data outside the repository.

mod examples;
mod front_doors;
mod links;
mod manifests;
mod map;
mod names;
mod words;

use std::path::{Path, PathBuf};

/// The repository's root.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the crate is two folders below the root")
        .to_path_buf()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Files of the repository with one of these endings, relative to its root, with `/`, sorted.
/// What builds and tools leave behind is passed over, and so are hidden folders.
fn files(below: &str, endings: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(below)];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| {
            panic!("{}: {error}", folder.display());
        });
        for entry in entries {
            let path = entry.expect("a readable folder").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                if name != "target" && name != "node_modules" && !name.starts_with('.') {
                    folders.push(path);
                }
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                let relative = path.strip_prefix(root()).expect("below the root");
                found.push(relative.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

/// The production sources of a crate: no file of tests, and no `#[cfg(test)]` module at the end.
fn sources(crate_name: &str) -> Vec<(String, String)> {
    files(&format!("crates/{crate_name}/src"), &[".rs"])
        .into_iter()
        .filter(|path| !is_test(path))
        .map(|path| {
            let text = read(&path);
            let production = text.split("\n#[cfg(test)]\nmod tests {").next();
            (path, production.unwrap_or_default().to_owned())
        })
        .collect()
}

fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.ends_with("_tests.rs") || path.contains("/tests/")
}

fn crates() -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(root().join("crates"))
        .expect("the folder crates")
        .map(|entry| entry.expect("a readable folder").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Fails with all findings at once and what to do about them.
#[track_caller]
fn none(findings: &[String], advice: &str) {
    assert!(findings.is_empty(), "{}\n{advice}", findings.join("\n"));
}
