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

use crate::jacoco::classes::{ClassFiles, KnownClass};
use crate::jacoco::descriptor;
use crate::line_matrix::LineMatrix;
use crate::reading::LinesInput;
use crate::text::quoted;
use crate::{Format, Reader};
use fdc_case::FileError;
use fdc_source::LineSet;
use fdc_source::{FunctionLines, ListedFunction};

pub(crate) const FORMAT: Format = Format {
    name: "jacoco",
    summary: "JaCoCo execution data, a session per test; needs --classes",
    detect: |sample| sample.head.starts_with(&MAGIC),
    reader: Reader::Lines(|input, matrix| parse(input, &input.bytes()?, matrix)),
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
pub fn parse(input: &LinesInput, bytes: &[u8], matrix: &mut LineMatrix) -> Result<(), FileError> {
    let path = input.path;
    let dumps = Blocks { bytes, at: 0 }
        .dumps()
        .map_err(|(at, expected, found)| {
            let error = FileError::bad(path, expected, found);
            error.at(format_args!("byte {at}")).hint(DAMAGED)
        })?;
    let classes = matrix.project().classes()?;
    if classes.is_empty() {
        return Err(
            FileError::bad(path, "the class files that were measured", "none")
                .hint("give their folders and jars with --classes: the data has no lines"),
        );
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
                matrix.note(format!(
                    "{}: {} merged sessions are taken as one test, {}",
                    path.display(),
                    merged.len(),
                    quoted(input.test)
                ));
                ""
            }
        };
        let test = input.test_named(matrix, name);
        for data in &dump.data {
            seen += 1;
            if let Some(class) = class_of(data, classes, input)? {
                known += 1;
                let hit = class.probes.lines.iter().zip(data.probes());
                let runs = hit
                    .filter(|(_, hit)| *hit)
                    .flat_map(|(lines, _)| lines.runs());
                let lines: LineSet = runs.cloned().collect();
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

fn add_classes(classes: &ClassFiles, matrix: &mut LineMatrix<'_>) {
    for class in classes.all().filter(|class| !class.is_variant) {
        if class.probes.methods.is_empty() {
            continue;
        }
        let file = matrix.file(&class.source);
        for (name, descriptor, lines) in &class.probes.methods {
            matrix.executable(file, lines);
            let function = ListedFunction {
                name: descriptor::method(&class.name, name, descriptor),
                qualified: true,
                lines: FunctionLines::All(lines.clone()),
            };
            matrix.function(file, function);
        }
    }
}

/// The class that was measured; `None` if it is not among the class files at all.
fn class_of<'c>(
    data: &Data,
    classes: &'c ClassFiles,
    input: &LinesInput<'_>,
) -> Result<Option<&'c KnownClass>, FileError> {
    let bad = |expected: String, found: String| {
        let at = format!("class {}", data.class);
        Err(FileError::bad(input.path, expected, found)
            .at(at)
            .hint("give the very class files that were measured, or measure again"))
    };
    let Some(class) = classes.get(data.identity) else {
        return match classes.named(&data.class) {
            None => Ok(None),
            Some((other, class)) => bad(
                format!("the class file {:016x} that was measured", data.identity),
                format!("{other:016x}, another version of it, in {}", class.place),
            ),
        };
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

struct Blocks<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Blocks<'_> {
    fn dumps(mut self) -> Result<Vec<Dump>, Problem> {
        let mut dumps: Vec<Dump> = Vec::new();
        while self.at < self.bytes.len() {
            let at = self.at;
            let kind = self.u8()?;
            match (kind, dumps.last_mut()) {
                (HEADER, _) => {
                    let (magic, version) = (self.u16()?, self.u16()?);
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
                (SESSION, Some(_)) => {
                    let session = self.text()?;
                    self.take(16)?;
                    if let Some(dump) = dumps.last_mut() {
                        dump.sessions.push(session);
                    }
                }
                (DATA, Some(_)) => {
                    let identity = u64::from_be_bytes(self.take(8)?.try_into().unwrap_or_default());
                    let class = self.text()?;
                    let count = self.count()?;
                    let bits = self.take(count.div_ceil(8))?.to_vec();
                    if let Some(dump) = dumps.last_mut() {
                        dump.data.push(Data {
                            identity,
                            class,
                            count,
                            bits,
                        });
                    }
                }
                (kind, None) => {
                    let expected = "a header block 01".to_owned();
                    return Err((at, expected, format!("block {kind:02x}")));
                }
                (kind, Some(_)) => {
                    let expected = "a block 01, 10 or 11".to_owned();
                    return Err((at, expected, format!("block {kind:02x}")));
                }
            }
        }
        if dumps.is_empty() {
            return Err((0, "a header block 01".into(), "an empty file".into()));
        }
        Ok(dumps)
    }

    fn take(&mut self, length: usize) -> Result<&[u8], Problem> {
        let end = self.at.checked_add(length);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let missing = || {
            let left = self.bytes.len() - self.at;
            (
                self.at,
                format!("{length} more bytes"),
                format!("the end after {left}"),
            )
        };
        let taken = taken.ok_or_else(missing)?;
        self.at += length;
        Ok(taken)
    }

    fn u8(&mut self) -> Result<u8, Problem> {
        Ok(self.take(1)?[0])
    }

    fn u16(&mut self) -> Result<u16, Problem> {
        let bytes = self.take(2)?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    fn text(&mut self) -> Result<String, Problem> {
        let length = usize::from(self.u16()?);
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    /// Seven bits a byte, the low ones first.
    fn count(&mut self) -> Result<usize, Problem> {
        let at = self.at;
        let mut count = 0;
        for shift in (0..32).step_by(7) {
            let byte = self.u8()?;
            count |= usize::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(count);
            }
        }
        Err((at, "a number of probes".into(), "more than 32 bits".into()))
    }
}
