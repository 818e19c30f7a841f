//! Bytes of an input, whether compressed or not.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use fdc_case::{FileError, Result};

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
const SAMPLE_BYTES: u64 = 4096;

/// What an input looks like at first glance: enough to recognise its format.
#[derive(Debug)]
pub struct InputSample {
    /// The file or folder.
    pub path: PathBuf,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// A file's first bytes, decompressed.
    pub head: Vec<u8>,
}

impl InputSample {
    /// Looks at a file or folder.
    pub fn of(path: &Path) -> Result<Self> {
        let is_folder = path.is_dir();
        let head = match is_folder {
            true => Vec::new(),
            false => read_up_to(path, SAMPLE_BYTES)?,
        };
        Ok(InputSample {
            path: path.to_owned(),
            is_folder,
            head,
        })
    }

    /// The first bytes as text, as far as they are text.
    pub fn text(&self) -> &str {
        let text = self.head.utf8_chunks().next();
        text.map_or("", |chunk| chunk.valid())
    }

    /// In words, for a message that it is no known format.
    pub fn describe(&self) -> String {
        let (head, sqlite) = (&self.head, b"SQLite format 3\0");
        let text: String = self.text().chars().take(40).collect();
        match head.len() {
            _ if self.is_folder => "a folder".into(),
            0 => "an empty file".into(),
            _ if head.starts_with(sqlite) => "an SQLite database of something else".into(),
            length if text.is_empty() => format!("bytes {:02x?}", &head[..length.min(8)]),
            _ => format!("a file that starts {text:?}"),
        }
    }
}

/// A file's bytes; zstd-compressed ones are decompressed.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    read_up_to(path, u64::MAX)
}

fn read_up_to(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match open(path)?.take(most).read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(read_error(path, bytes.len() as u64, error)),
    }
}

/// Why reading stopped after so many bytes of content.
pub(crate) fn read_error(path: &Path, bytes: u64, error: std::io::Error) -> FileError {
    if !is_compressed(path) {
        return FileError::io(path, "read it")(error);
    }
    let found = format!("{error} after {bytes} bytes of content");
    FileError::bad(path, "a whole zstd archive", found)
        .hint("the file is damaged or cut off: copy or make it again")
}

pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>> {
    let file = File::open(path).map_err(FileError::io(path, "open it"))?;
    if !is_compressed(path) {
        return Ok(Box::new(file));
    }
    let decoder = zstd::Decoder::new(file).map_err(FileError::io(path, "decompress it"))?;
    Ok(Box::new(decoder))
}

fn is_compressed(path: &Path) -> bool {
    let mut magic = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && magic == ZSTD_MAGIC
}
