//! `fdc serve`: a labelling session on a local web page.

use std::process::{Command, Stdio};

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
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// The address that opens a file in your editor, with {path} and {line}; `none` for no such links
    #[arg(long, value_name = "ADDRESS", default_value = "vscode://file{path}:{line}", value_parser = editor)]
    pub editor: String,
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
    if arguments.open && !open(&server.address()) {
        note(
            quiet,
            "no browser could be started; open the address yourself",
        );
    }
    let editor = Some(arguments.editor.clone()).filter(|address| address != NO_EDITOR);
    let served = ServedSession::new(session, roots, &wanted.case, wanted.suspects);
    let served = served.with_editor(editor);
    server.run(served, interrupt::asked).map_err(refused)?;
    Ok(Exit::Done)
}

/// Starts what opens addresses on this system; whether that could be started.
fn open(address: &str) -> bool {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let mut opener = Command::new(program);
    opener.arg(address).stdin(Stdio::null());
    opener.stdout(Stdio::null()).stderr(Stdio::null());
    opener.spawn().is_ok()
}

/// What stands for no editor.
const NO_EDITOR: &str = "none";

/// An address that a link may lead to: nothing that a browser would run.
pub(crate) fn editor(text: &str) -> std::result::Result<String, String> {
    if text == NO_EDITOR {
        return Ok(text.to_owned());
    }
    let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
    let letters = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    let plain = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let runs = ["javascript", "data", "vbscript", "blob"];
    let known = runs.iter().any(|own| scheme.eq_ignore_ascii_case(own));
    if known || !letters || !scheme.chars().all(plain) || !text.contains("{path}") {
        let example = "vscode://file{path}:{line}";
        return Err(format!("expected an address such as {example}, or none"));
    }
    Ok(text.to_owned())
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
