//! Labelling in a terminal: the ranking on one side, the test to judge on the other, and what each
//! answer would do. Drawn from [`fdc::label::View`], answered through
//! [`fdc::label::protocol`], so that it knows nothing that the page and the line protocol do not.
#![forbid(unsafe_code)]

mod backend;
mod draw;
mod keys;
mod labelling;
mod screen;
mod terminal;
#[cfg(test)]
mod tests;
mod text;

use std::io;
use std::time::{Duration, Instant};

use crossterm::event::{self, Event};
use fdc::label::{Session, View};
use fdc_source::Roots;

use crate::keys::Repeats;
use crate::labelling::{Flow, Labelling};
use crate::terminal::Taken;

/// Signals are looked for so often.
const TICK: Duration = Duration::from_millis(200);
/// Answers of others are looked for so often.
const REFRESH: Duration = Duration::from_secs(1);
/// A pause in typing after which advice is worked out: no key should have to wait for it.
const PAUSE: Duration = Duration::from_millis(300);

/// How a session on the terminal ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The person has finished.
    Quit,
    /// By Ctrl-C or a signal; every answer is stored.
    Interrupted,
}

/// Why a session on the terminal cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// The terminal.
    #[error("the terminal: {0}")]
    Terminal(#[from] io::Error),
}

/// Labels on the terminal until the person has finished. Sources are looked for below the roots;
/// so many suspects are listed. How it ended, and the state that was left. No colours if `NO_COLOR` is set.
pub fn run(session: Session, roots: Roots, suspects: usize) -> Result<(Ended, View), TuiError> {
    let colours = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let mut labelling = Labelling::new(session, roots, suspects, colours);
    let mut taken = Taken::new()?;
    let ended = match until_ended(&mut taken, &mut labelling) {
        // Nobody is there any more who could be told of an error.
        Err(TuiError::Terminal(error)) if taken.asked_to_end() || is_gone(&error) => {
            Ended::Interrupted
        }
        ended => ended?,
    };
    Ok((ended, labelling.screen.view))
}

fn until_ended(taken: &mut Taken, labelling: &mut Labelling) -> Result<Ended, TuiError> {
    let mut refreshed = Instant::now();
    let mut pressed = Instant::now();
    let mut repeats = Repeats::default();
    show(taken, labelling)?;
    loop {
        if taken.asked_to_end() {
            return Ok(Ended::Interrupted);
        }
        // The new ranking is on the screen by now; the source follows.
        if !event::poll(Duration::ZERO)? && labelling.find_source() {
            show(taken, labelling)?;
        }
        if event::poll(TICK)? {
            let event = event::read()?;
            pressed = Instant::now();
            let Event::Key(key) = event else {
                // What a terminal keeps of its rows when its size changes is its own affair, even
                // if the size is as before in the end.
                if matches!(event, Event::Resize(..)) {
                    taken.terminal.clear()?;
                }
                show(taken, labelling)?;
                continue;
            };
            let Some(action) = keys::action(&key) else {
                continue;
            };
            if repeats.too_soon(action, pressed) {
                labelling.ignore_repeated();
                show(taken, labelling)?;
                continue;
            }
            match labelling.act(action) {
                Flow::On => {}
                Flow::Repaint => taken.terminal.clear()?,
                Flow::Ended(ended) => return Ok(ended),
            }
            show(taken, labelling)?;
            continue;
        }
        let mut news = false;
        if refreshed.elapsed() >= REFRESH {
            news |= labelling.refresh();
            refreshed = Instant::now();
        }
        if pressed.elapsed() >= PAUSE {
            news |= labelling.advise();
        }
        if news {
            show(taken, labelling)?;
        }
    }
}

/// Whether a terminal was closed: writing to it then fails with `EIO`, which is 5 on every Unix.
fn is_gone(error: &io::Error) -> bool {
    cfg!(unix) && error.raw_os_error() == Some(5)
}

fn show(taken: &mut Taken, labelling: &mut Labelling) -> io::Result<()> {
    let mut extent = screen::Extent::default();
    taken.terminal.draw(|frame| {
        let area = frame.area();
        extent = draw::draw(&labelling.screen, area, frame.buffer_mut());
    })?;
    labelling.screen.settle(extent);
    Ok(())
}
