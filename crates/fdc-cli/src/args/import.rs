//! The command line of `import`.

use std::path::PathBuf;

use clap::Args;
use fdc_formats::Format;

use super::choice;
use super::input::InputArguments;

/// Options of `import`.
#[derive(Args, Debug)]
pub struct ImportArguments {
    /// The input.
    #[command(flatten)]
    pub input: InputArguments,
    /// File to write; the ending decides the format: .fdc (a case), .json, .json.zst, .tcm, or a
    /// folder for GZoltar's files
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// Write this format instead
    #[arg(long, value_name = "FORMAT", value_parser = choice::format(), hide_possible_values = true)]
    pub to: Option<&'static Format>,
}
