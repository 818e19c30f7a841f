//! `fdc export`: coverage per test, in any format that can be written.

use std::path::PathBuf;

use clap::Args;
use fdc::Input;
use fdc::export::{ExportRequest, export};
use fdc_draw::text::counted;
use fdc_formats::Format;

use crate::args::choice;
use crate::args::input::InputArguments;
use crate::exit::{Exit, Result};
use crate::output::{note, notes};

#[derive(Args, Debug)]
pub(crate) struct ExportArguments {
    /// The input.
    #[command(flatten)]
    pub input: InputArguments,
    /// The format: lcov, cobertura, coverage.py, or another that `fdc list formats` says is written
    #[arg(long, value_name = "FORMAT", value_parser = choice::format(), hide_possible_values = true)]
    pub format: &'static Format,
    /// File to write, or a folder for formats of several files [default: the input's name with the
    /// ending of the format]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Name source files by their paths below the project's root, not by where they are on this
    /// machine
    #[arg(long)]
    pub relative: bool,
}

pub(crate) fn run(arguments: &ExportArguments, quiet: bool) -> Result<Exit> {
    let request = ExportRequest {
        format: arguments.format,
        out: arguments.out.clone(),
        relative: arguments.relative,
    };
    let mut input = Input::read(arguments.input.request())?;
    notes(quiet, &input.notes);
    let out = export(&mut input, &arguments.input.inputs[0], &request)?;
    let (tests, lines) = (
        input.spectrum.tests.len(),
        input.spectrum.program.elements.len(),
    );
    let (tests, lines) = (counted(tests as u64, "test"), counted(lines as u64, "line"));
    note(quiet, &format!("{}: {tests}, {lines}", out.display()));
    Ok(Exit::Done)
}
