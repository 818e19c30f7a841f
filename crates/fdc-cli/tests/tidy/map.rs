//! The code map of ARCHITECTURE.md names every source file, and nothing that is gone.
//!
//! A section of the map is headed by a crate or a folder. The first column of its tables names
//! files relative to that crate's `src`, to the crate, or to the folder; `folder/` stands for
//! everything below it, and `folder/<name>.rs` for every file of that folder.

use crate::{crates, files, is_test, none, read, root};

#[test]
fn the_map_names_every_source_file() {
    let entries = entries();
    let mut missing = Vec::new();
    for name in crates() {
        for path in files(&format!("crates/{name}/src"), &[".rs"]) {
            if !is_test(&path) && !entries.iter().any(|entry| entry.covers(&path)) {
                missing.push(path);
            }
        }
    }
    none(
        &missing,
        "add these to the code map of ARCHITECTURE.md: what is in them, in one line",
    );
}

#[test]
fn what_the_map_names_exists() {
    let gone: Vec<_> = entries()
        .iter()
        .filter(|entry| !entry.exists())
        .map(|entry| format!("{} of {}", entry.name, entry.section))
        .collect();
    none(
        &gone,
        "take these out of the code map of ARCHITECTURE.md, or correct their names",
    );
}

#[test]
fn every_crate_has_a_section_and_a_line_in_the_table() {
    let text = read("ARCHITECTURE.md");
    let missing: Vec<_> = crates()
        .into_iter()
        .filter(|name| {
            !text.contains(&format!("\n### {name}\n")) || !text.contains(&format!("\n| `{name}` |"))
        })
        .collect();
    none(
        &missing,
        "give these crates a line in the table and a section in ARCHITECTURE.md",
    );
}

struct Entry {
    section: String,
    name: String,
}

impl Entry {
    /// The places that the name may mean.
    fn paths(&self) -> [String; 3] {
        ["crates/@/src/", "crates/@/", "@/"]
            .map(|base| base.replace('@', &self.section) + &self.name)
    }

    fn covers(&self, path: &str) -> bool {
        self.paths()
            .iter()
            .any(|named| match named.split_once("/<") {
                Some((folder, _)) => path.rsplit_once('/').is_some_and(|(own, _)| own == folder),
                None => named == path || (named.ends_with('/') && path.starts_with(named.as_str())),
            })
    }

    fn exists(&self) -> bool {
        self.paths().iter().any(|named| {
            let path = named.split("/<").next().unwrap_or(named);
            root().join(path).exists()
        })
    }
}

/// What the first columns of the code map name.
fn entries() -> Vec<Entry> {
    let text = read("ARCHITECTURE.md");
    let (_, map) = text
        .split_once("\n## Code map")
        .expect("ARCHITECTURE.md has a section `## Code map`");
    let map = map.split("\n## ").next().unwrap_or(map);
    let mut found = Vec::new();
    for section in map.split("\n### ").skip(1) {
        let (heading, body) = section.split_once('\n').unwrap_or((section, ""));
        for row in body.lines().filter(|line| line.starts_with("| `")) {
            let column = row.split(" | ").next().unwrap_or(row);
            for name in column.split('`').skip(1).step_by(2) {
                found.push(Entry {
                    section: heading.to_owned(),
                    name: name.to_owned(),
                });
            }
        }
    }
    found
}
