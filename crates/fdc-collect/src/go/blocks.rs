//! From the blocks of a coverage profile to lines.
//!
//! A profile says of every block, from one place in a file to another, how often it ran. A line
//! belongs to a block if it holds something of the block that is code: not only blanks, comments,
//! brackets `( ) [ ] { }`, commas and semicolons. A line ran if any of its blocks did.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::each::FileLines;

/// Where packages are: import path and folder relative to the root.
pub type Packages = HashMap<String, String>;

/// The code of source files; each is read once.
#[derive(Debug, Default)]
pub struct Sources {
    files: Mutex<HashMap<String, Arc<Code>>>,
}

impl Sources {
    /// The lines of all files of these packages that a profile tells of; none if it is no profile.
    pub fn lines(&self, root: &Path, packages: &Packages, profile: &str) -> Option<Vec<FileLines>> {
        let mut lines = profile.lines();
        lines.next()?.strip_prefix("mode: ")?;
        let mut files: BTreeMap<String, BTreeMap<u32, bool>> = BTreeMap::new();
        let mut current: Option<(&str, Option<Source>)> = None;
        for line in lines.filter(|line| !line.is_empty()) {
            let block = Block::of(line)?;
            if current.as_ref().is_none_or(|(name, _)| *name != block.file) {
                current = Some((block.file, self.find(root, packages, block.file)));
            }
            let Some((_, Some((path, code)))) = &current else {
                continue;
            };
            if !files.contains_key(path) {
                files.insert(path.clone(), BTreeMap::new());
            }
            let ran = files.get_mut(path)?;
            for line in code.lines(&block) {
                *ran.entry(line).or_default() |= block.ran;
            }
        }
        let lines = files.into_iter().map(|(file, lines)| FileLines {
            file,
            lines: lines.into_iter().collect(),
        });
        Some(lines.collect())
    }

    fn find(&self, root: &Path, packages: &Packages, name: &str) -> Option<Source> {
        let (package, file) = name.rsplit_once('/')?;
        let folder = packages.get(package)?;
        let path = match folder.as_str() {
            "" => file.to_owned(),
            folder => format!("{folder}/{file}"),
        };
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(code) = files.get(&path) {
            return Some((path, code.clone()));
        }
        let text = std::fs::read(root.join(&path)).ok()?;
        let code = Arc::new(Code::of(&text));
        files.insert(path.clone(), code.clone());
        Some((path, code))
    }
}

/// A file's path relative to the root, and its code.
type Source = (String, Arc<Code>);

/// A line of a profile: `file:line.column,line.column statements count`.
#[derive(Debug, PartialEq, Eq)]
struct Block<'p> {
    file: &'p str,
    start: (u32, u32),
    end: (u32, u32),
    ran: bool,
}

impl<'p> Block<'p> {
    fn of(line: &'p str) -> Option<Self> {
        let (file, rest) = line.rsplit_once(':')?;
        let mut words = rest.split(' ');
        let (start, end) = words.next()?.split_once(',')?;
        let place = |text: &str| {
            let (line, column) = text.split_once('.')?;
            Some((line.parse().ok()?, column.parse().ok()?))
        };
        let (start, end) = (place(start)?, place(end)?);
        let count: u64 = words.nth(1)?.parse().ok()?;
        Some(Block {
            file,
            start,
            end,
            ran: count > 0,
        })
    }
}

/// Where in a file there is code: per line, runs of columns, counted from 1.
#[derive(Debug, Default, PartialEq, Eq)]
struct Code {
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
    fn of(text: &[u8]) -> Self {
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
            let mut skip = 0;
            let code = match inside {
                Inside::LineComment => false,
                Inside::BlockComment => {
                    if byte == b'*' && next == Some(b'/') {
                        inside = Inside::Code;
                        skip = 1;
                    }
                    false
                }
                Inside::Literal(end) => {
                    if byte == end {
                        inside = Inside::Code;
                    } else if byte == b'\\' && end != b'`' && next != Some(b'\n') {
                        skip = 1;
                    }
                    !byte.is_ascii_whitespace()
                }
                Inside::Code => match (byte, next) {
                    (b'/', Some(b'/')) => {
                        inside = Inside::LineComment;
                        false
                    }
                    (b'/', Some(b'*')) => {
                        inside = Inside::BlockComment;
                        skip = 1;
                        false
                    }
                    (b'"' | b'\'' | b'`', _) => {
                        inside = Inside::Literal(byte);
                        true
                    }
                    _ => !byte.is_ascii_whitespace() && !b"(){}[],;".contains(&byte),
                },
            };
            if code && let Some(line) = lines.last_mut() {
                push(line, column);
            }
            column += skip;
            at += skip as usize;
        }
        Code { lines }
    }

    /// The lines of a block that hold code of it.
    fn lines(&self, block: &Block) -> impl Iterator<Item = u32> {
        let (start, end) = (block.start, block.end);
        (start.0..=end.0.min(self.lines.len() as u32)).filter(move |&line| {
            let Some(code) = line
                .checked_sub(1)
                .and_then(|at| self.lines.get(at as usize))
            else {
                return false;
            };
            let from = if line == start.0 { start.1 } else { 1 };
            let to = if line == end.0 { end.1 } else { u32::MAX };
            let first = code.partition_point(|run| run.end <= from);
            code.get(first).is_some_and(|run| run.start < to)
        })
    }
}

fn push(runs: &mut Vec<Range<u32>>, column: u32) {
    match runs.last_mut() {
        Some(run) if run.end == column => run.end += 1,
        _ => runs.push(column..column + 1),
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

    #[test]
    fn blocks_are_read_or_refused() {
        let block = Block::of("example.org/a:b/c.go:3.24,5.2 1 7");
        let expected = Block {
            file: "example.org/a:b/c.go",
            start: (3, 24),
            end: (5, 2),
            ran: true,
        };
        assert_eq!(block, Some(expected));
        for bad in [
            "",
            "a.go",
            "a.go:1.2,3 1 1",
            "a.go:1.2,3.4 1",
            "a.go:1.2,3.4 1 x",
        ] {
            assert_eq!(Block::of(bad), None, "{bad:?}");
        }
    }
}
