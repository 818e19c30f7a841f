//! Coverage mappings: which counter of a function belongs to which part of the source.
//!
//! rustc puts them into the program's sections `__llvm_covmap` (names of source files, a table per
//! unit of code) and `__llvm_covfun` (a record per function). Versions 6 and 7 are read.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use md5::{Digest as _, Md5};
use object::{Object as _, ObjectSection as _};

use super::bytes::{Bytes, Result, Unreadable};
use super::lines::Span;

pub(crate) struct Function {
    /// The digest of its name.
    pub(crate) name: u64,
    /// The digest of its shape.
    pub(crate) shape: u64,
    /// Its expressions over counters, each after those it needs.
    pub(crate) expressions: Expressions,
    /// The parts of the source, in any order.
    pub(crate) regions: Vec<Region>,
    files: Rc<[PathBuf]>,
}

impl Function {
    pub(crate) fn file(&self, region: &Region) -> &Path {
        &self.files[region.file]
    }

    /// A place holder for a function that was not compiled: its record has no shape.
    fn is_dummy(&self) -> bool {
        self.shape == 0 && self.regions.len() == 1 && self.regions[0].counter == Counter::Zero
    }
}

/// A part of the source and how often it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    file: usize,
    pub(crate) span: Span,
    /// How often it ran.
    pub(crate) counter: Counter,
}

/// What a region is, in the order in which one hides another at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RegionKind {
    Code,
    /// A macro's call.
    Expansion,
    /// Left out by the preprocessor.
    Skipped,
    /// The blank between statements, which belongs to what follows.
    Gap,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counter {
    Zero,
    Plain(usize),
    Computed(usize),
}

impl Counter {
    pub(crate) fn value(self, counters: impl Fn(usize) -> u64, computed: &[i64]) -> i64 {
        match self {
            Counter::Zero => 0,
            Counter::Plain(number) => counters(number) as i64,
            Counter::Computed(number) => computed.get(number).copied().unwrap_or(0),
        }
    }
}

/// Sums and differences of counters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expressions {
    terms: Vec<(Counter, Counter, bool)>,
    /// Numbers of expressions, each after those it needs.
    order: Vec<usize>,
}

/// Reads the mappings of a program. Of several records of a function the first that is no dummy counts.
pub(crate) fn functions(program: &[u8]) -> Result<Vec<Function>> {
    let object =
        object::File::parse(program).map_err(|_| Unreadable::Damaged("not an object file"))?;
    if !object.is_little_endian() {
        return Err(Unreadable::Unknown("a program for a big-endian machine"));
    }
    let section = |name: &str| {
        let section = object.section_by_name(name);
        let data = section.map_or(Ok(&[][..]), |section| section.data());
        data.map_err(|_| Unreadable::Damaged("a section that lies outside the file"))
    };
    functions_of(section("__llvm_covmap")?, section("__llvm_covfun")?)
}

/// The same of the contents of the two sections.
pub(crate) fn functions_of(tables: &[u8], records: &[u8]) -> Result<Vec<Function>> {
    let tables = file_tables(tables)?;
    let mut records = Bytes(records);
    let mut functions: Vec<Function> = Vec::new();
    let mut known: HashMap<u64, usize> = HashMap::new();
    let whole = records.0.len();
    while !records.0.is_empty() {
        let name = records.u64()?;
        let size = records.u32()? as usize;
        let (shape, table) = (records.u64()?, records.u64()?);
        let data = records.take(size)?;
        // Records begin at multiples of eight.
        records.align(whole)?;
        let missing = Unreadable::Damaged("a file table is missing");
        let files = tables.get(&table).ok_or(missing)?;
        let function = function(name, shape, files, data)?;
        match known.entry(name) {
            Entry::Vacant(new) => {
                new.insert(functions.len());
                functions.push(function);
            }
            Entry::Occupied(at) => {
                let first = &mut functions[*at.get()];
                if first.is_dummy() && !function.is_dummy() {
                    *first = function;
                }
            }
        }
    }
    Ok(functions)
}

/// The tables of file names, by the digest of their bytes.
fn file_tables(section: &[u8]) -> Result<HashMap<u64, Vec<PathBuf>>> {
    let mut bytes = Bytes(section);
    let mut tables = HashMap::new();
    while !bytes.0.is_empty() {
        let (_, size, _, version) = (bytes.u32()?, bytes.u32()?, bytes.u32()?, bytes.u32()?);
        // Counted from 0.
        if !matches!(version, 5 | 6) {
            return Err(Unreadable::Unknown("a coverage mapping of another version"));
        }
        let encoded = bytes.take(size as usize)?;
        bytes.align(section.len())?;
        let digest = Md5::digest(encoded);
        let mut digest = Bytes(&digest);
        tables.insert(digest.u64()?, file_names(encoded)?);
    }
    Ok(tables)
}

