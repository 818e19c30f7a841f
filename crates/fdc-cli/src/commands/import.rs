//! `fdc import`: any supported coverage into a case file (or another format that can be written).

use std::path::{Path, PathBuf};

use fdc::Input;
use fdc_formats::{Format, format_to_write};

use crate::args::import::ImportArguments;
use crate::exit::{Exit, Problem};
use crate::output::{note, notes};

/// Runs the command.
pub fn run(arguments: &ImportArguments, quiet: bool) -> Result<Exit, Problem> {
    let target = match arguments.to {
        Some(format) => format,
        None => format_by_ending(&arguments.out)?,
    };
    let write = target.write.ok_or_else(|| {
        Problem::usage(format!("format {} can be read, not written", target.name))
            .hint("write a case: -o case.fdc")
    })?;
    let input = Input::read(arguments.input.request())?;
    notes(quiet, &input.notes);
    // The case is closed before its file is replaced, which may be the one that is read.
    let spectrum = input.into_spectrum();
    if target.name == "case" {
        let source = sources(&arguments.input.inputs);
        let mut about = vec![("source", &*source), ("fdc", env!("CARGO_PKG_VERSION"))];
        // So that later commands find the sources again.
        let root = arguments.input.source.as_deref().map(Path::canonicalize);
        let root = root.and_then(Result::ok);
        let root = root.as_deref().map(Path::to_string_lossy);
        about.extend(root.as_deref().map(|root| ("root", root)));
        fdc_case::import(&spectrum, &arguments.out, &about)?;
    } else {
        write(&spectrum, &arguments.out)?;
    }
    let failing = spectrum.failing_tests().count();
    note(
        quiet,
        &format!(
            "{}: {} tests ({failing} failing), {} methods, {} lines",
            arguments.out.display(),
            spectrum.tests.len(),
            spectrum.program.methods.len(),
            spectrum.program.elements.len(),
        ),
    );
    Ok(Exit::Done)
}

/// Which inputs a case was made of: their names, the first few.
fn sources(inputs: &[PathBuf]) -> String {
    let name = |path: &PathBuf| {
        let name = path.file_name().unwrap_or(path.as_os_str());
        name.to_string_lossy().into_owned()
    };
    let names: Vec<String> = inputs.iter().take(5).map(name).collect();
    let more = match inputs.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names.join(", ") + &more
}

fn format_by_ending(path: &Path) -> Result<&'static Format, Problem> {
    format_to_write(path).map_err(|ending| {
        Problem::usage(format!("no format is known by the ending .{ending}"))
            .hint("use .fdc, .json, .json.zst or .tcm, or name the format with --to")
    })
}
