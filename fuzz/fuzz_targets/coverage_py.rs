//! Any database is read or refused, never a panic.
#![no_main]

use std::path::Path;

use fdc_formats::{Project, coverage_py};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    std::fs::write(&path, bytes).unwrap();
    fdc_fuzz::read(&Project::new(Path::new("absent")), &path, coverage_py::read);
});
