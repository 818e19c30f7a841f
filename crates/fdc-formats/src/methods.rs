//! Which method each line of a file belongs to.
//!
//! The source decides, if it is there: names are then the same whatever measured the coverage.
//! Class files know better than the source, so their methods go first. Without the source the
//! functions that the format lists are used, and without these a file is one method.

use std::collections::HashMap;

use fdc_source::{Language, Outline, display_name};

use crate::line_matrix::MeasuredFile;
use crate::lines::LineSet;
use crate::project::Project;

/// A function as a format lists it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Whether the name is unique in the program as it is, like `org.x.Cart#add(int)`; others get
    /// the path of their file before them.
    pub qualified: bool,
    /// Its lines, as far as the format tells.
    pub extent: Extent,
}

/// The lines of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// Exactly these.
    Lines(LineSet),
    /// From the first to the last, both in it.
    Span(u32, u32),
    /// From this line to wherever the next function starts.
    From(u32),
}

/// The owners of a file's lines.
pub(crate) struct Owners {
    path: String,
    names: Vec<String>,
    /// Per line, an index into the names.
    owner: HashMap<u32, usize>,
    /// What a line without an owner is: `None` if it is no element.
    rest: Option<String>,
    one_method: bool,
    note: Option<String>,
}

impl Owners {
    pub(crate) fn of(file: &MeasuredFile, project: &Project) -> Owners {
        let language = Language::of_path(&file.path);
        let mut owners = Owners {
            path: file.path.clone(),
            names: Vec::new(),
            owner: HashMap::new(),
            rest: (!runs_at_load(language)).then(|| file.path.clone()),
            one_method: false,
            note: None,
        };
        if owners.by_exact_lines(file) {
            return owners;
        }
        if let Some(language) = language
            && let Some(text) = project.text(&file.path)
        {
            let last = file.lines.last().unwrap_or(0);
            let length = text.lines().count() as u32;
            if last <= length {
                owners.by_source(file, language, &text);
                return owners;
            }
            owners.note = Some(format!(
                "{}: the coverage has line {last}, the source ends at {length}: \
                 it is not the source that was measured",
                file.path
            ));
        }
        if file.functions.is_empty() {
            owners.one_method = true;
            owners.rest = Some(file.path.clone());
        } else {
            owners.by_listed_functions(file, language);
        }
        owners
    }

    /// The name of the method a line belongs to; `None` if it is no element.
    pub(crate) fn name(&self, line: u32) -> Option<&str> {
        match self.owner.get(&line) {
            Some(&owner) => Some(&self.names[owner]),
            None => self.rest.as_deref(),
        }
    }

    /// Whether nothing was known, so that the file is one method.
    pub(crate) fn is_one_method(&self) -> bool {
        self.one_method
    }

    pub(crate) fn note(&self) -> Option<String> {
        self.note.clone()
    }

    fn push(&mut self, function: &Function) -> usize {
        self.names.push(match function.qualified {
            true => function.name.clone(),
            false => format!("{}::{}", self.path, function.name),
        });
        self.names.len() - 1
    }

    fn by_exact_lines(&mut self, file: &MeasuredFile) -> bool {
        let exact =
            |function: &Function| function.qualified && matches!(function.extent, Extent::Lines(_));
        if file.functions.is_empty() || !file.functions.iter().all(exact) {
            return false;
        }
        for function in &file.functions {
            let index = self.push(function);
            if let Extent::Lines(lines) = &function.extent {
                for line in lines.iter() {
                    self.owner.entry(line).or_insert(index);
                }
            }
        }
        true
    }

    /// Spans from the source; names too, unless the format's are better.
    fn by_source(&mut self, file: &MeasuredFile, language: Language, text: &str) {
        let outline = Outline::of(language, text);
        let mut listed: HashMap<u32, usize> = HashMap::new();
        let mut outside: Vec<(u32, usize)> = Vec::new();
        for function in file.functions.iter().filter(|known| known.qualified) {
            let index = self.push(function);
            let Some(first) = first_line(&function.extent) else {
                continue;
            };
            match outline.at(first) {
                Some(found) => {
                    listed.entry(found.first).or_insert(index);
                }
                None => outside.push((first, index)),
            }
        }
        outside.sort_unstable();
        let mut named: HashMap<u32, usize> = HashMap::new();
        for line in file.lines.iter() {
            let owner = match outline.at(line) {
                Some(found) => *named.entry(found.first).or_insert_with(|| {
                    listed.get(&found.first).copied().unwrap_or_else(|| {
                        self.names.push(display_name(language, &self.path, found));
                        self.names.len() - 1
                    })
                }),
                None => {
                    let after = outside.partition_point(|&(first, _)| first <= line);
                    match after.checked_sub(1) {
                        Some(before) => outside[before].1,
                        None => continue,
                    }
                }
            };
            self.owner.insert(line, owner);
        }
    }

    fn by_listed_functions(&mut self, file: &MeasuredFile, language: Option<Language>) {
        let mut spans: Vec<(u32, u32, usize)> = Vec::new();
        let mut starts: Vec<(u32, usize)> = Vec::new();
        for function in &file.functions {
            let index = self.push(function);
            match &function.extent {
                Extent::Lines(lines) => {
                    for line in lines.iter() {
                        self.owner.entry(line).or_insert(index);
                    }
                }
                // The line of a `def` runs when the module is loaded.
                &Extent::Span(first, last) => match language {
                    Some(Language::Python) if first < last => spans.push((first + 1, last, index)),
                    _ => spans.push((first, last, index)),
                },
                &Extent::From(first) => starts.push((first, index)),
            }
        }
        spans.sort_unstable_by_key(|&(first, last, index)| (first, std::cmp::Reverse(last), index));
        starts.sort_unstable();
        let mut open: Vec<(u32, usize)> = Vec::new();
        let mut next = spans.into_iter().peekable();
        for line in file.lines.iter() {
            while let Some(&(first, last, index)) = next.peek().filter(|span| span.0 <= line) {
                next.next();
                open.retain(|&(end, _)| end >= first);
                open.push((last, index));
            }
            open.retain(|&(end, _)| end >= line);
            let owner = open.last().map(|&(_, index)| index).or_else(|| {
                let after = starts.partition_point(|&(first, _)| first <= line);
                after.checked_sub(1).map(|before| starts[before].1)
            });
            if let Some(owner) = owner {
                self.owner.entry(line).or_insert(owner);
            }
        }
    }
}

/// Whether code outside functions runs when a module is loaded, and so in no test alone.
fn runs_at_load(language: Option<Language>) -> bool {
    use Language::{JavaScript, Python, Tsx, TypeScript};
    matches!(language, Some(Python | JavaScript | TypeScript | Tsx))
}

fn first_line(extent: &Extent) -> Option<u32> {
    match extent {
        Extent::Lines(lines) => lines.first(),
        &Extent::Span(first, _) | &Extent::From(first) => Some(first),
    }
}
