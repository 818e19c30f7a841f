//! Stamps: what a project's files looked like when its tests were measured.
//!
//! The case keeps them as a note, a line per file: `digest size modified path`. The digest is the
//! first half of SHA-256 in hexadecimal, `-` for a file that changed while the tests ran; the size is
//! in bytes, the time in nanoseconds since 1970. A file of the same size and time is taken for the
//! same, so that little is read. Stamped are the sources of known languages, what tells how to
//! build and test them, and every file that the case has lines of; no data files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use fdc_source::{Language, Sources};
use sha2::{Digest as _, Sha256};

/// The note's key in the case.
pub(crate) const KEY: &str = "stamps";

/// Stands for a digest where what was measured cannot be told.
const UNKNOWN: &str = "-";

const SETTINGS: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "build.gradle",
    "build.gradle.kts",
    "go.mod",
    "go.sum",
    "pom.xml",
    "pyproject.toml",
    "pytest.ini",
    "settings.gradle",
    "settings.gradle.kts",
    "setup.cfg",
    "tox.ini",
];

#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    digest: String,
    size: u64,
    modified: u64,
}

/// By path relative to the project's root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamps(BTreeMap<String, Stamp>);

impl Stamps {
    /// As files are now. What changed after the tests `began` is not known to be what they ran.
    pub(crate) fn now(
        root: &Path,
        measured: &[String],
        before: &Stamps,
        began: SystemTime,
    ) -> Stamps {
        let mut stamps = Stamps::default();
        let Ok(sources) = Sources::below(root, None) else {
            return stamps;
        };
        let began = nanoseconds(began);
        let own = sources.paths().filter(|path| is_stamped(path));
        for path in own.chain(measured.iter().map(String::as_str)) {
            let known = before.0.get(path);
            if let Some(mut stamp) = stamp(&root.join(path), known) {
                if stamp.modified >= began {
                    stamp.digest = UNKNOWN.to_owned();
                }
                stamps.0.insert(path.to_owned(), stamp);
            }
        }
        stamps
    }

    /// The files that are not as they were, gone ones among them. New files of code are not: a test
    /// that runs them is new, or runs a changed line as well.
    pub(crate) fn changed_since(&self, before: &Stamps) -> Vec<String> {
        let differs = |path: &str, then: &Stamp| {
            let same = |now: &Stamp| now.digest == then.digest && now.digest != UNKNOWN;
            !self.0.get(path).is_some_and(same)
        };
        let old = before.0.iter().filter(|(path, then)| differs(path, then));
        let new = self.0.keys().filter(|path| {
            !before.0.contains_key(*path) && (is_setting(path) || Language::of_path(path).is_none())
        });
        let mut changed: Vec<String> = old.map(|(path, _)| path).chain(new).cloned().collect();
        changed.sort();
        changed
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let lines = self.0.iter().filter(|(path, _)| !path.contains('\n'));
        for (path, stamp) in lines {
            let Stamp {
                digest,
                size,
                modified,
            } = stamp;
            let _ = writeln!(text, "{digest} {size} {modified} {path}");
        }
        text
    }

    /// Lines that are none are left out: their files count as new.
    pub(crate) fn read(text: &str) -> Stamps {
        let stamp = |line: &str| {
            let mut words = line.splitn(4, ' ');
            let digest = words.next()?.to_owned();
            let (size, modified) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            let path = words.next()?.to_owned();
            let stamp = Stamp {
                digest,
                size,
                modified,
            };
            Some((path, stamp))
        };
        Stamps(text.lines().filter_map(stamp).collect())
    }
}

fn is_stamped(path: &str) -> bool {
    Language::of_path(path).is_some() || is_setting(path) || path.ends_with(".kt")
}

/// Tells how to build or test, so that any test may depend on it.
fn is_setting(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    SETTINGS.contains(&name) || name == "conftest.py"
}

fn stamp(path: &Path, known: Option<&Stamp>) -> Option<Stamp> {
    let data = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let (size, modified) = (data.len(), nanoseconds(data.modified().ok()?));
    let known = known.filter(|known| known.digest != UNKNOWN);
    let same = known.filter(|known| (known.size, known.modified) == (size, modified));
    let digest = match same {
        Some(known) => known.digest.clone(),
        None => {
            let digest = Sha256::digest(std::fs::read(path).ok()?);
            digest[..16]
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect()
        }
    };
    Some(Stamp {
        digest,
        size,
        modified,
    })
}

fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn later() -> SystemTime {
        SystemTime::now() + Duration::from_secs(60)
    }

    #[test]
    fn what_changed_is_told_by_content() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let now = |before: &Stamps| Stamps::now(folder.path(), &[], before, later());
        write("a.py", "1");
        write("b.py", "2");
        write("notes.md", "3");
        let first = now(&Stamps::default());
        assert_eq!(first.0.keys().collect::<Vec<_>>(), ["a.py", "b.py"]);
        assert_eq!(Stamps::read(&first.text()), first);
        // The same text at another time is no change; a new module is none, new settings are.
        write("a.py", "1");
        write("c.py", "4");
        write("conftest.py", "5");
        std::fs::remove_file(folder.path().join("b.py")).unwrap();
        let second = now(&first);
        assert_eq!(second.changed_since(&first), ["b.py", "conftest.py"]);
        write("a.py", "other");
        let third = now(&second);
        assert_eq!(third.changed_since(&second), ["a.py"]);
    }

    #[test]
    fn a_file_that_changed_while_tests_ran_counts_as_changed() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.py"), "1").unwrap();
        let of = |began| Stamps::now(folder.path(), &[], &Stamps::default(), began);
        let meanwhile = of(SystemTime::UNIX_EPOCH);
        assert_eq!(of(later()).changed_since(&meanwhile), ["a.py"]);
        // Also when nothing is touched again.
        let again = Stamps::now(folder.path(), &[], &meanwhile, later());
        assert_eq!(again.changed_since(&meanwhile), ["a.py"]);
    }
}
