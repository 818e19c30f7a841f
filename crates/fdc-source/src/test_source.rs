//! The source of a test, found by the test's id.
//!
//! | id | where it is looked for |
//! |---|---|
//! | `path::Class::test[param]` (pytest) | the file, then its function |
//! | `pkg.Class#method(int)[2]` (JUnit) | the class's file, then its method; of overloads the one with these parameters; then the classes it extends |
//! | `package::module::test` (Rust) | the package's `src`, `tests`, `src/bin` and `examples`, the longest path of modules first |
//! | `folder/TestX/sub` (Go) | the `_test.go` files of the folder |
//!
//! An id names the class that ran the test. A test that it inherits is found in Java alone, unless its
//! place is known from its run.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::files::Source;
use crate::{Function, Language, Sources, functions};

/// So many classes that extend one another are gone through.
const DEEPEST: usize = 8;

/// The source of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestSource {
    /// Its file, below the root, with `/`.
    pub path: String,
    /// The number of its first line, from 1.
    pub first: u32,
    /// Its lines with decorators, annotations and comments right above it.
    pub lines: Vec<String>,
    /// Whether the file was changed after the coverage was measured, as far as its time tells.
    pub newer: bool,
}

/// The function that a test is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestFunction {
    /// Its file, below the root, with `/`.
    pub path: String,
    /// Qualified within the file, as [`functions`] names it.
    pub function: String,
    /// Its first line, from 1, with decorators, annotations and comments right above it.
    pub first: u32,
    /// Its last line.
    pub last: u32,
}

impl Sources {
    /// The source of a test, by its id.
    pub fn test(&self, name: &str) -> Option<TestSource> {
        let search = Search::new(self);
        let found = search.find(name)?;
        let parsed = search.read(&found.path)?;
        let source = &parsed.source;
        let lines = (found.first..=found.last).map_while(|number| source.line(number));
        Some(TestSource {
            lines: lines.map(str::to_owned).collect(),
            first: found.first,
            newer: source.newer,
            path: found.path,
        })
    }

    /// The functions of many tests, by their ids; every file is read and parsed once.
    pub fn tests<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Vec<Option<TestFunction>> {
        let search = Search::new(self);
        names.into_iter().map(|name| search.find(name)).collect()
    }

    /// The source of a test that is known to stand at these lines of a file.
    pub fn test_at(&self, file: &str, first: u32, last: u32) -> Option<TestSource> {
        let source = self.read(file)?;
        let lines = source.lines.get((first as usize).checked_sub(1)?..)?;
        let count = (last.saturating_sub(first) as usize + 1).min(lines.len());
        Some(TestSource {
            lines: lines[..count].to_vec(),
            path: source.path,
            first,
            newer: source.newer,
        })
    }
}

/// A source with its functions.
struct Parsed {
    source: Source,
    functions: Vec<Function>,
}

/// A search for tests, which remembers the files that it looked into.
struct Search<'a> {
    sources: &'a Sources,
    parsed: RefCell<HashMap<String, Option<Rc<Parsed>>>>,
}

impl<'a> Search<'a> {
    fn new(sources: &'a Sources) -> Self {
        Search {
            sources,
            parsed: RefCell::default(),
        }
    }

    fn find(&self, name: &str) -> Option<TestFunction> {
        let mut ways = [python, java, go, rust].into_iter();
        ways.find_map(|way| way(self, name))
    }

    fn read(&self, file: &str) -> Option<Rc<Parsed>> {
        if let Some(known) = self.parsed.borrow().get(file) {
            return known.clone();
        }
        let parsed = self.sources.read(file).map(|source| {
            let language = Language::of_path(&source.path);
            let parse = |language| functions(language, &source.lines.join("\n"));
            Rc::new(Parsed {
                functions: language.map(parse).unwrap_or_default(),
                source,
            })
        });
        self.parsed
            .borrow_mut()
            .insert(file.to_owned(), parsed.clone());
        parsed
    }
}

fn python(search: &Search<'_>, name: &str) -> Option<TestFunction> {
    let end = name.find(".py::")? + ".py".len();
    let (path, rest) = (&name[..end], &name[end + "::".len()..]);
    let function = rest.split('[').next()?.replace("::", ".");
    let parsed = search.read(path)?;
    within(&parsed, |found| found == function)
}

