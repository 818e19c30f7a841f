//! Who is at work on a case: the lock that keeps a second collector out, and who has the file open.
//!
//! The lock file is beside the case itself, whatever links lead to it. The system lets go of the lock
//! when the process ends, however it ends.

use std::fs::{File, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::case::{file_identity, identity};
use crate::error::{FileError, Result};

/// Held until the recording ends.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// For a verb of fdc, which whoever comes second is told of.
    pub(crate) fn take(case: &Path, verb: &str) -> Result<Self> {
        // Whoever only asks whether there is a collector holds the lock for a moment.
        const TRIES: u32 = 10;
        const PAUSE: Duration = Duration::from_millis(20);
        let path = lock_file(case);
        // Somebody may have put a link to another file there, which must not be written to.
        if path.is_symlink() {
            let error = FileError::bad(&path, "a lock, or nothing", "a link");
            return Err(error.hint("remove it, and collect again"));
        }
        let mut tries = 0;
        loop {
            let mut options = File::options();
            let opened = options.create(true).truncate(false).write(true).open(&path);
            let mut file = opened.map_err(FileError::io(&path, "write it"))?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => {
                    let id = std::process::id();
                    let noted = file.set_len(0).and_then(|()| write!(file, "{id} {verb}"));
                    noted.map_err(FileError::io(&path, "write it"))?;
                    return Ok(Lock { path, _file: file });
                }
                // Its last holder removed it just now.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if tries < TRIES => {
                    tries += 1;
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::WouldBlock) => {
                    let expected = "a case that nobody else writes to";
                    let holder = std::fs::read_to_string(&path).unwrap_or_default();
                    let found = match holder.split_once(' ') {
                        Some((id, verb)) => {
                            format!("another `fdc {verb}` at work on it (process {id})")
                        }
                        None => "another fdc at work on it".to_owned(),
                    };
                    return Err(FileError::bad(case, expected, found)
                        .hint("wait for it to end, or write to another file with -o"));
                }
                Err(TryLockError::Error(error)) => {
                    return Err(FileError::io(&path, "lock it")(error));
                }
            }
        }
    }

    /// Whether a collector is at work on a case.
    pub(crate) fn is_held(case: &Path) -> bool {
        let lock = File::open(lock_file(case));
        lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Best effort: a lock file that nobody holds does no harm.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A file itself, whatever links lead to it. It need not exist.
pub fn resolved(path: &Path) -> PathBuf {
    const MOST_LINKS: usize = 40;
    let folder = |path: &Path| match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut file = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = std::fs::read_link(&file) else {
            break;
        };
        file = folder(&file).join(target);
    }
    match (folder(&file).canonicalize(), file.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => file,
    }
}

/// The other processes that have a case open, as far as the system tells.
pub(crate) fn holders(case: &Path) -> Option<String> {
    let case = resolved(case);
    let mut found = Vec::new();
    for process in std::fs::read_dir("/proc").ok()?.flatten() {
        let id = process.file_name().to_string_lossy().parse::<u32>();
        let Some(id) = id.ok().filter(|id| *id != std::process::id()) else {
            continue;
        };
        let files = std::fs::read_dir(process.path().join("fd"));
        let mut files = files.into_iter().flatten().flatten();
        if files.any(|file| std::fs::read_link(file.path()).is_ok_and(|file| file == case)) {
            let command = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            found.push((id, format!("process {id} ({})", command.trim())));
        }
    }
    found.sort();
    let found: Vec<String> = found.into_iter().map(|(_, words)| words).collect();
    (!found.is_empty()).then(|| found.join(", "))
}

fn lock_file(case: &Path) -> PathBuf {
    let case = resolved(case);
    let name = case.file_name().unwrap_or_default().to_string_lossy();
    case.with_file_name(format!("{name}.lock"))
}

/// Whether an open file is still the one at `path`.
fn is_at(file: &File, path: &Path) -> bool {
    let own = file.metadata().ok().map(|data| identity(&data));
    own.is_some() && own == file_identity(path)
}
