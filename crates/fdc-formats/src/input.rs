//! Bytes of an input, whether compressed or not, from a file or a pipe.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fdc_case::{FileError, Result, special_file};

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
const SAMPLE_BYTES: u64 = 4096;
/// How much is read from a pipe or device, which may never end.
const MOST_PIPED: u64 = 1 << 30;
/// What an archive may always hold; beyond that, so many times its own size. Coverage packs well,
/// but not that well: more is made to fill the memory.
const MOST_UNPACKED: u64 = 512 << 20;
const MOST_FOLD: u64 = 1000;

/// What was read of a pipe to recognise it: its reader takes it, because a pipe can be read once.
static RECOGNISED: Mutex<BTreeMap<PathBuf, Vec<u8>>> = Mutex::new(BTreeMap::new());

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
        let head = if is_folder {
            Vec::new()
        } else if special_file(path).is_some() {
            let bytes = piped(path)?;
            let head = content(path, Cursor::new(&bytes), bytes.len() as u64);
            let head = head.and_then(|head| read_up_to(path, head, SAMPLE_BYTES));
            recognised().insert(path.to_owned(), bytes);
            head?
        } else {
            read_up_to(path, open(path)?, SAMPLE_BYTES)?
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
    read_up_to(path, open(path)?, u64::MAX)
}

fn read_up_to(path: &Path, content: impl Read, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match content.take(most).read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(read_error(path, bytes.len() as u64, error)),
    }
}

/// Why reading stopped after so many bytes of content.
pub(crate) fn read_error(path: &Path, bytes: u64, error: io::Error) -> FileError {
    match error.get_ref().and_then(|inner| inner.downcast_ref()) {
        None => FileError::io(path, "read it")(error),
        Some(ArchiveError::Damaged(error)) => {
            let found = format!("{error} after {bytes} bytes of content");
            FileError::bad(path, "a whole zstd archive", found)
                .hint("the file is damaged or cut off: copy or make it again")
        }
        Some(ArchiveError::TooLarge { most }) => {
            let expected = format!("at most {most} bytes of content in an archive of this size");
            FileError::bad(path, expected, "more")
                .hint("if the file is no trap, unpack it first: zstd -d")
        }
    }
}

/// The content from its first byte on, decompressed.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>> {
    if special_file(path).is_some() {
        let bytes = piped(path)?;
        let size = bytes.len() as u64;
        return content(path, Cursor::new(bytes), size);
    }
    let file = File::open(path).map_err(FileError::io(path, "open it"))?;
    let size = file.metadata().map_or(0, |data| data.len());
    content(path, file, size)
}

/// Everything that comes out of a pipe or device, or came out of it to recognise it.
fn piped(path: &Path) -> Result<Vec<u8>> {
    if let Some(bytes) = recognised().remove(path) {
        return Ok(bytes);
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(FileError::io(path, "open it"))?;
    let read = file.take(MOST_PIPED + 1).read_to_end(&mut bytes);
    read.map_err(FileError::io(path, "read it"))?;
    if bytes.len() as u64 > MOST_PIPED {
        let expected = format!("at most {MOST_PIPED} bytes from a pipe");
        return Err(
            FileError::bad(path, expected, "more").hint("write them to a file, and give it")
        );
    }
    Ok(bytes)
}

/// Drops what was read of a pipe to recognise it.
pub(crate) fn forget(path: &Path) {
    recognised().remove(path);
}

fn recognised() -> MutexGuard<'static, BTreeMap<PathBuf, Vec<u8>>> {
    RECOGNISED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes as they are, or decompressed; `size` is that of the file.
fn content<'r>(path: &Path, mut bytes: impl Read + 'r, size: u64) -> Result<Box<dyn Read + 'r>> {
    let mut head = Vec::new();
    let read = bytes.by_ref().take(ZSTD_MAGIC.len() as u64);
    let read = { read }.read_to_end(&mut head);
    read.map_err(FileError::io(path, "read it"))?;
    let is_compressed = head == ZSTD_MAGIC;
    let bytes = Cursor::new(head).chain(bytes);
    if !is_compressed {
        return Ok(Box::new(bytes));
    }
    let decoder = zstd::Decoder::new(bytes).map_err(FileError::io(path, "decompress it"))?;
    Ok(Box::new(Unpacked {
        decoder,
        most: most_unpacked(size),
        unpacked: 0,
    }))
}

fn most_unpacked(size: u64) -> u64 {
    MOST_UNPACKED.max(size.saturating_mul(MOST_FOLD))
}

/// What is wrong with an archive, inside an [`io::Error`].
#[derive(Debug)]
enum ArchiveError {
    Damaged(io::Error),
    TooLarge { most: u64 },
}

impl std::error::Error for ArchiveError {}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArchiveError::Damaged(error) => error.fmt(f),
            ArchiveError::TooLarge { most } => write!(f, "more than {most} bytes"),
        }
    }
}

/// The content of an archive, up to a limit.
struct Unpacked<R> {
    decoder: R,
    most: u64,
    unpacked: u64,
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.decoder.read(buffer);
        let read = read.map_err(|error| io::Error::other(ArchiveError::Damaged(error)))?;
        self.unpacked += read as u64;
        match self.unpacked > self.most {
            true => {
                let most = self.most;
                Err(io::Error::other(ArchiveError::TooLarge { most }))
            }
            false => Ok(read),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_is_not_unpacked_beyond_its_limit() {
        let packed = zstd::encode_all(io::repeat(b'1').take(100_000), 3).unwrap();
        let content = |most| Unpacked {
            decoder: zstd::Decoder::new(&packed[..]).unwrap(),
            most,
            unpacked: 0,
        };
        let path = Path::new("bug.json.zst");
        let whole = read_up_to(path, content(100_000), u64::MAX).unwrap();
        assert_eq!(whole.len(), 100_000);
        let error = read_up_to(path, content(99_999), u64::MAX).unwrap_err();
        let expected = "bug.json.zst: expected at most 99999 bytes of content in an archive of \
                        this size, found more";
        assert_eq!(error.to_string(), expected);
        assert!(error.advice().unwrap().contains("zstd -d"));
        // 131 kB that stand for gigabytes are refused, and what people measure is not.
        assert_eq!(most_unpacked(131_000), 512 << 20);
        assert_eq!(most_unpacked(2 << 20), 2000 << 20);
    }

    /// What a process has open is the one pipe that a test can make without a program.
    #[cfg(unix)]
    #[test]
    fn a_pipe_is_recognised_and_read() {
        use std::io::Write as _;
        use std::os::fd::AsRawFd as _;
        let text = b"TN:adds\nSF:cart.c\nDA:1,1\nend_of_record\n";
        for bytes in [text.to_vec(), zstd::encode_all(&text[..], 3).unwrap()] {
            let (reader, mut writer) = io::pipe().unwrap();
            writer.write_all(&bytes).unwrap();
            drop(writer);
            let path = PathBuf::from(format!("/dev/fd/{}", reader.as_raw_fd()));
            for _ in 0..2 {
                assert_eq!(InputSample::of(&path).unwrap().head, text);
            }
            assert_eq!(read_bytes(&path).unwrap(), text);
            // Whoever reads a pipe again gets what comes next, not what was there.
            assert_eq!(read_bytes(&path).unwrap(), b"");
        }
    }
}
