//! Any bytes are read as a raw profile or refused, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = fdc_collect::llvm::functions_run(bytes);
});
