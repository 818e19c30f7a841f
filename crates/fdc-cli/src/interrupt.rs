//! Ctrl-C: the first one asks long work to stop where nothing is lost, the second ends it at once.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::Problem;

/// Set once somebody asked to stop.
pub static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C only asks.
pub fn listen() -> Result<(), Problem> {
    ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(crate::exit::Exit::Interrupted as i32);
        }
    })
    .map_err(|error| Problem::usage(format!("cannot listen for Ctrl-C: {error}")))
}

/// Whether somebody asked to stop.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
