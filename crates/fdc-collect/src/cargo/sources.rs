//! Which source files are the project's own.

use std::path::{Component, Path, PathBuf};

/// Tells the project's own sources from generated ones and those of others.
#[derive(Clone, Debug)]
pub(crate) struct ProjectFiles {
    pub(crate) root: PathBuf,
    pub(crate) workspace: PathBuf,
    pub(crate) target: PathBuf,
}

impl ProjectFiles {
    /// A file's path relative to the root, with `/`; none if it is not the project's own.
    pub(crate) fn relative(&self, path: &Path) -> Option<String> {
        let mut absolute = PathBuf::new();
        for part in self.workspace.join(path).components() {
            match part {
                Component::ParentDir => {
                    absolute.pop();
                }
                Component::CurDir => {}
                part => absolute.push(part),
            }
        }
        if absolute.starts_with(&self.target) {
            return None;
        }
        let inside = absolute.strip_prefix(&self.root).ok()?.to_str()?;
        (!inside.is_empty()).then(|| inside.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_projects_own_if_it_lies_under_the_root_and_was_not_built() {
        let sources = ProjectFiles {
            root: "/w/a".into(),
            workspace: "/w".into(),
            target: "/w/a/target".into(),
        };
        for (path, expected) in [
            ("/w/a/src/lib.rs", Some("src/lib.rs")),
            ("a/src/lib.rs", Some("src/lib.rs")),
            ("/w/a/x/../src/./lib.rs", Some("src/lib.rs")),
            ("/w/b/src/lib.rs", None),
            ("/w/a/target/debug/build/out/made.rs", None),
            ("/registry/a.rs", None),
            ("/w/a", None),
        ] {
            assert_eq!(
                sources.relative(Path::new(path)).as_deref(),
                expected,
                "{path}"
            );
        }
    }
}