/// The first name is the folder in which the compiler ran; the others are relative to it.
fn file_names(encoded: &[u8]) -> Result<Vec<PathBuf>> {
    let mut bytes = Bytes(encoded);
    let count = bytes.varint()?;
    let (size, packed) = (bytes.varint()?, bytes.varint()?);
    let unpacked;
    if packed > 0 {
        let packed = bytes.take(usize::try_from(packed).unwrap_or(usize::MAX))?;
        let limit = usize::try_from(size).unwrap_or(usize::MAX).min(1 << 28);
        unpacked = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(packed, limit)
            .map_err(|_| Unreadable::Damaged("file names that cannot be unpacked"))?;
        bytes = Bytes(&unpacked);
    }
    let mut names: Vec<PathBuf> = Vec::new();
    for _ in 0..count {
        let length = bytes.count()?;
        let name = String::from_utf8_lossy(bytes.take(length)?).into_owned();
        let name = match names.first() {
            Some(folder) => folder.join(name),
            None => name.into(),
        };
        names.push(name);
    }
    Ok(names)
}

fn function(name: u64, shape: u64, table: &[PathBuf], data: &[u8]) -> Result<Function> {
    let mut bytes = Bytes(data);
    let count = bytes.count()?;
    let mut files = Vec::with_capacity(count);
    for _ in 0..count {
        let file = table.get(bytes.number()? as usize).cloned();
        files.push(file.ok_or(Unreadable::Damaged("a file without a name"))?);
    }
    let mut terms = Vec::new();
    // Whether an expression adds or subtracts stands where it is used.
    let mut adds: HashMap<usize, bool> = HashMap::new();
    for _ in 0..bytes.count()? {
        let left = counter(bytes.varint()?, &mut adds);
        let right = counter(bytes.varint()?, &mut adds);
        terms.push((left, right, false));
    }
    let mut regions = Vec::new();
    for file in 0..files.len() {
        let mut line = 0u32;
        for _ in 0..bytes.count()? {
            regions.extend(region(&mut bytes, file, &mut line, &mut adds)?);
        }
    }
    for (expression, adds) in adds {
        let term = terms.get_mut(expression);
        let term = term.ok_or(Unreadable::Damaged("an expression is missing"))?;
        term.2 = adds;
    }
    Ok(Function {
        name,
        shape,
        expressions: Expressions::new(terms)?,
        regions,
        files: files.into(),
    })
}

fn counter(encoded: u64, adds: &mut HashMap<usize, bool>) -> Counter {
    let number = (encoded >> 2) as usize;
    match encoded & 3 {
        0 => Counter::Zero,
        1 => Counter::Plain(number),
        kind => {
            adds.insert(number, kind == 3);
            Counter::Computed(number)
        }
    }
}

/// Reads a region; none if it is of a kind that has no say in lines.
fn region(
    bytes: &mut Bytes,
    file: usize,
    line: &mut u32,
    adds: &mut HashMap<usize, bool>,
) -> Result<Option<Region>> {
    const GAP: u32 = 1 << 31;
    /// No source is that long, and every line takes memory.
    const LAST_LINE: u32 = 2_000_000;
    let head = bytes.varint()?;
    let ran = counter(head, adds);
    let mut kind = match (head & 7, head >> 3) {
        (4, _) => Some(RegionKind::Expansion),
        (0, 2) => Some(RegionKind::Skipped),
        // Branches and what belongs to them.
        (0, branch @ 4..=6) => {
            for _ in 0..2 {
                let number = bytes.varint()?;
                if branch != 5 {
                    counter(number, adds);
                }
            }
            for _ in 0..if branch == 6 { 3 } else { 0 } {
                bytes.varint()?;
            }
            None
        }
        (0, 1..) => return Err(Unreadable::Unknown("a region of an unknown kind")),
        _ => Some(RegionKind::Code),
    };
    let beyond = || Unreadable::Damaged("a line beyond all lines");
    *line = line.checked_add(bytes.number()?).ok_or_else(beyond)?;
    let first_column = bytes.number()?;
    let last = line.checked_add(bytes.number()?).ok_or_else(beyond)?;
    if last > LAST_LINE {
        return Err(beyond());
    }
    let mut last_column = bytes.number()?;
    if last_column & GAP != 0 {
        last_column &= !GAP;
        kind = kind.map(|_| RegionKind::Gap);
    }
    // Whole lines.
    let (first_column, last_column) = match (first_column, last_column) {
        (0, 0) => (1, u32::MAX),
        columns => columns,
    };
    Ok(kind.map(|kind| Region {
        file,
        span: Span {
            start: (*line, first_column),
            end: (last, last_column),
            kind,
        },
        counter: ran,
    }))
}

