//! Coverage in and out. One file per format; its module comment is its manual page
//! (`fdc explain NAME`). To add one, write the file and a line in [`FORMATS`].

pub mod cargo_output;
mod case;
pub mod cobertura;
pub mod collection;
pub mod coverage_py;
pub mod csv_matrix;
pub mod dataset;
mod evidence;
pub mod go_profile;
pub mod gzoltar;
mod gzoltar_ser;
mod input;
pub mod istanbul;
pub mod jacoco;
pub mod junit;
pub mod kill_matrix;
pub mod lcov;
mod line_matrix;
mod listing;
pub mod llvm_cov;
mod outcomes;
mod project;
pub mod pytest_output;
mod reading;
mod sqlite;
pub mod tcm;
mod test_lines;
mod text;
pub mod trace;
mod xml;

use std::path::Path;

use fdc_case::{FileError, Result};
use fdc_core::Spectrum;
use fdc_core::metric::module_comment;
use fdc_core::naming::entry_named;
use kill_matrix::KillMatrix;
use listing::ListedFile;
use outcomes::TestResult;

pub use input::{InputSample, read_bytes};
pub use kill_matrix::{ImportedMutants, read_mutants};
pub use line_matrix::LineMatrix;
pub use project::Project;
pub use reading::{LinesInput, Reading, read_inputs};

/// Writes a spectrum to a path, whole or not at all.
pub type Writer = fn(&Spectrum, &Path) -> Result<()>;

type LinesReader = fn(&LinesInput, &mut LineMatrix) -> Result<()>;

/// How a format is read, by what is in it.
#[derive(Clone, Copy, Debug)]
enum Reader {
    /// A whole matrix: tests, outcomes, methods.
    Matrix(fn(&Path) -> Result<Spectrum>),
    /// Lines run by one test, or by several that the file names.
    Lines(LinesReader),
    /// A list of files, each of one test.
    Listing(fn(&Path) -> Result<Vec<ListedFile>>),
    /// Outcomes of tests, and no coverage.
    Outcomes(fn(&Path) -> Result<Vec<TestResult>>),
    /// Which tests fail with which mutant.
    Mutants(fn(&Path) -> Result<KillMatrix>),
}

/// A format of coverage, or of what goes with it.
#[derive(Debug)]
pub struct Format {
    /// The name on the command line.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Whether the input looks like this format.
    pub detect: fn(&InputSample) -> bool,
    reader: Reader,
    /// What such files end in: a test that is named after its file goes without, and a file to
    /// write is told by it. A folder has none, which is `""`.
    endings: &'static [&'static str],
    /// Writes one, if the format can be written.
    pub write: Option<Writer>,
    source: &'static str,
}

impl Format {
    /// Reads one input of this format, with sources under the current folder.
    pub fn read(&self, path: &Path) -> Result<Spectrum> {
        Ok(self.reading(path)?.spectrum)
    }

    fn reading(&self, path: &Path) -> Result<Reading> {
        read_inputs(&[path.to_owned()], Some(self), &[], &Project::default())
    }

    /// What a file of this format is best called by; a folder has no ending.
    pub fn ending(&self) -> &'static str {
        self.endings.first().copied().unwrap_or_default()
    }

    /// Whether it tells of source files by their paths, so that tools look for them there.
    pub fn has_paths(&self) -> bool {
        matches!(self.reader, Reader::Lines(_))
    }

    /// The manual page: the module comment of the format's source file.
    pub fn manual(&self) -> String {
        module_comment(self.source)
    }
}

/// All formats. The first that recognises an input reads it.
pub static FORMATS: &[Format] = &[
    case::FORMAT,
    kill_matrix::stryker::FORMAT,
    kill_matrix::cargo_mutants::FORMAT,
    kill_matrix::mutmut::FORMAT,
    dataset::FORMAT,
    gzoltar::FORMAT,
    tcm::FORMAT,
    csv_matrix::FORMAT,
    kill_matrix::pit::FORMAT,
    kill_matrix::cosmic_ray::FORMAT,
    kill_matrix::major::FORMAT,
    listing::MANIFEST,
    coverage_py::FORMAT,
    lcov::FORMAT,
    go_profile::FORMAT,
    jacoco::exec::FORMAT,
    jacoco::report::FORMAT,
    cobertura::FORMAT,
    llvm_cov::FORMAT,
    istanbul::FORMAT,
    junit::FORMAT,
    pytest_output::FORMAT,
    cargo_output::FORMAT,
    gzoltar_ser::FORMAT,
    listing::FOLDER,
];

/// The format of that name, or the nearest known name.
pub fn format_named(name: &str) -> Result<&'static Format, Option<&'static str>> {
    entry_named(FORMATS, |format| format.name, name)
}

/// The format that a file of that name is written in; the error is the ending that no format has.
pub fn format_to_write(path: &Path) -> Result<&'static Format, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let plain = name.strip_suffix(".zst").unwrap_or(&name);
    let ending = plain.rsplit_once('.').map(|(_, ending)| ending);
    let mut written = FORMATS.iter().filter(|format| format.write.is_some());
    let format = match ending {
        // A dot at the end is not a folder's name.
        Some("") => None,
        ending => written.find(|format| format.endings.contains(&ending.unwrap_or_default())),
    };
    format.ok_or_else(|| ending.unwrap_or_default().to_owned())
}

/// Reads a spectrum, recognising the format by content; sources are under the current folder.
pub fn read(path: &Path) -> Result<Spectrum> {
    detect(path)?.read(path)
}

/// The format of an input, by its content.
pub fn detect(path: &Path) -> Result<&'static Format> {
    // What was read of a pipe that nobody knows has no reader.
    recognise(path).inspect_err(|_| input::forget(path))
}

/// The same; a pipe can still be read if its format is not known.
fn recognise(path: &Path) -> Result<&'static Format> {
    let sample = InputSample::of(path)?;
    let format = FORMATS.iter().find(|format| (format.detect)(&sample));
    format.ok_or_else(|| {
        // Whoever looks for coverage is not helped by reports of mutants.
        let measured = |format: &&Format| !matches!(format.reader, Reader::Mutants(_));
        let names = FORMATS.iter().filter(measured).map(|format| format.name);
        let names: Vec<_> = names.collect();
        let expected = format!("one of the formats {}", names.join(", "));
        FileError::bad(path, expected, sample.describe())
            .hint("force a format with --from NAME; `fdc list formats` shows what each looks like")
    })
}
