//! Which tests a change affects, as far as coverage and sources tell: the one answer behind
//! `fdc affected` and `fdc collect --changed-since`.
//!
//! | changed | affected |
//! |---|---|
//! | a function | the tests that ran a line of it, and what a module runs at import that mentions it |
//! | a statement outside functions | the tests that ran a line of the file, and those that ran a function that mentions what it defines |
//! | a new function, an import, `__all__` and the like | the tests that ran a function that mentions the name; for a new member, those that ran its class |
//! | a test | itself; what else changes in its file concerns all tests of the file |
//! | `conftest.py` | the tests below its folder |
//! | text, pictures | none |
//! | anything else | cannot be told: all tests |
//!
//! A test that was never measured is affected by anything.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use fdc_core::Spectrum;
use fdc_core::coverage::TestId;
use fdc_source::{Function, Language, Part, Parts, Sources, is_test_function};

use crate::changes::{TestsOf, is_prose};
use crate::error::Result;
use crate::git;
use crate::measured::{ChangedFile, Changes, Earlier};
use crate::test_names::{is_test_like, last_word, names_test, same_function};
use crate::touched::Touched;

/// Why a test is affected.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyAffected {
    /// The test itself, or what its file runs for it, has changed.
    OwnSource(String),
    /// It ran a function that has changed: file, function.
    RanFunction(String, String),
    /// It ran a file in which a statement outside functions has changed.
    RanFile(String),
    /// It ran a function that mentions a name that has changed: the name, its file.
    Mentions(String, String),
    /// A changed file concerns all tests below its folder.
    Below(String),
    /// A changed file may concern any test.
    AnyTest(String),
    /// Nobody knows what it runs.
    NotMeasured,
}

/// Tests that a change may make end otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affected {
    /// By test of the case, the first reason.
    pub tests: BTreeMap<TestId, WhyAffected>,
    /// Of these, tests whose function is no longer there.
    pub gone: BTreeSet<TestId>,
    /// Tests that were skipped when the case was measured, and whose source has changed.
    pub skipped: BTreeSet<String>,
    /// Changed or new test functions, and new files of tests, which may hold tests that the case does
    /// not know.
    pub sources: BTreeSet<TestFunction>,
    /// Functions that differ and that no test ran: file, function, first and last line as measured.
    pub unrun: Vec<(String, String, u32, u32)>,
    /// Changed files that may concern any test.
    pub any_test: Vec<String>,
    /// Changed files whose effect on tests cannot be seen, and that are taken to have none.
    pub unseen: Vec<String>,
    /// Changed files in all.
    pub files: usize,
}

/// A function of a test file, or with no name the file as a whole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestFunction {
    /// Relative to the root.
    pub file: String,
    /// Qualified as sources are; none for a new file.
    pub function: Option<String>,
    /// Whether the case cannot know it.
    pub is_new: bool,
}

/// Where tests and lines of a case are, to find who ran what.
struct Runs<'s> {
    spectrum: &'s Spectrum,
    /// Per file: line and element.
    lines: HashMap<&'s str, Vec<(u32, u32)>>,
}

/// The question while it is answered.
struct Inquiry<'s> {
    runs: Runs<'s>,
    skipped: &'s [String],
    tests_of: fn(&str) -> TestsOf,
    sources: Option<Sources>,
    root: &'s Path,
    changes: &'s Changes,
    found: Affected,
}

/// Which tests the changes affect.
pub(crate) fn affected(
    spectrum: &Spectrum,
    skipped: &[String],
    tests_of: fn(&str) -> TestsOf,
    root: &Path,
    changes: &Changes,
) -> Result<Affected> {
    let mut inquiry = Inquiry {
        runs: Runs::of(spectrum),
        skipped,
        tests_of,
        sources: Sources::below(root, None).ok(),
        root,
        changes,
        found: Affected {
            files: changes.files.len(),
            ..Affected::default()
        },
    };
    let mut mentions: Vec<Mention> = Vec::new();
    for file in &changes.files {
        inquiry.file(file, &mut mentions);
    }
    inquiry.mentions(&mentions)?;
    inquiry.never_measured();
    // Last, so that tests with a better reason have that one.
    if let Some(file) = inquiry.found.any_test.first().cloned() {
        let all = inquiry.runs.named(|_| true);
        inquiry.add(all, || WhyAffected::AnyTest(file.clone()));
    }
    Ok(inquiry.found)
}

