//! The files below a folder: looked through once, and found by the end of their path.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const DEEPEST: usize = 40;

/// Files by name, with their paths below the root, `/` between folders.
#[derive(Debug)]
pub struct FileTree {
    by_name: BTreeMap<String, Vec<String>>,
}

impl FileTree {
    /// Looks through a folder, breadth first and in order of names, so that where a large tree is
    /// cut off after `most` entries does not depend on the file system. What is hidden, folders of
    /// the `skipped` names and links to folders are passed over.
    pub fn below(root: &Path, skipped: &[&str], most: usize) -> Self {
        let mut by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut folders = vec![String::new()];
        let mut entries = 0;
        for _ in 0..DEEPEST {
            let mut below = Vec::new();
            for folder in &folders {
                // A folder that cannot be listed holds no source that could be read.
                let listed = fs::read_dir(root.join(folder));
                let mut listed: Vec<_> = listed.into_iter().flatten().flatten().collect();
                listed.sort_by_key(fs::DirEntry::file_name);
                for entry in listed {
                    entries += 1;
                    if entries > most {
                        return FileTree { by_name };
                    }
                    let name = entry.file_name();
                    let (Some(name), Ok(kind)) = (name.to_str(), entry.file_type()) else {
                        continue;
                    };
                    if name.starts_with('.') {
                        continue;
                    }
                    let path = match folder.as_str() {
                        "" => name.to_owned(),
                        folder => format!("{folder}/{name}"),
                    };
                    if !kind.is_dir() {
                        by_name.entry(name.to_owned()).or_default().push(path);
                    } else if !skipped.contains(&name) {
                        below.push(path);
                    }
                }
            }
            folders = below;
        }
        FileTree { by_name }
    }

    /// All paths, by file name.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.by_name.values().flatten().map(String::as_str)
    }

    /// The paths that end with this one, or are it.
    pub fn ending(&self, end: &str) -> impl Iterator<Item = &str> {
        let fits = move |path: &&str| {
            let front = path.strip_suffix(end);
            front.is_some_and(|front| front.is_empty() || front.ends_with('/'))
        };
        self.named(end).filter(fits)
    }

    /// The one path that shares the longest end; the name alone only if one of the two is no more.
    pub fn with_longest_end(&self, end: &str) -> Option<&str> {
        let parts: Vec<&str> = end.split('/').filter(|part| !part.is_empty()).collect();
        let mut best: (usize, Vec<&str>) = (0, Vec::new());
        for path in self.named(end) {
            let own = path.split('/').rev();
            let shared = own.zip(parts.iter().rev()).take_while(|(a, b)| a == *b);
            let shared = shared.count();
            let whole = shared == parts.len() || shared == path.split('/').count();
            if shared < 2 && !whole {
                continue;
            }
            match shared.cmp(&best.0) {
                std::cmp::Ordering::Greater => best = (shared, vec![path]),
                std::cmp::Ordering::Equal => best.1.push(path),
                std::cmp::Ordering::Less => {}
            }
        }
        match best.1.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The paths whose file name is that of this one.
    fn named(&self, path: &str) -> impl Iterator<Item = &str> {
        let name = path.rsplit('/').next().unwrap_or_default();
        let paths = self.by_name.get(name).into_iter().flatten();
        paths.map(String::as_str)
    }
}
