//! The terminal itself: taken over, and given back however the program ends.

use std::io::{self, Stdout, Write};
use std::panic::PanicHookInfo;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{cursor, execute, terminal};
use ratatui_core::terminal::Terminal;

use crate::backend::Crossterm;

/// The terminal is taken: raw mode, the alternate screen.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// How long a signal may go unheeded: longer than an answer takes on a large case.
#[cfg(unix)]
const HEED: std::time::Duration = std::time::Duration::from_secs(2);
/// The exit code of a program that was interrupted.
#[cfg(unix)]
const INTERRUPTED: i32 = 130;

/// A terminal that is given back when this goes out of scope.
pub(crate) struct Taken {
    pub(crate) terminal: Terminal<Crossterm<Stdout>>,
    /// Set when a signal asks for the end.
    asked: Arc<AtomicBool>,
}

impl Taken {
    pub(crate) fn new() -> io::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        listen(&asked)?;
        restore_on_panic();
        TAKEN.store(true, Ordering::SeqCst);
        let taken = enter().and_then(|()| Terminal::new(Crossterm::new(io::stdout())));
        let terminal = taken.inspect_err(|_| restore())?;
        Ok(Taken { terminal, asked })
    }

    pub(crate) fn asked_to_end(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        restore();
    }
}

fn enter() -> io::Result<()> {
    terminal::enable_raw_mode()?;
    execute!(
        io::stdout(),
        EnterAlternateScreen,
        EnableBracketedPaste,
        cursor::Hide
    )
}

/// Gives the terminal back, once. It may be gone already, so nothing is said of errors.
fn restore() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = leave(&mut io::stdout());
        let _ = terminal::disable_raw_mode();
    }
}

fn leave(out: &mut impl Write) -> io::Result<()> {
    execute!(
        out,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        cursor::Show
    )
}

/// From now on a panic gives the terminal back before it is reported, so that the report is seen.
fn restore_on_panic() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(in_order(restore, report));
    });
}

/// A panic hook that puts something before another one.
fn in_order(
    first: impl Fn() + Send + Sync + 'static,
    then: Box<dyn Fn(&PanicHookInfo<'_>) + Send + Sync>,
) -> Box<dyn Fn(&PanicHookInfo<'_>) + Send + Sync> {
    Box::new(move |info| {
        first();
        then(info);
    })
}

/// Notes signals that ask for the end. If nobody heeds that for a while, it ends the program:
/// without its terminal, crossterm waits for keys and never comes back.
#[cfg(unix)]
fn listen(asked: &Arc<AtomicBool>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let asked = Arc::clone(asked);
    std::thread::Builder::new().spawn(move || {
        for _ in signals.forever() {
            asked.store(true, Ordering::SeqCst);
            std::thread::sleep(HEED);
            if TAKEN.load(Ordering::SeqCst) {
                restore();
                std::process::exit(INTERRUPTED);
            }
        }
    })?;
    Ok(())
}

#[cfg(not(unix))]
fn listen(asked: &Arc<AtomicBool>) -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(asked))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn leaving_shows_the_cursor_and_the_screen_that_was_there() {
        let mut sent = Vec::new();
        leave(&mut sent).unwrap();
        let sent = String::from_utf8(sent).unwrap();
        for sequence in ["\u{1b}[?1049l", "\u{1b}[?25h", "\u{1b}[?2004l"] {
            assert!(sent.contains(sequence), "{sent:?}");
        }
    }

    #[test]
    fn a_panic_gives_the_terminal_back_before_it_is_reported() {
        let order = Arc::new(Mutex::new(Vec::new()));
        let noted = |word: &'static str| {
            let order = Arc::clone(&order);
            move || order.lock().unwrap().push(word)
        };
        let report = noted("reported");
        let hook = in_order(noted("restored"), Box::new(move |_| report()));
        let usual = std::panic::take_hook();
        std::panic::set_hook(hook);
        let panicked = std::panic::catch_unwind(|| panic!("on purpose"));
        std::panic::set_hook(usual);
        assert!(panicked.is_err());
        assert_eq!(*order.lock().unwrap(), ["restored", "reported"]);
    }
}
