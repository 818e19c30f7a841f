//! The project that was measured: its sources and class files, which most coverage only points to.

use std::cell::OnceCell;
use std::path::{Component, Path, PathBuf};

use crate::jacoco::classes::ClassFiles;
use fdc_case::Result;
use fdc_source::FileTree;

/// Folders that hold no source of the project.
const SKIPPED_FOLDERS: [&str; 4] = ["node_modules", "target", "__pycache__", "site-packages"];
/// Where the search for sources ends: a home folder is not a project.
const MOST_ENTRIES: usize = 300_000;

/// Where sources and class files are, and what counts as an element.
#[derive(Debug)]
pub struct Project {
    pub(crate) root: PathBuf,
    absolute_root: Option<PathBuf>,
    class_paths: Vec<PathBuf>,
    /// Test code counts as elements.
    pub(crate) include_tests: bool,
    files: OnceCell<FileTree>,
    classes: OnceCell<ClassFiles>,
}

impl Default for Project {
    fn default() -> Self {
        Project::new(Path::new("."))
    }
}

impl Project {
    /// With sources under a folder.
    pub fn new(root: &Path) -> Self {
        Project {
            root: root.to_owned(),
            absolute_root: std::fs::canonicalize(root).ok(),
            class_paths: Vec::new(),
            include_tests: false,
            files: OnceCell::new(),
            classes: OnceCell::new(),
        }
    }

    /// With class files in these folders and jars.
    #[must_use]
    pub fn with_classes(mut self, paths: Vec<PathBuf>) -> Self {
        self.class_paths = paths;
        self
    }

    /// With test code as elements, or without.
    #[must_use]
    pub fn with_tests(mut self, include: bool) -> Self {
        self.include_tests = include;
        self
    }

    /// The class files, read on first use.
    pub(crate) fn classes(&self) -> Result<&ClassFiles> {
        if let Some(classes) = self.classes.get() {
            return Ok(classes);
        }
        let classes = ClassFiles::read(&self.class_paths)?;
        Ok(self.classes.get_or_init(|| classes))
    }

    /// The text of a source file, by its path relative to the root; nothing that is elsewhere, by
    /// its path or through a link.
    pub fn text(&self, path: &str) -> Option<String> {
        let file = self.root.join(path).canonicalize().ok()?;
        let inside = file.starts_with(self.absolute_root.as_deref()?) && file.is_file();
        let bytes = inside.then(|| std::fs::read(file).ok())??;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The path of a measured file relative to the root: of a file under the root, or of the one
    /// file there that shares the longest end of its path. `None` if there is no such file.
    pub fn find(&self, measured: &str) -> Option<String> {
        let measured = &normalised(measured);
        if let Some(inside) = self.below_root(measured) {
            return Some(inside);
        }
        let look = || FileTree::below(&self.root, &SKIPPED_FOLDERS, MOST_ENTRIES);
        let files = self.files.get_or_init(look);
        files.with_longest_end(measured).map(str::to_owned)
    }

    /// [`Self::find`], or the path as it is.
    pub fn relative(&self, measured: &str) -> String {
        self.find(measured).unwrap_or_else(|| normalised(measured))
    }

    fn below_root(&self, measured: &str) -> Option<String> {
        let path = Path::new(measured);
        if path.is_absolute() {
            let inside = |root: &Path| {
                let inside = path.strip_prefix(root).ok()?;
                Some(inside.to_str()?.to_owned())
            };
            let absolute = self.absolute_root.as_deref();
            let inside = inside(&self.root).or_else(|| absolute.and_then(inside))?;
            return self.root.join(&inside).is_file().then_some(inside);
        }
        let mut parts = path.components();
        let plain = parts.all(|part| matches!(part, Component::Normal(_)));
        (plain && self.root.join(path).is_file()).then(|| measured.to_owned())
    }
}

/// With `/` between folders, and without `.` and `..` where they can be done without.
pub(crate) fn normalised(path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let slash = if path.starts_with('/') { "/" } else { "" };
    format!("{slash}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[&str]) -> (tempfile::TempDir, Project) {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let project = Project::new(folder.path());
        (folder, project)
    }

    #[test]
    fn measured_paths_become_paths_below_the_root() {
        let (folder, project) = project(&[
            "main.go",
            "pkg/cart.go",
            "src/main/java/org/x/Cart.java",
            "a/same.c",
            "b/same.c",
            "node_modules/lib/index.js",
        ]);
        let absolute = folder.path().join("pkg/cart.go");
        let expected = [
            (absolute.to_str().unwrap(), "pkg/cart.go"),
            ("./pkg/../pkg/cart.go", "pkg/cart.go"),
            ("example.org/shop/pkg/cart.go", "pkg/cart.go"),
            ("example.org/shop/main.go", "main.go"),
            ("org/x/Cart.java", "src/main/java/org/x/Cart.java"),
            ("C:\\work\\shop\\pkg\\cart.go", "pkg/cart.go"),
            ("/elsewhere/a/same.c", "a/same.c"),
            // Not told apart, not a file of the project, or only the name in common.
            ("same.c", "same.c"),
            ("/elsewhere/c/same.c", "/elsewhere/c/same.c"),
            ("/usr/lib/index.js", "/usr/lib/index.js"),
            ("org/y/Cart.java", "org/y/Cart.java"),
        ];
        for (measured, relative) in expected {
            assert_eq!(project.relative(measured), relative, "{measured}");
        }
    }

    #[test]
    fn nothing_outside_the_root_is_read() {
        let (folder, _) = project(&["secret.py", "shop/cart.py"]);
        let secret = folder.path().join("secret.py");
        let root = folder.path().join("shop");
        let project = Project::new(&root);
        assert_eq!(project.text("cart.py").as_deref(), Some(""));
        assert_eq!(project.text(secret.to_str().unwrap()), None);
        assert_eq!(project.text("../secret.py"), None);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&secret, root.join("link.py")).unwrap();
            assert_eq!(project.text("link.py"), None);
        }
    }

    #[test]
    fn paths_are_normalised() {
        for (path, expected) in [
            ("a/./b//c", "a/b/c"),
            ("a/../../b", "../b"),
            ("/a/../b", "/b"),
            ("", ""),
        ] {
            assert_eq!(normalised(path), expected);
        }
    }
}