fn java(search: &Search<'_>, name: &str) -> Option<TestFunction> {
    let (class, method) = name.split_once('#').or_else(|| name.split_once("::"))?;
    if class.contains('/') {
        return None;
    }
    let method = method.split('[').next()?;
    let mut class = class.to_owned();
    for _ in 0..DEEPEST {
        let parsed = search.read(&class)?;
        let bare = format!("{class}#{}", method.split('(').next()?);
        let exact = format!("{class}#{method}");
        let found = within(&parsed, |found| found == exact)
            .or_else(|| within(&parsed, |found| found.split('(').next() == Some(&*bare)));
        if found.is_some() {
            return found;
        }
        class = extended_class(&parsed.source, &class)?;
    }
    None
}

/// What a class extends, as far as its file tells: by an import, else of the same package.
fn extended_class(source: &Source, class: &str) -> Option<String> {
    let own = class.rsplit(['.', '$']).next()?;
    let text = source.lines.join(" ");
    let head = text.split("class ").skip(1).find_map(|after| {
        let after = after.trim_start().strip_prefix(own)?;
        let whole = !after.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        whole.then(|| after.split('{').next())?
    })?;
    let head = without_type_arguments(head);
    let mut words = head.split_whitespace();
    words.find(|&word| word == "extends")?;
    let extended = words.next()?;
    if extended.contains('.') {
        return Some(extended.to_owned());
    }
    let import = source.lines.iter().find_map(|line| {
        let name = line.trim().strip_prefix("import ")?.strip_suffix(';')?;
        let (_, last) = name.rsplit_once('.')?;
        (last == extended).then(|| name.to_owned())
    });
    import.or_else(|| match class.rsplit_once('.') {
        Some((package, _)) => Some(format!("{package}.{extended}")),
        None => Some(extended.to_owned()),
    })
}

fn without_type_arguments(head: &str) -> String {
    let mut depth = 0u32;
    let outside = head.chars().filter(|&c| {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    });
    outside.collect()
}

fn go(search: &Search<'_>, name: &str) -> Option<TestFunction> {
    let parts: Vec<&str> = name.split('/').collect();
    let is_test = |part: &&str| {
        let kinds = ["Test", "Example", "Fuzz"];
        kinds.iter().any(|kind| part.starts_with(kind))
    };
    let at = parts.iter().position(is_test)?;
    let folder = match &parts[..at] {
        ["."] | [] => String::new(),
        folder => folder.join("/") + "/",
    };
    // Of an import path, which begins with a host, only the end is a folder here.
    let imported = parts[0].contains('.') && at > 1;
    let matches = |path: &&str| {
        let end = path.rfind('/').map_or(0, |at| at + 1);
        let here = &path[..end];
        let tail = imported && format!("/{folder}").ends_with(&format!("/{here}"));
        path.ends_with("_test.go") && (here == folder || tail)
    };
    let tree = search.sources.tree();
    let mut files: Vec<&str> = tree.paths().filter(matches).collect();
    let folder_of = |path: &str| path.rfind('/').unwrap_or(0);
    files.sort_by_key(|path| (std::cmp::Reverse(folder_of(path)), *path));
    in_any(search, files, parts[at])
}

fn rust(search: &Search<'_>, name: &str) -> Option<TestFunction> {
    let parts: Vec<&str> = name.split("::").collect();
    let [package, modules @ .., _function] = parts.as_slice() else {
        return None;
    };
    let own = |path: &str| is_of_package(search.sources, path, package);
    rust_files(modules).into_iter().find_map(|(file, inside)| {
        let mut files: Vec<&str> = search.sources.tree().ending(&file).collect();
        files.sort_by_key(|path| (!own(path), path.len(), *path));
        let function = parts[parts.len() - 1 - inside..].join("::");
        in_any(search, files, &function)
    })
}

