//! Which function a line belongs to.

use crate::{Function, Language, functions};

/// The functions of a file, ready to be asked by line.
///
/// In Python a function holds the lines of its body only: the lines of its `def`, default values
/// included, run with the code around it. So a nested `def` belongs to the function around it, and
/// what runs when a module is imported belongs to no function. In the other languages a function
/// holds its declaration too.
#[derive(Clone, Debug)]
pub struct Outline {
    functions: Vec<Function>,
    /// From each line on, up to the next entry's, the function that holds it.
    stretches: Vec<(u32, Option<usize>)>,
}

impl Outline {
    /// Of a source file.
    pub fn of(language: Language, text: &str) -> Outline {
        Outline::new(language, functions(language, text))
    }

    /// Of functions as [`functions`] gives them: by first line, the outer before the inner.
    pub fn new(language: Language, functions: Vec<Function>) -> Outline {
        let start = |function: &Function| match language {
            Language::Python => function.body,
            _ => function.first,
        };
        let mut order: Vec<usize> = (0..functions.len()).collect();
        order.sort_by_key(|&at| start(&functions[at]));
        let mut stretches: Vec<(u32, Option<usize>)> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for at in order {
            let begin = start(&functions[at]);
            close(&functions, &mut open, &mut stretches, begin);
            put(&mut stretches, begin, Some(at));
            open.push(at);
        }
        close(&functions, &mut open, &mut stretches, u32::MAX);
        Outline {
            functions,
            stretches,
        }
    }

    /// The innermost function that holds a line (from 1). Where unrelated functions share the
    /// line, the one that starts last.
    pub fn at(&self, line: u32) -> Option<&Function> {
        let after = self.stretches.partition_point(|&(from, _)| from <= line);
        let (_, function) = self.stretches.get(after.checked_sub(1)?)?;
        function.map(|at| &self.functions[at])
    }

    /// Whether a line runs when some function does. Of Python's lines only these are elements; the
    /// others run at import. In Java, initialisers of fields run without being in a function.
    pub fn runs(&self, line: u32) -> bool {
        self.at(line).is_some()
    }

    /// The functions, by first line.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }
}

/// Ends the open functions that end before `line`; the lines after them belong to the innermost
/// that is still open.
fn close(
    functions: &[Function],
    open: &mut Vec<usize>,
    stretches: &mut Vec<(u32, Option<usize>)>,
    line: u32,
) {
    while let Some(&innermost) = open.last() {
        let last = functions[innermost].last;
        if last >= line {
            return;
        }
        open.pop();
        // One that ended earlier than what it was shared with leaves no lines of its own.
        while open.last().is_some_and(|&at| functions[at].last <= last) {
            open.pop();
        }
        put(stretches, last + 1, open.last().copied());
    }
}

fn put(stretches: &mut Vec<(u32, Option<usize>)>, line: u32, function: Option<usize>) {
    match stretches.last_mut() {
        Some(end) if end.0 == line => end.1 = function,
        _ => stretches.push((line, function)),
    }
}
