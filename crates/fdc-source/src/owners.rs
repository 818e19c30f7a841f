//! Which method each measured line of a file belongs to.
//!
//! The source decides, if it is there: names are then the same whatever measured the coverage.
//! Class files know better than the source, so their methods go first. Without the source the
//! functions that the measurement lists are used, and without these a file is one method.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::outline::Stretches;
use crate::{Language, LineSet, Outline, display_name};

/// A function as a measurement lists it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ListedFunction {
    /// Its name.
    pub name: String,
    /// Whether the name is unique, like `org.x.Cart#add(int)`; else a path goes before it.
    pub qualified: bool,
    /// Its lines, as far as the measurement tells.
    pub lines: FunctionLines,
}

/// The lines of a listed function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FunctionLines {
    /// Exactly these.
    All(LineSet),
    /// From the first to the last, both in it.
    Span(u32, u32),
    /// From this line to wherever the next function starts.
    From(u32),
}

/// The owners of a file's lines.
#[derive(Debug)]
pub struct LineOwners {
    path: String,
    names: Vec<String>,
    /// Per line, an index into the names.
    owner: HashMap<u32, usize>,
    /// What a line without an owner is: `None` if it is no element.
    rest: Option<String>,
    /// Whether nothing was known, so that the file is one method.
    pub is_one_method: bool,
    /// What a person should know.
    pub note: Option<String>,
}

impl LineOwners {
    /// Of a file, by its path relative to the project, its measured lines, the functions that were
    /// listed with them, and its source if that is there.
    pub fn of(
        path: &str,
        lines: &LineSet,
        listed: &[ListedFunction],
        source: impl FnOnce() -> Option<String>,
    ) -> Self {
        let language = Language::of_path(path);
        let mut owners = LineOwners {
            path: path.to_owned(),
            names: Vec::new(),
            owner: HashMap::new(),
            rest: (!runs_at_load(language)).then(|| path.to_owned()),
            is_one_method: false,
            note: None,
        };
        let exact = |function: &ListedFunction| {
            function.qualified && matches!(function.lines, FunctionLines::All(_))
        };
        let exact = !listed.is_empty() && listed.iter().all(exact);
        if let Some(language) = language.filter(|_| !exact)
            && let Some(text) = source()
        {
            let last = lines.last().unwrap_or(0);
            let length = text.lines().count() as u32;
            if last <= length {
                owners.by_source(lines, listed, language, &text);
                return owners;
            }
            owners.note = Some(format!(
                "{path}: the coverage has line {last}, the source ends at {length}: \
                 it is not the source that was measured"
            ));
        }
        if listed.is_empty() {
            owners.is_one_method = true;
            owners.rest = Some(path.to_owned());
        } else {
            owners.by_listed_functions(lines, listed, language);
        }
        owners
    }

    /// The name of the method a line belongs to; `None` if it is no element.
    pub fn name(&self, line: u32) -> Option<&str> {
        match self.owner.get(&line) {
            Some(&owner) => Some(&self.names[owner]),
            None => self.rest.as_deref(),
        }
    }

    fn push(&mut self, function: &ListedFunction) -> usize {
        self.names.push(match function.qualified {
            true => function.name.clone(),
            false => format!("{}::{}", self.path, function.name),
        });
        self.names.len() - 1
    }

    /// Spans from the source; names too, unless the listed ones are better.
    fn by_source(&mut self, lines: &LineSet, all: &[ListedFunction], lang: Language, text: &str) {
        let outline = Outline::of(lang, text);
        // By first line, the owner; a name of the source is taken when its first line comes.
        let mut named: HashMap<u32, usize> = HashMap::new();
        let mut outside: Vec<(u32, usize)> = Vec::new();
        for function in all.iter().filter(|known| known.qualified) {
            let index = self.push(function);
            let first = match &function.lines {
                FunctionLines::All(lines) => lines.first(),
                &FunctionLines::Span(first, _) | &FunctionLines::From(first) => Some(first),
            };
            let Some(first) = first else { continue };
            match outline.at(first) {
                Some(found) => {
                    named.entry(found.first).or_insert(index);
                }
                None => outside.push((first, index)),
            }
        }
        outside.sort_unstable();
        for line in lines.iter() {
            let owner = match outline.at(line) {
                Some(found) => Some(*named.entry(found.first).or_insert_with(|| {
                    self.names.push(display_name(lang, &self.path, found));
                    self.names.len() - 1
                })),
                None => last_before(&outside, line),
            };
            self.owner.extend(owner.map(|owner| (line, owner)));
        }
    }

    fn by_listed_functions(
        &mut self,
        lines: &LineSet,
        listed: &[ListedFunction],
        language: Option<Language>,
    ) {
        let mut spans: Vec<(u32, u32, usize)> = Vec::new();
        let mut starts: Vec<(u32, usize)> = Vec::new();
        for function in listed {
            let index = self.push(function);
            match &function.lines {
                FunctionLines::All(lines) => {
                    for line in lines.iter() {
                        self.owner.entry(line).or_insert(index);
                    }
                }
                // The line of a `def` runs when the module is loaded.
                &FunctionLines::Span(first, last) => match language {
                    Some(Language::Python) if first < last => spans.push((first + 1, last, index)),
                    _ => spans.push((first, last, index)),
                },
                &FunctionLines::From(first) => starts.push((first, index)),
            }
        }
        spans.sort_unstable_by_key(|&(first, last, index)| (first, Reverse(last), index));
        starts.sort_unstable();
        let spans = Stretches::of(&spans);
        for line in lines.iter() {
            let owner = spans.at(line).or_else(|| last_before(&starts, line));
            if let Some(owner) = owner {
                self.owner.entry(line).or_insert(owner);
            }
        }
    }
}

/// The owner that starts last up to a line, of owners by first line.
fn last_before(starts: &[(u32, usize)], line: u32) -> Option<usize> {
    let after = starts.partition_point(|&(first, _)| first <= line);
    after.checked_sub(1).map(|before| starts[before].1)
}

/// Whether code outside functions runs when a module is loaded, and so in no test alone.
fn runs_at_load(language: Option<Language>) -> bool {
    use Language::{JavaScript, Python, Tsx, TypeScript};
    matches!(language, Some(Python | JavaScript | TypeScript | Tsx))
}
