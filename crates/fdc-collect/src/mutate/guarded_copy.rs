//! A copy of a project that stays what it is: what tests do to its files is seen and undone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata, Permissions};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::project_copy::{copy_link, copy_project, is_left_out};
use crate::error::{Result, RunError};

pub(super) struct GuardedCopy {
    root: PathBuf,
    /// Where files are taken from; nobody is told of it.
    spare: PathBuf,
    /// Of everything in the copy, relative to its root.
    known: BTreeMap<PathBuf, Entry>,
    /// What tests change or make without any mutant is let be.
    let_be: BTreeSet<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    Folder(Permissions),
    Link(PathBuf),
    File {
        size: u64,
        modified: Option<SystemTime>,
        permissions: Permissions,
    },
}

/// What is not as it was.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Damage {
    /// Changed or gone.
    pub(super) changed: Vec<PathBuf>,
    pub(super) new: Vec<PathBuf>,
}

impl Damage {
    pub(super) fn is_none(&self) -> bool {
        self.changed.is_empty() && self.new.is_empty()
    }
}

impl GuardedCopy {
    /// Of a folder as it is now; `spare` must not exist.
    pub(super) fn of(root: &Path, spare: PathBuf) -> Result<Self> {
        copy_project(root, &spare, &[])?;
        let mut copy = GuardedCopy {
            root: root.to_owned(),
            spare,
            known: BTreeMap::new(),
            let_be: BTreeSet::new(),
        };
        copy.known = copy.look();
        Ok(copy)
    }

    /// Whatever differs by now does so without any mutant.
    pub(super) fn let_be(&mut self) {
        let Damage { changed, new } = self.damage();
        self.let_be.extend(changed.into_iter().chain(new));
    }

    /// We ourselves have written a file.
    pub(super) fn renew(&mut self, path: &Path) {
        if let Some(entry) = entry(&self.root.join(path)) {
            self.known.insert(path.to_owned(), entry);
        }
    }

    pub(super) fn damage(&self) -> Damage {
        let now = self.look();
        let is_meant = |path: &&PathBuf| {
            let mut around = path.ancestors();
            !around.any(|path| self.let_be.contains(path))
        };
        let changed = self.known.iter();
        let changed = changed.filter(|(path, entry)| now.get(*path) != Some(entry));
        let changed = changed.map(|(path, _)| path).filter(is_meant);
        let new = now.keys().filter(|path| !self.known.contains_key(*path));
        Damage {
            changed: changed.cloned().collect(),
            new: new.filter(is_meant).cloned().collect(),
        }
    }

    /// Undoes it.
    pub(super) fn mend(&self, damage: &Damage) -> Result<()> {
        let Damage { changed, new } = damage;
        for path in changed {
            if let Entry::Folder(permissions) = &self.known[path] {
                // Best effort: if it is gone, it comes back below.
                let _ = fs::set_permissions(self.root.join(path), permissions.clone());
            }
        }
        new.iter().rev().try_for_each(|path| self.remove(path))?;
        changed.iter().try_for_each(|path| self.put_back(path))
    }

    fn remove(&self, path: &Path) -> Result<()> {
        let full = self.root.join(path);
        let removed = match fs::symlink_metadata(&full) {
            Err(_) => return Ok(()),
            Ok(found) if found.is_dir() => fs::remove_dir_all(&full),
            Ok(_) => fs::remove_file(&full),
        };
        removed.map_err(RunError::io(&full, "remove it"))
    }

    fn put_back(&self, path: &Path) -> Result<()> {
        let (full, spare) = (self.root.join(path), self.spare.join(path));
        let failed = || RunError::io(&full, "put it back");
        // What tests have made of a folder goes before the folder comes back.
        let is_folder = fs::symlink_metadata(&full).is_ok_and(|found| found.is_dir());
        match &self.known[path] {
            Entry::Folder(permissions) => {
                if !is_folder {
                    self.remove(path)?;
                    fs::create_dir_all(&full).map_err(failed())?;
                }
                fs::set_permissions(&full, permissions.clone()).map_err(failed())
            }
            Entry::Link(_) => {
                self.remove(path)?;
                copy_link(&spare, &full)
            }
            Entry::File {
                modified,
                permissions,
                ..
            } => {
                self.remove(path)?;
                fs::copy(&spare, &full).map_err(failed())?;
                let file = File::options().append(true).open(&full);
                let file = file.map_err(failed())?;
                let modified = modified.map_or(Ok(()), |time| file.set_modified(time));
                modified.map_err(failed())?;
                fs::set_permissions(&full, permissions.clone()).map_err(failed())
            }
        }
    }

