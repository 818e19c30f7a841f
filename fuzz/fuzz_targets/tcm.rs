//! Any bytes are read or refused, never a panic; what is read and can be written reads back the same.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(read) = fdc_formats::tcm::parse(Path::new("input"), bytes) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("written.tcm");
    if fdc_formats::tcm::write(&read, &path).is_ok() {
        let again = fdc_formats::read(&path).unwrap();
        assert_eq!(read.program, again.program);
        assert_eq!(read.tests, again.tests);
        assert_eq!(read.fault, again.fault);
        for test in read.coverage.tests() {
            assert_eq!(read.coverage.elements(test), again.coverage.elements(test));
        }
    }
});
