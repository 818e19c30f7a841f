//! Files that are whole or not there: written beside their place, synced, then renamed. Every crate
//! that writes a file does it here.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{FileError, Result};
use crate::replaced::settle;

/// Age in seconds at which the draft of a killed process is litter.
const LITTER: u64 = 3600;

/// Writes a file, whole or not at all.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    replace_whole(path, |draft| {
        let fill = || {
            let mut file = io::BufWriter::new(File::create(draft)?);
            write(&mut file)?;
            file.flush()
        };
        fill().map_err(FileError::io(path, "write it"))
    })
}

/// Puts the file that `make` leaves at the draft's path in place, whole or not at all. A case that
/// holds answers is not replaced.
pub fn replace_whole(path: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    settle(path)?;
    let draft = draft_path(path);
    let place = || {
        File::open(&draft)?.sync_all()?;
        std::fs::rename(&draft, path)?;
        sync_folder(path)
    };
    let placed = make(&draft).and_then(|()| place().map_err(FileError::io(path, "write it")));
    placed.inspect_err(|_| {
        // Best effort: the error to report is the first one.
        let _ = std::fs::remove_file(&draft);
    })
}

/// Hidden, beside the file, and no other writer's.
fn draft_path(path: &Path) -> PathBuf {
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beginning = format!(".{name}.");
    remove_litter(path, &beginning);
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let process = std::process::id();
    path.with_file_name(format!("{beginning}{process}-{number}.partial"))
}

/// Drafts of killed processes go when they are old.
fn remove_litter(path: &Path, beginning: &str) {
    let entries = std::fs::read_dir(folder_of(path)).into_iter().flatten();
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with(beginning) || !name.ends_with(".partial") {
            continue;
        }
        let changed = entry.metadata().and_then(|data| data.modified());
        let age = changed.map(|time| time.elapsed());
        if matches!(age, Ok(Ok(age)) if age.as_secs() > LITTER) {
            // Best effort: it is only litter.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Makes the new name last through a power cut; only Unix can open a folder.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder_of(path))?.sync_all()?;
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    let parent = path.parent().unwrap_or(path);
    match parent.as_os_str().is_empty() {
        true => Path::new("."),
        false => parent,
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        for text in ["first", "second"] {
            write_whole(&path, |file| file.write_all(text.as_bytes())).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(folder.path()), ["out.txt"]);
    }

    #[test]
    fn an_error_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        std::fs::write(&path, "old").unwrap();
        let error = write_whole(&path, |file| {
            file.write_all(b"half of the new")?;
            Err(io::Error::other("no more room"))
        });
        let expected = format!("{}: cannot write it: no more room", path.display());
        assert_eq!(error.unwrap_err().to_string(), expected);
        // A maker that leaves no draft cannot be put in place either.
        assert!(replace_whole(&path, |_| Ok(())).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()), ["out.txt"]);
    }

    #[test]
    fn without_a_folder_the_file_itself_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("absent/out.txt");
        let error = write_whole(&path, |_| Ok(())).unwrap_err();
        let start = format!("{}: cannot write it: ", path.display());
        assert!(error.to_string().starts_with(&start), "{error}");
        assert_eq!(names(folder.path()), [] as [&str; 0]);
    }

    #[test]
    fn old_drafts_go_and_those_of_other_files_and_writers_stay() {
        let folder = tempfile::tempdir().unwrap();
        let draft = |name: &str, hours: u64| {
            let file = File::create(folder.path().join(name)).unwrap();
            let changed = SystemTime::now() - Duration::from_secs(hours * 3600);
            file.set_modified(changed).unwrap();
        };
        draft(".out.txt.1-0.partial", 2);
        draft(".out.txt.2-0.partial", 0);
        draft(".other.txt.1-0.partial", 2);
        draft(".out.txt.1-0.kept", 2);
        write_whole(&folder.path().join("out.txt"), |_| Ok(())).unwrap();
        let expected = [
            ".other.txt.1-0.partial",
            ".out.txt.1-0.kept",
            ".out.txt.2-0.partial",
            "out.txt",
        ];
        assert_eq!(names(folder.path()), expected);
    }
}
