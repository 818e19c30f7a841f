//! Looks at the case file again and again, and reads it when it has changed.

use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::time::{Duration, SystemTime};

use fdc::Failure;
use fdc::editor::{EditorCase, EditorRequest};

use crate::server::Event;

/// How often it is looked at. A file that changed is read once it has stayed the same for so long.
const LOOK: Duration = Duration::from_millis(200);
/// How often a case that could not be read is tried again: somebody may have been writing to it.
const AGAIN: u32 = 25;

/// What tells a file from what it was: of the case itself, and of the log beside it.
type Stamp = [Option<(SystemTime, u64)>; 2];

/// A case that was read, or why it was not.
pub(crate) type Read = Result<EditorCase, Failure>;

/// Runs until nobody listens.
pub(crate) fn watch(request: &EditorRequest, events: &Sender<Event>) {
    let (mut read, mut before) = (None, stamp(&request.case));
    let mut tries = 0;
    loop {
        let now = stamp(&request.case);
        let settled = now == before;
        before = now;
        let failed_before = tries > 0;
        let again = failed_before && tries % AGAIN == 0;
        tries += u32::from(failed_before);
        if settled && (read != Some(now) || again) {
            let case = EditorCase::open(request);
            tries = u32::from(case.is_err());
            // Reading may end a log that others have left.
            read = Some(stamp(&request.case));
            before = stamp(&request.case);
            if events.send(Event::Case(Box::new(case))).is_err() {
                return;
            }
        } else if events.send(Event::Tick).is_err() {
            return;
        }
        std::thread::sleep(LOOK);
    }
}

fn stamp(case: &Path) -> Stamp {
    let mut log = case.as_os_str().to_owned();
    log.push("-wal");
    [case.to_owned(), PathBuf::from(log)].map(|path| {
        let data = std::fs::metadata(path).ok()?;
        Some((data.modified().ok()?, data.len()))
    })
}
