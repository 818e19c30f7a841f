//! What keys mean. Help and key bar come from the table.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// What a person wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// The test passes: what it does is right.
    Pass,
    /// The test fails: what it does is wrong.
    Fail,
    /// Cannot say.
    Skip,
    /// Take the last answer back.
    Undo,
    /// Why this test.
    Why,
    /// Whether to stop, and every answer.
    Advice,
    /// The keys.
    Help,
    /// The end, or of a panel.
    Quit,
    /// The end at once.
    Interrupt,
    /// The selected method has no fault.
    Fine,
    /// The fault is in the selected method's file.
    Near,
    /// The selected method did what it should in the test.
    Rightly,
    /// It did not.
    Wrongly,
    /// The selected method's source.
    Open,
    /// The other side of the screen.
    Switch,
    /// Back to where one was.
    Close,
    /// By lines; up is negative.
    Lines(i8),
    /// By screens; up is negative.
    Pages(i8),
    /// To the beginning.
    First,
    /// To the end.
    Last,
    /// Paint everything anew.
    Redraw,
}

/// A key and what it does.
pub struct Key {
    /// As it is pressed.
    pub code: KeyCode,
    /// As it is called.
    pub name: &'static str,
    /// What it stands for.
    pub command: Command,
    /// In a word, for the key bar; empty if it is not shown there.
    pub word: &'static str,
    /// In a sentence, for the help; empty if another line says it.
    pub help: &'static str,
}

const fn key(
    code: KeyCode,
    name: &'static str,
    command: Command,
    word: &'static str,
    help: &'static str,
) -> Key {
    Key {
        code,
        name,
        command,
        word,
        help,
    }
}

/// All keys, the most wanted first.
pub const KEYS: &[Key] = &[
    key(
        KeyCode::Char('p'),
        "p",
        Command::Pass,
        "pass",
        "the test passes: what it does is right",
    ),
    key(
        KeyCode::Char('f'),
        "f",
        Command::Fail,
        "fail",
        "the test fails: what it does is wrong",
    ),
    key(
        KeyCode::Char('s'),
        "s",
        Command::Skip,
        "skip",
        "cannot say; it is not asked for again",
    ),
    key(
        KeyCode::Char('u'),
        "u",
        Command::Undo,
        "undo",
        "take the last answer back",
    ),
    key(
        KeyCode::Char('w'),
        "w",
        Command::Why,
        "why",
        "why this test, and all that its answers would do",
    ),
    key(
        KeyCode::Char('a'),
        "a",
        Command::Advice,
        "advice",
        "whether to stop, contradictions, all answers",
    ),
    key(
        KeyCode::Tab,
        "Tab",
        Command::Switch,
        "side",
        "to the other side: the test, or the suspects",
    ),
    key(KeyCode::BackTab, "Shift-Tab", Command::Switch, "", ""),
    key(
        KeyCode::Char('?'),
        "?",
        Command::Help,
        "help",
        "this help, as does h",
    ),
    key(KeyCode::Char('h'), "h", Command::Help, "", ""),
    key(
        KeyCode::Char('q'),
        "q",
        Command::Quit,
        "quit",
        "close what is open, or quit; answers are stored already",
    ),
    key(
        KeyCode::Esc,
        "Esc",
        Command::Close,
        "",
        "close what is open",
    ),
    key(
        KeyCode::Up,
        "Up",
        Command::Lines(-1),
        "",
        "scroll, or choose a suspect; also j, k, PgUp, PgDn, Home, End",
    ),
    key(KeyCode::Down, "Down", Command::Lines(1), "", ""),
    key(KeyCode::Char('k'), "k", Command::Lines(-1), "", ""),
    key(KeyCode::Char('j'), "j", Command::Lines(1), "", ""),
    key(KeyCode::PageUp, "PgUp", Command::Pages(-1), "", ""),
    key(KeyCode::PageDown, "PgDn", Command::Pages(1), "", ""),
    key(KeyCode::Home, "Home", Command::First, "", ""),
    key(KeyCode::End, "End", Command::Last, "", ""),
];

/// Keys that speak of the suspect that is chosen.
pub const SUSPECT_KEYS: &[Key] = &[
    key(
        KeyCode::Enter,
        "Enter",
        Command::Open,
        "source",
        "its source; lines of the failing test are marked",
    ),
    key(
        KeyCode::Char('o'),
        "o",
        Command::Fine,
        "fine",
        "it is fine: it has no fault",
    ),
    key(
        KeyCode::Char('n'),
        "n",
        Command::Near,
        "near",
        "the fault is near: in its file",
    ),
    key(
        KeyCode::Char('r'),
        "r",
        Command::Rightly,
        "right",
        "it behaved rightly in the test shown",
    ),
    key(
        KeyCode::Char('x'),
        "x",
        Command::Wrongly,
        "wrong",
        "it behaved wrongly in the test shown",
    ),
];

/// What a key press stands for.
pub fn command(event: &KeyEvent) -> Option<Command> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let held = event.modifiers - KeyModifiers::SHIFT;
    if held == KeyModifiers::CONTROL {
        return match event.code {
            KeyCode::Char('c') => Some(Command::Interrupt),
            KeyCode::Char('l') => Some(Command::Redraw),
            _ => None,
        };
    }
    let all = KEYS.iter().chain(SUSPECT_KEYS);
    let found = all.into_iter().find(|key| key.code == event.code);
    found.filter(|_| held.is_empty()).map(|key| key.command)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_key_has_two_meanings_and_all_are_told() {
        let all: Vec<&Key> = KEYS.iter().chain(SUSPECT_KEYS).collect();
        let names: BTreeSet<&str> = all.iter().map(|key| key.name).collect();
        assert_eq!(names.len(), all.len());
        for key in &all {
            let same = |other: &&&Key| other.command == key.command && !other.help.is_empty();
            let moves = matches!(
                key.command,
                Command::Lines(_) | Command::Pages(_) | Command::First | Command::Last
            );
            assert!(
                moves || all.iter().any(|other| same(&other)),
                "{}",
                key.name
            );
            assert_eq!(command(&key.code.into()), Some(key.command));
        }
    }

    #[test]
    fn a_key_that_is_held_with_another_or_let_go_is_no_answer() {
        let held = KeyEvent::new(KeyCode::Char('p'), KeyModifiers::ALT);
        assert_eq!(command(&held), None);
        let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(command(&interrupt), Some(Command::Interrupt));
        let mut released = KeyEvent::from(KeyCode::Char('p'));
        released.kind = KeyEventKind::Release;
        assert_eq!(command(&released), None);
        assert_eq!(command(&KeyCode::Char('P').into()), None);
    }
}
