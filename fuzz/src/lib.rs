//! What the targets of formats of lines share.

use std::path::Path;

use fdc_case::FileError;
use fdc_formats::{LineMatrix, LinesInput, Project};

/// Any bytes are read or refused, never a panic; what is read makes a spectrum.
pub fn read_lines(
    bytes: &[u8],
    parse: impl FnOnce(&LinesInput, &[u8], &mut LineMatrix) -> Result<(), FileError>,
) {
    let project = Project::new(Path::new("absent"));
    read(&project, Path::new("input"), |input, matrix| {
        parse(input, bytes, matrix)
    });
}

/// The same with a project and a path of one's own.
pub fn read(
    project: &Project,
    path: &Path,
    read: impl FnOnce(&LinesInput, &mut LineMatrix) -> Result<(), FileError>,
) {
    let mut matrix = LineMatrix::new(project);
    let input = LinesInput {
        path,
        test: "t",
        listed: false,
    };
    // A few bytes can stand for millions of lines, which are slow and not worth it.
    if read(&input, &mut matrix).is_ok() && matrix.line_count() < 100_000 {
        matrix.finish(path).unwrap();
    }
}