/// What a change of a file touches, seen from the text that was measured; none if that is not known.
pub(crate) fn touched(file: &ChangedFile) -> Option<Touched> {
    let language = Language::of_path(&file.path)?;
    let Earlier::Text(measured) = &file.measured else {
        return None;
    };
    let now = file.now.as_deref().unwrap_or_default();
    let mut touched = Touched::by(language, measured, now);
    match &file.since {
        None => {}
        Some(Earlier::Lost) => return None,
        Some(since) => {
            let since = since.text().unwrap_or_default();
            touched = touched.and(Touched::by(language, measured, since));
        }
    }
    Some(touched)
}

/// A name whose meaning has changed.
struct Mention {
    name: String,
    file: String,
    reach: Reach,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Its own file alone, as an import.
    File,
    Project,
    /// What runs when a file is loaded alone: whoever calls it later ran it.
    Loading,
}

impl<'s> Runs<'s> {
    fn of(spectrum: &'s Spectrum) -> Self {
        let program = &spectrum.program;
        let mut lines: HashMap<&str, Vec<(u32, u32)>> = HashMap::new();
        for (element, number) in program.elements.iter().zip(0..) {
            let file = program.methods[element.method.index()].file as usize;
            let file = &*program.files[file];
            lines.entry(file).or_default().push((element.line, number));
        }
        Runs { spectrum, lines }
    }

    /// The lines of a file that the case knows; it may be named by its class there.
    fn lines(&self, path: &str) -> &[(u32, u32)] {
        let exact = self.lines.get(path);
        let found = exact.or_else(|| {
            let mut named = self.lines.iter();
            named
                .find(|(file, _)| is_file(file, path))
                .map(|(_, lines)| lines)
        });
        found.map_or(&[], |lines| lines)
    }

    /// The tests that ran a line of the file that is wanted.
    fn tests(&self, path: &str, wanted: impl Fn(u32) -> bool) -> Vec<TestId> {
        let elements = self.lines(path).iter();
        let elements = elements.filter(|(line, _)| wanted(*line));
        let columns: BTreeSet<u32> = elements
            .map(|&(_, element)| self.spectrum.coverage.column_of(element as usize))
            .collect();
        let coverage = &self.spectrum.coverage;
        let ran = |test: &TestId| columns.iter().any(|&c| coverage.row(*test).contains(c));
        coverage.tests().filter(ran).collect()
    }

    fn name(&self, test: TestId) -> &'s str {
        &self.spectrum.tests[test.index()].name
    }

    fn named(&self, wanted: impl Fn(&str) -> bool) -> Vec<TestId> {
        let tests = self.spectrum.coverage.tests();
        tests.filter(|&test| wanted(self.name(test))).collect()
    }
}

