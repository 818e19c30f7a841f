//! Long work on the terminal: a bar with what is under way, and notes above it.

use std::sync::{Mutex, PoisonError};

use fdc::Watch;
use indicatif::{ProgressBar, ProgressStyle};

use crate::exit::Result;
use crate::interrupt;
use crate::output::{note, printable_name};

/// Goes away when it is dropped. Ctrl-C asks the work to stop.
pub(crate) struct Bar {
    bar: ProgressBar,
    title: Mutex<String>,
    quiet: bool,
}

impl Bar {
    /// Without any steps yet. From now on Ctrl-C only asks.
    pub(crate) fn new(quiet: bool) -> Result<Self> {
        interrupt::listen()?;
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {eta} left  {msg}");
        let style = style.expect("the template is fixed");
        Ok(Bar {
            // Drawn on a terminal only.
            bar: match quiet {
                true => ProgressBar::hidden(),
                false => ProgressBar::new(0).with_style(style),
            },
            title: Mutex::default(),
            quiet,
        })
    }

    fn say(&self, what: &str) {
        let title = self.title.lock().unwrap_or_else(PoisonError::into_inner);
        let either = title.is_empty() || what.is_empty();
        let between = if either { "" } else { ": " };
        let message = format!("{title}{between}{what}");
        self.bar.set_message(printable_name(&message));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Bar {
    fn stage(&self, title: &str, steps: u64) {
        *self.title.lock().unwrap_or_else(PoisonError::into_inner) = title.to_owned();
        self.bar.set_length(steps);
        self.bar.set_position(0);
        self.say("");
    }

    fn planned(&self, steps: u64) {
        self.bar.set_length(steps);
    }

    fn finished(&self, step: &str) {
        self.say(step);
        self.bar.inc(1);
    }

    fn at(&self, done: u64, what: &str) {
        self.bar.set_position(done);
        self.say(what);
    }

    fn note(&self, text: &str) {
        self.bar.suspend(|| note(self.quiet, text));
    }

    fn warn(&self, text: &str) {
        self.bar.suspend(|| note(false, text));
    }

    fn asked_to_stop(&self) -> bool {
        interrupt::asked()
    }
}
