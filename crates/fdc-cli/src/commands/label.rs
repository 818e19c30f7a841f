//! `fdc label`: asks for the outcomes of the tests that sharpen the ranking most.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use clap::Args;
use fdc::FailureKind;
use fdc::label::protocol::{Reply, Request, handle};
use fdc::label::session::SessionError;
use fdc::label::{Session, View};
use fdc_tui::{Ended, TuiError};
use serde_json::{Value, json};

use crate::args::session::SessionArguments;
use crate::exit::{Exit, Failure, Result};
use crate::output::harmless_json;

#[derive(Args, Debug)]
pub(crate) struct LabelArguments {
    /// The session.
    #[command(flatten)]
    pub session: SessionArguments,
    /// Exchange requests and replies as lines of JSON, as is done without a terminal
    #[arg(long)]
    pub json_lines: bool,
}

pub(crate) fn run(arguments: &LabelArguments) -> Result<Exit> {
    let asked = &arguments.session;
    let session = asked.open()?;
    let roots = session.roots(asked.source.as_deref())?;
    let on_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if arguments.json_lines || !on_terminal {
        return lines(session, asked.suspects);
    }
    match fdc_tui::run(session, roots, asked.suspects) {
        Ok(Ended::Quit) => Ok(Exit::Done),
        Ok(Ended::Interrupted) => Ok(Exit::Interrupted),
        Err(TuiError::Session(error)) => Err(error.into()),
        Err(error) => Err(Failure::new(FailureKind::OutsideTool, error.to_string())
            .hint("--json-lines needs none; answers given so far are stored")),
    }
}

/// Requests on standard input, replies on standard output, until either ends.
fn lines(mut session: Session, suspects: usize) -> Result<Exit> {
    let mut out = std::io::stdout().lock();
    let mut reply = |value: &Value| {
        let line = value.to_string();
        let sent = writeln!(out, "{}", harmless_json(&line)).and_then(|()| out.flush());
        sent.is_ok()
    };
    let state = Reply::State(Box::new(View::new(&session, suspects)));
    if !reply(&json!(state)) {
        return Ok(Exit::Done);
    }
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| Failure::input(format!("standard input: {error}")))?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = serde_json::from_str::<Request>(&line)
            .map_err(|error| SessionError::Refused(format!("not a request: {error}")))
            .and_then(|request| handle(&mut session, request, suspects));
        let value = match &answer {
            Ok(answer) => json!(answer),
            Err(error) => json!({"event": "error", "message": error.to_string()}),
        };
        if !reply(&value) || matches!(answer, Ok(Reply::Bye)) {
            break;
        }
        // The file is beyond repair or out of reach: what follows would fail as well.
        if let Err(SessionError::Case(error)) = answer {
            return Err(error.into());
        }
    }
    Ok(Exit::Done)
}
