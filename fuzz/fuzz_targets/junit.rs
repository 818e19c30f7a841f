//! Any bytes are read or refused, never a panic.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = fdc_formats::junit::parse(Path::new("input"), bytes);
});
