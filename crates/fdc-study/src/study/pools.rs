//! The bugs that a study names, read from a data folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fdc_case::FileError;
use fdc_formats::collection::Collection;

use super::definition::{PoolDefinition, Study};

/// With [`Pools::quick`], one bug in so many of each project is kept.
pub const QUICK: usize = 5;

/// Pools of a data folder; each read once.
pub struct Pools {
    data: PathBuf,
    /// Keep every fifth bug of a project only.
    quick: bool,
    read: BTreeMap<Vec<PoolDefinition>, Arc<Collection>>,
}

impl Pools {
    /// The pools in a data folder.
    pub fn new(data: &Path, quick: bool) -> Self {
        Pools {
            data: data.to_owned(),
            quick,
            read: BTreeMap::new(),
        }
    }

    /// The folders of a study that do not exist.
    pub fn missing(&self, study: &Study) -> Vec<PathBuf> {
        let paths = study.pool_paths().into_iter();
        let folders = paths.map(|path| self.data.join(path));
        folders.filter(|folder| !folder.exists()).collect()
    }

    /// The bugs of some pools together.
    pub fn collection(&mut self, pools: &[PoolDefinition]) -> Result<Arc<Collection>, FileError> {
        if let Some(known) = self.read.get(pools) {
            return Ok(Arc::clone(known));
        }
        let folders: Vec<PathBuf> = pools.iter().flat_map(|pool| self.folders(pool)).collect();
        let mut collection = Collection::read(&folders)?;
        let wanted = |path: &Path, subject: &String| {
            pools.iter().any(|pool| {
                path.starts_with(self.data.join(&pool.path))
                    && (pool.subjects.is_empty() || pool.subjects.contains(subject))
            })
        };
        let bugs = &mut collection.bugs;
        bugs.retain(|bug| wanted(&bug.path, &bug.bug.subject));
        if self.quick {
            let mut seen: BTreeMap<String, usize> = BTreeMap::new();
            bugs.retain(|bug| {
                let place = seen.entry(bug.bug.subject.clone()).or_default();
                *place += 1;
                (*place - 1).is_multiple_of(QUICK)
            });
        }
        let collection = Arc::new(collection);
        self.read.insert(pools.to_vec(), Arc::clone(&collection));
        Ok(collection)
    }

    /// Everything read so far.
    pub fn collections(&self) -> impl Iterator<Item = &Collection> {
        self.read.values().map(Arc::as_ref)
    }

    /// A project's own folder where there is one; else the whole pool is looked through.
    fn folders(&self, pool: &PoolDefinition) -> Vec<PathBuf> {
        let root = self.data.join(&pool.path);
        let own = pool.subjects.iter().map(|subject| root.join(subject));
        let own: Vec<PathBuf> = own.collect();
        let there = !own.is_empty() && own.iter().all(|folder| folder.is_dir());
        if there { own } else { vec![root] }
    }
}
