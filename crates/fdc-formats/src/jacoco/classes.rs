//! The class files of a project, by JaCoCo's identity.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::archive::for_each_class;
use super::class_file::{ClassFile, access};
use super::probes::ClassProbes;
use fdc_case::{FileError, Result, refuse_special_file};

const CLASSES: &str = "give the folders and jars of the very classes that were measured";

#[derive(Debug)]
pub(crate) struct KnownClass {
    /// With `/` between packages.
    pub(crate) name: String,
    /// The source file: `org/x/Cart.java`, or the class where the compiler left it out.
    pub(crate) source: String,
    pub(crate) probes: ClassProbes,
    pub(crate) place: String,
    /// Of a jar that holds several versions, one that only newer Java uses.
    pub(crate) is_variant: bool,
}

/// All class files given with `--classes`.
#[derive(Debug, Default)]
pub(crate) struct ClassFiles {
    by_identity: BTreeMap<u64, KnownClass>,
    by_name: HashMap<String, u64>,
}

impl ClassFiles {
    pub(crate) fn read(paths: &[PathBuf]) -> Result<ClassFiles> {
        let mut classes = ClassFiles::default();
        for path in paths {
            classes.add(path, true)?;
        }
        Ok(classes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_identity.is_empty()
    }

    pub(crate) fn get(&self, identity: u64) -> Option<&KnownClass> {
        self.by_identity.get(&identity)
    }

    /// The class of that name, and its identity.
    pub(crate) fn named(&self, name: &str) -> Option<(u64, &KnownClass)> {
        let identity = *self.by_name.get(name)?;
        Some((identity, self.by_identity.get(&identity)?))
    }

    /// All of them, in a fixed order.
    pub(crate) fn all(&self) -> impl Iterator<Item = &KnownClass> {
        self.by_identity.values()
    }

    fn add(&mut self, path: &Path, named: bool) -> Result<()> {
        if path.is_dir() {
            let list = std::fs::read_dir(path).map_err(FileError::io(path, "list it"))?;
            let entries = list.map(|entry| entry.map(|entry| entry.path()));
            let entries = entries.collect::<Result<Vec<_>, _>>();
            let mut entries = entries.map_err(FileError::io(path, "list it"))?;
            entries.sort();
            return entries.iter().try_for_each(|entry| self.add(entry, false));
        }
        let ending = path.extension().unwrap_or_default();
        let mut known = ["class", "jar", "war", "ear"].into_iter();
        if !named && !known.any(|known| ending == known) {
            return Ok(());
        }
        if !named {
            refuse_special_file(path)?;
        }
        let bytes = std::fs::read(path).map_err(FileError::io(path, "read it"))?;
        let place = path.display().to_string();
        let (expected, added) = if bytes.starts_with(b"PK") {
            let visit = |name: &str, class: &[u8]| {
                let added = self.add_class(class, format!("{place}!/{name}"));
                added.map_err(|problem| format!("{name}: {problem}"))
            };
            let added = for_each_class(&bytes, |_| true, visit);
            ("a jar of class files", added)
        } else {
            ("a class file", self.add_class(&bytes, place))
        };
        added.map_err(|problem| FileError::bad(path, expected, problem).hint(CLASSES))
    }

    fn add_class(&mut self, bytes: &[u8], place: String) -> Result<(), String> {
        let class = ClassFile::parse(bytes)?;
        if class.access & access::MODULE != 0 {
            return Ok(());
        }
        let probes = ClassProbes::of(&class)?;
        let source = match (&class.source_file, class.name.rsplit_once('/')) {
            (Some(file), Some((package, _))) => format!("{package}/{file}"),
            (Some(file), None) => file.clone(),
            (None, _) => class.name.replace('/', "."),
        };
        let identity = identity(bytes);
        let is_variant = place.contains("META-INF/versions/");
        if !is_variant {
            self.by_name.entry(class.name.clone()).or_insert(identity);
        }
        self.by_identity.entry(identity).or_insert(KnownClass {
            name: class.name,
            source,
            probes,
            place,
            is_variant,
        });
        Ok(())
    }
}

/// JaCoCo's identity of a class: a CRC-64 of its bytes (polynomial x^64 + x^4 + x^3 + x + 1). For it
/// a class of Java 9 has the version number of Java 8.
pub(crate) fn identity(bytes: &[u8]) -> u64 {
    let table = table();
    let mut sum = 0u64;
    for (at, &byte) in bytes.iter().enumerate() {
        let is_java_9 = at == 7 && byte == 53 && bytes[6] == 0;
        let byte = if is_java_9 { 52 } else { byte };
        sum = (sum >> 8) ^ table[usize::from(sum as u8 ^ byte)];
    }
    sum
}

fn table() -> &'static [u64; 256] {
    static TABLE: std::sync::OnceLock<[u64; 256]> = std::sync::OnceLock::new();
    TABLE.get_or_init(|| {
        std::array::from_fn(|index| {
            (0..8).fold(index as u64, |value, _| match value & 1 {
                1 => (value >> 1) ^ 0xD800_0000_0000_0000,
                _ => value >> 1,
            })
        })
    })
}
