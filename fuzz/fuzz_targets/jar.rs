//! The class files of any archive are found and unpacked, or it is refused; never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for name in fdc_formats::jacoco::classes_in_archive(bytes).unwrap_or_default() {
        let _ = fdc_formats::jacoco::class_in_archive(bytes, &name);
    }
});
