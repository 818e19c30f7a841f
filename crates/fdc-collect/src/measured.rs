//! Which sources a case was measured with, and how they differ from those that are there now.
//!
//! A case notes the commit that was checked out, and of every file that differed from it what Git
//! would call its contents. Where Git has those contents, or the file is as it was, all is known line
//! by line; else that the file has changed.

use std::collections::BTreeSet;
use std::path::Path;

use fdc_case::Case;

use crate::error::{Result, RunError};
use crate::git;

/// Notes of a case.
pub(crate) const COMMIT: &str = "commit";
pub(crate) const UNCOMMITTED: &str = "uncommitted";

/// The sources that a case was measured with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MeasuredSources {
    commit: String,
    /// Files that were not as in the commit, relative to the root, with what Git calls their
    /// contents; none if they were gone.
    uncommitted: Vec<(String, Option<String>)>,
}

/// Contents of a file at another time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Earlier {
    Text(String),
    /// There was no such file.
    Nothing,
    /// Nobody has the contents any more.
    Lost,
}

impl Earlier {
    fn of(text: Option<String>) -> Self {
        text.map_or(Earlier::Nothing, Earlier::Text)
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Earlier::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// A file whose contents are not the same at all times that matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChangedFile {
    /// Relative to the root.
    pub path: String,
    /// When the case was measured.
    pub measured: Earlier,
    /// At the revision that was named; none if none was, or it is as when the case was measured.
    pub since: Option<Earlier>,
    /// None: it is gone.
    pub now: Option<String>,
}

/// All changed files, and what a person should know about how they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    pub files: Vec<ChangedFile>,
    /// What they are changes since, in words.
    pub since: String,
    pub notes: Vec<String>,
}

impl MeasuredSources {
    /// Of the project as it is now; none if it is in no Git repository with a commit.
    pub(crate) fn now(root: &Path) -> Option<Self> {
        let commit = git::commit(root, "HEAD", "").ok()?;
        let mut files = git::changed_files(root, &commit).ok()?;
        files.retain(|file| !is_own(file));
        let objects = git::objects_of(root, &files);
        let uncommitted = files.into_iter().zip(objects).collect();
        Some(MeasuredSources {
            commit,
            uncommitted,
        })
    }

