//! Text from outside made fit for cells: nothing in it commands the terminal or disturbs columns.

use fdc_draw::text::is_plain;
pub(crate) use fdc_draw::text::{cut, width};
use unicode_width::UnicodeWidthChar;

/// Marks that may stand on one letter; more of them would climb over other lines.
const MARKS: usize = 2;
/// Columns between tab stops.
const TAB: usize = 4;

/// The text with everything that is no plain visible character spelled out, tabs as blanks.
pub(crate) fn clean(text: &str) -> String {
    let mut cells = String::with_capacity(text.len());
    let (mut column, mut marks) = (0, MARKS);
    for c in text.chars() {
        if c == '\t' {
            let blanks = TAB - column % TAB;
            cells.extend(std::iter::repeat_n(' ', blanks));
            (column, marks) = (column + blanks, 0);
            continue;
        }
        let wide = c.width().unwrap_or(0);
        if is_plain(c) && (wide > 0 || marks < MARKS) {
            cells.push(c);
            (column, marks) = (column + wide, if wide > 0 { 0 } else { marks + 1 });
            continue;
        }
        let spelled = match c {
            '\n' => "\\n".to_owned(),
            c => c.escape_unicode().to_string(),
        };
        column += spelled.len();
        cells.push_str(&spelled);
        marks = MARKS;
    }
    cells
}

/// A cleaned text in at most so many columns, the beginning cut off.
pub(crate) fn cut_front(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut from = text.len();
    let mut left = columns.saturating_sub(1);
    for (at, c) in text.char_indices().rev() {
        let wide = c.width().unwrap_or(0);
        if wide > left {
            break;
        }
        left -= wide;
        from = at;
    }
    // A mark whose letter is gone goes as well.
    let rest = text[from..].trim_start_matches(|c: char| c.width() == Some(0));
    match columns {
        0 => String::new(),
        _ => format!("…{rest}"),
    }
}

/// A name in so many columns: folders or packages go first, then parameters, then the beginning.
pub(crate) fn short(name: &str, columns: usize) -> String {
    if width(name) <= columns {
        return name.to_owned();
    }
    let last = last_part(name);
    if width(last) <= columns {
        return last.to_owned();
    }
    let bare = last.split(['(', '[']).next().unwrap_or(last);
    let shown = if bare.is_empty() { last } else { bare };
    let function = shown.rsplit("::").next().unwrap_or(shown);
    if width(shown) > columns && width(function) <= columns && !function.is_empty() {
        return function.to_owned();
    }
    match width(shown) < width(last) && width(shown) < columns {
        true => format!("{shown}…"),
        false => cut_front(shown, columns),
    }
}

/// A name without the folders or packages in front.
pub(crate) fn last_part(name: &str) -> &str {
    let end = name.find(['(', '[']).unwrap_or(name.len());
    let head = &name[..end];
    if let Some(class_end) = head.rfind('#') {
        let from = head[..class_end].rfind('.').map_or(0, |at| at + 1);
        return &name[from..];
    }
    let path_end = head.find("::").unwrap_or(head.len());
    let from = head[..path_end].rfind('/').map_or(0, |at| at + 1);
    &name[from..]
}

/// A cleaned text in lines of so many columns, broken at blanks where there are any.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let room = columns.saturating_sub(width(&line) + usize::from(!line.is_empty()));
        if width(word) <= room {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for c in word.chars() {
            if width(&line) + c.width().unwrap_or(0) > columns {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// A cleaned line of source in pieces of so many columns; blanks stay as they are.
pub(crate) fn fold(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let mut pieces = vec![String::new()];
    let mut taken = 0;
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if taken + wide > columns {
            pieces.push(String::new());
            taken = 0;
        }
        taken += wide;
        pieces.last_mut().expect("there is one").push(c);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_spelled_out() {
        assert_eq!(clean("plain 漢字 ü"), "plain 漢字 ü");
        assert_eq!(clean("\u{1b}[2J\u{9b}x\r\n"), "\\u{1b}[2J\\u{9b}x\\u{d}\\n");
        assert_eq!(clean("a\u{200b}b\u{202e}c"), "a\\u{200b}b\\u{202e}c");
        assert_eq!(clean("e\u{301}"), "e\u{301}");
        assert_eq!(clean("\u{301}"), "\\u{301}", "nothing to stand on");
        assert_eq!(clean("e\u{301}\u{301}\u{301}"), "e\u{301}\u{301}\\u{301}");
        assert_eq!(clean("a\tb\t\tc"), "a   b       c");
    }

    #[test]
    fn texts_are_cut_to_columns() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("漢字漢字", 5), "漢字…");
        assert_eq!(cut_front("abcdef", 4), "…def");
        assert_eq!(cut_front("漢字漢字", 4), "…字");
        for columns in 0..12 {
            for text in [
                "漢字漢字",
                "abcdefghijkl",
                "e\u{301}e\u{301}e\u{301}e\u{301}",
            ] {
                assert!(width(&cut(text, columns)) <= columns);
                assert!(width(&cut_front(text, columns)) <= columns);
                assert!(width(&short(text, columns)) <= columns);
            }
        }
    }

    #[test]
    fn a_short_name_keeps_what_tells_it_apart() {
        let python = "orders/discount.py::tiered_discount";
        assert_eq!(short(python, 40), python);
        assert_eq!(short(python, 30), "discount.py::tiered_discount");
        assert_eq!(short(python, 20), "tiered_discount");
        assert_eq!(short(python, 10), "…_discount");
        let java = "org.joda.time.Partial#with(DateTimeFieldType,int)";
        assert_eq!(short(java, 40), "Partial#with(DateTimeFieldType,int)");
        assert_eq!(short(java, 20), "Partial#with…");
        assert_eq!(short(java, 8), "…al#with");
        assert_eq!(last_part("a/b.py::C::t[x/y]"), "b.py::C::t[x/y]");
        assert_eq!(last_part("tests/TestX/a b"), "a b");
    }

    #[test]
    fn text_is_broken_at_blanks() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("", 5), [""]);
        assert_eq!(fold("  a = 漢字", 5), ["  a =", " 漢字"]);
        assert_eq!(fold("", 5), [""]);
    }
}
