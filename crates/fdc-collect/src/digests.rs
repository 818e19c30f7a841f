//! The sources as they were when they were measured: a case keeps their digests, and their text is
//! found again on the disk or in Git's history.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use fdc_source::{Source, Sources};
use md5::{Digest as _, Md5};

use crate::git;

/// Commits of a file that are looked through for the text that was measured.
const MOST_COMMITS: usize = 20;

/// Of a text, however its lines end.
pub fn digest(lines: &[String]) -> String {
    let mut hash = Md5::new();
    for line in lines {
        hash.update(line);
        hash.update("\n");
    }
    let bytes = hash.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Of the files of a program, by the names that the program has for them. One that was written after
/// the tests `began` may not be what they ran.
pub(crate) fn digests<'a>(
    root: &Path,
    files: impl Iterator<Item = &'a str>,
    began: SystemTime,
) -> BTreeMap<String, String> {
    let Ok(sources) = Sources::below(root, Some(began)) else {
        return BTreeMap::new();
    };
    let known = files.filter_map(|file| {
        let source = sources.read(file).filter(|source| !source.newer)?;
        Some((file.to_owned(), digest(&source.lines)))
    });
    known.collect()
}

/// The lines of a source as they were measured: those on the disk or, where these have another
/// digest, those of a commit. Without a digest the time of the file on the disk has to do.
pub fn measured_lines(root: &Path, source: Source, known: Option<&str>) -> Option<Vec<String>> {
    let Some(known) = known else {
        return (!source.newer).then_some(source.lines);
    };
    if digest(&source.lines) == known {
        return Some(source.lines);
    }
    let texts = git::texts(root, &source.path, MOST_COMMITS);
    let mut lines = texts.map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    lines.find(|lines| digest(lines) == known)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_digest_is_of_the_lines_however_they_end() {
        let plain = digest(&lines("a\nb\n"));
        assert_eq!(digest(&lines("a\r\nb")), plain);
        assert_ne!(digest(&lines("ab\n")), plain);
        assert_ne!(digest(&lines("a\n\nb\n")), plain);
    }

    #[test]
    fn the_text_that_was_measured_is_found_on_the_disk_or_in_a_commit() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let git = |words: &[&str]| {
            let who = ["-c", "user.name=x", "-c", "user.email=x@x"];
            let done = Command::new("git")
                .current_dir(root)
                .args(who)
                .args(words)
                .output();
            assert!(done.unwrap().status.success(), "{words:?}");
        };
        git(&["init", "-q"]);
        std::fs::create_dir(root.join("src")).unwrap();
        let file = root.join("src/a.py");
        for text in ["\nfirst\n", "second\r\n", "third\n"] {
            std::fs::write(&file, text).unwrap();
            git(&["add", "."]);
            git(&["commit", "-q", "-m", "x"]);
        }
        std::fs::write(&file, "edited\n").unwrap();
        let sources = Sources::below(root, None).unwrap();
        let found = |text: &str| {
            let source = sources.read("src/a.py").unwrap();
            measured_lines(root, source, Some(&digest(&lines(text))))
        };
        for text in ["\nfirst", "second", "third", "edited"] {
            assert_eq!(found(text), Some(lines(text)));
        }
        assert_eq!(found("never committed"), None);
    }

    #[test]
    fn without_a_digest_the_time_of_the_file_tells() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.py"), "x\n").unwrap();
        let at = |time| {
            let sources = Sources::below(folder.path(), Some(time)).unwrap();
            measured_lines(sources.root(), sources.read("a.py").unwrap(), None)
        };
        assert_eq!(at(SystemTime::UNIX_EPOCH), None);
        let later = SystemTime::now() + std::time::Duration::from_secs(60);
        assert_eq!(at(later), Some(lines("x")));
        let digests = |began| digests(folder.path(), ["a.py", "b.py"].into_iter(), began);
        assert_eq!(digests(SystemTime::UNIX_EPOCH).len(), 0);
        assert_eq!(digests(later)["a.py"], digest(&lines("x")));
    }
}