/// Files of a package that may hold a test in these modules, and how many modules are inside each.
fn rust_files(modules: &[&str]) -> Vec<(String, usize)> {
    let mut files = Vec::new();
    let count = modules.len();
    let kind = modules.first().and_then(|first| first.split_once('/'));
    if let Some((kind, target)) = kind {
        let folder = match kind {
            "test" => "tests",
            "bin" => "src/bin",
            _ => "examples",
        };
        let target = format!("{folder}/{target}");
        let paths = [
            format!("{target}.rs"),
            format!("{target}/main.rs"),
            "src/main.rs".into(),
        ];
        return paths.map(|path| (path, count - 1)).into();
    }
    for outside in (1..=count).rev() {
        let path = modules[..outside].join("/");
        for (folder, end) in [
            ("src", ".rs"),
            ("src", "/mod.rs"),
            ("tests", ".rs"),
            ("tests", "/mod.rs"),
            ("tests", "/main.rs"),
        ] {
            files.push((format!("{folder}/{path}{end}"), count - outside));
        }
    }
    files.extend(["src/lib.rs", "src/main.rs"].map(|path| (path.to_owned(), count)));
    files
}

/// Whether the manifest above `src`, `tests` or `examples` names the package.
fn is_of_package(sources: &Sources, path: &str, package: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let is_top = |part: &&str| ["src", "tests", "examples"].contains(part);
    let top = parts.iter().rposition(is_top).unwrap_or(0);
    let manifest = [&parts[..top], &["Cargo.toml"]].concat().join("/");
    let names_it = |line: &String| {
        let value = line.strip_prefix("name").map(str::trim_start);
        let value = value.and_then(|value| value.strip_prefix('='));
        let name = value.map(|value| value.trim().trim_matches('"'));
        name.is_some_and(|name| name.replace('-', "_") == package.replace('-', "_"))
    };
    let manifest = sources.read(&manifest);
    manifest.is_some_and(|manifest| manifest.lines.iter().any(names_it))
}

/// The test of that name in the first file that has it.
fn in_any(search: &Search<'_>, files: Vec<&str>, name: &str) -> Option<TestFunction> {
    let mut files = files.into_iter().filter_map(|path| search.read(path));
    files.find_map(|parsed| within(&parsed, |found| found == name))
}

/// The first function of a file whose name is right.
fn within(parsed: &Parsed, right: impl Fn(&str) -> bool) -> Option<TestFunction> {
    let Parsed { source, functions } = parsed;
    let function = functions.iter().find(|function| right(&function.name))?;
    Some(TestFunction {
        path: source.path.clone(),
        function: function.name.clone(),
        first: beginning(source, functions, function),
        last: function.last,
    })
}

