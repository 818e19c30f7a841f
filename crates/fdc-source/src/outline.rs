//! Which function a line belongs to.

use crate::{Function, Language, functions};

/// The functions of a file, ready to be asked by line.
///
/// In Python a function holds the lines of its body only: the lines of its `def`, default values
/// included, run with the code around it. So a nested `def` belongs to the function around it, and
/// what an import runs belongs to no function. Elsewhere a function holds its declaration too.
#[derive(Clone, Debug)]
pub struct Outline {
    functions: Vec<Function>,
    stretches: Stretches,
}

impl Outline {
    /// Of a source file.
    pub fn of(language: Language, text: &str) -> Outline {
        let functions = functions(language, text);
        let start = |function: &Function| match language {
            Language::Python => function.body,
            _ => function.first,
        };
        let spans = functions.iter().enumerate();
        let spans = spans.map(|(at, function)| (start(function), function.last, at));
        let mut spans: Vec<_> = spans.collect();
        spans.sort_by_key(|&(start, ..)| start);
        Outline {
            stretches: Stretches::of(&spans),
            functions,
        }
    }

    /// All functions, by first line.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The innermost function that holds a line (from 1); of several on it, the last to start.
    pub fn at(&self, line: u32) -> Option<&Function> {
        self.stretches.at(line).map(|at| &self.functions[at])
    }
}

/// Who holds which lines where spans nest: from each line on, up to the next entry's, the owner.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stretches {
    starts: Vec<(u32, Option<usize>)>,
}

impl Stretches {
    /// Of spans (first line, last line, owner), by first line. Of two on a line, the later one.
    pub(crate) fn of(spans: &[(u32, u32, usize)]) -> Self {
        let mut stretches = Stretches::default();
        let mut open: Vec<(u32, usize)> = Vec::new();
        for &(first, last, owner) in spans {
            stretches.close(&mut open, first);
            stretches.put(first, Some(owner));
            open.push((last, owner));
        }
        stretches.close(&mut open, u32::MAX);
        stretches
    }

    pub(crate) fn at(&self, line: u32) -> Option<usize> {
        let after = self.starts.partition_point(|&(from, _)| from <= line);
        self.starts.get(after.checked_sub(1)?)?.1
    }

    /// Ends the open spans that end before `line`; lines after them are the innermost open one's.
    fn close(&mut self, open: &mut Vec<(u32, usize)>, line: u32) {
        while let Some(&(last, _)) = open.last().filter(|(last, _)| *last < line) {
            // One that ended earlier than what it was shared with leaves no lines of its own.
            while open.pop_if(|(end, _)| *end <= last).is_some() {}
            self.put(last + 1, open.last().map(|&(_, owner)| owner));
        }
    }

    fn put(&mut self, line: u32, owner: Option<usize>) {
        match self.starts.last_mut() {
            Some(end) if end.0 == line => end.1 = owner,
            _ => self.starts.push((line, owner)),
        }
    }
}
