//! Any text is read as a trace and as what test runners print, never a panic.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    fdc_formats::trace::failure(&String::from_utf8_lossy(bytes));
    let _ = fdc_formats::pytest_output::parse(Path::new("input"), bytes);
    let _ = fdc_formats::cargo_output::parse(Path::new("input"), bytes);
});
