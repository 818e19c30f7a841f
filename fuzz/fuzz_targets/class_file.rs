//! The probes of any class file are found, or it is said what is wrong with it; never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = fdc_formats::jacoco::problem_of_class(bytes);
});
