//! Every format: what good samples hold, that what is written is read, what is said of bad input,
//! that no damage makes a reader panic, and no trap a reader hang.

mod bad_input;
mod bad_lines;
mod damage;
mod jars;
mod kill_matrices;
mod measured;
mod round_trip;
mod samples;
mod traps;

use std::path::{Path, PathBuf};

use fdc_core::Spectrum;

/// The workspace's folder of samples.
fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}

/// All files below a folder but the READMEs, in order.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files.extend(files_below(&path));
        } else if path.file_name().unwrap() != "README.md" {
            files.push(path);
        }
    }
    files
}

/// The rows of a spectrum as elements.
fn rows(spectrum: &Spectrum) -> Vec<Vec<u32>> {
    let tests = spectrum.coverage.tests();
    tests.map(|test| spectrum.coverage.elements(test)).collect()
}
