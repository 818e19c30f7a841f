//! Any bytes are read or refused, never a panic; what is read makes a spectrum.
#![no_main]

use std::path::Path;

use fdc_formats::{Project, jacoco::exec};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let classes = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../testdata/subjects/java/shop.jar"
    );
    let project = Project::new(Path::new("absent")).with_classes(vec![classes.into()]);
    fdc_fuzz::read(&project, Path::new("input"), |input, matrix| {
        exec::parse(input, bytes, matrix)
    });
});
