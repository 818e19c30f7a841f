//! Any file opens as a case or is refused, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case.fdc");
    std::fs::write(&path, bytes).unwrap();
    let _ = fdc_case::read(&path);
});
