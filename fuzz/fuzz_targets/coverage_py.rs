//! Any database is read or refused, never a panic.
#![no_main]

use std::path::Path;

use fdc_formats::{LineMatrix, LinesInput, Project};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    std::fs::write(&path, bytes).unwrap();
    let project = Project::new(Path::new("absent"));
    let mut matrix = LineMatrix::new(&project);
    let input = LinesInput {
        path: &path,
        test: "t",
        listed: false,
    };
    if fdc_formats::coverage_py::read(&input, &mut matrix).is_ok() && matrix.line_count() < 100_000 {
        matrix.finish(&path).unwrap();
    }
});
