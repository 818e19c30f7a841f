//! What is at a path, where that is no plain file: such things are streamed to, read once, or
//! refused.

use std::fs::FileType;
use std::path::Path;

use crate::error::{FileError, Result};

/// What a path leads to, where that is neither a plain file nor a folder: "a pipe", "a device".
pub fn special_file(path: &Path) -> Option<&'static str> {
    // Without anything there, whoever opens it says so.
    let kind = std::fs::metadata(path).ok()?.file_type();
    (!kind.is_file() && !kind.is_dir()).then(|| name_of(kind))
}

/// Refuses it: a database, for one, cannot be kept in a pipe.
pub fn refuse_special_file(path: &Path) -> Result<()> {
    special_file(path).map_or(Ok(()), |found| Err(no_plain_file(path, found)))
}

pub(crate) fn no_plain_file(path: &Path, found: &str) -> FileError {
    FileError::bad(path, "a plain file", found).hint("give the path of a plain file")
}

#[cfg(unix)]
fn name_of(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    match kind {
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn name_of(_: FileType) -> &'static str {
    "a device"
}
