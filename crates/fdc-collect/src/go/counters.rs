//! The coverage of a test that takes its program down with it.
//!
//! Go writes a profile when a test program comes to its end, so a panic, a fatal error, `os.Exit`
//! or a kill would leave nothing. Therefore a small file joins each test package at build time
//! (`go test -overlay`, nothing is written into the project). It puts the counters, which Go keeps
//! in one piece of memory, into a file that the system keeps up to date. After a crash the same
//! program is started with the counters of that file and no test, and Go writes the profile.

use std::path::{Path, PathBuf};

use object::{Object as _, ObjectSymbol as _};

#[derive(Clone, Debug)]
pub(crate) struct Counters {
    /// As linked, and with `:` between them: where they begin and end, where the object before
    /// and the next start, and a variable of ours, to find out how far loading moved the program.
    addresses: String,
}

/// What the joined file is told by.
pub(crate) const VARIABLE: &str = "FDC_GO_COUNTERS";

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
        let bytes = std::fs::read(program).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        if file.format() != object::BinaryFormat::Elf || !file.is_64() || !file.is_little_endian() {
            return None;
        }
        let address = |is: &dyn Fn(&str) -> bool| {
            let mut symbols = file.symbols();
            let symbol = symbols.find(|symbol| symbol.name().is_ok_and(is))?;
            Some(symbol.address())
        };
        let begin = address(&|name| name == "runtime.covctrs")?;
        let end = address(&|name| name == "runtime.ecovctrs")?;
        let anchor = address(&|name| name.ends_with(".fdcAnchor"))?;
        let objects = || file.symbols().filter(|symbol| symbol.size() > 0);
        let addresses = || objects().map(|symbol| symbol.address());
        let floor = addresses().filter(|&address| address < begin).max()?;
        let ceiling = addresses().filter(|&address| address >= end).min();
        let ceiling = ceiling.unwrap_or(1 << 62);
        (begin < end).then(|| Counters {
            addresses: format!("{begin}:{end}:{floor}:{ceiling}:{anchor}"),
        })
    }

    /// What the joined file is told: to keep the counters in a file, or to load them.
    pub(crate) fn order(&self, verb: &str, path: &Path) -> String {
        format!("{verb}:{}:{}", self.addresses, path.display())
    }
}
