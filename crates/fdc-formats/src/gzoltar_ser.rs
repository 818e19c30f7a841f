//! gzoltar-ser — GZoltar's `gzoltar.ser`, which cannot be read on its own.
//!
//! The file has the probes that each test hit, by class, but not which line a probe stands for: that
//! is in the instrumented classes only. GZoltar itself makes the text report that fdc reads:
//!
//! ```text
//! java -jar gzoltarcli.jar faultLocalizationReport --buildLocation target/classes
//!   --granularity line --inclPublicMethods --inclStaticConstructors --inclDeprecatedMethods
//!   --dataFile gzoltar.ser --outputDirectory report --family sfl --formula ochiai --formatter txt
//! ```
//! Then give `report/sfl/txt` to fdc (`fdc explain gzoltar`).

use std::path::Path;

use fdc_core::Spectrum;

use crate::input::InputSample;
use crate::{Format, Reader};
use fdc_case::{FileError, Result};

pub(crate) const FORMAT: Format = Format {
    name: "gzoltar-ser",
    summary: "GZoltar's .ser file: needs GZoltar's text report instead",
    detect: |sample: &InputSample| sample.head.starts_with(&MAGIC),
    reader: Reader::Matrix(read),
    endings: &[],
    write: None,
    source: include_str!("gzoltar_ser.rs"),
};

/// A header block, the magic number, and version 1.
const MAGIC: [u8; 5] = [0x01, 0xC0, 0xC0, 0x00, 0x01];

fn read(path: &Path) -> Result<Spectrum> {
    std::fs::File::open(path).map_err(FileError::io(path, "open it"))?;
    let found = "a .ser file, which does not say which lines its probes are";
    Err(FileError::bad(path, "GZoltar's text report", found).hint(
        "run gzoltarcli faultLocalizationReport --formatter txt and give its folder; \
         `fdc explain gzoltar-ser`",
    ))
}
