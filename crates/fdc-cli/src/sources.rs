//! Where the sources of what was measured are.

use std::path::Path;

use fdc_case::Case;
use fdc_case::FileError;
use fdc_source::{Roots, Sources};

use crate::exit::Problem;

/// The roots of a case file: the project's, and the tests that `fdc generate` left beside it.
pub fn for_case(case: &Path, source: Option<&Path>) -> Result<Roots, Problem> {
    let folder = match case.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    // A folder of that name may be anything; what `generate` finished has a summary.
    let generated = folder.join("summary.json").is_file();
    let tests = generated.then(|| Sources::below(&folder.join("tests"), None).ok());
    Ok(Roots {
        project: project(Some(case), source)?,
        tests: tests.flatten(),
    })
}

/// The project's root: `source`, else where the case was collected, else the current folder.
pub fn project(case: Option<&Path>, source: Option<&Path>) -> Result<Option<Sources>, Problem> {
    let case = case.map(Case::open).transpose()?;
    // Sources are as old as the coverage or older, or they are not what was measured.
    let measured = case.as_ref().map_or(Ok(None), Case::measured_at)?;
    if let Some(folder) = source {
        let cannot = |error| {
            let problem = FileError::io(folder, "look for sources in it")(error);
            Problem::from(problem).hint("--source takes the project's root folder")
        };
        return Sources::below(folder, measured).map_err(cannot).map(Some);
    }
    let root = case.map_or(Ok(None), |case| case.about("root"))?;
    // The case may come from another machine, and then its root is not here.
    let collected = root.and_then(|root| Sources::below(Path::new(&root), measured).ok());
    Ok(collected.or_else(|| Sources::below(Path::new("."), measured).ok()))
}
