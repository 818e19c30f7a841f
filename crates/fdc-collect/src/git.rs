//! What a project's Git repository tells: the files and lines that differ from a revision, and how
//! often files changed. The installed `git` is asked, which knows the repository's own settings.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

use fdc_core::evidence::FileHistory;

use crate::error::{Result, RunError};
use crate::process::{answer, when_written};

const LOG: &str = "log -n 2500 --no-merges --no-renames --no-show-signature --relative --name-only \
                   -z --format=%x01%ct";
const DIFF: &str = "-c core.quotePath=false diff -U0 --inter-hunk-context=0 --no-renames --no-color \
                    --no-ext-diff --no-textconv --relative --src-prefix=a/ --dst-prefix=b/";
const SECONDS_PER_DAY: f64 = 86_400.0;

/// Lines of a file that are new since a revision, as ranges; an empty one stands before the line where
/// others were taken away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedLines {
    /// Relative to the root.
    pub file: String,
    /// In the order of the file.
    pub lines: Vec<Range<u32>>,
}

/// What `git` prints below the root, if it runs and succeeds.
fn git(root: &Path, words: &str, last: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    answer(command.current_dir(root).args(words.split(' ')).args(last))
}

/// Whether the folder is in a repository, as far as `git` can tell.
pub fn is_repository(root: &Path) -> bool {
    git(root, "rev-parse --git-dir", &[]).is_some()
}

/// The commit that a revision is. `without` says what to do where there is no repository.
pub(crate) fn commit(root: &Path, revision: &str, without: &str) -> Result<String> {
    if !is_repository(root) {
        let message = format!("{} is not in a Git repository", root.display());
        return Err(RunError::usage(message, without));
    }
    let name = format!("{revision}^{{commit}}");
    let words = "rev-parse --verify --quiet --end-of-options";
    git(root, words, &[&name]).ok_or_else(|| {
        let message = format!("Git knows no revision {revision:?}");
        let hint =
            "name a commit, branch or tag, such as HEAD~1 or main; a shallow clone lacks old ones";
        RunError::usage(message, hint)
    })
}

fn failed() -> RunError {
    RunError::tool("git diff failed", "run it by hand to see why")
}

/// Files that are not under version control yet, relative to the root.
fn untracked(root: &Path) -> Result<Vec<String>> {
    let new = git(root, "ls-files --others --exclude-standard -z", &[]);
    Ok(names(&new.ok_or_else(failed)?))
}

fn names(text: &str) -> Vec<String> {
    let names = text.split('\0').filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

/// Files that differ from the commit, relative to the root, with those not under version control
/// yet.
pub(crate) fn changed_files(root: &Path, commit: &str) -> Result<Vec<String>> {
    let words = "diff --name-only --relative --no-renames -z";
    let changed = git(root, words, &[commit, "--"]).ok_or_else(failed)?;
    let mut files = names(&changed);
    files.extend(untracked(root)?);
    files.sort();
    files.dedup();
    Ok(files)
}

/// All files that are under version control or could be, relative to the root.
pub(crate) fn all_files(root: &Path) -> Result<Vec<String>> {
    let words = "ls-files --cached --others --exclude-standard -z";
    let mut files = names(&git(root, words, &[]).ok_or_else(failed)?);
    files.sort();
    files.dedup();
    Ok(files)
}

/// The text of an object: a file's own, or `COMMIT:./path`. None if Git does not have it.
pub(crate) fn text_of(root: &Path, object: &str) -> Option<String> {
    let mut command = Command::new("git");
    command.current_dir(root).args(["cat-file", "blob", object]);
    let output = when_written(|| command.stdin(Stdio::null()).output()).ok()?;
    let text = || String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then(text)
}

/// What Git would call the present contents of files; none of a file that cannot be read.
pub(crate) fn objects_of(root: &Path, files: &[String]) -> Vec<Option<String>> {
    const AT_ONCE: usize = 200;
    let mut objects = Vec::new();
    for some in files.chunks(AT_ONCE) {
        let paths: Vec<&str> = some.iter().map(|file| &**file).collect();
        match git(root, "hash-object --", &paths) {
            Some(found) => objects.extend(found.lines().map(|line| Some(line.to_owned()))),
            // One is missing, or no file: ask for each.
            None => objects.extend(
                paths
                    .iter()
                    .map(|path| git(root, "hash-object --", &[path])),
            ),
        }
    }
    objects
}

/// Lines that differ from the revision; files not under version control yet are new as a whole.
pub fn changed_lines(root: &Path, revision: &str) -> Result<Vec<ChangedLines>> {
    let without = "leave out --since, or name the project's root with --source";
    let commit = commit(root, revision, without)?;
    let diff = git(root, DIFF, &[&commit, "--"]).ok_or_else(failed)?;
    let mut changed = read_diff(&diff);
    let whole = |file| ChangedLines {
        file,
        lines: Vec::from_iter(Some(1..u32::MAX)),
    };
    changed.extend(untracked(root)?.into_iter().map(whole));
    Ok(changed)
}

fn read_diff(diff: &str) -> Vec<ChangedLines> {
    let mut changed: Vec<ChangedLines> = Vec::new();
    let mut is_kept = false;
    let mut lines = diff.lines();
    while let Some(line) = lines.next() {
        if let Some(file) = line.strip_prefix("+++ ") {
            // A name with a blank ends in a tab. Deleted files have none.
            let file = file.trim_end_matches('\t').strip_prefix("b/");
            is_kept = file.is_some();
            changed.extend(file.map(|file| ChangedLines {
                file: file.to_owned(),
                lines: Vec::new(),
            }));
        } else if let Some((old, new)) = hunk(line) {
            if let Some(file) = changed.last_mut().filter(|_| is_kept) {
                file.lines.push(new.clone());
            }
            // What follows is text that may look like anything.
            for _ in 0..old.saturating_add(new.end - new.start) {
                lines.next();
            }
        }
    }
    changed
}

/// How many lines `@@ -3,2 +4 @@` takes away, and which it adds.
fn hunk(line: &str) -> Option<(u32, Range<u32>)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let new = rest.split_once(" @@")?.0;
    let count = |side: &str| {
        side.split_once(',')
            .map_or(Ok(1), |(_, count)| count.parse())
    };
    let first: u32 = new.split(',').next()?.parse().ok()?;
    let (old, new): (u32, u32) = (count(old).ok()?, count(new).ok()?);
    // Without new lines the number is that of the line before.
    let start = if new == 0 {
        first.saturating_add(1)
    } else {
        first
    };
    Some((old, start..start.saturating_add(new)))
}

