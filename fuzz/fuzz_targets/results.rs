//! Any Parquet file is read as results or refused, never a panic.
#![no_main]

use fdc_study::results;
use fdc_study::run::StudyRun;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.parquet");
    std::fs::write(&path, bytes).unwrap();
    let _ = results::read::<StudyRun>(&path);
});
