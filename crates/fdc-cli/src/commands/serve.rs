//! `fdc serve`: a labelling session on a local web page.

use clap::Args;
use fdc_web::{ServedSession, Server, ServerError};

use crate::args::session::AnsweringArguments;
use crate::exit::{Exit, Failure, Result};
use crate::interrupt;
use crate::output::{note, put};

#[derive(Args, Debug)]
pub(crate) struct ServeArguments {
    /// The session.
    #[command(flatten)]
    pub answering: AnsweringArguments,
    /// The port of 127.0.0.1 to listen on [default: any free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
}

/// Runs the command. Ctrl-C is how it ends: every answer is in the case file by then.
pub(crate) fn run(arguments: &ServeArguments, quiet: bool) -> Result<Exit> {
    let wanted = &arguments.answering.session;
    let session = arguments.answering.open(quiet)?;
    let roots = session.roots(wanted.source.as_deref())?;
    let server = Server::bind(arguments.port).map_err(refused)?;
    interrupt::listen()?;
    let failing = &session.spectrum().test(session.failing()).name;
    let more = match session.all_failing().len() {
        1 => String::new(),
        all => format!(" and {} more", all - 1),
    };
    note(quiet, &format!("Failing test: {failing}{more}"));
    note(
        quiet,
        "Open this address in a browser; whoever has it can look and answer. Ctrl-C stops.",
    );
    put(&format!("{}\n", server.address()), None)?;
    let served = ServedSession::new(session, roots, &wanted.case, wanted.suspects);
    server.run(served, interrupt::asked).map_err(refused)?;
    Ok(Exit::Done)
}

fn refused(error: ServerError) -> Failure {
    let failure = Failure::usage(error.to_string());
    match error {
        ServerError::Port { port, .. } if port != 0 => {
            failure.hint("leave --port out to take any free port")
        }
        _ => failure,
    }
}
