//! The command line of `label`.

use clap::Args;

use super::session::SessionArguments;

/// Options of `label`.
#[derive(Args, Debug)]
pub struct LabelArguments {
    /// The session.
    #[command(flatten)]
    pub session: SessionArguments,
}
