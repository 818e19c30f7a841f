//! `fdc import`: any supported coverage into a case file (or another format that can be written).

use std::path::{Path, PathBuf};

use clap::Args;
use fdc::Input;
use fdc_formats::{Format, format_to_write};

use crate::args::choice;
use crate::args::input::InputArguments;
use crate::exit::{Exit, Failure, Result};
use crate::output::{note, notes};

#[derive(Args, Debug)]
pub(crate) struct ImportArguments {
    /// The input.
    #[command(flatten)]
    pub input: InputArguments,
    /// Kill matrix of another mutation tool, whose mutants go into the case: a file of PIT, Stryker or
    /// Cosmic Ray, or a folder of Major (repeatable)
    #[arg(long, value_name = "FILE")]
    pub mutants: Vec<PathBuf>,
    /// File to write; the ending decides the format: .fdc (a case), .json, .json.zst, .tcm, .info, or
    /// a folder for GZoltar's files
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// Write this format instead
    #[arg(long, value_name = "FORMAT", value_parser = choice::format(), hide_possible_values = true)]
    pub to: Option<&'static Format>,
}

pub(crate) fn run(arguments: &ImportArguments, quiet: bool) -> Result<Exit> {
    let target = match arguments.to {
        Some(format) => format,
        None => format_by_ending(&arguments.out)?,
    };
    let write = target.write.ok_or_else(|| {
        Failure::usage(format!("format {} can be read, not written", target.name))
            .hint("write a case: -o case.fdc")
    })?;
    let is_case = target.name == "case";
    if !is_case && !arguments.mutants.is_empty() {
        let message = format!("format {} cannot hold mutants", target.name);
        return Err(Failure::usage(message).hint("write a case: -o case.fdc"));
    }
    let mut input = Input::read(arguments.input.request())?;
    if is_case {
        input.add_history();
    }
    input.add_mutants(&arguments.mutants)?;
    notes(quiet, &input.notes);
    let (spectrum, mutants) = (&input.spectrum, &input.mutants);
    if is_case {
        let source = sources(&arguments.input.inputs);
        let mut about = vec![("source", &*source), ("fdc", env!("CARGO_PKG_VERSION"))];
        // So that later commands find the sources again.
        let root = arguments.input.source.as_deref().map(Path::canonicalize);
        let root = root.and_then(Result::ok);
        let root = root.as_deref().map(Path::to_string_lossy);
        about.extend(root.as_deref().map(|root| ("root", root)));
        match input.case() {
            // With all that people have answered.
            Some(case) => case.update(&arguments.out, spectrum, mutants, &about)?,
            None => fdc_case::import_with_mutants(spectrum, mutants, &arguments.out, &about)?,
        }
    } else {
        write(spectrum, &arguments.out)?;
    }
    let (out, failing) = (arguments.out.display(), spectrum.failing_tests().count());
    let (tests, program) = (spectrum.tests.len(), &spectrum.program);
    let (methods, lines) = (program.methods.len(), program.elements.len());
    let counts = format!("{tests} tests ({failing} failing), {methods} methods, {lines} lines");
    note(quiet, &format!("{out}: {counts}"));
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

fn format_by_ending(path: &Path) -> Result<&'static Format> {
    format_to_write(path).map_err(|ending| {
        Failure::usage(format!("no format is known by the ending .{ending}"))
            .hint("use .fdc, .json, .json.zst or .tcm, or name the format with --to")
    })
}
