//! Files that are whole or not there: written beside their place, synced, then renamed. Every crate
//! that writes a file does it here.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::FileError;

/// Age in seconds at which the draft of a killed process is litter.
const LITTER: u64 = 3600;

/// Writes a file, whole or not at all.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    let cannot = |error| FileError::io(path, "write it")(error);
    replace_whole(path, |draft| {
        let fill = || {
            let mut file = io::BufWriter::new(File::create(draft)?);
            write(&mut file)?;
            file.flush()
        };
        fill().map_err(cannot)
    })
}

/// Puts the file that `make` leaves at the draft's path in place, whole or not at all.
pub fn replace_whole(
    path: &Path,
    make: impl FnOnce(&Path) -> Result<(), FileError>,
) -> Result<(), FileError> {
    let draft = draft_path(path);
    let place = || {
        File::open(&draft)?.sync_all()?;
        std::fs::rename(&draft, path)?;
        sync_folder(path)
    };
    let made = make(&draft);
    made.and_then(|()| place().map_err(FileError::io(path, "write it")))
        .inspect_err(|_| {
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
    path.with_file_name(format!(
        "{beginning}{}-{number}.partial",
        std::process::id()
    ))
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
    let parent = path.parent();
    parent
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}
