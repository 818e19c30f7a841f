//! What keys do to a session. Everything but the terminal itself, so that it is tested without one.

use fdc::Suspect;
use fdc::label::advice::Advice;
use fdc::label::protocol::{Reply, Request, Said, handle};
use fdc::label::runs::RUNNER;
use fdc::label::session::SessionError;
use fdc::label::view::AnswerView;
use fdc::label::{Session, View};
use fdc::rank::percent;
use fdc_draw::text::{counted, printable_name};
use fdc_source::Roots;

use crate::Ended;
use crate::keys::Action;
use crate::screen::{Focus, Message, Panel, Screen, Shown, shown_test};

/// A session on a screen.
pub(crate) struct Labelling {
    session: Session,
    roots: Roots,
    suspects: usize,
    pub(crate) screen: Screen,
}

/// How a test ended that was run, in words.
fn ran(answer: &AnswerView) -> String {
    let test = &answer.subject;
    match answer.verdict {
        "pass" => format!("Run: {test} passes."),
        "fail" => format!("Run: {test} fails."),
        _ => format!("Run, without an outcome: {test}."),
    }
}

/// How it goes on after a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    On,
    /// Everything is to be painted anew.
    Repaint,
    Ended(Ended),
}

impl Labelling {
    /// Of a session, whose sources are looked for below the roots; so many suspects are listed.
    pub(crate) fn new(session: Session, roots: Roots, suspects: usize, colours: bool) -> Self {
        let screen = Screen::new(View::new(&session, suspects), colours);
        Labelling {
            session,
            roots,
            suspects,
            screen,
        }
    }

    /// Does what a key asks for. What is refused, or cannot be stored now, becomes a message.
    pub(crate) fn act(&mut self, action: Action) -> Flow {
        // Nothing is answered that cannot be seen.
        if self.screen.extent.too_small && !matches!(action, Action::Quit | Action::Interrupt) {
            return Flow::On;
        }
        self.screen.message = self.screen.message.take().filter(|said| !said.refused);
        match action {
            Action::Interrupt => return Flow::Ended(Ended::Interrupted),
            Action::Redraw => return Flow::Repaint,
            Action::Quit if self.screen.panel.is_none() => return Flow::Ended(Ended::Quit),
            Action::Quit | Action::Close => self.screen.panel = None,
            Action::Pass => self.answer(Said::Pass),
            Action::Fail => self.answer(Said::Fail),
            Action::Skip => self.answer(Said::Skip),
            Action::Undo => self.undo(),
            Action::Why => self.screen.toggle(Panel::Why),
            Action::Advice => self.screen.toggle(Panel::Advice),
            Action::Message => self.screen.toggle(Panel::Message),
            Action::Help => self.screen.toggle(Panel::Help),
            Action::Open => self.open(),
            Action::Fine | Action::Near | Action::Rightly | Action::Wrongly => {
                self.state(action);
            }
            Action::Switch => self.switch(),
            Action::Lines(by) => self.screen.scroll(isize::from(by), 0),
            Action::Pages(by) => self.screen.scroll(0, isize::from(by)),
            Action::First => self.screen.scroll(isize::MIN / 2, 0),
            Action::Last => self.screen.scroll(isize::MAX / 2, 0),
        }
        Flow::On
    }

    /// Says why a key had no effect.
    pub(crate) fn ignore_repeated(&mut self) {
        self.refuse("Ignored: the key was held down or hit twice. Press it again if you mean it.");
    }

    /// Looks for the test's source if that has not been done; whether there is news.
    pub(crate) fn find_source(&mut self) -> bool {
        let pending = self.screen.source == Shown::Pending;
        if pending {
            let found = self.roots.test(shown_test(&self.screen.view));
            self.screen.source = found.map_or(Shown::Missing, Shown::Found);
        }
        let shown = self.screen.extent.suspect_shown;
        let suspect = self.screen.suspect().filter(|_| shown);
        let wanted = suspect.map(|suspect| suspect.file.clone());
        let known = self.screen.suspect_source.as_ref().map(|(file, _)| file);
        let missing = wanted.filter(|wanted| known != Some(wanted));
        let news = pending || missing.is_some();
        if let Some(file) = missing {
            let source = self.roots.read(&file);
            self.screen.suspect_source = Some((file, source));
        }
        news
    }

    /// Works out whether to stop if that has not been done; whether there is news.
    pub(crate) fn advise(&mut self) -> bool {
        let pending = self.screen.advice.is_none();
        if pending {
            self.screen.advice = Some(Advice::new(&self.session));
        }
        pending
    }

    /// Takes over what others have answered; whether there is news.
    pub(crate) fn refresh(&mut self) -> bool {
        match self.session.refresh() {
            Ok(false) => return false,
            Ok(true) => {}
            Err(error) => {
                self.refuse(&format!("Cannot read the case now: {error}"));
                return true;
            }
        }
        let view = View::new(&self.session, self.suspects);
        if view != self.screen.view {
            self.take_over(view);
        }
        true
    }

    fn take_over(&mut self, view: View) {
        let test = |view: &View| view.next.as_ref().map(|next| next.test.clone());
        if test(&view) != test(&self.screen.view) {
            self.screen.test_changed = true;
        }
        let news = view.answers.iter().skip(self.screen.view.answers.len());
        let words = match news.last() {
            Some(answer) if answer.who == RUNNER => Some(ran(answer)),
            _ if view.answers == self.screen.view.answers => None,
            _ => Some("Another session has answered.".to_owned()),
        };
        words.iter().for_each(|words| self.say(words, false));
        self.screen.renew(view);
    }

