//! Text for a person. Names come from outside: they must not send commands to the terminal.

use std::borrow::Cow;

/// The text with control characters and marks of direction shown, never sent to the terminal.
pub fn printable(text: &str) -> Cow<'_, str> {
    spelled(text, |c| c.escape_unicode().to_string())
}

/// [`printable`], with line ends shown as well.
pub fn printable_name(name: &str) -> String {
    printable(name).replace('\n', "\\n")
}

/// The text with its hostile characters spelled out.
pub fn spelled(text: &str, spell: impl Fn(char) -> String) -> Cow<'_, str> {
    let hostile = |c: char| (c.is_control() && c != '\n') || changes_layout(c);
    if !text.contains(hostile) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if hostile(c) {
            safe.push_str(&spell(c));
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// A number with its noun, in the plural but for 1.
pub fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Marks of writing direction, and line and paragraph separators.
fn changes_layout(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_send_commands_to_the_terminal() {
        assert_eq!(printable("plain"), "plain");
        assert_eq!(printable("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(printable("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(printable_name("a\nb"), "a\\nb");
    }
}
