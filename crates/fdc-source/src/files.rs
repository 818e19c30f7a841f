//! The source of a program's files, found below the project's root and nowhere else.
//!
//! Names come from the input, so they are not trusted: `..`, hidden folders and files, links that
//! lead out of the root, and anything that is no file of moderate size are never read.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use crate::FileTree;

/// Larger files are generated, or no source at all.
const LARGEST_FILE: u64 = 4 << 20;
/// How much of the tree is looked through for a file that is not where its name says.
const MOST_ENTRIES: usize = 50_000;
/// Endings of source files that a class may come from.
const CLASS_ENDINGS: &[&str] = &["java", "kt", "scala", "groovy"];
/// Folders of built or foreign things.
const NOT_SOURCE: &[&str] = &[
    "target",
    "build",
    "out",
    "dist",
    "node_modules",
    "vendor",
    "venv",
    "site-packages",
    "__pycache__",
];

/// Where sources are looked for.
#[derive(Debug)]
pub struct Sources {
    root: PathBuf,
    measured_at: Option<SystemTime>,
    /// Made when a file is not where its name says.
    tree: OnceLock<FileTree>,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its path below the root, with `/`.
    pub path: String,
    /// The lines, without their ends.
    pub lines: Vec<String>,
    /// Whether it was changed after the coverage was measured, as far as its time tells.
    pub newer: bool,
    /// How many other files of the tree have as good a claim to the name.
    pub rivals: usize,
}

impl Source {
    /// A line's text, by its number from 1.
    pub fn line(&self, number: u32) -> Option<&str> {
        let index = (number as usize).checked_sub(1)?;
        Some(self.lines.get(index)?)
    }
}

impl Sources {
    /// Below a folder; files changed later than `measured_at` are called newer.
    pub fn below(root: &Path, measured_at: Option<SystemTime>) -> std::io::Result<Self> {
        let root = root.canonicalize()?;
        if !root.is_dir() {
            return Err(std::io::ErrorKind::NotADirectory.into());
        }
        Ok(Sources {
            root,
            measured_at,
            tree: OnceLock::new(),
        })
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// From the top folder of the Git repository that the root is in down to the root, with `/`
    /// at the end unless empty: what code scanning wants in front of every path.
    pub fn prefix_in_repository(&self) -> String {
        let top = self.root.ancestors().find(|at| at.join(".git").exists());
        let below = top.and_then(|top| self.root.strip_prefix(top).ok());
        match below.and_then(slashed) {
            Some(prefix) if !prefix.is_empty() => prefix + "/",
            _ => String::new(),
        }
    }

    /// The source of a file, named by a path below the root, by the end of one, or by a class.
    pub fn read(&self, file: &str) -> Option<Source> {
        let (path, rivals) = self.find(file)?;
        let whole = self.root.join(&path);
        let bytes = fs::read(&whole).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let modified = fs::metadata(&whole).and_then(|meta| meta.modified()).ok();
        Some(Source {
            lines: text.lines().map(str::to_owned).collect(),
            newer: matches!((modified, self.measured_at), (Some(m), Some(at)) if m > at),
            path,
            rivals,
        })
    }

    /// The paths of all files below the root, without what is hidden, built or foreign.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.tree().paths()
    }

    pub(crate) fn tree(&self) -> &FileTree {
        let look = || FileTree::below(&self.root, NOT_SOURCE, MOST_ENTRIES);
        self.tree.get_or_init(look)
    }

    fn find(&self, file: &str) -> Option<(String, usize)> {
        let ends = self.ends(file);
        if let Some(exact) = ends.iter().find(|path| self.is_readable(path)) {
            return Some((exact.clone(), 0));
        }
        ends.iter().find_map(|end| {
            let found = self.tree().ending(end);
            let found: Vec<&str> = found.filter(|path| self.is_readable(path)).collect();
            // The code proper before tests and copies, then the nearest to the root.
            let first = found.iter().min_by_key(|path| {
                let aside = |part: &str| ["test", "tests", "testdata"].contains(&part);
                (path.split('/').any(aside), path.split('/').count(), **path)
            })?;
            Some(((*first).to_owned(), found.len() - 1))
        })
    }

    /// Paths that the file may end with: its own name, or those of a class.
    fn ends(&self, file: &str) -> Vec<String> {
        let path = Path::new(file);
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        let mut ends: Vec<String> = slashed(below).into_iter().collect();
        ends.retain(|path| !path.is_empty());
        if !file.contains('/') && !ends.is_empty() {
            let path = file.split('$').next().unwrap_or_default().replace('.', "/");
            let classes = CLASS_ENDINGS.iter();
            ends.extend(classes.map(|ending| format!("{path}.{ending}")));
        }
        ends
    }

    /// Whether it is a file of moderate size that lies below the root, links followed.
    fn is_readable(&self, path: &str) -> bool {
        let Ok(real) = self.root.join(path).canonicalize() else {
            return false;
        };
        let fits = |meta: fs::Metadata| meta.is_file() && meta.len() <= LARGEST_FILE;
        let below = real.strip_prefix(&self.root).ok().and_then(slashed);
        below.is_some() && fs::metadata(&real).is_ok_and(fits)
    }
}

/// A name that is a relative path, nothing odd in it.
pub fn relative_path(file: &str) -> Option<String> {
    slashed(Path::new(file))
}