/// The texts that a file had in the last commits that changed it, the newest first.
pub(crate) fn texts(root: &Path, path: &str, most: usize) -> impl Iterator<Item = String> {
    let words = format!(
        "--literal-pathspecs log -n {most} --no-renames --no-show-signature --format=%H --"
    );
    let commits = git(root, &words, &[path]).unwrap_or_default();
    let commits: Vec<String> = commits.lines().map(str::to_owned).collect();
    commits.into_iter().filter_map(move |commit| {
        let mut command = Command::new("git");
        let object = format!("{commit}:./{path}");
        command.args(["cat-file", "blob", &object]);
        let output = command.current_dir(root).stdin(Stdio::null()).output();
        let output = output.ok().filter(|output| output.status.success())?;
        let text = String::from_utf8_lossy(&output.stdout);
        Some(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
    })
}

/// How often each file changed, by its path relative to the root, in the last commits; and what a
/// person should know. Nothing that goes wrong here is worth failing for.
pub fn history(root: &Path) -> (HashMap<String, FileHistory>, Option<String>) {
    let nothing = |why: &str| {
        let note = format!("{why}: the history of its files is left out");
        (HashMap::new(), Some(note))
    };
    let place = root.display();
    let Some(shallow) = git(root, "rev-parse --is-shallow-repository", &[]) else {
        return match git(root, "--version", &[]) {
            Some(_) => nothing(&format!("{place} is not in a Git repository")),
            None => nothing("git cannot be run"),
        };
    };
    let Some(log) = git(root, LOG, &[]) else {
        return match git(root, "rev-parse --verify --quiet HEAD", &[]) {
            Some(_) => nothing("git log failed"),
            None => nothing(&format!("the Git repository of {place} has no commits")),
        };
    };
    let (commits, history) = read_log(&log);
    let note = (shallow == "true").then(|| {
        format!("the clone is shallow: the history of files is that of {commits} commits")
    });
    (history, note)
}

/// The newest commit is first.
fn read_log(log: &str) -> (u32, HashMap<String, FileHistory>) {
    let mut history: HashMap<String, FileHistory> = HashMap::new();
    let mut newest = None;
    let mut number = 0;
    for commit in log.split('\u{1}').skip(1) {
        let mut parts = commit.split('\0');
        let time: f64 = parts
            .next()
            .and_then(|time| time.parse().ok())
            .unwrap_or(0.0);
        let newest: f64 = *newest.get_or_insert(time);
        for file in parts.map(|file| file.trim_start_matches('\n')) {
            if file.is_empty() {
                continue;
            }
            let known = history.entry(file.to_owned()).or_insert(FileHistory {
                commits: 0,
                commits_since_change: number,
                days_since_change: ((newest - time) / SECONDS_PER_DAY).max(0.0),
            });
            known.commits += 1;
        }
        number += 1;
    }
    (number, history)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Repository(tempfile::TempDir);

    impl Repository {
        fn new() -> Self {
            let made = Repository(tempfile::tempdir().unwrap());
            made.git(&["init", "--quiet"]);
            std::fs::create_dir(made.root().join("shop")).unwrap();
            made
        }

        fn root(&self) -> &Path {
            self.0.path()
        }

        fn git(&self, arguments: &[&str]) {
            let mut command = Command::new("git");
            command.current_dir(self.root()).args(arguments);
            for who in ["AUTHOR", "COMMITTER"] {
                command.env(format!("GIT_{who}_NAME"), "Ann");
                command.env(format!("GIT_{who}_EMAIL"), "ann@example.com");
            }
            assert!(command.status().unwrap().success(), "{arguments:?}");
        }

        fn commit(&self, file: &str, text: &str) {
            std::fs::write(self.root().join(file), text).unwrap();
            self.git(&["add", "."]);
            self.git(&["commit", "--quiet", "--message", "change"]);
        }
    }

    #[test]
    fn lines_are_those_of_the_new_side_and_new_files_are_whole() {
        let project = Repository::new();
        project.commit("shop/my tax.py", "a\nb\nc\nd\n");
        project.commit("shop/old.py", "x\n");
        std::fs::write(project.root().join("shop/my tax.py"), "a\n++ b/x\nc\n+\n").unwrap();
        std::fs::write(project.root().join("shop/new.py"), "n\n").unwrap();
        std::fs::remove_file(project.root().join("shop/old.py")).unwrap();
        let of = |root: &Path| {
            let changed = changed_lines(root, "HEAD").unwrap();
            let told = changed.into_iter().map(|own| (own.file, own.lines));
            told.collect::<Vec<_>>()
        };
        let tax = vec![2..3, 4..5];
        let expected = [
            ("shop/my tax.py".to_owned(), tax.clone()),
            ("shop/new.py".to_owned(), Vec::from_iter(Some(1..u32::MAX))),
        ];
        assert_eq!(of(project.root()), expected);
        assert_eq!(
            of(&project.root().join("shop"))[0],
            ("my tax.py".to_owned(), tax)
        );
        std::fs::write(project.root().join("shop/my tax.py"), "a\nd\n").unwrap();
        assert_eq!(of(project.root())[0].1[0], 2..2);

        let error = changed_lines(project.root(), "--help").unwrap_err();
        assert!(
            error.to_string().contains("Git knows no revision"),
            "{error}"
        );
        let nowhere = tempfile::tempdir().unwrap();
        let error = changed_lines(nowhere.path(), "HEAD").unwrap_err();
        assert!(
            error.to_string().contains("not in a Git repository"),
            "{error}"
        );
    }

    #[test]
    fn files_are_counted_from_the_newest_commit() {
        let project = Repository::new();
        let (none, note) = history(project.root());
        assert!(none.is_empty() && note.unwrap().contains("no commits"));
        project.commit("shop/tax.py", "a\n");
        project.commit("shop/cart.py", "a\n");
        project.commit("shop/tax.py", "b\n");
        project.commit("top.py", "b\n");
        let (known, note) = history(&project.root().join("shop"));
        assert_eq!(note, None);
        assert_eq!(known.len(), 2);
        let told = |file: &str| (known[file].commits, known[file].commits_since_change);
        assert_eq!((told("tax.py"), told("cart.py")), ((2, 1), (1, 2)));

        let copy = tempfile::tempdir().unwrap();
        let from = format!("file://{}", project.root().display());
        let to = copy.path().to_str().unwrap();
        project.git(&["clone", "--quiet", "--depth", "1", &from, to]);
        let (known, note) = history(copy.path());
        assert_eq!(known["top.py"].commits, 1);
        assert!(note.unwrap().contains("that of 1 commits"));
        let nowhere = tempfile::tempdir().unwrap();
        let (_, note) = history(nowhere.path());
        assert!(note.unwrap().contains("is not in a Git repository"));
    }

    #[test]
    fn days_count_from_the_newest_commit_and_never_below_0() {
        let day = 86_400;
        let log = format!(
            "\u{1}{}\0\na\0\u{1}{}\0\na\0b\0\u{1}{}\0\nc\0",
            10 * day,
            11 * day,
            7 * day
        );
        let (commits, known) = read_log(&log);
        assert_eq!(commits, 3);
        let days = ["a", "b", "c"].map(|file| known[file].days_since_change);
        assert_eq!(days, [0.0, 0.0, 3.0]);
    }
}
