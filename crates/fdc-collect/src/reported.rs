//! A run of tests that was not started by a collector: what its plug-in reported is put into the case.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::SystemTime;

use fdc_case::recording::{Recording, RecordingCounts};

use crate::batch;
use crate::error::Result;
use crate::options::CollectOptions;
use crate::pytest;
use crate::since_measured::forget_changed;
use crate::spool::{Event, Spool};
use crate::watch::Watch;
use crate::{Collection, FAIL, find_test_places, git};

/// What a run told, as the case has it now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportedRun {
    /// The failing tests of the run, ascending.
    pub failing: Vec<String>,
    /// What the case holds.
    pub counts: RecordingCounts,
}

/// Puts what pytest's plug-in left in the folder into the case, which is made if it is not there: tests
/// that were measured with their lines, others with their outcomes. What files that changed have made
/// stale is forgotten. The tests `began` then.
pub fn take_in(
    options: &CollectOptions,
    folder: &Path,
    began: SystemTime,
    watch: &dyn Watch,
) -> Result<ReportedRun> {
    let ecosystem = pytest::ECOSYSTEM;
    let (mut measured, mut failing) = (BTreeSet::new(), BTreeSet::new());
    let mut whole = false;
    Spool::in_folder(folder).read(&mut |_, event| {
        let (test, outcome) = match event {
            Event::End(end) => {
                measured.insert(end.test.clone());
                (end.test, end.outcome)
            }
            Event::Judged(end) => (end.test, end.outcome),
            Event::Bye => {
                whole = true;
                return Ok(());
            }
            _ => return Ok(()),
        };
        if outcome == FAIL {
            failing.insert(test);
        }
        Ok(())
    })?;
    let root = options.root.to_string_lossy();
    let about = [
        ("collector", ecosystem.name),
        ("root", &*root),
        ("fdc", env!("CARGO_PKG_VERSION")),
    ];
    let mut recording = Recording::open(&options.case, &about)?;
    let again = |test: &str| measured.contains(test);
    forget_changed(options, ecosystem.tests_of, &mut recording, began, &again)?;
    let batch = pytest::of_report(options);
    let collection = Collection {
        options,
        run: 1,
        recording: &mut recording,
        work: folder,
        watch,
    };
    batch::take_in(&*batch, collection, &mut Spool::in_folder(folder))?;
    if !measured.is_empty() {
        let (history, note) = git::history(&options.root);
        note.iter().for_each(|note| watch.note(note));
        recording.keep_history(&history)?;
    }
    find_test_places(options, &mut recording)?;
    let counts = recording.finish(whole)?;
    Ok(ReportedRun {
        failing: failing.into_iter().collect(),
        counts,
    })
}
