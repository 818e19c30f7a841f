//! Relative links in documents lead to files and headings that exist.

use std::path::Path;

use crate::{files, none, read, root};

/// Folders at the root of the repository that documents name files of.
const FOLDERS: &[&str] = &[
    "benches/",
    "crates/",
    "docs/",
    "fuzz/",
    "java/",
    "models/",
    "packaging/",
    "python/",
    "schemas/",
    "scripts/",
    "studies/",
    "testdata/",
    "verify/",
];

#[test]
fn links_in_documents_lead_somewhere() {
    let mut broken = Vec::new();
    for document in files("", &[".md"]) {
        for link in links(&prose(&read(&document))) {
            if let Some(reason) = fault(&document, &link) {
                broken.push(format!("{document}: ({link}): {reason}"));
            }
        }
    }
    none(&broken, "correct the link, or bring back what it leads to");
}

#[test]
fn every_page_of_the_docs_is_in_the_index() {
    let index = read("docs/README.md");
    let missing: Vec<_> = files("docs", &[".md"])
        .into_iter()
        .filter(|page| page != "docs/README.md")
        .filter(|page| !index.contains(&format!("({})", &page["docs/".len()..])))
        .collect();
    none(&missing, "add a line for these pages to docs/README.md");
}

#[test]
fn files_named_in_documents_exist() {
    let mut gone = Vec::new();
    for document in files("", &[".md"]) {
        let text = prose(&read(&document));
        // The code map has a test of its own.
        let in_map = |line: &&str| document == "ARCHITECTURE.md" && line.starts_with("| `");
        for name in text
            .lines()
            .filter(|line| !in_map(line))
            .flat_map(|line| line.split('`').skip(1).step_by(2))
        {
            let is_path = FOLDERS.iter().any(|folder| name.starts_with(folder))
                && !name.contains(|sign: char| " <*$…{:".contains(sign));
            let here = Path::new(&document).parent().expect("a file has a folder");
            if is_path && !root().join(name).exists() && !root().join(here).join(name).exists() {
                gone.push(format!("{document}: `{name}`"));
            }
        }
    }
    none(&gone, "correct the name, or take it out");
}

/// Why a link leads nowhere.
fn fault(document: &str, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    let folder = Path::new(document).parent().expect("a file has a folder");
    let target = if file.is_empty() {
        document.into()
    } else {
        folder.join(file)
    };
    let path = root().join(&target);
    if !path.exists() {
        return Some("there is no such file".to_owned());
    }
    if heading.is_empty() {
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    let known = prose(&text)
        .lines()
        .filter(|line| line.starts_with('#'))
        .any(|line| anchor(line) == heading);
    (!known).then(|| "there is no such heading".to_owned())
}

/// What GitHub calls a heading.
fn anchor(heading: &str) -> String {
    heading
        .trim_start_matches('#')
        .trim()
        .to_lowercase()
        .chars()
        .filter(|sign| sign.is_alphanumeric() || [' ', '-', '_'].contains(sign))
        .map(|sign| if sign == ' ' { '-' } else { sign })
        .collect()
}

/// A document without its blocks of code.
fn prose(text: &str) -> String {
    let mut fence: Option<&str> = None;
    let mut kept = String::new();
    for line in text.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(open) if ticks.len() >= open.len() => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => {
                kept.push_str(line);
                kept.push('\n');
            }
        }
    }
    kept
}

/// The targets of `[text](target)`.
fn links(text: &str) -> Vec<String> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.to_owned())
        .collect()
}