/// A relative path of plain visible names, with `/`; else none.
fn slashed(path: &Path) -> Option<String> {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => {
                let name = name.to_str()?;
                if name.starts_with('.') || name.contains(['\0', '\\']) {
                    return None;
                }
                names.push(name);
            }
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Sources) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        fs::create_dir(&root).unwrap();
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let sources = Sources::below(&root, None).unwrap();
        (folder, sources)
    }

    fn path(sources: &Sources, file: &str) -> Option<String> {
        sources.read(file).map(|source| source.path)
    }

    #[test]
    fn a_file_is_found_by_its_path_the_end_of_its_path_or_its_class() {
        let (_folder, sources) = project(&[
            ("src/main/java/org/x/Foo.java", "class Foo {}"),
            ("core/src/main/java/org/x/Bar.java", "class Bar {}"),
            ("app/src/main/kotlin/org/x/Baz.kt", "class Baz"),
            ("Main.java", "class Main {}"),
            ("lib/orders/cart.py", "x = 1"),
        ]);
        let found = |file| path(&sources, file);
        let foo = Some("src/main/java/org/x/Foo.java".to_owned());
        for name in [
            "src/main/java/org/x/Foo.java",
            "./src/main/java/org/x/Foo.java",
            "org/x/Foo.java",
            "org.x.Foo",
            "org.x.Foo$Inner$1",
        ] {
            assert_eq!(found(name), foo, "{name}");
        }
        assert_eq!(
            found("org.x.Bar").unwrap(),
            "core/src/main/java/org/x/Bar.java"
        );
        assert_eq!(
            found("org.x.Baz").unwrap(),
            "app/src/main/kotlin/org/x/Baz.kt"
        );
        assert_eq!(found("Main").unwrap(), "Main.java");
        assert_eq!(found("orders/cart.py").unwrap(), "lib/orders/cart.py");
        let absolute = sources.root().join("lib/orders/cart.py");
        assert_eq!(
            found(absolute.to_str().unwrap()).unwrap(),
            "lib/orders/cart.py"
        );
        for name in [
            "rders/cart.py",
            "x.Foo.java",
            "org.y.Foo",
            "(unknown)",
            "",
            "org/x",
            "src",
        ] {
            assert_eq!(found(name), None, "{name}");
        }
    }

    #[test]
    fn of_several_files_the_code_proper_is_taken_and_the_rivals_counted() {
        let (_folder, sources) = project(&[
            ("a/tests/x/f.py", "copy"),
            ("a/b/c/x/f.py", "far"),
            ("a/src/x/f.py", "near"),
            ("build/x/f.py", "built"),
        ]);
        let source = sources.read("x/f.py").unwrap();
        assert_eq!((&*source.path, source.rivals), ("a/src/x/f.py", 2));
    }

    #[test]
    fn nothing_outside_the_root_or_hidden_is_read() {
        let (folder, sources) = project(&[("in.py", "x"), (".env", "key"), (".git/config", "k")]);
        let outside = folder.path().join("secret.py");
        fs::write(&outside, "secret").unwrap();
        #[cfg(unix)]
        {
            let link = |target: &Path, name| {
                std::os::unix::fs::symlink(target, sources.root().join(name)).unwrap();
            };
            link(&outside, "link.py");
            link(folder.path(), "up");
            link(&sources.root().join(".env"), "env.py");
            link(&sources.root().join("in.py"), "inside.py");
            assert_eq!(path(&sources, "inside.py").unwrap(), "inside.py");
        }
        for name in [
            "../secret.py",
            "x/../../secret.py",
            "link.py",
            "up/secret.py",
            "env.py",
            ".env",
            ".git/config",
            "in.py\0",
            outside.to_str().unwrap(),
            "/etc/passwd",
        ] {
            assert_eq!(path(&sources, name), None, "{name:?}");
        }
        assert_eq!(path(&sources, "secret.py"), None);
    }

    #[test]
    fn large_files_are_skipped_and_bad_bytes_shown() {
        let (_folder, sources) = project(&[("ok.py", "")]);
        let large = fs::File::create(sources.root().join("large.py")).unwrap();
        large.set_len(LARGEST_FILE + 1).unwrap();
        assert_eq!(sources.read("large.py"), None);
        fs::write(sources.root().join("ok.py"), b"\xef\xbb\xbfa\xff\r\nb").unwrap();
        assert_eq!(sources.read("ok.py").unwrap().lines, ["a\u{fffd}", "b"]);
    }

    #[test]
    fn a_file_changed_after_the_measurement_is_newer() {
        let (_folder, sources) = project(&[("a.py", "x")]);
        let at = |seconds: i64| {
            let now = SystemTime::now();
            let shift = std::time::Duration::from_secs(seconds.unsigned_abs());
            let at = if seconds < 0 {
                now - shift
            } else {
                now + shift
            };
            Sources::below(sources.root(), Some(at)).unwrap()
        };
        assert!(!sources.read("a.py").unwrap().newer, "nothing is known");
        assert!(!at(60).read("a.py").unwrap().newer);
        assert!(at(-60).read("a.py").unwrap().newer);
    }

    #[test]
    fn the_prefix_leads_from_the_repository_to_the_root() {
        let (folder, sources) = project(&[("sub/a.py", "x")]);
        fs::create_dir(folder.path().join(".git")).unwrap();
        assert_eq!(sources.prefix_in_repository(), "project/");
        let top = Sources::below(folder.path(), None).unwrap();
        assert_eq!(top.prefix_in_repository(), "");
    }
}