impl Expressions {
    fn new(terms: Vec<(Counter, Counter, bool)>) -> Result<Self> {
        let mut order = Vec::with_capacity(terms.len());
        let mut state = vec![State::New; terms.len()];
        for first in 0..terms.len() {
            let mut stack = vec![first];
            while let Some(&top) = stack.last() {
                // Met for the second time, with all that it needs done.
                if state[top] != State::New {
                    if state[top] == State::Open {
                        state[top] = State::Done;
                        order.push(top);
                    }
                    stack.pop();
                    continue;
                }
                state[top] = State::Open;
                for needed in [terms[top].0, terms[top].1] {
                    let Counter::Computed(needed) = needed else {
                        continue;
                    };
                    match state.get(needed) {
                        Some(State::New) => stack.push(needed),
                        Some(State::Done) => {}
                        _ => return Err(Unreadable::Damaged("an expression that needs itself")),
                    }
                }
            }
        }
        Ok(Expressions { terms, order })
    }

    /// All values, given those of the counters.
    pub(crate) fn evaluate(&self, counters: impl Fn(usize) -> u64) -> Vec<i64> {
        let mut values = vec![0; self.terms.len()];
        for &at in &self.order {
            let (left, right, add) = self.terms[at];
            let value = |counter: Counter| counter.value(&counters, &values);
            values[at] = match add {
                true => value(left).wrapping_add(value(right)),
                false => value(left).wrapping_sub(value(right)),
            };
        }
        values
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// File 1 of the table; expression 0 is counter 0 less counter 1; three regions: code by counter
    /// 0, a gap by counter 1, code by the expression; and a branch, which has no say in lines.
    const FUNCTION: &[u8] = &[
        1, 1, // one file: number 1
        1, 1, 5, // one expression: counter 0, counter 1
        4, // four regions
        1, 3, 1, 2, 2, // counter 0: from line 3, column 1, two lines on, to column 2
        5, 1, 4, 0, 0x89, 0x80, 0x80, 0x80, 0x08, // counter 1, a gap in the next line
        2, 0, 9, 0, 12, // expression 0, subtracting, in the same line
        0x20, 1, 5, 0, 1, 0, 4, // a branch by counters 0 and 1
    ];

    fn table() -> Vec<PathBuf> {
        vec!["/p".into(), "/p/src/lib.rs".into()]
    }

    #[test]
    fn a_functions_regions_have_places_and_counters() {
        let function = function(7, 8, &table(), FUNCTION).unwrap();
        let regions = function.regions.iter();
        let found: Vec<_> = regions
            .map(|r| (r.span.kind, r.span.start, r.span.end, r.counter))
            .collect();
        let expected = [
            (RegionKind::Code, (3, 1), (5, 2), Counter::Plain(0)),
            (RegionKind::Gap, (4, 4), (4, 9), Counter::Plain(1)),
            (RegionKind::Code, (4, 9), (4, 12), Counter::Computed(0)),
        ];
        assert_eq!(found, expected);
        assert_eq!(
            function.file(&function.regions[0]),
            Path::new("/p/src/lib.rs")
        );
        let values = function.expressions.evaluate(|counter| [5, 3][counter]);
        assert_eq!(values, [2]);
    }

    #[test]
    fn a_damaged_function_is_refused_or_read_but_never_more() {
        for length in 0..FUNCTION.len() {
            assert!(
                function(7, 8, &table(), &FUNCTION[..length]).is_err(),
                "{length} bytes"
            );
        }
        for at in 0..FUNCTION.len() {
            for value in 0..=255 {
                let mut bytes = FUNCTION.to_vec();
                bytes[at] = value;
                let _ = function(7, 8, &table(), &bytes);
            }
        }
    }

    #[test]
    fn a_line_that_no_source_has_is_refused() {
        // 2,100,000 in the place of line 3.
        let line = [0xA0, 0x96, 0x80, 0x01];
        let bytes = [&FUNCTION[..7], &line, &FUNCTION[8..]].concat();
        let refused = function(7, 8, &table(), &bytes);
        assert!(matches!(refused, Err(Unreadable::Damaged(_))));
    }

    #[test]
    fn expressions_are_computed_after_those_they_need() {
        let (one, two) = (Counter::Plain(0), Counter::Plain(1));
        let terms = vec![
            (Counter::Computed(2), one, true),
            (one, two, false),
            (Counter::Computed(1), Counter::Computed(1), true),
        ];
        let expressions = Expressions::new(terms).unwrap();
        assert_eq!(
            expressions.evaluate(|counter| [10, 4][counter]),
            [22, 6, 12]
        );
        let circle = vec![
            (Counter::Computed(1), one, true),
            (one, Counter::Computed(0), true),
        ];
        assert!(Expressions::new(circle).is_err());
        assert!(Expressions::new(vec![(Counter::Computed(9), one, true)]).is_err());
    }

    #[test]
    fn a_file_that_is_no_program_is_refused() {
        assert!(functions(b"\x7fELF and then nothing").is_err());
        assert_eq!(
            file_tables(&[0; 16]).unwrap_err(),
            Unreadable::Unknown("a coverage mapping of another version")
        );
    }
}
