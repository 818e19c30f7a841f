//! A project's Java sources by the path that class files know: package and file name.

use std::path::{Path, PathBuf};

use fdc_source::FileTree;

pub(crate) struct SourceTree {
    files: FileTree,
    /// Folders with a build file of their own; absolute.
    pub(crate) modules: Vec<PathBuf>,
}

const ENDINGS: [&str; 4] = [".java", ".kt", ".groovy", ".scala"];
const BUILD_FILES: [&str; 3] = ["pom.xml", "build.gradle", "build.gradle.kts"];
/// Folders that hold no sources of the project.
const PASSED_OVER: [&str; 5] = ["target", "build", "node_modules", "out", "bin"];
const MOST_ENTRIES: usize = 1_000_000;

impl SourceTree {
    pub(crate) fn of(root: &Path) -> Self {
        let files = FileTree::below(root, &PASSED_OVER, MOST_ENTRIES);
        let builds = BUILD_FILES.iter().flat_map(|name| files.ending(name));
        let folders = builds.filter_map(|path| Some(root.join(path).parent()?.to_owned()));
        let mut modules: Vec<PathBuf> = folders.collect();
        modules.sort();
        SourceTree { files, modules }
    }

    /// The file whose path ends so, relative to the root; code before tests of the same name.
    pub(crate) fn find(&self, ending: &str) -> Option<String> {
        let is_source = ENDINGS.iter().any(|end| ending.ends_with(end));
        let paths = self.files.ending(ending).filter(|_| is_source);
        let first = paths.min_by_key(|path| (path.contains("src/test/"), *path));
        first.map(str::to_owned)
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
        assert_eq!(tree.modules, [root.to_owned(), root.join("core")]);
    }
}
