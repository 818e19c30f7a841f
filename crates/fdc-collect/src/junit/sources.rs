//! A project's Java sources by the path that class files know: package and file name.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The sources and modules under a root.
#[derive(Debug, Default)]
pub struct SourceTree {
    /// By file name, the paths relative to the root, in order.
    files: HashMap<String, Vec<String>>,
    /// Folders with a build file of their own; absolute.
    modules: Vec<PathBuf>,
}

const ENDINGS: [&str; 4] = ["java", "kt", "groovy", "scala"];
const BUILD_FILES: [&str; 3] = ["pom.xml", "build.gradle", "build.gradle.kts"];
/// Folders that hold no sources of the project.
const PASSED_OVER: [&str; 5] = ["target", "build", "node_modules", "out", "bin"];
const DEEPEST: usize = 40;

impl SourceTree {
    /// Looks through the project once.
    pub fn of(root: &Path) -> Self {
        let mut tree = SourceTree::default();
        tree.walk(root, "", 0);
        for paths in tree.files.values_mut() {
            // Code before tests of the same name.
            paths.sort_by_key(|path| (path.contains("src/test/"), path.clone()));
        }
        tree.modules.sort();
        tree
    }

    /// The file whose path ends so, relative to the root.
    pub fn find(&self, ending: &str) -> Option<String> {
        let name = ending.rsplit('/').next()?;
        let paths = self.files.get(name)?;
        let fits = |path: &&String| {
            let rest = path.strip_suffix(ending);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        paths.iter().find(fits).cloned()
    }

    /// Folders with a build file of their own.
    pub fn modules(&self) -> &[PathBuf] {
        &self.modules
    }

    fn walk(&mut self, folder: &Path, relative: &str, depth: usize) {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            // Links are not followed: they may lead out of the project, or round in circles.
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let path = format!("{relative}{name}");
            if kind.is_dir() {
                let passed = name.starts_with('.') || PASSED_OVER.contains(&name.as_str());
                if !passed && depth < DEEPEST {
                    self.walk(&entry.path(), &format!("{path}/"), depth + 1);
                }
            } else if BUILD_FILES.contains(&name.as_str()) {
                self.modules.push(folder.to_owned());
            } else if name
                .rsplit_once('.')
                .is_some_and(|(_, end)| ENDINGS.contains(&end))
            {
                self.files.entry(name).or_default().push(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_found_by_package_and_modules_by_their_build_file() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in [
            "pom.xml",
            "core/pom.xml",
            "core/src/main/java/org/x/App.java",
            "core/src/test/java/org/x/App.java",
            "web/src/main/java/org/y/App.java",
            "core/target/generated/org/z/App.java",
        ] {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let tree = SourceTree::of(root);
        let find = |path| tree.find(path);
        assert_eq!(
            find("org/x/App.java").unwrap(),
            "core/src/main/java/org/x/App.java"
        );
        assert_eq!(
            find("org/y/App.java").unwrap(),
            "web/src/main/java/org/y/App.java"
        );
        assert_eq!(
            find("x/App.java").unwrap(),
            "core/src/main/java/org/x/App.java"
        );
        assert_eq!(find("org/z/App.java"), None);
        assert_eq!(find("pp.java"), None);
        assert_eq!(tree.modules(), [root.to_owned(), root.join("core")]);
    }
}
