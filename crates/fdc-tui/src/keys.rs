//! What keys mean. Help and key bar come from the tables.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Pass,
    Fail,
    Skip,
    Undo,
    Why,
    Advice,
    /// How the failing tests failed.
    Message,
    Help,
    /// The end, or of a panel.
    Quit,
    Interrupt,
    /// The selected method has no fault.
    Fine,
    /// The fault is in the selected method's file.
    Near,
    /// The selected method did what it should in the test.
    Rightly,
    Wrongly,
    Open,
    Switch,
    Close,
    /// By lines; up is negative.
    Lines(i8),
    /// By screens; up is negative.
    Pages(i8),
    First,
    Last,
    Redraw,
}

/// All keys, the most wanted first. Of several for an action, the first one is told.
pub(crate) const KEYS: &[(KeyCode, Action)] = &[
    (KeyCode::Char('p'), Action::Pass),
    (KeyCode::Char('f'), Action::Fail),
    (KeyCode::Char('s'), Action::Skip),
    (KeyCode::Char('u'), Action::Undo),
    (KeyCode::Char('w'), Action::Why),
    (KeyCode::Char('a'), Action::Advice),
    (KeyCode::Tab, Action::Switch),
    (KeyCode::BackTab, Action::Switch),
    (KeyCode::Char('m'), Action::Message),
    (KeyCode::Char('?'), Action::Help),
    (KeyCode::Char('h'), Action::Help),
    (KeyCode::Char('q'), Action::Quit),
    (KeyCode::Esc, Action::Close),
    (KeyCode::Up, Action::Lines(-1)),
    (KeyCode::Down, Action::Lines(1)),
    (KeyCode::Char('k'), Action::Lines(-1)),
    (KeyCode::Char('j'), Action::Lines(1)),
    (KeyCode::PageUp, Action::Pages(-1)),
    (KeyCode::PageDown, Action::Pages(1)),
    (KeyCode::Home, Action::First),
    (KeyCode::End, Action::Last),
];

/// Keys that speak of the suspect that is chosen.
pub(crate) const SUSPECT_KEYS: &[(KeyCode, Action)] = &[
    (KeyCode::Enter, Action::Open),
    (KeyCode::Char('o'), Action::Fine),
    (KeyCode::Char('n'), Action::Near),
    (KeyCode::Char('r'), Action::Rightly),
    (KeyCode::Char('x'), Action::Wrongly),
];

impl Action {
    /// In a word, for the key bar, and in a sentence, for the help; empty where it is not told.
    pub(crate) fn words(self) -> (&'static str, &'static str) {
        match self {
            Action::Pass => ("pass", "the test passes: what it does is right"),
            Action::Fail => ("fail", "the test fails: what it does is wrong"),
            Action::Skip => ("skip", "cannot say; it is not asked about again"),
            Action::Undo => ("undo", "take the last answer back"),
            Action::Why => ("why", "why this test, and all that its answers would do"),
            Action::Advice => ("advice", "whether to stop, contradictions, all answers"),
            Action::Message => ("message", "what failed: exception, message, calls"),
            Action::Switch => ("side", "to the other side: the test, or the suspects"),
            Action::Help => ("help", "this help, as does h"),
            Action::Quit => (
                "quit",
                "close what is open, or quit; answers are stored already",
            ),
            Action::Close => ("", "close what is open"),
            Action::Lines(-1) => (
                "",
                "scroll, or choose a suspect; also j, k, PgUp, PgDn, Home, End",
            ),
            Action::Open => ("source", "its source; lines of the failing test are marked"),
            Action::Fine => ("fine", "it is fine: it has no fault"),
            Action::Near => ("near", "the fault is near: in its file"),
            Action::Rightly => ("right", "it behaved correctly in the test shown"),
            Action::Wrongly => ("wrong", "it behaved wrongly in the test shown"),
            _ => ("", ""),
        }
    }
}

/// A key that is hit again within this time is held down, or was hit twice by mistake: keyboards
/// begin to repeat after 0.25 to 0.66 seconds.
const REPEATED: Duration = Duration::from_millis(750);

/// Tells an answer that is meant from a key that is held down.
#[derive(Default)]
pub(crate) struct Repeats(Option<(Action, Instant)>);

impl Repeats {
    /// Whether an answer comes too soon after the same one to be meant.
    pub(crate) fn too_soon(&mut self, action: Action, now: Instant) -> bool {
        let before = self.0.replace((action, now));
        let answers = matches!(
            action,
            Action::Pass
                | Action::Fail
                | Action::Skip
                | Action::Undo
                | Action::Fine
                | Action::Near
                | Action::Rightly
                | Action::Wrongly
        );
        answers && before.is_some_and(|(same, at)| same == action && now - at < REPEATED)
    }
}

pub(crate) fn action(event: &KeyEvent) -> Option<Action> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let held = event.modifiers - KeyModifiers::SHIFT;
    if held == KeyModifiers::CONTROL {
        return match event.code {
            KeyCode::Char('c') => Some(Action::Interrupt),
            KeyCode::Char('l') => Some(Action::Redraw),
            _ => None,
        };
    }
    let mut all = KEYS.iter().chain(SUSPECT_KEYS);
    let found = all.find(|(code, _)| *code == event.code);
    found.filter(|_| held.is_empty()).map(|(_, action)| *action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_has_two_meanings_and_all_are_told() {
        let all: Vec<(KeyCode, Action)> = KEYS.iter().chain(SUSPECT_KEYS).copied().collect();
        for (at, (code, meant)) in all.iter().enumerate() {
            assert!(all[..at].iter().all(|(other, _)| other != code), "{code}");
            let moves = matches!(
                meant,
                Action::Lines(_) | Action::Pages(_) | Action::First | Action::Last
            );
            assert!(moves || !meant.words().1.is_empty(), "{code}");
            assert_eq!(action(&(*code).into()), Some(*meant));
        }
    }

    #[test]
    fn a_key_that_is_held_with_another_or_let_go_is_no_answer() {
        let held = KeyEvent::new(KeyCode::Char('p'), KeyModifiers::ALT);
        assert_eq!(action(&held), None);
        let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(action(&interrupt), Some(Action::Interrupt));
        let mut released = KeyEvent::from(KeyCode::Char('p'));
        released.kind = KeyEventKind::Release;
        assert_eq!(action(&released), None);
        assert_eq!(action(&KeyCode::Char('P').into()), None);
    }

    #[test]
    fn a_key_that_is_held_answers_once() {
        let mut repeats = Repeats::default();
        let begun = Instant::now();
        let mut at = |action, milliseconds| {
            repeats.too_soon(action, begun + Duration::from_millis(milliseconds))
        };
        assert!(!at(Action::Pass, 0));
        // Held from there on, as X11 repeats keys.
        assert!((0..30).all(|repeat| at(Action::Pass, 660 + 40 * repeat)));
        assert!(!at(Action::Pass, 2700));
        assert!(!at(Action::Fail, 2710));
        assert!(!at(Action::Fine, 4000) && at(Action::Fine, 4100));
        assert!(!at(Action::Lines(1), 5000) && !at(Action::Lines(1), 5001));
    }
}