    fn answer(&mut self, verdict: Said) {
        if !matches!(self.screen.panel, None | Some(Panel::Why)) {
            return self.refuse("Close this first (Esc), so that you see the test you answer.");
        }
        if self.screen.extent.test_hidden {
            return self.refuse("The test is hidden: Tab shows it.");
        }
        // What others answered in the meantime must not change the test under the finger.
        self.refresh();
        if std::mem::take(&mut self.screen.test_changed) {
            return self.refuse(
                "Another session has answered: this is another test. Look, then press again.",
            );
        }
        let Some(next) = &self.screen.view.next else {
            return self.refuse("No test is left to ask about.");
        };
        let runs = self.screen.view.runs.as_ref();
        if runs.is_some_and(|runs| runs.running.as_ref() == Some(&next.test)) {
            return self.refuse("fdc is running this test: its outcome comes by itself.");
        }
        let view = &self.screen.view;
        let (test, tied, sure) = (next.test.clone(), view.tied, view.within_first_five);
        let request = Request::Answer {
            verdict,
            test: Some(test.clone()),
        };
        if !self.ask(request) {
            return;
        }
        self.screen.panel = None;
        let done = match verdict {
            Said::Pass => "passes",
            Said::Fail => "fails",
            Said::Skip => "is skipped",
        };
        let view = &self.screen.view;
        let methods = counted(view.tied as u64, "method");
        let sure = [sure, view.within_first_five].map(|own| own.map(percent));
        let effect = match (verdict, sure) {
            (Said::Skip, _) => String::new(),
            (_, [Some(before), Some(now)]) if before == now => {
                format!(" In the first five: still {now}.")
            }
            (_, [Some(before), Some(now)]) => {
                format!(" In the first five: {now}, before {before}.")
            }
            _ if view.tied == tied => format!(" Still {methods} at the top."),
            _ => format!(" {methods} at the top instead of {tied}."),
        };
        self.say(&format!("Stored.{effect} {test} {done}."), false);
    }

    fn undo(&mut self) {
        let before = self.screen.view.answers.clone();
        if self.ask(Request::Undo { id: None }) {
            let answers = &self.screen.view.answers;
            let stood = |id: &str| before.iter().any(|a| a.id == id && !a.undone);
            let undone = answers.iter().rev().find(|a| a.undone && stood(&a.id));
            let what = undone.map(|a| format!(": {} ({})", a.subject, a.verdict));
            self.say(&format!("Taken back{}.", what.unwrap_or_default()), false);
        }
    }

    fn state(&mut self, action: Action) {
        let Some(Suspect {
            name: method, file, ..
        }) = self.chosen().cloned()
        else {
            return;
        };
        let test = self.screen.view.next.as_ref().map(|next| next.test.clone());
        let (request, said) = match action {
            Action::Fine => {
                let said = format!("{method} is fine");
                (Request::Fine { method }, said)
            }
            Action::Near => {
                let said = format!("the fault is in {file}");
                (Request::Near { file }, said)
            }
            _ => {
                let Some(test) = test else {
                    return self.refuse("There is no test that it could have behaved in.");
                };
                let right = action == Action::Rightly;
                let how = if right { "rightly" } else { "wrongly" };
                let said = format!("{method} behaved {how} in {test}");
                (
                    Request::Call {
                        test,
                        method,
                        right,
                    },
                    said,
                )
            }
        };
        if self.ask(request) {
            self.say(&format!("Stored: {said}."), false);
        }
    }

    /// The chosen suspect, while the ranking has the focus.
    fn chosen(&mut self) -> Option<&Suspect> {
        if self.screen.focus != Focus::Ranking {
            let words = "Choose a suspect first: Tab goes to the ranking, arrows move in it.";
            self.say(words, true);
            return None;
        }
        let hides = [Panel::Help, Panel::Advice, Panel::Message];
        if self
            .screen
            .panel
            .as_ref()
            .is_some_and(|own| hides.contains(own))
        {
            let words = "Close this first (Esc), so that you see the suspect you speak of.";
            self.say(words, true);
            return None;
        }
        self.screen.view.suspects.get(self.screen.selected)
    }

    fn open(&mut self) {
        if self.screen.panel.is_some() {
            self.screen.panel = None;
            return;
        }
        let Some(suspect) = self.chosen().cloned() else {
            return;
        };
        let source = self.roots.read(&suspect.file);
        // The lines before the first marked one say what it is part of.
        let first = suspect.lines.first().map_or(0, |&line| line as usize);
        self.screen.panel = Some(Panel::Suspect {
            method: suspect.name,
            file: suspect.file,
            source,
            lines: suspect.lines,
        });
        self.screen.panel_scroll = first.saturating_sub(5);
    }

    fn switch(&mut self) {
        self.screen.panel = None;
        self.screen.focus = match self.screen.focus {
            Focus::Test => Focus::Ranking,
            Focus::Ranking => Focus::Test,
        };
    }

    /// Puts a request to the session and takes over what comes of it; whether it was not refused.
    fn ask(&mut self, request: Request) -> bool {
        match handle(&mut self.session, request, self.suspects) {
            Ok(Reply::State(view)) => {
                self.screen.renew(*view);
                self.screen.test_changed = false;
                true
            }
            Ok(_) => true,
            // First that it is not stored: the rest may not fit.
            Err(SessionError::Case(error)) => {
                self.refuse(&format!("Not stored, try again: {error}"));
                false
            }
            Err(refused) => {
                self.refuse(&format!("Refused: {refused}"));
                false
            }
        }
    }

    fn refuse(&mut self, text: &str) {
        self.say(text, true);
    }

    fn say(&mut self, text: &str, refused: bool) {
        let text = printable_name(text);
        self.screen.message = Some(Message { text, refused });
    }
}
