//! Which mutants to try, and in which order: any beginning of the order is spread evenly over methods.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use fdc_case::mutants::SourceChange;
use fdc_core::coverage::mix;
use fdc_core::{Outcome, Spectrum};
use fdc_source::{Language, Mutation, Switchable, mutations};
use md5::{Digest as _, Md5};

/// A mutant that could be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) change: SourceChange,
    pub(crate) method: String,
    pub(crate) line: u32,
    pub(crate) mutator: &'static str,
    pub(crate) original: String,
    /// What can be switched between both versions.
    pub(crate) scope: Option<Switchable>,
    /// The passing tests that run the line, in the order of the case.
    pub(crate) tests: Vec<String>,
}

pub(crate) struct Draw {
    /// In the order they are to be tried.
    pub(crate) candidates: Vec<Candidate>,
    /// Methods that have any.
    pub(crate) methods: usize,
    /// Of each file that was looked at.
    digests: HashMap<String, String>,
}

impl Draw {
    /// From the sources below a root that a case was measured on.
    pub(crate) fn of(spectrum: &Spectrum, root: &Path, seed: u64) -> Self {
        let tests = passing_tests_by_column(spectrum);
        let program = &spectrum.program;
        let mut elements: HashMap<(u32, u32), u32> = HashMap::new();
        for (number, element) in program.elements.iter().enumerate() {
            let file = program.methods[element.method.index()].file;
            elements
                .entry((file, element.line))
                .or_insert(number as u32);
        }
        let mut by_method: BTreeMap<u32, Vec<(u64, Candidate)>> = BTreeMap::new();
        let mut digests = HashMap::new();
        for (file, path) in program.files.iter().enumerate() {
            let Some((text, language)) = source(root, path) else {
                continue;
            };
            let digest = digest(&text);
            digests.insert(path.clone(), digest.clone());
            for mutation in mutations(language, &text) {
                let Some(&element) = elements.get(&(file as u32, mutation.line)) else {
                    continue;
                };
                let column = spectrum.coverage.column_of(element as usize);
                let tests = &tests[column as usize];
                if tests.is_empty() {
                    continue;
                }
                let method = program.elements[element as usize].method;
                let names = tests.iter().map(|&test| spectrum.tests[test].name.clone());
                let candidate = Candidate {
                    original: text[mutation.bytes.clone()].to_owned(),
                    method: spectrum.method_name(method).to_owned(),
                    line: mutation.line,
                    mutator: mutation.mutator,
                    scope: mutation.scope.clone(),
                    tests: names.collect(),
                    change: change(path, &digest, mutation),
                };
                let key = drawn(seed, &candidate.change);
                by_method
                    .entry(method.0)
                    .or_default()
                    .push((key, candidate));
            }
        }
        let methods = by_method.len();
        Draw {
            candidates: in_turns(by_method.into_values().collect(), seed),
            methods,
            digests,
        }
    }

    /// Whether a file is as it was when it had this digest.
    pub(crate) fn is_current(&self, path: &str, digest: &str) -> bool {
        self.digests.get(path).is_some_and(|known| known == digest)
    }
}

/// One of each method after the other, methods and their mutants in an order of the seed.
fn in_turns(mut methods: Vec<Vec<(u64, Candidate)>>, seed: u64) -> Vec<Candidate> {
    for own in &mut methods {
        own.sort_by_key(|(key, _)| *key);
    }
    methods.sort_by_key(|own| own.first().map(|(key, _)| mix(key ^ seed)));
    let mut queues: Vec<_> = methods.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(queues.iter_mut().filter_map(|queue| Some(queue.next()?.1)));
        if all.len() == before {
            return all;
        }
    }
}

fn change(path: &str, digest: &str, mutation: Mutation) -> SourceChange {
    SourceChange {
        path: path.to_owned(),
        bytes: (mutation.bytes.start, mutation.bytes.end),
        replacement: mutation.replacement,
        digest: digest.to_owned(),
    }
}

/// A number that looks drawn, fixed by the seed and the change.
fn drawn(seed: u64, change: &SourceChange) -> u64 {
    let (first, last) = change.bytes;
    let text = format!("{}\n{first}\n{last}\n{}", change.path, change.replacement);
    let step = |state: u64, byte: u8| mix(state ^ u64::from(byte));
    text.bytes().fold(mix(seed), step)
}

/// By column of the coverage. A test that fails anyway, or now and then, tells nothing.
fn passing_tests_by_column(spectrum: &Spectrum) -> Vec<Vec<usize>> {
    let coverage = &spectrum.coverage;
    let mut tests = vec![Vec::new(); coverage.column_count()];
    for id in coverage.tests() {
        let test = spectrum.test(id);
        if test.outcome == Some(Outcome::Pass) && !test.flaky {
            let row = coverage.row(id);
            row.for_each(|column| tests[column as usize].push(id.index()));
        }
    }
    tests
}

fn source(root: &Path, path: &str) -> Option<(String, Language)> {
    let language = Language::of_path(path)?;
    let text = std::fs::read_to_string(root.join(path)).ok()?;
    Some((text, language))
}

fn digest(text: &str) -> String {
    let bytes = Md5::digest(text.as_bytes());
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
