//! jacoco — JaCoCo's execution data (`jacoco.exec`), with the class files that were measured.
//!
//! ```text
//! fdc import jacoco.exec --classes target/classes --outcomes target/surefire-reports -o case.fdc
//! ```
//! The data says which probes of which class were hit; the lines are in the class files, so
//! `--classes` names the folders and jars of the very classes that were measured (a class that was
//! compiled again since is refused by name). Classes outside of them are passed over.
//!
//! A file with a session per test (the agent dumped and reset after each test, with the session id
//! set to the test) has the sessions as tests. A file with one session is one test, named by the file,
//! a manifest or a folder; sessions that were merged by JaCoCo's tools cannot be told apart again, and
//! are one test too.
//!
//! A line counts as run as in JaCoCo's reports: JaCoCo has probes between method calls and at jumps,
//! so a line that throws by itself may not count.

use crate::jacoco::bytes::{Bytes, CutOff};
use crate::jacoco::classes::{ClassFiles, KnownClass};
use crate::jacoco::descriptor;
use crate::line_matrix::LineMatrix;
use crate::reading::LinesInput;
use crate::text::quoted;
use crate::{Format, Reader};
use fdc_case::{FileError, Result};
use fdc_source::{FunctionLines, LineSet};

pub(crate) const FORMAT: Format = Format {
    name: "jacoco",
    summary: "JaCoCo execution data, a session per test; needs --classes",
    detect: |sample| sample.head.starts_with(&MAGIC),
    reader: Reader::Lines(|input, matrix| parse(input, &input.bytes()?, matrix)),
    endings: &["exec", "jacoco"],
    write: None,
    source: include_str!("exec.rs"),
};

/// A header block and the magic number.
const MAGIC: [u8; 3] = [HEADER, 0xC0, 0xC0];
const VERSION: u16 = 0x1007;
const HEADER: u8 = 0x01;
const SESSION: u8 = 0x10;
const DATA: u8 = 0x11;
const DAMAGED: &str = "the file is damaged or cut off: run the tests with JaCoCo again";

/// Reads execution data.
pub fn parse(input: &LinesInput, bytes: &[u8], matrix: &mut LineMatrix) -> Result<()> {
    let path = input.path;
    let dumps = dumps(bytes).map_err(|(at, expected, found)| {
        let error = FileError::bad(path, expected, found);
        error.at(format_args!("byte {at}")).hint(DAMAGED)
    })?;
    let classes = matrix.project().classes()?;
    if classes.is_empty() {
        let error = FileError::bad(path, "the class files that were measured", "none");
        let hint = "give their folders and jars with --classes: the data has no lines";
        return Err(error.hint(hint));
    }
    if !std::mem::replace(&mut matrix.has_class_files, true) {
        add_classes(classes, matrix);
    }
    let own_names = dumps.iter().filter(|dump| dump.sessions.len() == 1);
    let mut own_names: Vec<&str> = own_names.map(|dump| &*dump.sessions[0]).collect();
    own_names.sort_unstable();
    own_names.dedup();
    input.check_tests(own_names.len())?;
    let by_session = own_names.len() > 1;
    let mut known = 0;
    let mut seen = 0;
    for dump in &dumps {
        let name = match dump.sessions.as_slice() {
            [session] if by_session => session,
            [] | [_] => "",
            merged => {
                let (path, count, test) = (path.display(), merged.len(), quoted(input.test));
                matrix.note(format!(
                    "{path}: {count} merged sessions are taken as one test, {test}"
                ));
                ""
            }
        };
        let test = input.test_named(matrix, name);
        for data in &dump.data {
            seen += 1;
            if let Some(class) = class_of(data, classes, input)? {
                known += 1;
                let probes = class.probes.lines.iter().zip(data.probes());
                let hit = probes.filter(|(_, hit)| *hit);
                let lines: LineSet = hit.flat_map(|(lines, _)| lines.runs()).cloned().collect();
                let file = matrix.file(&class.source);
                matrix.cover(test, file, lines);
            }
        }
    }
    if known == 0 && seen > 0 {
        let found = format!("none of the {seen} measured classes in it");
        return Err(FileError::bad(path, "classes that --classes names", found)
            .hint("give the folders and jars of the code under test with --classes"));
    }
    Ok(())
}