    /// The root itself has an empty path.
    fn look(&self) -> BTreeMap<PathBuf, Entry> {
        let mut found = BTreeMap::new();
        let mut left = vec![PathBuf::new()];
        while let Some(path) = left.pop() {
            let full = self.root.join(&path);
            let Some(entry) = entry(&full) else {
                continue;
            };
            let is_folder = matches!(entry, Entry::Folder(_));
            found.insert(path.clone(), entry);
            if !is_folder || self.let_be.contains(&path) {
                continue;
            }
            let entries = fs::read_dir(&full).into_iter().flatten().flatten();
            let names = entries.filter(|entry| !is_left_out(&entry.path()));
            left.extend(names.map(|entry| path.join(entry.file_name())));
        }
        found
    }
}

fn entry(path: &Path) -> Option<Entry> {
    let found: Metadata = fs::symlink_metadata(path).ok()?;
    Some(if found.is_dir() {
        Entry::Folder(found.permissions())
    } else if found.is_symlink() {
        Entry::Link(fs::read_link(path).ok()?)
    } else {
        Entry::File {
            size: found.len(),
            modified: found.modified().ok(),
            permissions: found.permissions(),
        }
    })
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn project() -> (tempfile::TempDir, PathBuf, GuardedCopy) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        fs::create_dir_all(root.join("data/deep")).unwrap();
        for name in ["a.txt", "data/b.txt", "data/deep/c.txt"] {
            fs::write(root.join(name), name).unwrap();
        }
        std::os::unix::fs::symlink("a.txt", root.join("link")).unwrap();
        let copy = GuardedCopy::of(&root, folder.path().join("spare")).unwrap();
        (folder, root, copy)
    }

    #[test]
    fn whatever_was_done_to_it_is_undone() {
        let harms: [fn(&Path); 7] = [
            |root| fs::write(root.join("a.txt"), "b.txt").unwrap(),
            |root| fs::remove_dir_all(root).unwrap(),
            |root| fs::set_permissions(root.join("data"), Permissions::from_mode(0o500)).unwrap(),
            |root| {
                fs::remove_file(root.join("a.txt")).unwrap();
                fs::create_dir_all(root.join("a.txt/b")).unwrap();
            },
            |root| {
                fs::remove_dir_all(root.join("data")).unwrap();
                fs::write(root.join("data"), "no folder").unwrap();
            },
            |root| fs::remove_file(root.join("link")).unwrap(),
            |root| fs::create_dir_all(root.join("new/new")).unwrap(),
        ];
        let (_folder, root, copy) = project();
        let whole = copy.look();
        for harm in harms {
            assert!(copy.damage().is_none());
            harm(&root);
            let damage = copy.damage();
            assert!(!damage.is_none());
            copy.mend(&damage).unwrap();
            assert_eq!(copy.look(), whole);
            assert_eq!(fs::read_to_string(root.join("link")).unwrap(), "a.txt");
            assert_eq!(
                fs::read_to_string(root.join("data/b.txt")).unwrap(),
                "data/b.txt"
            );
        }
    }

    #[test]
    fn what_tests_do_in_any_case_is_let_be() {
        let (_folder, root, mut copy) = project();
        fs::write(root.join("a.txt"), "other").unwrap();
        fs::create_dir(root.join("out")).unwrap();
        copy.let_be();
        fs::write(root.join("a.txt"), "again").unwrap();
        fs::write(root.join("out/x"), "x").unwrap();
        assert!(copy.damage().is_none());
        fs::write(root.join("data/b.txt"), "ours").unwrap();
        copy.renew(Path::new("data/b.txt"));
        assert!(copy.damage().is_none());
    }
}
