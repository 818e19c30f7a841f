//! Jars: the class files in a zip archive.

const END: [u8; 4] = *b"PK\x05\x06";
const ENTRY: [u8; 4] = *b"PK\x01\x02";
const LOCAL: [u8; 4] = *b"PK\x03\x04";
const END_LENGTH: usize = 22;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// No class file is larger: more is damage.
const LARGEST: usize = 64 << 20;

/// Visits every class file of an archive: its name and its bytes. The error says what is wrong.
pub(crate) fn for_each_class(
    archive: &[u8],
    visit: impl FnMut(&str, &[u8]) -> Result<(), String>,
) -> Result<(), String> {
    for_each_wanted(archive, |_| true, visit)
}

/// The same for class files of wanted names; the others are not unpacked.
pub(crate) fn for_each_wanted(
    archive: &[u8],
    mut wanted: impl FnMut(&str) -> bool,
    mut visit: impl FnMut(&str, &[u8]) -> Result<(), String>,
) -> Result<(), String> {
    let end = find_end(archive).ok_or("no end of a zip archive")?;
    let count = u16_at(archive, end + 10).ok_or("a cut end of a zip archive")?;
    let mut at = u32_at(archive, end + 16).ok_or("a cut end of a zip archive")? as usize;
    if count == u16::MAX || at == u32::MAX as usize {
        return Err("a zip64 archive: unpack it, and give the folder".into());
    }
    for index in 0..count {
        let cut = || format!("a cut entry {index} of the zip archive");
        if archive.get(at..at + 4) != Some(&ENTRY) {
            return Err(cut());
        }
        let short = |offset: usize| u16_at(archive, at + offset).ok_or_else(cut);
        let long = |offset: usize| u32_at(archive, at + offset).ok_or_else(cut);
        let method = short(10)?;
        let (packed, size, local) = (long(20)? as usize, long(24)? as usize, long(42)? as usize);
        let [name, extra, comment] = [short(28)?, short(30)?, short(32)?].map(usize::from);
        let bytes = archive.get(at + 46..at + 46 + name).ok_or_else(cut)?;
        let entry = String::from_utf8_lossy(bytes);
        at += 46 + name + extra + comment;
        if !entry.ends_with(".class") || !wanted(&entry) {
            continue;
        }
        let content = content(archive, local, packed).ok_or_else(cut)?;
        if size > LARGEST {
            return Err(format!("{entry} of {size} bytes"));
        }
        match method {
            STORED => visit(&entry, content)?,
            DEFLATED => {
                let class = miniz_oxide::inflate::decompress_to_vec_with_limit(content, size)
                    .map_err(|error| format!("{entry}, which cannot be unpacked: {error}"))?;
                visit(&entry, &class)?;
            }
            method => return Err(format!("{entry}, packed by method {method}")),
        }
    }
    Ok(())
}

fn find_end(archive: &[u8]) -> Option<usize> {
    let last = archive.len().checked_sub(END_LENGTH)?;
    let first = last.saturating_sub(usize::from(u16::MAX));
    (first..=last)
        .rev()
        .find(|&at| archive[at..].starts_with(&END))
}

fn content(archive: &[u8], local: usize, packed: usize) -> Option<&[u8]> {
    if archive.get(local..local + 4) != Some(&LOCAL) {
        return None;
    }
    let name = usize::from(u16_at(archive, local + 26)?);
    let extra = usize::from(u16_at(archive, local + 28)?);
    let start = local + 30 + name + extra;
    archive.get(start..start.checked_add(packed)?)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at + 2)?;
    Some(u16::from_le_bytes(bytes.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}