    /// As a case notes it.
    pub(crate) fn notes(&self) -> [(&'static str, String); 2] {
        let line = |(path, object): &(String, Option<String>)| {
            format!("{} {path}\n", object.as_deref().unwrap_or("-"))
        };
        let uncommitted = self.uncommitted.iter().map(line).collect();
        [(COMMIT, self.commit.clone()), (UNCOMMITTED, uncommitted)]
    }

    /// What a case notes, if it does.
    pub(crate) fn of_case(case: &Case) -> Result<Option<Self>> {
        let Some(commit) = case.about(COMMIT)? else {
            return Ok(None);
        };
        let text = case.about(UNCOMMITTED)?.unwrap_or_default();
        let line = |line: &str| {
            let (object, path) = line.split_once(' ')?;
            let object = Some(object.to_owned()).filter(|object| object != "-");
            Some((path.to_owned(), object))
        };
        Ok(Some(MeasuredSources {
            commit,
            uncommitted: text.lines().filter_map(line).collect(),
        }))
    }

    fn object(&self, path: &str) -> Option<&Option<String>> {
        let mut uncommitted = self.uncommitted.iter();
        let found = uncommitted.find(|(file, _)| file == path);
        found.map(|(_, object)| object)
    }

    fn earlier(&self, root: &Path, path: &str, now: Option<&str>) -> Earlier {
        match self.object(path) {
            None => Earlier::of(git::text_of(root, &format!("{}:./{path}", self.commit))),
            Some(None) => Earlier::Nothing,
            Some(Some(object)) => match git::text_of(root, object) {
                Some(text) => Earlier::Text(text),
                None => {
                    let same = git::objects_of(root, &[path.to_owned()]);
                    let same = same[0].as_ref() == Some(object);
                    let now = now.filter(|_| same).map(str::to_owned);
                    now.map_or(Earlier::Lost, Earlier::Text)
                }
            },
        }
    }
}

/// What has changed since the case was measured, and since the revision, if one is named.
pub(crate) fn changes(
    root: &Path,
    measured: Option<&MeasuredSources>,
    revision: Option<&str>,
    option: &str,
) -> Result<Changes> {
    let without = format!("leave out {option}, or name the project's root");
    let named = revision.map(|revision| git::commit(root, revision, &without));
    let named = named.transpose()?;
    let mut notes = Vec::new();
    let known = |own: &&MeasuredSources| git::commit(root, &own.commit, "").is_ok();
    let own = measured.filter(known);
    if let (Some(measured), None) = (measured, own) {
        let commit = short(&measured.commit);
        notes.push(format!(
            "the case was measured at commit {commit}, which Git does not have: \
             its lines are taken to be those of the revision"
        ));
    }
    let before = match (own, &named) {
        (Some(own), _) => own.clone(),
        (None, Some(commit)) => MeasuredSources {
            commit: commit.clone(),
            uncommitted: Vec::new(),
        },
        (None, None) => {
            let message = "the case does not tell at which commit it was measured";
            let hint = format!("name the revision that it was measured at: {option} REV");
            return Err(RunError::usage(message, hint));
        }
    };
    let mut paths: BTreeSet<String> = git::changed_files(root, &before.commit)?
        .into_iter()
        .collect();
    paths.extend(before.uncommitted.iter().map(|(path, _)| path.clone()));
    if let Some(named) = named.as_ref().filter(|named| **named != before.commit) {
        paths.extend(git::changed_files(root, named)?);
    }
    let mut files = Vec::new();
    let mut outdated = 0;
    for path in paths.into_iter().filter(|path| !is_own(path)) {
        let now = std::fs::read(root.join(&path)).ok();
        let now = now.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        // A module of Git's that is at another commit now has no text.
        let measured = match root.join(&path).is_dir() {
            true => Earlier::Lost,
            false => before.earlier(root, &path, now.as_deref()),
        };
        let since = named.as_ref().map(|commit| {
            let text = git::text_of(root, &format!("{commit}:./{path}"));
            Earlier::of(text)
        });
        let since = since.filter(|since| !same(since, &measured));
        outdated += usize::from(since.is_some());
        let present = Earlier::of(now.clone());
        if since.is_some() || !same(&present, &measured) {
            files.push(ChangedFile {
                path,
                measured,
                since,
                now,
            });
        }
    }
    if outdated > 0 {
        let (at, revision) = (short(&before.commit), revision.unwrap_or_default());
        let are = count_of_files(outdated);
        notes.push(format!(
            "the case was measured at {at}, where {are} not as at {revision}: \
             tests of what differs there are counted, too"
        ));
    }
    let since = match revision {
        Some(revision) => revision.to_owned(),
        None => format!("the case was measured at {}", short(&before.commit)),
    };
    Ok(Changes {
        files,
        since,
        notes,
    })
}

fn count_of_files(count: usize) -> String {
    match count {
        1 => "1 file is".to_owned(),
        count => format!("{count} files are"),
    }
}

fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

/// Line ends may differ between Git and the disk.
fn same(one: &Earlier, other: &Earlier) -> bool {
    match (one, other) {
        (Earlier::Text(one), Earlier::Text(other)) => one.lines().eq(other.lines()),
        (Earlier::Nothing, Earlier::Nothing) => true,
        _ => false,
    }
}

/// What a collection writes itself.
fn is_own(file: &str) -> bool {
    let ends = [".fdc", ".fdc.lock", ".fdc-wal", ".fdc-shm", ".fdc-journal"];
    ends.iter().any(|end| file.ends_with(end)) || file.contains(".fdc.work/")
}
