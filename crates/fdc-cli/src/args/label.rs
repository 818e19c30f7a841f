//! The command line of `label`.

use clap::Args;

use super::session::SessionArguments;

/// Options of `label`.
#[derive(Args, Debug)]
pub struct LabelArguments {
    /// The session.
    #[command(flatten)]
    pub session: SessionArguments,
    /// Exchange requests and replies as lines of JSON, as is done without a terminal
    #[arg(long)]
    pub json_lines: bool,
}