fn add_classes(classes: &ClassFiles, matrix: &mut LineMatrix) {
    for class in classes.all().filter(|class| !class.is_variant) {
        if class.probes.methods.is_empty() {
            continue;
        }
        let file = matrix.file(&class.source);
        for (name, descriptor, lines) in &class.probes.methods {
            matrix.executable(file, lines);
            let name = descriptor::method(&class.name, name, descriptor);
            matrix.function(file, name, true, FunctionLines::All(lines.clone()));
        }
    }
}

/// The class that was measured; `None` if it is not among the class files at all.
fn class_of<'c>(
    data: &Data,
    classes: &'c ClassFiles,
    input: &LinesInput,
) -> Result<Option<&'c KnownClass>> {
    let bad = |expected: String, found: String| {
        let hint = "give the very class files that were measured, or measure again";
        let error = FileError::bad(input.path, expected, found);
        Err(error.at(format_args!("class {}", data.class)).hint(hint))
    };
    let Some(class) = classes.get(data.identity) else {
        let Some((other, class)) = classes.named(&data.class) else {
            return Ok(None);
        };
        let expected = format!("the class file {:016x} that was measured", data.identity);
        let found = format!("{other:016x}, another version of it, in {}", class.place);
        return bad(expected, found);
    };
    let count = class.probes.lines.len();
    if data.count != count {
        return bad(format!("{count} probes"), format!("{} probes", data.count));
    }
    Ok(Some(class))
}

/// What was written at once: the sessions and the classes.
#[derive(Debug, Default)]
struct Dump {
    sessions: Vec<String>,
    data: Vec<Data>,
}

#[derive(Debug)]
struct Data {
    identity: u64,
    class: String,
    count: usize,
    bits: Vec<u8>,
}

impl Data {
    fn probes(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.count).map(|probe| self.bits[probe / 8] & (1 << (probe % 8)) != 0)
    }
}

/// Where, what was expected, what was found.
type Problem = (usize, String, String);

impl From<CutOff> for Problem {
    fn from(CutOff { at, wanted, left }: CutOff) -> Self {
        let found = format!("the end after {left}");
        (at, format!("{wanted} more bytes"), found)
    }
}

fn dumps(bytes: &[u8]) -> Result<Vec<Dump>, Problem> {
    let mut input = Bytes::new(bytes);
    let mut dumps: Vec<Dump> = Vec::new();
    while input.at < bytes.len() {
        let at = input.at;
        match (input.u8()?, dumps.last_mut()) {
            (HEADER, _) => {
                let (magic, version) = (input.u16()?, input.u16()?);
                if magic != 0xC0C0 {
                    let expected = "JaCoCo's magic number c0c0".to_owned();
                    return Err((at, expected, format!("{magic:04x}")));
                }
                if version != VERSION {
                    let expected = format!("execution data of version {VERSION:04x}");
                    return Err((at, expected, format!("version {version:04x}")));
                }
                dumps.push(Dump::default());
            }
            (SESSION, Some(dump)) => {
                dump.sessions.push(input.text()?);
                input.skip(16)?;
            }
            (DATA, Some(dump)) => {
                let (identity, class) = (input.u64()?, input.text()?);
                let count = probe_count(&mut input)?;
                dump.data.push(Data {
                    identity,
                    class,
                    count,
                    bits: input.take(count.div_ceil(8))?.to_vec(),
                });
            }
            (block, known) => {
                let expected = match known {
                    None => "a header block 01",
                    Some(_) => "a block 01, 10 or 11",
                };
                return Err((at, expected.into(), format!("block {block:02x}")));
            }
        }
    }
    if dumps.is_empty() {
        return Err((0, "a header block 01".into(), "an empty file".into()));
    }
    Ok(dumps)
}

/// Seven bits a byte, the low ones first.
fn probe_count(input: &mut Bytes) -> Result<usize, Problem> {
    let at = input.at;
    let mut count = 0;
    for shift in (0..32).step_by(7) {
        let byte = input.u8()?;
        count |= usize::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Ok(count);
        }
    }
    Err((at, "a number of probes".into(), "more than 32 bits".into()))
}
