//! Java sources of tests, from which methods can be cut.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use fdc_case::FileError;
use fdc_collect::process::{make_folder, read_file, write_file};
use fdc_collect::{Result, RunError};
use fdc_source::{Function, Language, functions};

use super::class_path::files_ending;

/// TestSources by the path that their package asks for, as in `org/x/ATest.java`.
#[derive(Clone, Debug, Default)]
pub(crate) struct TestSources {
    files: BTreeMap<String, Source>,
}

#[derive(Clone, Debug)]
struct Source {
    text: String,
    /// How many tests it had at first.
    tests_at_first: usize,
}

impl TestSources {
    /// All Java sources below a folder, or one file.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let names = match path.is_file() {
            true => vec![path.to_owned()],
            false => {
                let names = files_ending(path, ".java").into_iter();
                names.map(|name| path.join(name)).collect()
            }
        };
        let mut sources = TestSources::default();
        names.iter().try_for_each(|name| sources.add(name))?;
        Ok(sources)
    }

    fn add(&mut self, path: &Path) -> Result<()> {
        let bytes = read_file(path)?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let byte = error.utf8_error().valid_up_to();
            FileError::bad(path, "a source in UTF-8", "something else")
                .at(format_args!("byte {byte}"))
                .hint("convert it, for example with iconv")
        })?;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let place = match package(&text) {
            Some(package) => format!("{}/{file}", package.replace('.', "/")),
            None => file.into_owned(),
        };
        let source = Source {
            tests_at_first: tests(&text).len(),
            text,
        };
        if self.files.insert(place.clone(), source).is_some() {
            let message = format!("{}: there is another {place}", path.display());
            return Err(RunError::input(message, "import one of them at a time"));
        }
        Ok(())
    }

    /// Takes in those of another, whose places are all different.
    pub(crate) fn join(&mut self, other: TestSources) {
        self.files.extend(other.files);
    }

    pub(crate) fn map_texts(&mut self, change: impl Fn(&str) -> String) {
        for source in self.files.values_mut() {
            source.text = change(&source.text);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub(crate) fn mention(&self, text: &str) -> bool {
        self.files.values().any(|source| source.text.contains(text))
    }

    /// Writes them below a folder; their paths there.
    pub(crate) fn write(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        for (place, source) in &self.files {
            let path = folder.join(place);
            let parent = path.parent().unwrap_or(folder);
            make_folder(parent)?;
            write_file(&path, &source.text)?;
            paths.push(path);
        }
        Ok(paths)
    }

    /// Cuts out what is at these places (path, line, column from 1 if it is known): the methods that
    /// hold them, and a whole file where no method does. The tests that went; none if nothing did.
    pub(crate) fn cut_at(&mut self, places: &[SourcePlace]) -> Option<Vec<String>> {
        let mut gone = Vec::new();
        let mut cut_something = false;
        let by_file: BTreeSet<&str> = places.iter().map(|place| &*place.file).collect();
        for file in by_file {
            let Some(source) = self.files.get_mut(file) else {
                continue;
            };
            cut_something = true;
            let found = functions(Language::Java, &source.text);
            let here = places.iter().filter(|place| place.file == file);
            let holding = here.map(|place| outermost(&found, &source.text, place));
            let Some(holding) = holding.collect::<Option<Vec<_>>>() else {
                gone.extend(tests(&source.text));
                self.files.remove(file);
                continue;
            };
            let all: BTreeSet<String> = tests(&source.text).into_iter().collect();
            let names = holding.iter().map(|function| without_types(&function.name));
            gone.extend(names.filter(|name| all.contains(*name)).map(str::to_owned));
            let ranges = holding.iter().map(|function| function.bytes.clone());
            source.text = without(&source.text, ranges.collect());
        }
        gone.sort();
        gone.dedup();
        cut_something.then_some(gone)
    }

    /// Cuts out tests, but for methods of which another run is kept; how many were not found.
    pub(crate) fn cut_tests(&mut self, tests: &BTreeSet<String>, kept: &BTreeSet<String>) -> usize {
        let kept: BTreeSet<String> = kept.iter().map(|test| method_of(test)).collect();
        let wanted = tests.iter().map(|test| method_of(test));
        let mut wanted: BTreeSet<String> = wanted.filter(|test| !kept.contains(test)).collect();
        for source in self.files.values_mut() {
            let found = functions(Language::Java, &source.text).into_iter();
            let cut = found.filter(|function| wanted.remove(&method_of(&function.name)));
            source.text = without(&source.text, cut.map(|function| function.bytes).collect());
        }
        wanted.len()
    }

    /// Takes away the files that had tests and have none left.
    pub(crate) fn without_empty(&self) -> TestSources {
        let used = |source: &Source| source.tests_at_first == 0 || !tests(&source.text).is_empty();
        let files = self.files.iter().filter(|(_, source)| used(source));
        TestSources {
            files: files.map(|(k, v)| (k.clone(), v.clone())).collect(),
        }
    }

    /// The classes of the files, as in `org.x.ATest`.
    pub(crate) fn classes(&self) -> impl Iterator<Item = String> {
        let places = self.files.keys();
        places.map(|place| place.trim_end_matches(".java").replace('/', "."))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SourcePlace {
    /// As in [`TestSources`].
    pub(crate) file: String,
    pub(crate) line: u32,
    /// From 0, in characters, if it is known.
    pub(crate) column: Option<usize>,
}

fn package(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find_map(|line| {
        let rest = line.strip_prefix("package")?;
        rest.starts_with(char::is_whitespace).then_some(rest)
    })?;
    let (name, _) = line.split_once(';')?;
    let name = name.trim();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '$');
    (!name.is_empty() && name.chars().all(plain)).then(|| name.to_owned())
}

/// The tests of a source (`org.x.ATest#m`): methods so annotated or, for JUnit 3, so named.
fn tests(text: &str) -> Vec<String> {
    let is_test = |function: &&Function| {
        let name = without_types(&function.name);
        let name = name.rsplit('#').next().unwrap_or(name);
        let own = text.get(function.bytes.clone()).unwrap_or("");
        let head = own.split('{').next().unwrap_or(own);
        let marks = ["@Test", "@ParameterizedTest", "@RepeatedTest", "@org.junit"];
        let marked = |mark: &&str| head.contains(mark) || own.starts_with(mark);
        name.starts_with("test") || marks.iter().any(marked)
    };
    let found = functions(Language::Java, text);
    let tests = found.iter().filter(is_test);
    let names = tests.map(|function| without_types(&function.name).to_owned());
    names.collect()
}

fn outermost<'f>(functions: &'f [Function], text: &str, at: &SourcePlace) -> Option<&'f Function> {
    let byte = byte_of(text, at);
    let holds = |function: &&Function| match byte {
        Some(byte) => function.bytes.contains(&byte),
        None => function.first <= at.line && at.line <= function.last,
    };
    let holding = functions.iter().filter(holds);
    holding.min_by_key(|function| function.bytes.start)
}

