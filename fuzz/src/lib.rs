//! What the targets of formats of lines share.

use std::path::Path;

use fdc_case::FileError;
use fdc_formats::{LineMatrix, LinesInput, Project};

/// Any bytes are read or refused, never a panic; what is read makes a spectrum.
pub fn read_lines(
    bytes: &[u8],
    parse: impl FnOnce(&LinesInput<'_>, &[u8], &mut LineMatrix<'_>) -> Result<(), FileError>,
) {
    let project = Project::new(Path::new("absent"));
    let mut matrix = LineMatrix::new(&project);
    let path = Path::new("input");
    let input = LinesInput {
        path,
        test: "t",
        listed: false,
    };
    let read = parse(&input, bytes, &mut matrix);
    // A few bytes can stand for millions of lines, which are slow and not worth it.
    if read.is_ok() && matrix.line_count() < 100_000 {
        matrix.finish(path).unwrap();
    }
}
