//! The command line of `serve`.

use clap::Args;

use super::session::SessionArguments;

/// Options of `serve`.
#[derive(Args, Debug)]
pub struct ServeArguments {
    /// The session.
    #[command(flatten)]
    pub session: SessionArguments,
    /// The port of 127.0.0.1 to listen on [default: any free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
}