fn byte_of(text: &str, place: &SourcePlace) -> Option<usize> {
    let column = place.column?;
    let line = text.split('\n').nth(place.line.checked_sub(1)? as usize)?;
    let start = line.as_ptr() as usize - text.as_ptr() as usize;
    let within = line.char_indices().nth(column).map(|(at, _)| at);
    Some(start + within.unwrap_or(line.len().saturating_sub(1)))
}

/// The text without these parts, their comments and the lines that become empty.
fn without(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_by_key(|range| range.start);
    let mut left = String::with_capacity(text.len());
    let mut from = 0;
    for range in ranges {
        if range.start < from {
            continue;
        }
        let before = &text[from..range.start];
        left.push_str(&before[..comments_start(before)]);
        from = range.end;
        // The rest of the line, if nothing is on it.
        let rest = text[from..].find('\n').map(|at| &text[from..from + at + 1]);
        if let Some(rest) = rest.filter(|rest| rest.trim().is_empty()) {
            from += rest.len();
        }
    }
    left.push_str(&text[from..]);
    left
}

/// Where the comment lines, blank lines and blanks at the end of a text start.
fn comments_start(text: &str) -> usize {
    let mut start = text.len();
    let mut in_block = false;
    for line in text.split_inclusive('\n').rev() {
        let words = line.trim();
        if words.ends_with("*/") {
            in_block = true;
        }
        if !(in_block || words.is_empty() || words.starts_with("//")) {
            break;
        }
        if words.starts_with("/*") {
            in_block = false;
        } else if in_block && words.contains("/*") {
            // Something else is on the comment's first line.
            break;
        }
        start -= line.len();
    }
    start
}

