//! Tests that fdc runs itself, where their outcome can be found so and nobody has to judge it: those that
//! the collector of the case has measured. One at a time, beside the session.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use fdc_collect::{Rerun, Watch};
use fdc_core::Outcome;
use fdc_draw::text::counted;
use serde::Serialize;

use crate::error::{Failure, FailureKind};
use crate::label::advice::{Advice, Stop};
use crate::label::session::{Session, SessionError};
use crate::label::state::SessionState;

/// Who has answered, where a run did.
pub const RUNNER: &str = "fdc";

/// What fdc runs by itself, as people see it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RunsView {
    /// The test under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<String>,
    /// Tests that were run.
    pub ran: usize,
    /// How it stands, in words.
    pub words: String,
}

/// The runs of a session.
pub(crate) struct Runs {
    rerun: Arc<Rerun>,
    under_way: Option<UnderWay>,
    ran: usize,
    ended: Option<Ended>,
}

/// No further test is run.
struct Ended {
    why: String,
    /// The answers that there were: after others it may go on.
    answers: usize,
}

struct UnderWay {
    test: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<Option<Outcome>, Failure>>>,
}

impl Drop for UnderWay {
    /// Nothing is left running.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl UnderWay {
    fn begin(rerun: Arc<Rerun>, test: String) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (asked, name) = (stop.clone(), test.clone());
        let run = move || Ok(rerun.run(&name, &Quiet(asked))?);
        UnderWay {
            test,
            stop,
            thread: Some(std::thread::spawn(run)),
        }
    }

    fn is_done(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    fn ended(mut self) -> Result<Option<Outcome>, Failure> {
        let broken = || Failure::new(FailureKind::Bug, "the thread that runs tests has ended");
        let thread = self.thread.take().ok_or_else(broken)?;
        thread.join().map_err(|_| broken())?
    }
}

struct Quiet(Arc<AtomicBool>);

impl Watch for Quiet {
    fn note(&self, _: &str) {}

    fn asked_to_stop(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Runs {
    pub(crate) fn new(rerun: Rerun) -> Self {
        Runs {
            rerun: Arc::new(rerun),
            under_way: None,
            ran: 0,
            ended: None,
        }
    }

    pub(crate) fn view(&self) -> RunsView {
        let running = self.under_way.as_ref().map(|run| run.test.clone());
        let ran = counted(self.ran as u64, "test");
        let words = match (&running, &self.ended) {
            (Some(_), _) if self.ran == 0 => "fdc is running this test.".to_owned(),
            (Some(_), _) => format!("fdc is running this test, after {ran}."),
            (None, Some(Ended { why, .. })) => format!("fdc ran {ran}: {why}."),
            (None, None) => format!("fdc ran {ran}."),
        };
        RunsView {
            running,
            ran: self.ran,
            words,
        }
    }

    /// Takes over how a run ended, and begins the next one; whether there is news. A run that still
    /// goes on is waited for, if that is asked.
    pub(crate) fn go_on(
        &mut self,
        session: &mut Session,
        wait: bool,
    ) -> Result<bool, SessionError> {
        let mut news = false;
        if self
            .under_way
            .as_ref()
            .is_some_and(|run| wait || run.is_done())
            && let Some(run) = self.under_way.take()
        {
            news = true;
            let test = run.test.clone();
            match run.ended() {
                Ok(outcome) => {
                    self.ran += 1;
                    session.take_run(&test, outcome)?;
                }
                Err(failure) => self.end(failure.message, session),
            }
        }
        if self.under_way.is_none() && self.may_go_on(session) {
            self.begin(session);
            news = true;
        }
        Ok(news)
    }

    fn may_go_on(&self, session: &Session) -> bool {
        let answers = session.answers().len();
        self.ended
            .as_ref()
            .is_none_or(|ended| ended.answers != answers)
    }

    fn end(&mut self, why: impl Into<String>, session: &Session) {
        self.ended = Some(Ended {
            why: why.into(),
            answers: session.answers().len(),
        });
    }

    /// Begins to run the test that is proposed, or says why not.
    fn begin(&mut self, session: &Session) {
        let next = SessionState::new(session).next();
        let Some((pick, _)) = next else {
            return self.end("no test is left", session);
        };
        let test = session.spectrum().test(pick.test);
        // A generated test does what the program does: whether that is right is for people to say.
        if test.origin.is_some() {
            return self.end("whether the next one is right is yours to say", session);
        }
        match Advice::new(session).stop {
            None => {
                let run = UnderWay::begin(self.rerun.clone(), test.name.clone());
                (self.under_way, self.ended) = (Some(run), None);
            }
            Some(Stop::LittleToLearn) => {
                self.end("no further outcome is expected to tell much", session);
            }
            Some(_) => self.end("no further outcome would change the first methods", session),
        }
    }
}
