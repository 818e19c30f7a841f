//! Files that are whole or not there: written beside their place, synced, then renamed. Every crate
//! that writes a file does it here.
//!
//! A link stays, and the file it leads to is replaced. A device, pipe or socket is written to as it
//! is: it cannot be replaced, and should not be.

use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::{FileError, Result};
use crate::replaced::settle;
use crate::special::{no_plain_file, refuse_special_file, special_file};

/// Age in seconds at which the draft of a killed process is litter.
const LITTER: u64 = 3600;
/// How a draft's name ends, after [`MARK_DIGITS`] of its own.
const DRAFT_ENDING: &str = ".partial";
const MARK_DIGITS: usize = 16;
/// As many links in a row as systems follow.
const MOST_LINKS: usize = 40;

/// Writes a file, whole or not at all; what is no plain file is written to.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    let fill = |file: File| {
        let mut file = io::BufWriter::new(file);
        write(&mut file)?;
        file.flush()
    };
    let cannot = || FileError::io(path, "write it");
    if is_stream(path).map_err(cannot())? {
        // Appended, because /dev/stdout may be a file that somebody else writes to as well.
        let stream = File::options().append(true).open(path);
        return stream.and_then(fill).map_err(cannot());
    }
    replace_whole(path, |draft| {
        let file = File::options().write(true).open(draft);
        file.and_then(fill).map_err(cannot())
    })
}

/// Whether writing to a path goes to a stream, which is not a file of its own: a device, a pipe,
/// what a process has open.
pub fn is_stream(path: &Path) -> io::Result<bool> {
    Ok(special_file(path).is_some() || target(path)?.is_none())
}

/// Puts the file that `make` writes at the draft's path in place, whole or not at all. The draft is
/// there already, and empty. A case that holds answers is not replaced.
pub fn replace_whole(path: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let cannot = || FileError::io(path, "write it");
    refuse_special_file(path)?;
    let target = target(path).map_err(cannot())?;
    let target = target.ok_or_else(|| no_plain_file(path, "what a process has open"))?;
    settle(&target)?;
    let draft = new_draft(&target).map_err(cannot())?;
    let place = || {
        // Windows syncs only what is open for writing.
        File::options().write(true).open(&draft)?.sync_all()?;
        std::fs::rename(&draft, &target)?;
        sync_folder(&target)
    };
    let placed = make(&draft).and_then(|()| place().map_err(cannot()));
    placed.inspect_err(|_| {
        // Best effort: the error to report is the first one.
        let _ = std::fs::remove_file(&draft);
    })
}

/// The file that links lead to, there or not; `None` if they lead to what a process has open, as
/// /dev/stdout does.
fn target(path: &Path) -> io::Result<Option<PathBuf>> {
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = std::fs::read_link(&target) else {
            return Ok(Some(target));
        };
        let folder = folder_of(&target).canonicalize()?;
        if folder.starts_with("/proc") {
            return Ok(None);
        }
        target = folder.join(next);
    }
    Err(io::Error::other("too many links, or links in a circle"))
}

/// An empty file, hidden, beside its place, with a name that nobody can foresee.
fn new_draft(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // Cut, because a name that is as long as can be leaves no room for more.
    let name: String = name.chars().take(50).collect();
    let beginning = format!(".{name}.");
    remove_litter(path, &beginning);
    loop {
        let mark = RandomState::new().hash_one(&beginning);
        let draft = path.with_file_name(format!("{beginning}{mark:016x}{DRAFT_ENDING}"));
        match File::create_new(&draft) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|_| draft),
        }
    }
}