/// `org.x.A#m` of `org.x.A#m(int)`.
fn without_types(name: &str) -> &str {
    name.split('(').next().unwrap_or(name)
}

/// What a test and its method have in common: no run's number, types by their last names.
fn method_of(test: &str) -> String {
    let plain = match test.rfind('[') {
        Some(at) if test.ends_with(']') && at > 0 && !test[at..].starts_with("[]") => &test[..at],
        _ => test,
    };
    let (name, types) = plain.split_once('(').unwrap_or((plain, ""));
    let types = types.trim_end_matches(')').split(',');
    let types = types.map(|kind| kind.trim().rsplit(['.', '$']).next().unwrap_or(""));
    format!("{name}({})", types.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "package p.q;
import org.junit.Test;
public class ATest {
    int x = 1; // kept

    // Test case number: 0
    /* 3 goals
     * of many */
    @Test(timeout = 4000)
    public void one() { new Runnable() { public void run() { f(); } }; }

    @Test public void two() {} @Test public void three() {}
    private void helper() {}
    public void testOld() {}
}
";

    fn sources() -> TestSources {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ATest.java");
        std::fs::write(&path, TEXT).unwrap();
        TestSources::read(folder.path()).unwrap()
    }

    fn place(line: u32, column: Option<usize>) -> SourcePlace {
        SourcePlace {
            file: "p/q/ATest.java".into(),
            line,
            column,
        }
    }

    fn text(sources: &TestSources) -> &str {
        &sources.files["p/q/ATest.java"].text
    }

    #[test]
    fn a_source_goes_where_its_package_says_and_its_tests_are_known() {
        let sources = sources();
        assert_eq!(sources.classes().collect::<Vec<_>>(), ["p.q.ATest"]);
        let names = super::tests(TEXT);
        let short: Vec<&str> = names.iter().map(|name| &name[10..]).collect();
        assert_eq!(short, ["one", "two", "three", "testOld"]);
    }

    #[test]
    fn the_method_around_an_error_goes_with_its_comments_and_nothing_else() {
        let mut sources = sources();
        let gone = sources.cut_at(&[place(10, Some(61))]).unwrap();
        assert_eq!(gone, ["p.q.ATest#one"]);
        assert!(text(&sources).contains("int x = 1; // kept\n\n    @Test public void two"));
        // By column, where two share a line; without one, the first.
        let mut sources = self::sources();
        assert_eq!(
            sources.cut_at(&[place(12, Some(50))]).unwrap(),
            ["p.q.ATest#three"]
        );
        let mut sources = self::sources();
        assert_eq!(
            sources.cut_at(&[place(12, None)]).unwrap(),
            ["p.q.ATest#two"]
        );
        // A helper is no test, but it goes.
        let mut sources = self::sources();
        let gone = sources.cut_at(&[place(13, Some(20))]).unwrap();
        assert_eq!(gone, Vec::<String>::new());
        assert!(!text(&sources).contains("helper"), "{}", text(&sources));
    }

    #[test]
    fn an_error_outside_of_methods_takes_the_file() {
        let mut sources = sources();
        let gone = sources.cut_at(&[place(2, Some(8))]).unwrap();
        assert_eq!(gone.len(), 4);
        assert!(sources.is_empty());
        assert_eq!(sources.cut_at(&[place(2, None)]), None);
    }

    #[test]
    fn tests_are_cut_by_name_unless_another_run_is_kept() {
        let mut sources = sources();
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let removed = set(&["p.q.ATest#one[1]", "p.q.ATest#two", "p.q.ATest#absent"]);
        let kept = set(&["p.q.ATest#one[0]"]);
        assert_eq!(sources.cut_tests(&removed, &kept), 1);
        let left = super::tests(text(&sources));
        assert_eq!(
            left,
            ["p.q.ATest#one", "p.q.ATest#three", "p.q.ATest#testOld"]
        );
        assert_eq!(
            method_of("a.B#m(java.util.List,int[])[2]"),
            "a.B#m(List,int[])"
        );
        assert_eq!(method_of("a.B#m"), method_of("a.B#m()"));
    }
}
