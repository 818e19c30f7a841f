//! `fdc merge`: one case, or one folder of results or models, of the parts that `--shard` made.

use std::path::PathBuf;

use clap::Args;
use fdc::merge::{Merged, merge};
use fdc_draw::text::counted;

use crate::exit::{Exit, Result};
use crate::output::note;

#[derive(Args, Debug)]
pub(crate) struct MergeArguments {
    /// The parts, in any order: case files, or folders of `fdc evaluate` or `fdc train`
    #[arg(value_name = "PART", required = true)]
    pub parts: Vec<PathBuf>,
    /// The whole: a case file, or a folder
    #[arg(long, short, value_name = "WHOLE")]
    pub out: PathBuf,
}

pub(crate) fn run(arguments: &MergeArguments, quiet: bool) -> Result<Exit> {
    let out = arguments.out.display();
    let of = counted(arguments.parts.len() as u64, "part");
    let held = match merge(&arguments.parts, &arguments.out)? {
        Merged::Case(case) if case.mutants > 0 => format!(
            "{}, {}",
            counted(case.tests, "test"),
            counted(case.mutants, "mutant")
        ),
        Merged::Case(case) => counted(case.tests, "test"),
        Merged::Results(records) => format!(
            "{}; see `fdc compare {out}`",
            counted(records as u64, "run")
        ),
        Merged::Models(models) => counted(models as u64, "model"),
    };
    note(quiet, &format!("{out}: {of}, {held}"));
    Ok(Exit::Done)
}
