//! What changed since the tests of a case were measured, by stamps of the files: for runs that keep
//! a case up to date as they go. A test is stale if it covers a line of a changed file, or if the
//! change is in the file that holds it; `affected` looks closer, where Git knows the measured text.

use std::path::Path;
use std::time::SystemTime;

use fdc_case::Case;
use fdc_case::recording::Recording;
use fdc_core::coverage::TestId;

use crate::Ecosystem;
use crate::changes::{TestsOf, is_prose};
use crate::error::Result;
use crate::filter::matches;
use crate::options::CollectOptions;
use crate::stamps::{self, Stamps};

/// Keeps what the files are like that are measured now. If it is asked for, what changed since they
/// were measured is forgotten, and the tests that shall be measured again.
pub(crate) fn keep_up(
    options: &CollectOptions,
    tests_of: fn(&str) -> TestsOf,
    recording: &mut Recording,
) -> Result<()> {
    let counts = recording.counts()?;
    let is_new = counts.tests + counts.skipped == 0;
    if !is_new && !options.since_measured {
        return Ok(());
    }
    forget_changed(options, tests_of, recording, SystemTime::now(), &|test| {
        options.again.iter().any(|pattern| matches(pattern, test))
    })
}

/// Forgets what is stale by the stamps of a case, and the tests that are to be measured `again`;
/// stamps it as of when the tests `began`.
pub(crate) fn forget_changed(
    options: &CollectOptions,
    tests_of: fn(&str) -> TestsOf,
    recording: &mut Recording,
    began: SystemTime,
    again: &dyn Fn(&str) -> bool,
) -> Result<()> {
    let told = recording.about(stamps::KEY)?;
    let before = told.as_deref().map(Stamps::read);
    let files: Vec<String> = recording.files().map(str::to_owned).collect();
    let known = before.clone().unwrap_or_default();
    let now = Stamps::now(&options.root, &files, &known, began);
    match before {
        Some(before) => {
            let changed = now.changed_since(&before);
            let stale = Stale::of(&changed, tests_of, |file| recording.knows_file(file));
            let asks_again = recording.any_measured(again)?;
            if !changed.is_empty() || asks_again {
                let gone = |file: &str| changed.iter().any(|own| own == file);
                recording.forget(still_there(gone), |test| stale.holds(test) || again(test))?;
            }
        }
        // It cannot be told what a case without stamps was measured from.
        None => drop(recording.forget(|_, _, _| None, |_| true)?),
    }
    Ok(recording.keep_note(stamps::KEY, &now.text())?)
}

/// The measured tests of a case that are affected by what changed since; none, if that cannot be told
/// and all may be.
pub fn affected_since_measured(
    case: &Case,
    root: &Path,
    ecosystem: &Ecosystem,
) -> Result<Option<Vec<String>>> {
    let Some(told) = case.about(stamps::KEY)? else {
        return Ok(None);
    };
    let before = Stamps::read(&told);
    let spectrum = case.measured()?;
    let files = &spectrum.program.files;
    let now = Stamps::now(root, files, &before, SystemTime::now());
    let changed = now.changed_since(&before);
    let stale = Stale::of(&changed, ecosystem.tests_of, |file| {
        files.iter().any(|own| own == file)
    });
    if stale.any.is_some() {
        return Ok(None);
    }
    let gone: Vec<bool> = files.iter().map(|file| changed.contains(file)).collect();
    let (program, coverage) = (&spectrum.program, &spectrum.coverage);
    let elements = program.elements.iter().enumerate();
    let touched =
        elements.filter(|(_, own)| gone[program.methods[own.method.index()].file as usize]);
    let mut columns: Vec<u32> = touched
        .map(|(index, _)| coverage.column_of(index))
        .collect();
    columns.sort_unstable();
    columns.dedup();
    let tests = spectrum.tests.iter().enumerate();
    let affected = tests.filter(|(number, test)| {
        let row = coverage.row(TestId(*number as u32));
        stale.holds(&test.name) || columns.iter().any(|&column| row.contains(column))
    });
    Ok(Some(affected.map(|(_, test)| test.name.clone()).collect()))
}

/// Tests that a change concerns whatever lines they run.
struct Stale {
    beginnings: Vec<String>,
    parts: Vec<String>,
    /// A file that may concern any test.
    any: Option<String>,
}

impl Stale {
    fn of(files: &[String], tests_of: fn(&str) -> TestsOf, knows: impl Fn(&str) -> bool) -> Self {
        let (mut beginnings, mut parts, mut any) = (Vec::new(), Vec::new(), None);
        for file in files {
            match tests_of(file) {
                TestsOf::Beginning(beginning) => beginnings.push(beginning),
                TestsOf::Containing(part) => parts.push(part),
                TestsOf::Code(part) => {
                    parts.push(part);
                    if !knows(file) {
                        any = any.or(Some(file));
                    }
                }
                TestsOf::Below(folder) if folder.is_empty() => any = any.or(Some(file)),
                TestsOf::Below(folder) => beginnings.push(folder),
                TestsOf::None => {}
                TestsOf::All if knows(file) || is_prose(file) => {}
                TestsOf::All => any = any.or(Some(file)),
            }
        }
        Stale {
            beginnings,
            parts,
            any: any.cloned(),
        }
    }

    fn holds(&self, test: &str) -> bool {
        self.any.is_some()
            || self.beginnings.iter().any(|start| test.starts_with(start))
            || self.parts.iter().any(|part| test.contains(part))
    }
}

/// Lines of other files than those that are `gone` stay where they are.
fn still_there(gone: impl Fn(&str) -> bool) -> impl Fn(&str, &str, u32) -> Option<(String, u32)> {
    move |file, method, line| (!gone(file)).then(|| (method.to_owned(), line))
}
