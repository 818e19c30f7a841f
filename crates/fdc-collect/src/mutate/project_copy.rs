//! Copies of a project, in which tests may do what they like.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Result, RunError};

/// Nothing that a build or a test reads.
const NOT_COPIED: &[&str] = &[".git", ".hg", ".svn", "node_modules", "__pycache__"];
/// A folder with one of these can be made again: a build's output, a virtual environment.
const MADE: &[&str] = &["CACHEDIR.TAG", "pyvenv.cfg"];

/// Copies a project to a folder that does not exist, without what `left_out` names.
pub(crate) fn copy_project(root: &Path, to: &Path, left_out: &[PathBuf]) -> Result<()> {
    let mut folders = vec![(root.to_owned(), to.to_owned())];
    while let Some((from, to)) = folders.pop() {
        fs::create_dir_all(&to).map_err(RunError::io(&to, "make it"))?;
        let entries = fs::read_dir(&from).map_err(RunError::io(&from, "list it"))?;
        for entry in entries.flatten() {
            let (source, goal) = (entry.path(), to.join(entry.file_name()));
            if left_out.contains(&source) || is_left_out(&source) {
                continue;
            }
            let kind = entry
                .file_type()
                .map_err(RunError::io(&source, "read it"))?;
            if kind.is_dir() {
                folders.push((source, goal));
            } else if kind.is_symlink() {
                copy_link(&source, &goal)?;
            } else if kind.is_file() {
                fs::copy(&source, &goal).map_err(RunError::io(&goal, "write it"))?;
            }
        }
    }
    Ok(())
}

/// Whether a file or folder of a project does not belong to a copy.
pub(super) fn is_left_out(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let is_made = || path.is_dir() && !path.is_symlink();
    NOT_COPIED.iter().any(|&skipped| name == skipped)
        || is_made() && MADE.iter().any(|sign| path.join(sign).exists())
}

#[cfg(unix)]
pub(super) fn copy_link(source: &Path, goal: &Path) -> Result<()> {
    let target = fs::read_link(source).map_err(RunError::io(source, "read it"))?;
    std::os::unix::fs::symlink(target, goal).map_err(RunError::io(goal, "write it"))
}

#[cfg(not(unix))]
pub(super) fn copy_link(_: &Path, _: &Path) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_copied_and_what_can_be_made_again_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        let write = |path: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        };
        for path in [
            "src/a.py",
            ".venv/pyvenv.cfg",
            ".git/HEAD",
            "case.fdc",
            "target/CACHEDIR.TAG",
        ] {
            write(path);
        }
        let to = folder.path().join("copy");
        copy_project(&root, &to, &[root.join("case.fdc")]).unwrap();
        assert!(to.join("src/a.py").is_file());
        for path in [".venv", ".git", "case.fdc", "target"] {
            assert!(!to.join(path).exists(), "{path}");
        }
    }
}
