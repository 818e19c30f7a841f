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
