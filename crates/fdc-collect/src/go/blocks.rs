//! From the blocks of a coverage profile to lines, by the rules of the format `go`.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use fdc_formats::go_profile::Block;
use fdc_formats::go_profile::code::Code;

use crate::isolated::{LinesOfFiles, RanLines};

/// Where packages are: import path and folder relative to the root.
pub(crate) type Packages = HashMap<String, String>;

/// The code of source files; each is read once.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    files: Mutex<HashMap<String, Arc<Code>>>,
}

impl Sources {
    /// The lines of all files of these packages that a profile tells of; none if it is no profile.
    pub(crate) fn lines(
        &self,
        root: &Path,
        packages: &Packages,
        profile: &str,
    ) -> Option<Vec<RanLines>> {
        let mut lines = profile.lines();
        lines.next()?.strip_prefix("mode: ")?;
        let mut files = LinesOfFiles::default();
        let mut current: Option<(&str, Option<Source>)> = None;
        for line in lines.filter(|line| !line.is_empty()) {
            let block = Block::of(line)?;
            if current.as_ref().is_none_or(|(name, _)| *name != block.file) {
                current = Some((block.file, self.find(root, packages, block.file)));
            }
            if let Some((_, Some((path, code)))) = &current {
                files.add(path, code.lines(&block).map(|line| (line, block.ran)));
            }
        }
        Some(files.sorted())
    }

    fn find(&self, root: &Path, packages: &Packages, name: &str) -> Option<Source> {
        let (package, file) = name.rsplit_once('/')?;
        let folder = packages.get(package)?;
        let path = match folder.as_str() {
            "" => file.to_owned(),
            folder => format!("{folder}/{file}"),
        };
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(code) = files.get(&path) {
            return Some((path, code.clone()));
        }
        let text = std::fs::read(root.join(&path)).ok()?;
        let code = Arc::new(Code::of(&text));
        files.insert(path.clone(), code.clone());
        Some((path, code))
    }
}

/// A file's path relative to the root, and its code.
type Source = (String, Arc<Code>);
