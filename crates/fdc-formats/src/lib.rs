//! Coverage in and out. One file per format; its module comment is its manual page
//! (`fdc explain NAME`). To add one, write the file and a line in [`FORMATS`].
#![warn(missing_docs)]

pub mod case;
pub mod collection;
pub mod csv_matrix;
pub mod dataset;
mod error;
pub mod gzoltar;
mod input;
pub mod tcm;
mod text;

use std::path::Path;

use fdc_core::Spectrum;
use fdc_core::metric::module_comment;
use fdc_core::naming::nearest;

pub use error::FormatError;
pub use input::{Sample, read_bytes, write_whole};

/// Writes a spectrum to a path, whole or not at all.
pub type Writer = fn(&Spectrum, &Path) -> Result<(), FormatError>;

/// A format of coverage matrices.
#[derive(Debug)]
pub struct Format {
    /// The name on the command line.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Whether the input looks like this format.
    pub detect: fn(&Sample) -> bool,
    /// Reads a whole spectrum.
    pub read: fn(&Path) -> Result<Spectrum, FormatError>,
    /// Writes one, if the format can be written.
    pub write: Option<Writer>,
    source: &'static str,
}

impl Format {
    /// The manual page: the module comment of the format's source file.
    pub fn manual(&self) -> String {
        module_comment(self.source)
    }
}

/// All formats. The first that recognises an input reads it.
pub static FORMATS: &[Format] = &[
    case::FORMAT,
    dataset::FORMAT,
    gzoltar::FORMAT,
    tcm::FORMAT,
    csv_matrix::FORMAT,
];

/// The format of that name, or the nearest known name.
pub fn format_named(name: &str) -> Result<&'static Format, Option<&'static str>> {
    FORMATS
        .iter()
        .find(|format| format.name == name)
        .ok_or_else(|| nearest(name, FORMATS.iter().map(|format| format.name)))
}

/// Reads a spectrum, recognising the format by content.
pub fn read(path: &Path) -> Result<Spectrum, FormatError> {
    (detect(path)?.read)(path)
}

/// The format of an input, by its content.
pub fn detect(path: &Path) -> Result<&'static Format, FormatError> {
    let sample = Sample::of(path)?;
    let format = FORMATS.iter().find(|format| (format.detect)(&sample));
    format.ok_or_else(|| {
        let names: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
        FormatError::bad(
            path,
            format!("one of the formats {}", names.join(", ")),
            sample.describe(),
        )
        .hint("force a format with --from NAME; `fdc list formats` tells what each looks like")
    })
}
