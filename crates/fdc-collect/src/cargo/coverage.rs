//! Which lines a test ran: raw profiles laid over the mappings inside the test programs.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::bytes::Result;
use super::lines::{self, Line, Span};
use super::mapping::{self, Counter, Expressions};
use super::profile::{Counts, Profile};
use super::sources::ProjectFiles;
use crate::isolated::RanLines;

/// The project's lines in a program, and what decides whether each has run.
pub(crate) struct ProgramLines {
    files: Vec<File>,
    functions: HashMap<u64, Function>,
}

struct File {
    path: String,
    /// Numbers, ascending.
    lines: Vec<u32>,
    /// Per span, the indices of the lines it decides on.
    decides: Vec<Vec<u32>>,
}

struct Function {
    shape: u64,
    expressions: Expressions,
    /// Counter, file and span.
    regions: Vec<(Counter, usize, usize)>,
}

/// The lines that a run has covered so far, per file.
pub(crate) struct Ran {
    files: Vec<Vec<bool>>,
}

impl ProgramLines {
    pub(crate) fn new(program: &[u8], sources: &ProjectFiles) -> Result<Self> {
        let functions = mapping::functions(program)?;
        let mut spans: BTreeMap<String, Vec<Span>> = BTreeMap::new();
        let mut paths: HashMap<&Path, Option<String>> = HashMap::new();
        for function in &functions {
            for region in &function.regions {
                let path = function.file(region);
                let own = paths.entry(path).or_insert_with(|| sources.relative(path));
                if let Some(own) = own {
                    let spans = match spans.get_mut(own) {
                        Some(spans) => spans,
                        None => spans.entry(own.clone()).or_default(),
                    };
                    spans.push(region.span);
                }
            }
        }
        for spans in spans.values_mut() {
            lines::sort(spans);
        }
        let numbered = spans.keys().enumerate();
        let numbers: HashMap<&str, usize> = numbered.map(|(at, path)| (&**path, at)).collect();
        let known = |function: &mapping::Function| {
            let regions = function.regions.iter().filter_map(|region| {
                let path = paths.get(function.file(region))?.as_deref()?;
                let span = region.span;
                let place = |other: &Span| (other.start, std::cmp::Reverse(other.end));
                let found = spans[path].binary_search_by_key(&place(&span), place);
                // Where kinds differ the first hides the others.
                let seen = |at: &usize| spans[path][*at].kind == span.kind;
                Some((region.counter, numbers[path], found.ok().filter(seen)?))
            });
            let known = Function {
                shape: function.shape,
                expressions: function.expressions.clone(),
                regions: regions.collect(),
            };
            (!known.regions.is_empty()).then_some((function.name, known))
        };
        let functions = functions.iter().filter_map(known).collect();
        let files = spans.into_iter();
        let files = files.map(|(path, spans)| File::new(path, &spans));
        Ok(ProgramLines {
            files: files.collect(),
            functions,
        })
    }

    pub(crate) fn start(&self) -> Ran {
        let files = self.files.iter();
        Ran {
            files: files.map(|file| vec![false; file.lines.len()]).collect(),
        }
    }

    /// Adds what a profile says; whether any function in it is of this program.
    pub(crate) fn add(&self, profile: &[u8], ran: &mut Ran) -> Result<bool> {
        let mut any = false;
        for counts in Profile::new(profile)?.run_functions() {
            let counts = counts?;
            let function = self.functions.get(&counts.name);
            if let Some(function) = function.filter(|function| function.shape == counts.shape) {
                any = true;
                function.mark(&counts, &self.files, ran);
            }
        }
        Ok(any)
    }

    /// All lines that can run, and those that have.
    pub(crate) fn lines(&self, ran: &Ran) -> Vec<RanLines> {
        let both = self.files.iter().zip(&ran.files);
        let lines = both.map(|(file, ran)| RanLines {
            file: file.path.clone(),
            lines: std::iter::zip(file.lines.clone(), ran.clone()).collect(),
        });
        lines.collect()
    }
}

impl Function {
    fn mark(&self, counts: &Counts, files: &[File], ran: &mut Ran) {
        let values = self.expressions.evaluate(|number| counts.get(number));
        for &(counter, file, span) in &self.regions {
            if counter.value(|number| counts.get(number), &values) != 0 {
                for &line in &files[file].decides[span] {
                    ran.files[file][line as usize] = true;
                }
            }
        }
    }
}

impl File {
    fn new(path: String, spans: &[Span]) -> Self {
        let mut decides = vec![Vec::new(); spans.len()];
        let lines = lines::lines(spans);
        for (at, line) in lines.iter().enumerate() {
            for &span in &line.spans {
                decides[span].push(at as u32);
            }
        }
        File {
            path,
            lines: lines.iter().map(|Line { number, .. }| *number).collect(),
            decides,
        }
    }
}
