//! `fdc label`: asks for the outcomes of the tests that sharpen the ranking most.

use std::io::{BufRead as _, ErrorKind, IsTerminal as _, Read as _, Write as _};

use std::path::Path;

use clap::Args;
use fdc::FailureKind;
use fdc::label::protocol::{Reply, Request, handle};
use fdc::label::session::SessionError;
use fdc::label::{Session, View};
use fdc_draw::text::counted;
use fdc_tui::Ended;
use serde_json::{Value, json};

use crate::args::own_command;
use crate::args::session::AnsweringArguments;
use crate::exit::{Exit, Failure, Result};
use crate::output::{harmless_json, put, rank_text, shown_name};

#[derive(Args, Debug)]
pub(crate) struct LabelArguments {
    /// The session.
    #[command(flatten)]
    pub answering: AnsweringArguments,
    /// Exchange requests and replies as lines of JSON, as is done without a terminal
    #[arg(long)]
    pub json_lines: bool,
}

pub(crate) fn run(arguments: &LabelArguments, quiet: bool) -> Result<Exit> {
    let asked = &arguments.answering.session;
    let session = arguments.answering.open(quiet)?;
    let roots = session.roots(asked.source.as_deref())?;
    let on_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if arguments.json_lines || !on_terminal {
        return lines(session, asked.suspects);
    }
    match fdc_tui::run(session, roots, asked.suspects) {
        Ok((Ended::Quit, view)) => {
            put(&summary(&view, &asked.case), None)?;
            Ok(Exit::Done)
        }
        Ok((Ended::Interrupted, _)) => Ok(Exit::Interrupted),
        Err(error) => Err(Failure::new(FailureKind::OutsideTool, error.to_string())
            .hint("--json-lines needs none; answers given so far are stored")),
    }
}

/// Suspects that are named when the screen is left.
const SHOWN_SUSPECTS: usize = 3;

/// What was answered, the first suspects, and what can be done next.
fn summary(view: &View, case: &Path) -> String {
    let standing = view.answers.iter().filter(|answer| !answer.undone);
    let answers = counted(standing.count() as u64, "answer");
    let left = counted(view.left as u64, "test");
    let mut text = format!(
        "{answers} in {}; {left} left to ask about.\n",
        shown_name(&case.to_string_lossy())
    );
    for suspect in view.suspects.iter().take(SHOWN_SUSPECTS) {
        let (place, score) = (rank_text(suspect.rank), suspect.score_text());
        text += &format!("{place:>4}  {score:>6}  {}\n", shown_name(&suspect.name));
    }
    text + &format!(
        "next: fdc report {} -o report.html\n",
        own_command::quoted(&case.to_string_lossy())
    )
}

/// A request has no more bytes than this.
const LONGEST: u64 = 1 << 20;

/// Requests on standard input, replies on standard output, until either ends.
fn lines(mut session: Session, suspects: usize) -> Result<Exit> {
    let mut out = std::io::stdout().lock();
    let mut reply = |value: &Value| {
        let line = value.to_string();
        writeln!(out, "{}", harmless_json(&line)).and_then(|()| out.flush())
    };
    let state = Reply::State(Box::new(View::new(&session, suspects)));
    let mut sent = reply(&json!(state));
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    while sent.is_ok() {
        line.clear();
        let unread = |error| Failure::input(format!("standard input: {error}"));
        let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut line);
        if read.map_err(unread)? == 0 {
            return Ok(Exit::Done);
        }
        let whole = line.last() == Some(&b'\n') || (line.len() as u64) < LONGEST;
        if !whole {
            input.skip_until(b'\n').map_err(unread)?;
        }
        if whole && line.trim_ascii().is_empty() {
            continue;
        }
        let request = match whole {
            true => serde_json::from_slice::<Request>(&line).map_err(|error| error.to_string()),
            false => Err(format!("it has more than {LONGEST} bytes")),
        };
        let answer = request
            .map_err(|why| SessionError::Refused(format!("not a request: {why}")))
            .and_then(|request| handle(&mut session, request, suspects));
        sent = match &answer {
            Ok(answer) => reply(&json!(answer)),
            Err(error) => reply(&json!({"event": "error", "message": error.to_string()})),
        };
        if matches!(answer, Ok(Reply::Bye)) {
            break;
        }
    }
    match sent {
        // Whoever read the replies has gone.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let words = format!("standard output: {error}");
            Err(Failure::new(FailureKind::NoAccess, words).hint("answers given so far are stored"))
        }
        _ => Ok(Exit::Done),
    }
}
