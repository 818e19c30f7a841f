//! `fdc serve`: a labelling session on a local web page.

use fdc_web::{Desk, Server};

use crate::args::serve::ServeArguments;
use crate::exit::{Exit, Problem};
use crate::output::{note, put};
use crate::{interrupt, session, sources};

/// Runs the command. Ctrl-C is how it ends: every answer is in the case file by then.
pub fn run(arguments: &ServeArguments, quiet: bool) -> Result<Exit, Problem> {
    let wanted = &arguments.session;
    let session = session::open(wanted)?;
    let roots = sources::for_case(&wanted.case, wanted.source.as_deref())?;
    let server = Server::bind(arguments.port)?;
    interrupt::listen()?;
    let failing = &session.spectrum().test(session.failing()).name;
    note(quiet, &format!("Failing test: {failing}"));
    note(
        quiet,
        "Open this address in a browser; whoever has it can look and answer. Ctrl-C ends.",
    );
    put(&format!("{}\n", server.address()), None)?;
    let desk = Desk::new(session, roots, &wanted.case, wanted.suspects);
    server.run(desk, interrupt::asked)?;
    Ok(Exit::Done)
}
