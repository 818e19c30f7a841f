//! Any bytes are read or refused, never a panic; what is read makes a spectrum.
#![no_main]

use std::path::Path;

use fdc_formats::{LineMatrix, LinesInput, Project};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let project = Project::new(Path::new("absent"));
    let mut matrix = LineMatrix::new(&project);
    let path = Path::new("input");
    let input = LinesInput {
        path,
        test: "t",
        listed: false,
    };
    let read = fdc_formats::go_profile::parse(&input, bytes, &mut matrix);
    // A few bytes can stand for millions of lines, which are slow and not worth it.
    if read.is_ok() && matrix.line_count() < 100_000 {
        matrix.finish(path).unwrap();
    }
});
