//! Where a Go file has code, so that lines of a block can be told from lines that only lie in it: those
//! with nothing but blanks, comments, brackets `( ) [ ] { }`, commas and semicolons.

use std::ops::Range;

use super::Block;
use fdc_case::row::push_joined;

/// Where in a file there is code: per line, runs of columns, counted from 1.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Code {
    lines: Vec<Vec<Range<u32>>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Code,
    LineComment,
    BlockComment,
    /// A literal that ends with this; in a raw one nothing is escaped.
    Literal(u8),
}

impl Code {
    /// Of a source file.
    pub fn of(text: &[u8]) -> Self {
        let mut lines: Vec<Vec<Range<u32>>> = vec![Vec::new()];
        let mut inside = Inside::Code;
        let mut column = 0;
        let mut at = 0;
        while at < text.len() {
            let byte = text[at];
            let next = text.get(at + 1).copied();
            column += 1;
            at += 1;
            if byte == b'\n' {
                // A comment or an interpreted literal ends here at the latest.
                if !matches!(inside, Inside::BlockComment | Inside::Literal(b'`')) {
                    inside = Inside::Code;
                }
                lines.push(Vec::new());
                column = 0;
                continue;
            }
            let dark = !byte.is_ascii_whitespace();
            let (code, skip);
            (code, inside, skip) = match (inside, byte, next) {
                (Inside::BlockComment, b'*', Some(b'/')) => (false, Inside::Code, 1),
                (Inside::LineComment | Inside::BlockComment, ..) => (false, inside, 0),
                (Inside::Literal(end), ..) if byte == end => (dark, Inside::Code, 0),
                (Inside::Literal(end), b'\\', _) if end != b'`' && next != Some(b'\n') => {
                    (dark, inside, 1)
                }
                (Inside::Literal(_), ..) => (dark, inside, 0),
                (Inside::Code, b'/', Some(b'/')) => (false, Inside::LineComment, 0),
                (Inside::Code, b'/', Some(b'*')) => (false, Inside::BlockComment, 1),
                (Inside::Code, b'"' | b'\'' | b'`', _) => (dark, Inside::Literal(byte), 0),
                (Inside::Code, ..) => (dark && !b"(){}[],;".contains(&byte), inside, 0),
            };
            if code && let Some(line) = lines.last_mut() {
                push_joined(line, column..column + 1);
            }
            column += skip;
            at += skip as usize;
        }
        Code { lines }
    }

    /// The lines of a block that hold code of it.
    pub fn lines(&self, block: &Block) -> impl Iterator<Item = u32> {
        let (start, end) = (block.start, block.end);
        (start.0..=end.0.min(self.lines.len() as u32)).filter(move |&line| {
            let code = self.lines.get((line as usize).wrapping_sub(1));
            let code = code.map_or(&[][..], Vec::as_slice);
            let from = if line == start.0 { start.1 } else { 1 };
            let to = if line == end.0 { end.1 } else { u32::MAX };
            let first = code.partition_point(|run| run.end <= from);
            code.get(first).is_some_and(|run| run.start < to)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, start: (u32, u32), end: (u32, u32)) -> Vec<u32> {
        let block = Block {
            file: "",
            start,
            end,
            statements: 1,
            ran: true,
        };
        Code::of(text.as_bytes()).lines(&block).collect()
    }

    #[test]
    fn a_line_needs_code_of_the_block() {
        let text = "func f() { // opens\n\tx := `{\n\n}`\n\t/* no\n\tcode */\n\tg('\"',\n\t)\n}\n";
        // From the brace in line 1 to the one in line 9.
        assert_eq!(lines(text, (1, 10), (9, 2)), [2, 4, 7]);
    }

    #[test]
    fn columns_tell_blocks_of_one_line_apart() {
        let text = "if a { b() } else { c() }\n";
        assert_eq!(lines(text, (1, 6), (1, 13)), [1]);
        assert_eq!(lines(text, (1, 6), (1, 7)), [] as [u32; 0]);
        assert_eq!(lines(text, (1, 24), (1, 26)), [] as [u32; 0]);
    }

    #[test]
    fn places_beyond_the_text_are_no_lines() {
        assert_eq!(lines("a", (1, 1), (4_000_000_000, 1)), [1]);
        assert_eq!(lines("a", (0, 0), (1, 9)), [1]);
        assert_eq!(lines("", (7, 1), (3, 1)), [] as [u32; 0]);
    }
}