/// Drafts of killed processes go when they are old, with the journal that SQLite keeps beside one.
fn remove_litter(path: &Path, beginning: &str) {
    let entries = std::fs::read_dir(folder_of(path)).into_iter().flatten();
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let mark = name.strip_prefix(beginning);
        let mark = mark.map(|rest| rest.strip_suffix("-journal").unwrap_or(rest));
        let mark = mark.and_then(|rest| rest.strip_suffix(DRAFT_ENDING));
        let is_mark = |mark: &str| {
            mark.len() == MARK_DIGITS && mark.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        if !mark.is_some_and(is_mark) {
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
    fn the_longest_name_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("n".repeat(255));
        write_whole(&path, |file| file.write_all(b"text")).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "text");
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
        // A maker that takes the draft away leaves nothing to put in place.
        let gone = replace_whole(&path, |draft| {
            std::fs::remove_file(draft).map_err(FileError::io(draft, "remove it"))
        });
        assert!(gone.is_err());
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
        let mark = "0123456789abcdef";
        draft(&format!(".out.txt.{mark}.partial"), 2);
        draft(&format!(".out.txt.{mark}.partial-journal"), 2);
        let stay = [
            (format!(".other.txt.{mark}.partial"), 2),
            (format!(".out.txt.{mark}.kept"), 2),
            (".out.txt.fedcba9876543210.partial".into(), 0),
            (".out.txt.own notes.partial".into(), 2),
            (format!(".out.txt.zip.{mark}.partial"), 2),
        ];
        for (name, hours) in &stay {
            draft(name, *hours);
        }
        write_whole(&folder.path().join("out.txt"), |_| Ok(())).unwrap();
        let mut expected: Vec<&str> = stay.iter().map(|(name, _)| &**name).collect();
        expected.push("out.txt");
        expected.sort_unstable();
        assert_eq!(names(folder.path()), expected);
    }

    /// Links and pipes are made by other means on other systems.
    #[cfg(unix)]
    mod on_unix {
        use std::io::Read as _;
        use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, symlink};
        use std::os::unix::net::UnixListener;

        use super::*;

        #[test]
        fn a_link_stays_and_its_file_is_replaced() {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            std::fs::create_dir(at("far")).unwrap();
            std::fs::write(at("far/old.txt"), "old").unwrap();
            let old = std::fs::metadata(at("far/old.txt")).unwrap().ino();
            symlink("far/old.txt", at("link")).unwrap();
            symlink("link", at("link to link")).unwrap();
            symlink(at("far/absent.txt"), at("dangling")).unwrap();
            for (link, file) in [
                ("link to link", "far/old.txt"),
                ("dangling", "far/absent.txt"),
            ] {
                write_whole(&at(link), |file| file.write_all(b"new")).unwrap();
                assert!(at(link).is_symlink());
                assert_eq!(std::fs::read_to_string(at(file)).unwrap(), "new");
            }
            assert!(at("link").is_symlink());
            assert_ne!(std::fs::metadata(at("link")).unwrap().ino(), old);
            assert_eq!(names(&at("far")), ["absent.txt", "old.txt"]);
            assert_eq!(names(folder.path()).len(), 4);
        }

        #[test]
        fn links_in_a_circle_are_refused() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("link");
            symlink("link", &path).unwrap();
            let error = write_whole(&path, |_| Ok(())).unwrap_err().to_string();
            assert!(error.ends_with("too many links, or links in a circle"));
        }

        #[test]
        fn a_device_is_written_to() {
            // A link of our own, so that a mistake cannot harm the machine.
            let folder = tempfile::tempdir().unwrap();
            let link = folder.path().join("null");
            symlink("/dev/null", &link).unwrap();
            write_whole(&link, |file| file.write_all(b"text")).unwrap();
            assert!(link.is_symlink());
            let device = std::fs::metadata("/dev/null").unwrap();
            assert!(device.file_type().is_char_device());
            let error = replace_whole(&link, |_| Ok(())).unwrap_err();
            let expected = format!("{}: expected a plain file, found a device", link.display());
            assert_eq!(error.to_string(), expected);
            assert_eq!(names(folder.path()), ["null"]);
        }

        #[test]
        fn a_pipe_is_written_to() {
            // What a process has open is the one pipe that a test can make without a program.
            let (mut reader, writer) = io::pipe().unwrap();
            let number = std::os::fd::AsRawFd::as_raw_fd(&writer);
            let path = PathBuf::from(format!("/dev/fd/{number}"));
            write_whole(&path, |file| file.write_all(b"text")).unwrap();
            drop(writer);
            let mut text = String::new();
            reader.read_to_string(&mut text).unwrap();
            assert_eq!(text, "text");
        }

        #[test]
        fn an_open_file_is_added_to() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("log");
            std::fs::write(&path, "before ").unwrap();
            let open = File::options().append(true).open(&path).unwrap();
            let number = std::os::fd::AsRawFd::as_raw_fd(&open);
            let link = folder.path().join("stdout");
            symlink(format!("/dev/fd/{number}"), &link).unwrap();
            write_whole(&link, |file| file.write_all(b"after")).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), "before after");
            let error = replace_whole(&link, |_| Ok(())).unwrap_err().to_string();
            assert!(error.ends_with("expected a plain file, found what a process has open"));
            assert_eq!(names(folder.path()), ["log", "stdout"]);
        }

        #[test]
        fn a_socket_stays() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("socket");
            let _socket = UnixListener::bind(&path).unwrap();
            assert!(write_whole(&path, |_| Ok(())).is_err());
            let kind = std::fs::metadata(&path).unwrap().file_type();
            assert!(kind.is_socket());
        }
    }
}
