//! The coverage of a test that takes its program down with it.
//!
//! Go writes a profile when a test program comes to its end, so a panic, a fatal error, `os.Exit`
//! or a kill would leave nothing. Therefore a small file joins each test package at build time
//! (`go test -overlay`, nothing is written into the project). It puts the counters, which Go keeps
//! in one piece of memory, into a file that the system keeps up to date. After a crash the same
//! program is started with the counters of that file and no test, and Go writes the profile.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// Where a test program keeps its counters: addresses as linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counters {
    begin: u64,
    end: u64,
    /// Where the object before the counters starts.
    floor: u64,
    /// Where the next object after the counters starts.
    ceiling: u64,
    /// A variable of ours, to find out how far the program was moved when it was loaded.
    anchor: u64,
}

/// What the joined file is told by.
pub(crate) const VARIABLE: &str = "FDC_GO_COUNTERS";

/// What the joined file is called.
const NAME: &str = "zzz_fdc_counters_test.go";

/// Whether the words of a compiler are about the joined file.
pub(crate) fn names_joined_file(words: &str) -> bool {
    words.contains(NAME)
}

/// The file that joins a package: where it appears to be, and its text.
pub(crate) fn joined_file(folder: &Path, package: &str) -> (PathBuf, String) {
    let text = include_str!("counters.go");
    let text = text.replace("package PACKAGE", &format!("package {package}"));
    (folder.join(NAME), text)
}

impl Counters {
    /// Found by the symbols of a program; none if they are not there.
    pub(crate) fn of(program: &Path) -> Option<Self> {
        let symbols = Symbols::read(program)?;
        let named = |name: &str| {
            symbols
                .all
                .iter()
                .find(|symbol| symbols.name(symbol) == name)
        };
        let begin = named("runtime.covctrs")?.address;
        let end = named("runtime.ecovctrs")?.address;
        let is_anchor = |symbol: &&Symbol| symbols.name(symbol).ends_with(".fdcAnchor");
        let anchor = symbols.all.iter().find(is_anchor)?.address;
        let objects = || symbols.all.iter().filter(|symbol| symbol.size > 0);
        let outside = |address: &u64| *address < begin || *address >= end;
        let addresses = || objects().map(|symbol| symbol.address).filter(outside);
        let floor = addresses().filter(|&address| address < begin).max()?;
        let ceiling = addresses().filter(|&address| address >= end).min();
        let ceiling = ceiling.unwrap_or(1 << 62);
        (begin < end).then_some(Counters {
            begin,
            end,
            floor,
            ceiling,
            anchor,
        })
    }

    /// The order to keep the counters in a file.
    pub(crate) fn keep(&self, path: &Path) -> String {
        self.order("keep", path)
    }

    /// The order to take the counters from such a file.
    pub(crate) fn load(&self, path: &Path) -> String {
        self.order("load", path)
    }

    fn order(&self, verb: &str, path: &Path) -> String {
        let Counters {
            begin,
            end,
            floor,
            ceiling,
            anchor,
        } = self;
        let path = path.display();
        format!("{verb}:{begin}:{end}:{floor}:{ceiling}:{anchor}:{path}")
    }
}

/// The symbol table of a 64-bit ELF file with the low byte first.
struct Symbols {
    all: Vec<Symbol>,
    names: Vec<u8>,
}

struct Symbol {
    name: usize,
    address: u64,
    size: u64,
}

impl Symbols {
    fn read(path: &Path) -> Option<Self> {
        const SYMBOL_TABLE: u32 = 2;
        const SECTION_SIZE: usize = 64;
        const SYMBOL_SIZE: usize = 24;
        let mut file = File::open(path).ok()?;
        let header = part(&mut file, 0, 64)?;
        if header.get(..6)? != b"\x7fELF\x02\x01" {
            return None;
        }
        let sections = u64::from_le_bytes(field(&header, 40)?);
        let count = usize::from(u16::from_le_bytes(field(&header, 60)?));
        let table = part(&mut file, sections, count * SECTION_SIZE)?;
        let section = |index: usize| table.get(index * SECTION_SIZE..(index + 1) * SECTION_SIZE);
        let symbols = (0..count)
            .filter_map(section)
            .find(|section| field(section, 4).map(u32::from_le_bytes) == Some(SYMBOL_TABLE))?;
        let names = section(u32::from_le_bytes(field(symbols, 40)?) as usize)?;
        let mut content = |section: &[u8]| {
            let start = u64::from_le_bytes(field(section, 24)?);
            let length = u64::from_le_bytes(field(section, 32)?);
            part(&mut file, start, usize::try_from(length).ok()?)
        };
        let bytes = content(symbols)?;
        let all = bytes.chunks_exact(SYMBOL_SIZE).filter_map(|symbol| {
            Some(Symbol {
                name: u32::from_le_bytes(field(symbol, 0)?) as usize,
                address: u64::from_le_bytes(field(symbol, 8)?),
                size: u64::from_le_bytes(field(symbol, 16)?),
            })
        });
        Some(Symbols {
            all: all.collect(),
            names: content(names)?,
        })
    }

    fn name(&self, symbol: &Symbol) -> &str {
        let rest = self.names.get(symbol.name..).unwrap_or_default();
        let name = rest.split(|&byte| byte == 0).next().unwrap_or_default();
        str::from_utf8(name).unwrap_or_default()
    }
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

fn part(file: &mut File, start: u64, length: usize) -> Option<Vec<u8>> {
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    file.take(length as u64).read_to_end(&mut bytes).ok()?;
    (bytes.len() == length).then_some(bytes)
}
