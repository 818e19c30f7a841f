//! `fdc lsp`: a case in an editor.

use std::io::{BufReader, stdin, stdout};
use std::path::PathBuf;

use clap::Args;
use fdc_lsp::{ConversationEnd, ServerOptions, serve};

use crate::exit::{Exit, Failure, Result};

#[derive(Args, Debug)]
pub(crate) struct LspArguments {
    /// The case file [default: case.fdc in the root of the editor's workspace]
    #[arg(long, value_name = "FILE")]
    pub case: Option<PathBuf>,
    /// Root folder of the project that was measured, for its sources (default: where the case was
    /// collected, else the root of the workspace)
    #[arg(long, value_name = "FOLDER")]
    pub source: Option<PathBuf>,
    /// How many suspects to mark [default: 10]
    #[arg(long, value_name = "N")]
    pub suspects: Option<usize>,
}

pub(crate) fn run(arguments: &LspArguments) -> Result<Exit> {
    let options = ServerOptions {
        case: arguments.case.clone(),
        source: arguments.source.clone(),
        suspects: arguments.suspects,
    };
    // An editor that is gone hears no complaint.
    match serve(BufReader::new(stdin()), stdout(), options) {
        Ok(ConversationEnd::Done) => Ok(Exit::Done),
        Ok(ConversationEnd::Unasked) => Ok(Exit::Finding),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(Exit::Done),
        Err(error) => Err(Failure::input(format!(
            "the editor cannot be served: {error}"
        ))),
    }
}
