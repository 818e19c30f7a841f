//! The fitnesses that are open, by number. Bindings hand out numbers, never pointers: a number that
//! was closed, or never given, is an error and nothing worse. Numbers are not used twice.
//!
//! Any thread may use any number; many read at once, [`change`] waits. Panics become [`Problem`]s.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::opened::Opened;
use crate::problem::{Problem, Result};

/// The number of an open fitness; above 0.
pub type Handle = i64;

static NEXT: AtomicI64 = AtomicI64::new(1);
static OPEN: RwLock<BTreeMap<Handle, Arc<RwLock<Opened>>>> = RwLock::new(BTreeMap::new());

pub(crate) fn open(make: impl FnOnce() -> Result<Opened>) -> Result<Handle> {
    let opened = Arc::new(RwLock::new(guarded(make)?));
    let handle = NEXT.fetch_add(1, Ordering::Relaxed);
    // Inserting into the map does not panic, so what a poisoned lock holds is whole.
    let mut open = OPEN.write().unwrap_or_else(PoisonError::into_inner);
    open.insert(handle, opened);
    Ok(handle)
}

pub(crate) fn read<T>(handle: Handle, look: impl FnOnce(&Opened) -> Result<T>) -> Result<T> {
    let opened = find(handle)?;
    let opened = opened.read().map_err(|_| Problem::HalfChanged)?;
    guarded(|| look(&opened))
}

pub(crate) fn change<T>(handle: Handle, work: impl FnOnce(&mut Opened) -> Result<T>) -> Result<T> {
    let opened = find(handle)?;
    // The lock is taken inside: a panic has to poison it.
    guarded(|| work(&mut *opened.write().map_err(|_| Problem::HalfChanged)?))
}

/// Closes a fitness; calls under way in other threads end as if it were open.
pub(crate) fn close(handle: Handle) -> Result<()> {
    let mut open = OPEN.write().unwrap_or_else(PoisonError::into_inner);
    open.remove(&handle).map(drop).ok_or(Problem::NotOpen)
}

fn find(handle: Handle) -> Result<Arc<RwLock<Opened>>> {
    let open = OPEN.read().unwrap_or_else(PoisonError::into_inner);
    open.get(&handle).cloned().ok_or(Problem::NotOpen)
}

/// Runs `work`; a panic in it becomes an error.
fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // Half-made changes are behind a lock, which is then poisoned.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(Problem::of_panic(&*payload)))
}

#[cfg(test)]
mod tests;
