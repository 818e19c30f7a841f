//! The three files, separated by NUL bytes: spectra.csv, matrix.txt and, if there, tests.csv. Any
//! bytes are read or refused, never a panic; what is read and can be written reads back the same.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut files = bytes.splitn(3, |&byte| byte == 0);
    let spectra = (Path::new("spectra.csv"), files.next().unwrap_or_default());
    let matrix = (Path::new("matrix.txt"), files.next().unwrap_or_default());
    let tests = files.next().map(|bytes| (Path::new("tests.csv"), bytes));
    let Ok(read) = fdc_formats::gzoltar::parse(spectra, matrix, tests) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    if fdc_formats::gzoltar::write(&read, folder.path()).is_ok() {
        let again = fdc_formats::gzoltar::read(folder.path()).unwrap();
        assert_eq!(read.program, again.program);
        assert_eq!(read.tests, again.tests);
        for test in read.coverage.tests() {
            assert_eq!(read.coverage.elements(test), again.coverage.elements(test));
        }
    }
});