/// The first line of a function's decorators, attributes, annotations and comments right above it.
fn beginning(source: &Source, all: &[Function], function: &Function) -> u32 {
    let own = indentation(source.line(function.first).unwrap_or_default());
    let before = all.iter().map(|other| other.last);
    let free = before.filter(|&last| last < function.first).max();
    let free = free.unwrap_or(0);
    let above = (free + 1..function.first).rev();
    let belongs = |&number: &u32| {
        let line = source.line(number).unwrap_or_default();
        !line.trim().is_empty() && indentation(line) >= own
    };
    let block = above.take_while(belongs).last().unwrap_or(function.first);
    let marks = ["@", "#", "//", "/*"];
    let begins = |&number: &u32| {
        let line = source.line(number).unwrap_or_default().trim_start();
        marks.iter().any(|mark| line.starts_with(mark))
    };
    let found = (block..function.first).find(begins);
    found.unwrap_or(function.first)
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn found(folder: &str, name: &str) -> Option<(String, u32, Vec<String>)> {
        let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
        let sources = Sources::below(&testdata.join(folder), None).unwrap();
        let test = sources.test(name)?;
        Some((test.path, test.first, test.lines))
    }

    fn first_line(folder: &str, name: &str) -> (String, String) {
        let (path, _, lines) = found(folder, name).unwrap_or_else(|| panic!("{name}"));
        (path, lines[0].trim().to_owned())
    }

    #[test]
    fn pytest_ids_lead_to_the_function_with_its_decorators() {
        let name = "tests/test_discount.py::test_members_pay_less[silver-2.00]";
        let (path, first, lines) = found("orders", name).unwrap();
        assert_eq!((&*path, first), ("tests/test_discount.py", 39));
        assert!(lines[0].starts_with("@pytest.mark.parametrize("));
        assert_eq!(lines[1], "def test_members_pay_less(level, discount):");
        let method = "tests/test_cart.py::TestCart::test_limit[4]";
        let (_, _, lines) = found("subjects/python", method).unwrap();
        assert_eq!(lines[1], "    def test_limit(self, cart, count):");
        assert_eq!(lines.len(), 3);
        assert_eq!(
            found("orders", "tests/test_discount.py::test_nothing"),
            None
        );
        assert_eq!(found("orders", "tests/../../x.py::test_nothing"), None);
    }

    #[test]
    fn junit_ids_lead_to_the_method_of_the_class() {
        let cart = "new/src/test/java/org/shop/CartTest.java";
        for (name, first) in [
            ("org.shop.CartTest#empty", "@Test"),
            ("org.shop.CartTest#one(int)[2]", "@ParameterizedTest"),
            ("org.shop.CartTest$Full#discount", "@Test"),
            ("org.shop.CartTest::empty", "@Test"),
        ] {
            let expected = (cart.to_owned(), first.to_owned());
            assert_eq!(first_line("maven-modules", name), expected, "{name}");
        }
        assert_eq!(found("maven-modules", "org.shop.CartTest#discount"), None);
        let (path, first, lines) = found("halves/made", "org.halves.MadeTest#minusFour").unwrap();
        assert_eq!((&*path, first), ("org/halves/MadeTest.java", 11));
        assert_eq!(lines[0].trim(), "// Holds on to the bug.");
        assert_eq!(lines.len(), 5);
    }

    #[test]
    fn inherited_junit_tests_are_found_in_the_class_that_has_them() {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [
            (
                "a/Own.java",
                "package a;\nimport b.Base;\npublic final class OwnX {}\nclass Own<T extends List<T>>\n    extends Base<T> {\n  class In extends Near { }\n}\n",
            ),
            (
                "a/Near.java",
                "package a;\nclass Near extends b.Base {\n  void near() {}\n}\n",
            ),
            (
                "b/Base.java",
                "package b;\nabstract class Base extends Base {\n  @Test\n  void base() {}\n}\n",
            ),
        ] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let sources = Sources::below(folder.path(), None).unwrap();
        let place = |name: &str| sources.test(name).map(|test| (test.path, test.first));
        let base = Some(("b/Base.java".to_owned(), 3));
        assert_eq!(place("a.Own#base"), base);
        assert_eq!(place("a.Near#base()"), base);
        assert_eq!(place("a.Own$In#near"), Some(("a/Near.java".to_owned(), 3)));
        assert_eq!(place("a.Own#nowhere"), None, "a circle ends");
    }

    #[test]
    fn rust_ids_lead_to_the_function_of_the_package() {
        let file = |name| first_line("cargo-project", name).0;
        assert_eq!(file("till::tests::largest_of_numbers"), "src/lib.rs");
        assert_eq!(
            file("till::program::the_program_refuses_words"),
            "tests/program.rs"
        );
        assert_eq!(
            file("till::test/basket::nothing_costs_nothing"),
            "tests/basket.rs"
        );
        // From above there are several packages, and some have a tests/basket.rs or src/lib.rs.
        let (path, _, lines) = found("", "till::tests::a_discount_is_taken_off").unwrap();
        assert_eq!(path, "cargo-project/src/lib.rs");
        assert_eq!(lines[0].trim(), "#[test]");
        assert_eq!(found("cargo-project", "till::tests::nothing"), None);
    }

    #[test]
    fn go_ids_lead_to_the_function_of_the_folder() {
        let line = |name| first_line("go-module", name);
        let expected = |path: &str, first: &str| (path.to_owned(), first.to_owned());
        let cost = expected("parcel_test.go", "func TestCost(t *testing.T) {");
        assert_eq!(line("./TestCost/a/b_[x](y)|z.*"), cost);
        let make = expected("label/label_test.go", "func TestMake(t *testing.T) {");
        assert_eq!(line("label/TestMake"), make);
        assert_eq!(line("example.org/parcel/label/TestMake"), make);
        let fuzz = line("./FuzzCost/seed#0");
        assert_eq!(fuzz.1, "func FuzzCost(f *testing.F) {");
        assert_eq!(
            line("./TestSum").1,
            "// Fails by itself, while its parts pass."
        );
        assert_eq!(found("go-module", "label/TestCost"), None);
    }

    #[test]
    fn odd_names_lead_nowhere() {
        for name in [
            "", "::", "#", "/", "a.py::", "[", "Test", "a::", "::a", "\u{1b}#x", "TestCost",
        ] {
            let nothing = found("halves", name);
            assert_eq!(nothing, None, "{name:?}");
        }
    }
}
