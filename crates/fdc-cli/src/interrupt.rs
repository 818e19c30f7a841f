//! Ctrl-C: the first one asks long work to stop where nothing is lost, the second ends it at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::SIGINT;
use signal_hook::flag;

use crate::exit::{Exit, Failure, Result};

/// Set once somebody asked to stop.
static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From now on the first Ctrl-C only asks. Windows knows SIGINT, too.
pub(crate) fn listen() -> Result<()> {
    // In this order: the second signal finds the flag set by the first.
    flag::register_conditional_shutdown(SIGINT, Exit::Interrupted as i32, Arc::clone(&ASKED))
        .and_then(|_| flag::register(SIGINT, Arc::clone(&ASKED)))
        .map(drop)
        .map_err(|error| Failure::usage(format!("cannot listen for Ctrl-C: {error}")))
}

pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
