//! `fdc serve`: a labelling session on a local web page.

use fdc_web::{ServedSession, Server, ServerError};

use crate::args::serve::ServeArguments;
use crate::exit::{Exit, Problem};
use crate::output::{note, put};
use crate::{interrupt, session};

/// Runs the command. Ctrl-C is how it ends: every answer is in the case file by then.
pub fn run(arguments: &ServeArguments, quiet: bool) -> Result<Exit, Problem> {
    let wanted = &arguments.session;
    let session = session::open(wanted)?;
    let roots = session.roots(wanted.source.as_deref())?;
    let server = Server::bind(arguments.port).map_err(refused)?;
    interrupt::listen()?;
    let failing = &session.spectrum().test(session.failing()).name;
    note(quiet, &format!("Failing test: {failing}"));
    note(
        quiet,
        "Open this address in a browser; whoever has it can look and answer. Ctrl-C stops.",
    );
    put(&format!("{}\n", server.address()), None)?;
    let served = ServedSession::new(session, roots, &wanted.case, wanted.suspects);
    server.run(served, interrupt::asked).map_err(refused)?;
    Ok(Exit::Done)
}

fn refused(error: ServerError) -> Problem {
    let problem = Problem::usage(error.to_string());
    match error {
        ServerError::Port { port, .. } if port != 0 => {
            problem.hint("leave --port out to take any free port")
        }
        _ => problem,
    }
}
