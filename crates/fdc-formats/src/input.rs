//! Bytes of an input, whether compressed or not.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use crate::error::FormatError;

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
const SAMPLE_BYTES: u64 = 4096;

/// What an input looks like at first glance: enough to recognise its format.
#[derive(Debug)]
pub struct Sample {
    /// The file or folder.
    pub path: PathBuf,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// A file's first bytes, decompressed.
    pub head: Vec<u8>,
}

impl Sample {
    /// Looks at a file or folder.
    pub fn of(path: &Path) -> Result<Self, FormatError> {
        let is_folder = path.is_dir();
        let head = if is_folder {
            Vec::new()
        } else {
            let mut head = Vec::new();
            let mut file = open(path)?.take(SAMPLE_BYTES);
            if let Err(error) = file.read_to_end(&mut head) {
                return Err(read_error(path, head.len() as u64, error));
            }
            head
        };
        Ok(Sample {
            path: path.to_owned(),
            is_folder,
            head,
        })
    }

    /// The first bytes as text, as far as they are text.
    pub fn text(&self) -> &str {
        match std::str::from_utf8(&self.head) {
            Ok(text) => text,
            Err(error) => {
                std::str::from_utf8(&self.head[..error.valid_up_to()]).expect("checked to be valid")
            }
        }
    }

    /// In words, for a message that it is no known format.
    pub fn describe(&self) -> String {
        if self.is_folder {
            return "a folder".into();
        }
        if self.head.is_empty() {
            return "an empty file".into();
        }
        if self.head.starts_with(b"SQLite format 3\0") {
            return "an SQLite database of something else".into();
        }
        let text: String = self.text().chars().take(40).collect();
        if text.is_empty() {
            format!("bytes {:02x?}", &self.head[..self.head.len().min(8)])
        } else {
            format!("a file that starts {text:?}")
        }
    }
}

/// A file's bytes; zstd-compressed ones are decompressed.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, FormatError> {
    let mut bytes = Vec::new();
    match open(path)?.read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(read_error(path, bytes.len() as u64, error)),
    }
}

/// Why reading stopped after so many bytes of content.
pub(crate) fn read_error(path: &Path, bytes: u64, error: std::io::Error) -> FormatError {
    if !is_compressed(path).unwrap_or(false) {
        return FormatError::io(path, "read it")(error);
    }
    let found = format!("{error} after {bytes} bytes of content");
    FormatError::bad(path, "a whole zstd archive", found)
        .hint("the file is damaged or cut off: copy or make it again")
}

/// Writes a file so that it is either whole or not there: beside it first, then renamed.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), FormatError> {
    let partial = partial_path(path);
    let attempt = || {
        let mut file = std::io::BufWriter::new(File::create(&partial)?);
        write(&mut file)?;
        file.into_inner()?.sync_all()?;
        std::fs::rename(&partial, path)
    };
    attempt().map_err(|error| {
        // Best effort: the error to report is the first one.
        let _ = std::fs::remove_file(&partial);
        FormatError::io(path, "write it")(error)
    })
}

/// Where this process writes a file before it is renamed into place: hidden, and no other
/// process's. Leftovers of killed processes go when they are an hour old.
pub(crate) fn partial_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beginning = format!(".{name}.");
    for entry in std::fs::read_dir(path.parent().unwrap_or(path))
        .into_iter()
        .flatten()
        .flatten()
    {
        let other = entry.file_name().to_string_lossy().into_owned();
        let age = entry
            .metadata()
            .and_then(|data| data.modified())
            .map(|time| time.elapsed());
        let old = matches!(age, Ok(Ok(age)) if age.as_secs() > 3600);
        if old && other.starts_with(&beginning) && other.ends_with(".partial") {
            // Best effort: it is only litter.
            let _ = std::fs::remove_file(entry.path());
        }
    }
    path.with_file_name(format!("{beginning}{}.partial", std::process::id()))
}

pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>, FormatError> {
    let file = File::open(path).map_err(FormatError::io(path, "open it"))?;
    if is_compressed(path)? {
        let decoder = zstd::Decoder::new(file).map_err(FormatError::io(path, "decompress it"))?;
        Ok(Box::new(decoder))
    } else {
        Ok(Box::new(file))
    }
}

fn is_compressed(path: &Path) -> Result<bool, FormatError> {
    let mut magic = [0; 4];
    let mut file = File::open(path).map_err(FormatError::io(path, "open it"))?;
    let mut length = 0;
    while length < magic.len() {
        match file.read(&mut magic[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) => return Err(FormatError::io(path, "read it")(error)),
        }
    }
    Ok(magic == ZSTD_MAGIC)
}
