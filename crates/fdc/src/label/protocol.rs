//! A session as requests and replies, for programs: one JSON object each, a line each way.
//!
//! ```text
//! {"do": "answer", "verdict": "pass"}            of the test asked about last; "fail", "skip" alike
//! {"do": "answer", "verdict": "fail", "test": T} of another test
//! {"do": "call", "test": T, "method": M, "right": false}
//! {"do": "fine", "method": M}                    {"do": "near", "file": F}
//! {"do": "undo"}                                 the last answer; "id" names another
//! {"do": "run"}                                  what is proposed, until no outcome tells much
//! {"do": "show"}  {"do": "advice"}  {"do": "quit"}
//! ```
//! Every request but the last two is answered by the state after it (`"event": "state"`), a refused
//! one by `"event": "error"` with a message.

use fdc_core::Outcome;
use fdc_core::failing::test_named;
use fdc_core::naming::nearest;
use fdc_core::spectrum::MethodId;
use serde::{Deserialize, Serialize};

use crate::label::advice::Advice;
use crate::label::session::{Session, SessionError};
use crate::label::statement::Statement;
use crate::label::view::{View, parse_answer};

/// What is asked of a session.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// A verdict on a test.
    Answer {
        /// The verdict.
        verdict: Said,
        /// The test; the one asked about last if left out.
        test: Option<String>,
    },
    /// How a method behaved in a test.
    Call {
        /// The test.
        test: String,
        /// The method.
        method: String,
        /// Whether it did what it should.
        right: bool,
    },
    /// A method is fine.
    Fine {
        /// The method.
        method: String,
    },
    /// The fault is in a file.
    Near {
        /// The file.
        file: String,
    },
    /// Takes an answer back.
    Undo {
        /// Which; the last if left out.
        id: Option<String>,
    },
    /// Waits for what is run, until a person has to judge or no outcome tells much.
    Run,
    /// The state, with what others have answered.
    Show,
    /// Whether to stop.
    Advice,
    /// The end.
    Quit,
}

/// What is said of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// It passes: what it does is right.
    Pass,
    /// It fails: what it does is wrong.
    Fail,
    /// Cannot say.
    Skip,
}

/// What a session answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Reply {
    /// The state after the request.
    State(Box<View>),
    /// Whether to stop.
    Advice {
        /// In words.
        words: String,
        /// In figures.
        #[serde(flatten)]
        advice: Advice,
    },
    /// The end.
    Bye,
}

/// Does what is asked; views show so many suspects.
pub fn handle(
    session: &mut Session,
    request: Request,
    suspects: usize,
) -> Result<Reply, SessionError> {
    // What others answered comes first: the test asked for may be answered already.
    session.refresh()?;
    match request {
        Request::Quit => return Ok(Reply::Bye),
        Request::Advice => {
            let advice = Advice::new(session);
            return Ok(Reply::Advice {
                words: advice.words(),
                advice,
            });
        }
        Request::Show => {}
        Request::Run if session.runs().is_none() => {
            let why = "this session runs no tests; start it with --run";
            return Err(SessionError::Refused(why.into()));
        }
        Request::Run => session.wait_for_runs()?,
        Request::Answer { verdict, test } => {
            let test = match test {
                Some(name) => test_named(session.spectrum(), &name)?,
                None => session.asked_about()?,
            };
            match verdict {
                Said::Pass => session.judge(test, Outcome::Pass)?,
                Said::Fail => session.judge(test, Outcome::Fail)?,
                Said::Skip => session.skip(test)?,
            };
        }
        Request::Call {
            test,
            method,
            right,
        } => {
            let statement = Statement::Call {
                test: test_named(session.spectrum(), &test)?,
                method: method_named(session, &method)?,
                right,
            };
            session.state(statement)?;
        }
        Request::Fine { method } => {
            let method = method_named(session, &method)?;
            session.state(Statement::Fine(method))?;
        }
        Request::Near { file } => {
            let files = &session.spectrum().program.files;
            let number = files.iter().position(|known| *known == file);
            let number = number.ok_or_else(|| unknown("file", &file, files.iter()))?;
            session.state(Statement::Near(number as u32))?;
        }
        Request::Undo { id } => {
            let undone = match id {
                None => session.undo_last()?,
                Some(id) => {
                    let id = parse_answer(&id)
                        .ok_or_else(|| SessionError::Refused(format!("no answer is {id:?}")))?;
                    session.undo(id)?
                }
            };
            if undone.is_none() {
                return Err(SessionError::Refused("there is nothing to undo".into()));
            }
        }
    }
    Ok(Reply::State(Box::new(View::new(session, suspects))))
}

fn method_named(session: &Session, name: &str) -> Result<MethodId, SessionError> {
    let methods = &session.spectrum().program.methods;
    let number = methods.iter().position(|method| method.name == name);
    let number =
        number.ok_or_else(|| unknown("method", name, methods.iter().map(|method| &method.name)))?;
    Ok(MethodId(number as u32))
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a String>) -> SessionError {
    let near = match nearest(name, known.map(String::as_str)) {
        Some(near) => format!("; did you mean {near:?}?"),
        None => String::new(),
    };
    SessionError::Refused(format!("no {what} is named {name:?}{near}"))
}