impl Inquiry<'_> {
    fn file(&mut self, file: &ChangedFile, mentions: &mut Vec<Mention>) {
        let path = &*file.path;
        let own = (self.tests_of)(path);
        let touched = touched(file);
        if touched.as_ref().is_some_and(Touched::is_nothing) {
            return;
        }
        let is_new = file.measured == Earlier::Nothing && file.now.is_some();
        let measured = !self.runs.lines(path).is_empty();
        // Documentation that tests are made of names them.
        let begun = format!("{path}::");
        let by_name = self.runs.named(|test| test.starts_with(&begun));
        let is_home = matches!(own, TestsOf::Beginning(_) | TestsOf::Containing(_));
        if !is_home {
            self.add(by_name, || WhyAffected::OwnSource(path.to_owned()));
        }
        match &own {
            TestsOf::Below(folder) => {
                let below = self.runs.named(|test| test.starts_with(folder));
                self.add(below, || WhyAffected::Below(path.to_owned()));
                return;
            }
            TestsOf::Beginning(part) | TestsOf::Containing(part) => {
                let inside = |test: &str| match own {
                    TestsOf::Beginning(_) => test.starts_with(part),
                    _ => test.contains(part),
                };
                self.test_file(file, touched.as_ref(), &inside, mentions);
                if measured {
                    self.program(path, touched.as_ref(), mentions);
                }
                return;
            }
            TestsOf::Code(part) if touched.is_none() || !measured => {
                let inside = self.runs.named(|test| test.contains(part));
                self.add(inside, || WhyAffected::OwnSource(path.to_owned()));
            }
            TestsOf::Code(part) => {
                let inside = |test: &str| test.contains(part);
                self.test_functions(file, touched.as_ref(), &inside);
            }
            TestsOf::None | TestsOf::All => {}
        }
        if measured {
            self.program(path, touched.as_ref(), mentions);
        } else if is_new && Language::of_path(path).is_some() {
            // Code that nobody could load before is run by code that has changed as well.
        } else if let Some(touched) = touched.filter(|t| !t.statements && own != TestsOf::None) {
            self.names(path, &touched, mentions);
            self.unrun(path, &touched);
        } else if own == TestsOf::None || is_prose(path) {
            self.found.unseen.push(path.to_owned());
        } else {
            self.found.any_test.push(path.to_owned());
        }
    }

    /// A file that tests ran lines of.
    fn program(&mut self, path: &str, touched: Option<&Touched>, mentions: &mut Vec<Mention>) {
        let Some(touched) = touched else {
            let all = self.runs.tests(path, |_| true);
            self.add(all, || WhyAffected::RanFile(path.to_owned()));
            return;
        };
        for function in &touched.functions {
            let span = function.first..=function.last;
            let ran = self.runs.tests(path, |line| span.contains(&line));
            self.add(ran, || {
                WhyAffected::RanFunction(path.to_owned(), function.name.clone())
            });
        }
        let changed = |line: u32| touched.statements || !touched.moved.contains_key(&line);
        let ran = self.runs.tests(path, changed);
        self.add(ran, || WhyAffected::RanFile(path.to_owned()));
        self.names(path, touched, mentions);
        self.unrun(path, touched);
        for function in &touched.added {
            let class = function
                .name
                .rsplit_once(['.', '#'])
                .map(|(class, _)| class);
            let Some(class) = class else { continue };
            let members = self.members(path, class);
            let ran = self.runs.tests(path, |line| {
                members
                    .iter()
                    .any(|own| (own.first..=own.last).contains(&line))
            });
            self.add(ran, || {
                WhyAffected::RanFunction(path.to_owned(), class.to_owned())
            });
        }
    }

    /// The functions of a class, as measured.
    fn members(&self, path: &str, class: &str) -> Vec<Function> {
        let text = self.text(path).unwrap_or_default();
        let Some(language) = Language::of_path(path) else {
            return Vec::new();
        };
        let mut functions = Parts::of(language, &text).functions;
        functions.retain(|own| {
            let rest = own.name.strip_prefix(class);
            rest.is_some_and(|rest| rest.starts_with(['.', '#', '$']))
        });
        functions
    }

    fn names(&self, path: &str, touched: &Touched, mentions: &mut Vec<Mention>) {
        let mut add = |name: &str, reach| {
            let (name, file) = (name.to_owned(), path.to_owned());
            mentions.push(Mention { name, file, reach });
        };
        // A package hands on what it imports.
        let imports = match path.ends_with("__init__.py") || path.ends_with("mod.rs") {
            true => Reach::Project,
            false => Reach::File,
        };
        for (names, reach) in [
            (&touched.defined, Reach::Project),
            (&touched.about, Reach::Project),
            (&touched.imported, imports),
        ] {
            names.iter().for_each(|name| add(name, reach));
        }
        let plain = |name: &&str| !name.starts_with("__") && name.len() > 1;
        for function in &touched.added {
            let name = Some(last_word(&function.name)).filter(plain);
            name.into_iter().for_each(|name| add(name, Reach::Project));
        }
        for function in &touched.functions {
            let name = Some(last_word(&function.name)).filter(plain);
            name.into_iter().for_each(|name| add(name, Reach::Loading));
        }
    }

    fn unrun(&mut self, path: &str, touched: &Touched) {
        for function in &touched.functions {
            let span = function.first..=function.last;
            let is_test = is_test_function(path, &function.name);
            if !is_test
                && self
                    .runs
                    .tests(path, |line| span.contains(&line))
                    .is_empty()
            {
                let (first, last) = (function.first, function.last);
                let unrun = (path.to_owned(), function.name.clone(), first, last);
                self.found.unrun.push(unrun);
            }
        }
    }

    /// A file that is the home of tests.
    fn test_file(
        &mut self,
        file: &ChangedFile,
        touched: Option<&Touched>,
        inside: &dyn Fn(&str) -> bool,
        mentions: &mut Vec<Mention>,
    ) {
        let path = &*file.path;
        if file.measured == Earlier::Nothing && Language::of_path(path).is_some() {
            self.found.sources.insert(TestFunction {
                file: path.to_owned(),
                function: None,
                is_new: true,
            });
            return;
        }
        self.test_functions(file, touched, inside);
        let Some(touched) = touched else { return };
        // What else is in the file may be used by tests of others.
        let others = Touched {
            functions: Vec::new(),
            ..touched.clone()
        };
        self.names(path, &others, mentions);
        for function in &touched.functions {
            if !is_test_like(path, &function.name) {
                mentions.push(Mention {
                    name: last_word(&function.name).to_owned(),
                    file: path.to_owned(),
                    reach: Reach::Project,
                });
            }
        }
    }

    /// The tests whose functions differ; all that are `inside` if something else does.
    fn test_functions(
        &mut self,
        file: &ChangedFile,
        touched: Option<&Touched>,
        inside: &dyn Fn(&str) -> bool,
    ) {
        let path = &*file.path;
        let is_home = !matches!((self.tests_of)(path), TestsOf::Code(_));
        let is_test = |name: &str| {
            let mut known = self.all_tests();
            is_test_like(path, name) || known.any(|test| inside(test) && names_test(name, test))
        };
        let mut changed: Vec<String> = Vec::new();
        let mut new: Vec<String> = Vec::new();
        // Whether something has changed that any test of the file may use.
        let mut shared = touched.is_none();
        if let Some(touched) = touched {
            let own = touched.functions.iter().map(|function| &function.name);
            for name in own.filter(|name| is_home || is_test_function(path, name)) {
                match is_test(name) {
                    true => changed.push(name.clone()),
                    false => shared = true,
                }
            }
            // Decorators stand outside the test that they are of.
            shared |= touched.defined.iter().any(|name| !is_test(name));
            changed.extend(touched.defined.iter().cloned());
            for function in &touched.added {
                match is_test_like(path, &function.name) {
                    true => new.push(function.name.clone()),
                    // A fixture, or a hook of the class.
                    false => shared |= is_home,
                }
            }
        }
        let own = |test: &str| {
            let by_function = || changed.iter().any(|name| names_test(name, test));
            inside(test) && (shared || by_function())
        };
        let tests = self.runs.named(own);
        let now = file.now.as_deref().zip(Language::of_path(path));
        let now = now.map(|(text, language)| Parts::of(language, text).functions);
        let now = now.unwrap_or_default();
        let is_there = |name: &str| now.iter().any(|own| same_function(&own.name, name));
        let (there, gone): (Vec<&String>, Vec<&String>) = changed
            .iter()
            .filter(|name| is_test(name))
            .partition(|name| is_there(name));
        let is_gone = |test: &str| {
            let by_function = || gone.iter().any(|name| names_test(name, test));
            inside(test) && (file.now.is_none() || by_function())
        };
        let gone = self.runs.named(is_gone);
        let same = there.into_iter().map(|name| (name.clone(), false));
        let functions: Vec<_> = same
            .chain(new.into_iter().map(|name| (name, true)))
            .collect();
        for (name, is_new) in functions {
            self.found.sources.insert(TestFunction {
                file: path.to_owned(),
                function: Some(name),
                is_new,
            });
        }
        self.found.gone.extend(gone);
        let skipped = self.skipped.iter().filter(|test| own(test)).cloned();
        self.found.skipped.extend(skipped);
        self.add(tests, || WhyAffected::OwnSource(path.to_owned()));
        if is_home {
            self.inherited(path, &changed);
        }
    }

    fn all_tests(&self) -> impl Iterator<Item = &str> {
        let tests = self.runs.spectrum.tests.iter().map(|test| &*test.name);
        tests.chain(self.skipped.iter().map(|test| &**test))
    }

    /// Tests that other classes take over from the changed functions: there is none of that name where
    /// their id says.
    fn inherited(&mut self, path: &str, changed: &[String]) {
        let Some(sources) = &self.sources else { return };
        let words: BTreeSet<&str> = changed.iter().map(|name| last_word(name)).collect();
        let heirs = self.runs.named(|test| {
            let id = test.split(['[', '(']).next().unwrap_or_default();
            let word = id.rsplit([':', '#', '.']).next().unwrap_or_default();
            words.contains(word)
                && match sources.test(test) {
                    None => true,
                    Some(source) => source.path == path && !test.starts_with(path),
                }
        });
        self.add(heirs, || WhyAffected::OwnSource(path.to_owned()));
    }

    /// Who ran what mentions the names.
    fn mentions(&mut self, mentions: &[Mention]) -> Result<()> {
        if mentions.is_empty() {
            return Ok(());
        }
        let mut by_name: HashMap<&str, Vec<&Mention>> = HashMap::new();
        for mention in mentions {
            by_name.entry(&mention.name).or_default().push(mention);
        }
        for path in git::all_files(self.root)? {
            let Some(language) = Language::of_path(&path) else {
                continue;
            };
            let Some(text) = self.text(&path) else {
                continue;
            };
            let hits: Vec<(u32, &Mention)> = (1..)
                .zip(text.lines())
                .flat_map(|(number, line)| {
                    let found = words(line).filter_map(|word| by_name.get(word));
                    found.flatten().map(move |mention| (number, *mention))
                })
                .filter(|(_, mention)| mention.reach != Reach::File || mention.file == path)
                .collect();
            if hits.is_empty() {
                continue;
            }
            let parts = Parts::of(language, &text);
            self.mentioned(&path, &parts, &hits);
        }
        Ok(())
    }

    fn mentioned(&mut self, path: &str, parts: &Parts, hits: &[(u32, &Mention)]) {
        let own = (self.tests_of)(path);
        let inside = |test: &str| match &own {
            TestsOf::Beginning(part) => test.starts_with(part),
            TestsOf::Containing(part) | TestsOf::Code(part) => test.contains(part),
            _ => false,
        };
        let mut functions: BTreeMap<usize, &Mention> = BTreeMap::new();
        let mut loading = None;
        for (line, mention) in hits {
            match parts.at(*line) {
                Part::Function(at) if mention.reach != Reach::Loading => {
                    functions.entry(*at).or_insert(mention);
                }
                Part::Statement(names) if !is_definition(names, mention, path) => {
                    loading = loading.or(Some(*mention));
                }
                _ => {}
            }
        }
        let why =
            |mention: &Mention| WhyAffected::Mentions(mention.name.clone(), mention.file.clone());
        if let Some(mention) = loading {
            let ran = self.runs.tests(path, |_| true);
            self.add(ran, || why(mention));
            let home = self.runs.named(inside);
            self.add(home, || why(mention));
        }
        for (at, mention) in functions {
            let function = &parts.functions[at];
            let span = function.first..=function.last;
            let ran = self.runs.tests(path, |line| span.contains(&line));
            self.add(ran, || why(mention));
            if matches!(own, TestsOf::Code(_)) && !is_test_function(path, &function.name) {
                continue;
            }
            let by_name = |test: &str| inside(test) && names_test(&function.name, test);
            let mut home = self.runs.named(by_name);
            if home.is_empty() && !is_test_like(path, &function.name) {
                home = self.runs.named(inside);
            }
            self.add(home, || why(mention));
        }
    }

    /// A file as it was measured, or as it is if it has not changed.
    fn text(&self, path: &str) -> Option<String> {
        let mut files = self.changes.files.iter();
        match files.find(|file| file.path == path) {
            Some(file) => file.measured.text().map(str::to_owned),
            None => {
                let bytes = std::fs::read(self.root.join(path)).ok()?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            }
        }
    }

    fn never_measured(&mut self) {
        let coverage = &self.runs.spectrum.coverage;
        let tests = &self.runs.spectrum.tests;
        let unknown =
            |test: &TestId| tests[test.index()].outcome.is_none() && coverage.row(*test).is_empty();
        let unknown: Vec<TestId> = coverage.tests().filter(unknown).collect();
        self.add(unknown, || WhyAffected::NotMeasured);
    }

    fn add(&mut self, tests: Vec<TestId>, why: impl Fn() -> WhyAffected) {
        for test in tests {
            self.found.tests.entry(test).or_insert_with(&why);
        }
    }
}

/// Whether a statement is the definition of the name itself.
fn is_definition(names: &[String], mention: &Mention, path: &str) -> bool {
    mention.file == path && names.contains(&mention.name)
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.split(move |c| !is_part(c))
        .filter(|word| !word.is_empty())
}

/// Whether a file of a program, a path relative to the root or a class, is the one at a path.
pub fn is_file(file: &str, path: &str) -> bool {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let class = || stem.replace('/', ".");
    let qualified = |class: String| {
        let rest = class.strip_suffix(file);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    file == path || (!file.contains('/') && qualified(class()))
}
