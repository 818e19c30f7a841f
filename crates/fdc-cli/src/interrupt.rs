//! Signals that ask to stop: the first one asks long work to stop where nothing is lost, the second
//! ends it at once.

use std::ffi::c_int;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::exit::{Exit, Failure, Result};

/// Set once somebody asked to stop.
static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From now on Ctrl-C, a request to end (SIGTERM) and a closed terminal (SIGHUP) only ask.
pub(crate) fn listen() -> Result<()> {
    let mut signals = [SIGINT, SIGTERM].into_iter().chain(hang_up());
    let heard = signals.try_for_each(hear);
    heard.map_err(|error| Failure::usage(format!("cannot listen for signals: {error}")))
}

pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

fn hear(signal: c_int) -> io::Result<()> {
    // In this order: the second signal finds the flag set by the first.
    flag::register_conditional_shutdown(signal, Exit::Interrupted as i32, Arc::clone(&ASKED))?;
    flag::register(signal, Arc::clone(&ASKED)).map(drop)
}

/// SIGHUP, unless it is ignored (`nohup fdc ...`), which listening would end. Where the system does
/// not tell, it ends us as it ends others.
#[cfg(unix)]
fn hang_up() -> Option<c_int> {
    use signal_hook::consts::SIGHUP;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))?;
    let ignored = u64::from_str_radix(ignored.trim(), 16).ok()?;
    (ignored >> (SIGHUP - 1) & 1 == 0).then_some(SIGHUP)
}

#[cfg(not(unix))]
fn hang_up() -> Option<c_int> {
    None
}
