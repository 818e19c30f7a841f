//! Text for a person. Names come from outside: one table says which characters must not reach a
//! terminal or a page as they are, and everything that shows a name asks it.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

/// What a character would do if it were shown as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hazard {
    /// Ends a line, or is as wide as it pleases.
    Break,
    /// Commands a terminal; XML forbids most of them.
    Command,
    /// Reorders the text around it, or is no character at all: a name could disguise itself.
    Disguise,
    /// Cannot be seen. Scripts and emoji need some, so only what counts columns spells them out.
    Invisible,
}

/// First and last character of each range, ascending.
const HAZARDS: &[(char, char, Hazard)] = &[
    ('\0', '\u{8}', Hazard::Command),
    ('\t', '\n', Hazard::Break),
    ('\u{b}', '\u{c}', Hazard::Command),
    ('\r', '\r', Hazard::Break),
    ('\u{e}', '\u{1f}', Hazard::Command),
    ('\u{7f}', '\u{84}', Hazard::Command),
    ('\u{85}', '\u{85}', Hazard::Break),
    ('\u{86}', '\u{9f}', Hazard::Command),
    ('\u{ad}', '\u{ad}', Hazard::Invisible),
    ('\u{34f}', '\u{34f}', Hazard::Invisible),
    ('\u{61c}', '\u{61c}', Hazard::Disguise),
    ('\u{115f}', '\u{1160}', Hazard::Invisible),
    ('\u{17b4}', '\u{17b5}', Hazard::Invisible),
    ('\u{180b}', '\u{180f}', Hazard::Invisible),
    ('\u{200b}', '\u{200d}', Hazard::Invisible),
    ('\u{200e}', '\u{200f}', Hazard::Disguise),
    ('\u{2028}', '\u{2029}', Hazard::Break),
    ('\u{202a}', '\u{202e}', Hazard::Disguise),
    ('\u{2060}', '\u{2065}', Hazard::Invisible),
    ('\u{2066}', '\u{2069}', Hazard::Disguise),
    ('\u{206a}', '\u{206f}', Hazard::Invisible),
    ('\u{3164}', '\u{3164}', Hazard::Invisible),
    ('\u{fe00}', '\u{fe0f}', Hazard::Invisible),
    ('\u{feff}', '\u{feff}', Hazard::Disguise),
    ('\u{ffa0}', '\u{ffa0}', Hazard::Invisible),
    ('\u{fff0}', '\u{fffb}', Hazard::Invisible),
    ('\u{fffe}', '\u{ffff}', Hazard::Disguise),
    ('\u{1bca0}', '\u{1bca3}', Hazard::Invisible),
    ('\u{1d173}', '\u{1d17a}', Hazard::Invisible),
    ('\u{e0000}', '\u{e0fff}', Hazard::Invisible),
];

fn hazard(c: char) -> Option<Hazard> {
    let after = HAZARDS.partition_point(|&(first, ..)| first <= c);
    let (_, last, hazard) = HAZARDS.get(after.checked_sub(1)?)?;
    (c <= *last).then_some(*hazard)
}

/// The text with everything that a terminal would act upon spelled out; lines stay lines.
pub fn printable(text: &str) -> Cow<'_, str> {
    spelled(text, |c| c.escape_unicode().to_string())
}

/// [`printable`], with line ends spelled out as well.
pub fn printable_name(name: &str) -> String {
    printable(name).replace('\n', "\\n")
}

/// The text with the characters that a terminal would act upon written as `spell` has it.
pub fn spelled(text: &str, spell: impl Fn(char) -> String) -> Cow<'_, str> {
    let hostile = |c| c != '\n' && hazard(c).is_some_and(|hazard| hazard != Hazard::Invisible);
    if !text.contains(hostile) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match hostile(c) {
            true => safe.push_str(&spell(c)),
            false => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

/// The character as a page may show it: line breaks as blanks, forbidden or reordering ones as U+FFFD.
pub fn visible(c: char) -> char {
    match hazard(c) {
        Some(Hazard::Break) => ' ',
        Some(Hazard::Command | Hazard::Disguise) => '\u{fffd}',
        Some(Hazard::Invisible) | None => c,
    }
}

/// Whether the character can stand in a cell of a terminal: seen, and as wide as it says.
pub fn is_plain(c: char) -> bool {
    hazard(c).is_none()
}

/// Columns that a text takes in a terminal.
pub fn width(text: &str) -> usize {
    text.chars().filter_map(UnicodeWidthChar::width).sum()
}

/// The text in at most so many columns, `…` where more were.
pub fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut left = columns.saturating_sub(1);
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if wide > left {
            break;
        }
        left -= wide;
        kept.push(c);
    }
    if columns > 0 {
        kept.push('…');
    }
    kept
}

/// The text in at most so many characters, `…` where more were.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => text[..end].to_owned() + "…",
    }
}

/// Tabs as spaces, to the next multiple of four columns.
pub fn untabbed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut column = 0;
    for c in text.chars() {
        if c == '\t' {
            let spaces = 4 - column % 4;
            out.extend(std::iter::repeat_n(' ', spaces));
            column += spaces;
        } else {
            out.push(c);
            column += 1;
        }
    }
    out
}

/// A number with its noun, in the plural but for 1.
pub fn counted(count: u64, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {noun}s"),
    }
}

/// A place or a count of parts: whole if it is whole, else with two decimals.
pub fn quantity(value: f64) -> String {
    let decimals = if value.fract() == 0.0 { 0 } else { 2 };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_hazard_of_the_table_reaches_a_terminal_or_a_page() {
        let ends = HAZARDS.iter().flat_map(|&(first, last, _)| [first, last]);
        assert!(ends.is_sorted_by(|a, b| a <= b), "ascending and apart");
        for (first, last, kind) in HAZARDS {
            for c in *first..=*last {
                assert_eq!(hazard(c), Some(*kind), "{c:?}");
                assert!(!is_plain(c), "{c:?}");
                let name = printable_name(&format!("a{c}b"));
                let shown = visible(c);
                if *kind == Hazard::Invisible {
                    assert_eq!((name, shown), (format!("a{c}b"), c));
                } else {
                    assert!(name.chars().all(|c| c.is_ascii_graphic()), "{name}");
                    assert!(shown == ' ' || shown == '\u{fffd}', "{c:?}");
                }
            }
        }
        let unlisted = |c: &char| c.is_control() && is_plain(*c);
        assert_eq!(('\0'..=char::MAX).find(unlisted), None);
    }

    #[test]
    fn names_cannot_send_commands_to_the_terminal() {
        assert_eq!(printable("plain"), "plain");
        assert_eq!(printable("a\u{1b}[2Jb\n"), "a\\u{1b}[2Jb\n");
        assert_eq!(printable("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(printable_name("a\nb"), "a\\nb");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shortened("äöü", 2), "äö…");
        assert_eq!(shortened("äöü", 3), "äöü");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("漢字漢字", 5), "漢字…");
        assert_eq!(cut("ab", 0), "");
    }

    #[test]
    fn tabs_go_to_the_next_column_of_four() {
        assert_eq!(untabbed("\tif x:\ty"), "    if x:   y");
    }

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(counted(1, "entry"), "1 entry");
        assert_eq!(counted(2, "entry"), "2 entries");
        assert_eq!(counted(0, "line"), "0 lines");
        assert_eq!((quantity(3.0), quantity(2.5)), ("3".into(), "2.50".into()));
    }
}
