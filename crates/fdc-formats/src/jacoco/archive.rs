//! Jars: the class files in a zip archive. Names in it are looked at, never used as paths.

use std::io::{Cursor, Read};

use zip::ZipArchive;

/// No class file is larger: more is damage.
const LARGEST: u64 = 64 << 20;

/// The names of the class files in a jar, as in `org/x/A$B.class`. The error says what is wrong.
pub fn classes_in_archive(archive: &[u8]) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    let note = |name: &str| {
        names.push(name.to_owned());
        false
    };
    for_each_class(archive, note, |_, _| Ok(()))?;
    Ok(names)
}

/// The bytes of one class file in a jar.
pub fn class_in_archive(archive: &[u8], name: &str) -> Result<Option<Vec<u8>>, String> {
    let mut found = None;
    let keep = |_: &str, bytes: &[u8]| {
        found = Some(bytes.to_owned());
        Ok(())
    };
    for_each_class(archive, |entry| entry == name, keep)?;
    Ok(found)
}

/// Visits the class files of wanted names, with their bytes; the others are not unpacked.
pub(crate) fn for_each_class(
    archive: &[u8],
    wanted: impl FnMut(&str) -> bool,
    visit: impl FnMut(&str, &[u8]) -> Result<(), String>,
) -> Result<(), String> {
    let unpacked = fdc_case::caught(|| unpack(archive, wanted, visit));
    unpacked.unwrap_or_else(|panic| Err(format!("a damaged zip archive: {panic}")))
}

fn unpack(
    archive: &[u8],
    mut wanted: impl FnMut(&str) -> bool,
    mut visit: impl FnMut(&str, &[u8]) -> Result<(), String>,
) -> Result<(), String> {
    let mut entries = ZipArchive::new(Cursor::new(archive)).map_err(|error| {
        match archive.windows(4).any(|bytes| bytes == b"PK\x05\x06") {
            true => format!("a zip archive that cannot be read: {error}"),
            false => "no end of a zip archive".into(),
        }
    })?;
    let mut class = Vec::new();
    for index in 0..entries.len() {
        let entry = entries.by_index_raw(index);
        let entry = entry.map_err(|e| format!("a cut entry {index} of the zip archive: {e}"))?;
        let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
        if !name.ends_with(".class") || !wanted(&name) {
            continue;
        }
        if entry.size() > LARGEST {
            return Err(format!("{name} of {} bytes", entry.size()));
        }
        drop(entry);
        class.clear();
        let entry = entries.by_index(index).map_err(std::io::Error::from);
        let read = entry.and_then(|entry| entry.take(LARGEST).read_to_end(&mut class));
        read.map_err(|error| format!("{name}, which cannot be unpacked: {error}"))?;
        visit(&name, &class)?;
    }
    Ok(())
}
