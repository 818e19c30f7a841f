//! Affected tests in the words of the tools that run them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fdc_core::named::Named;
use fdc_source::Sources;

use super::{AffectedReply, ChangedFunction};

/// For which tool tests are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestTool {
    /// The tests' ids, one a line.
    Ids,
    /// Arguments for pytest.
    Pytest,
    /// Command lines of cargo.
    Cargo,
    /// A filter of cargo-nextest.
    Nextest,
    /// Command lines of go.
    Go,
    /// An argument for Maven.
    Maven,
    /// Arguments for Gradle.
    Gradle,
    /// Arguments for JUnit's console launcher.
    Junit,
}

impl Named for TestTool {
    const TABLE: &'static [(Self, &'static str, &'static str)] = &[
        (
            TestTool::Ids,
            "ids",
            "Test ids, one a line; `pytest @FILE` takes them",
        ),
        (
            TestTool::Pytest,
            "pytest",
            "Arguments for pytest, quoted for a shell",
        ),
        (
            TestTool::Cargo,
            "cargo",
            "A cargo test command for each target",
        ),
        (
            TestTool::Nextest,
            "nextest",
            "A filter for `cargo nextest run -E`",
        ),
        (TestTool::Go, "go", "A go test command for each package"),
        (TestTool::Maven, "maven", "-Dtest=... for Maven"),
        (
            TestTool::Gradle,
            "gradle",
            "--tests ... for Gradle, one a line",
        ),
        (
            TestTool::Junit,
            "junit",
            "--select-class and --select-method for JUnit's console launcher",
        ),
    ];
}

impl AffectedReply {
    /// The tool that goes with the project.
    pub fn own_tool(&self) -> TestTool {
        match self.ecosystem {
            "cargo" => TestTool::Cargo,
            "go" => TestTool::Go,
            "junit" if self.root.join("pom.xml").is_file() => TestTool::Maven,
            "junit" => TestTool::Gradle,
            _ => TestTool::Ids,
        }
    }

    /// What runs the affected tests; empty if there are none.
    pub fn for_tool(&self, tool: TestTool) -> String {
        match tool {
            TestTool::Ids => lines(self.ids()),
            TestTool::Pytest => {
                let quoted: Vec<String> = self.ids().iter().map(|id| quoted(id)).collect();
                lines((!quoted.is_empty()).then(|| quoted.join(" ")))
            }
            TestTool::Cargo => cargo(&self.targets()),
            TestTool::Nextest => nextest(&self.targets()),
            TestTool::Go => self.go(),
            TestTool::Maven => self.maven(),
            TestTool::Gradle => {
                let all = self.java().into_iter().map(|(class, method)| match method {
                    Some(method) => format!("--tests {}", quoted(&format!("{class}.{method}"))),
                    None => format!("--tests {}", quoted(&class)),
                });
                lines(all)
            }
            TestTool::Junit => self.junit(),
        }
    }

    /// Ids, with new tests where an id can be made of their source; a changed function with parameters
    /// stands for all its cases, which may be others now.
    fn ids(&self) -> Vec<String> {
        let functions = self.functions.iter();
        let functions: BTreeSet<String> = functions.filter_map(python_id).collect();
        let is_case = |name: &str| {
            let function = name.split('[').next().unwrap_or_default();
            function.len() < name.len() && functions.contains(function)
        };
        let tests = self.tests.iter().map(|test| &test.name);
        let mut ids: BTreeSet<String> = tests.filter(|name| !is_case(name)).cloned().collect();
        let known = |id: &str| {
            let begins = |name: &str| name.starts_with(id) && name[id.len()..].starts_with('[');
            self.tests
                .iter()
                .any(|test| test.name == id || begins(&test.name))
        };
        let own = self.functions.iter().filter_map(|function| {
            let id = python_id(function)?;
            (function.is_new || known(&id)).then_some(id)
        });
        ids.extend(own);
        ids.into_iter().collect()
    }

    /// By cargo target, the paths of its tests.
    fn targets(&self) -> BTreeMap<Target, BTreeSet<String>> {
        let sources = Sources::below(&self.root, None).ok();
        let mut targets: BTreeMap<Target, BTreeSet<String>> = BTreeMap::new();
        for test in &self.tests {
            let Some((package, rest)) = test.name.split_once("::") else {
                continue;
            };
            let explicit = rest.split_once("::").and_then(|(first, path)| {
                let (kind, name) = first.split_once('/')?;
                Some((kind.to_owned(), name.to_owned(), path.to_owned()))
            });
            let (kind, name, path) = explicit.unwrap_or_else(|| {
                let (first, inside) = rest.split_once("::").unwrap_or((rest, ""));
                let file = sources.as_ref().and_then(|s| s.test(&test.name));
                let file = file.map(|file| format!("/{}", file.path));
                let is_target = file.is_some_and(|file| {
                    let ends = [
                        format!("/tests/{first}.rs"),
                        format!("/tests/{first}/main.rs"),
                    ];
                    ends.iter().any(|end| file.ends_with(end))
                });
                match is_target {
                    true => ("test".to_owned(), first.to_owned(), inside.to_owned()),
                    false => ("lib".to_owned(), String::new(), rest.to_owned()),
                }
            });
            let package = package.to_owned();
            let target = Target {
                package,
                kind,
                name,
            };
            targets.entry(target).or_default().insert(path);
        }
        targets
    }

    fn go(&self) -> String {
        let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let is_test = |part: &&str| {
            let kinds = ["Test", "Example", "Fuzz"];
            kinds.iter().any(|kind| part.starts_with(kind))
        };
        for test in &self.tests {
            let parts: Vec<&str> = test.name.split('/').collect();
            if let Some(at) = parts.iter().position(&is_test) {
                let folder = parts[..at].join("/");
                packages
                    .entry(folder)
                    .or_default()
                    .insert(parts[at].to_owned());
            }
        }
        for own in self
            .functions
            .iter()
            .filter(|own| own.file.ends_with(".go"))
        {
            let folder = own.file.rsplit_once('/').map_or(".", |(folder, _)| folder);
            let name = own.function.clone();
            // Of a new file all tests are meant.
            let name = name.unwrap_or_else(|| "(Test|Example|Fuzz).*".to_owned());
            packages.entry(folder.to_owned()).or_default().insert(name);
        }
        lines(packages.into_iter().map(|(folder, names)| {
            let names: Vec<String> = names.into_iter().collect();
            let package = match folder.strip_prefix('.') {
                Some(_) => folder.clone(),
                None if folder.contains('.') => folder.clone(),
                None => format!("./{folder}"),
            };
            let pattern = format!("^({})$", names.join("|"));
            format!("go test {} -run {}", quoted(&package), quoted(&pattern))
        }))
    }

    /// Classes, each with its methods or as a whole.
    fn java(&self) -> BTreeSet<(String, Option<String>)> {
        let tests = self.tests.iter().filter_map(|test| {
            let (class, method) = test.name.split_once('#')?;
            let method = method.split(['(', '[']).next()?;
            Some((class.to_owned(), Some(method.to_owned())))
        });
        let new = self
            .functions
            .iter()
            .filter(|own| own.file.ends_with(".java"));
        let new = new.filter_map(|own| match &own.function {
            Some(name) => {
                let (class, method) = name.split_once('#')?;
                let method = method.split('(').next()?;
                Some((class.to_owned(), Some(method.to_owned())))
            }
            None => {
                let (_, class) = own.file.split_once("src/test/java/")?;
                Some((class.strip_suffix(".java")?.replace('/', "."), None))
            }
        });
        tests.chain(new).collect()
    }

    fn maven(&self) -> String {
        let mut classes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (class, method) in self.java() {
            classes.entry(class).or_default().extend(method);
        }
        let classes = classes
            .into_iter()
            .map(|(class, methods)| match methods.is_empty() {
                true => class,
                false => format!("{class}#{}", methods.join("+")),
            });
        let classes: Vec<String> = classes.collect();
        let all = (!classes.is_empty()).then(|| quoted(&format!("-Dtest={}", classes.join(","))));
        lines(all)
    }

    /// A method with parameters can only be named with their types, which ids do not always have: its
    /// class is selected.
    fn junit(&self) -> String {
        let bare = |class: &str, method: &str| {
            let id = format!("{class}#{method}");
            let ids = [id.clone(), format!("{id}()")];
            self.tests.iter().any(|test| ids.contains(&test.name))
        };
        let selected: BTreeSet<String> = self
            .java()
            .into_iter()
            .map(|(class, method)| match method {
                Some(method) if bare(&class, &method) => {
                    format!("--select-method {}", quoted(&format!("{class}#{method}")))
                }
                _ => format!("--select-class {}", quoted(&class)),
            })
            .collect();
        lines(selected)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Target {
    package: String,
    /// lib, test, bin or example.
    kind: String,
    name: String,
}

fn cargo(targets: &BTreeMap<Target, BTreeSet<String>>) -> String {
    lines(targets.iter().map(|(target, paths)| {
        let target_option = match &*target.kind {
            "lib" => "--lib".to_owned(),
            kind => format!("--{kind} {}", quoted(&target.name)),
        };
        let paths: Vec<String> = paths.iter().map(|path| quoted(path)).collect();
        let (package, paths) = (quoted(&target.package), paths.join(" "));
        format!("cargo test -p {package} {target_option} -- --exact {paths}")
    }))
}

fn nextest(targets: &BTreeMap<Target, BTreeSet<String>>) -> String {
    let mut filters: Vec<String> = Vec::new();
    for (target, paths) in targets {
        let package = &target.package;
        let binary = match &*target.kind {
            "lib" => "kind(lib)".to_owned(),
            kind => format!("kind({kind}) & binary(={})", target.name),
        };
        let tests: Vec<String> = paths.iter().map(|path| format!("test(={path})")).collect();
        let tests = tests.join(" + ");
        filters.push(format!("(package(={package}) & {binary} & ({tests}))"));
    }
    lines((!filters.is_empty()).then(|| filters.join(" + ")))
}

/// The id of a Python test function, or the path of a new file.
fn python_id(own: &ChangedFunction) -> Option<String> {
    let file =
        Some(&own.file).filter(|file| Path::new(file).extension().is_some_and(|e| e == "py"));
    let file = file?;
    Some(match &own.function {
        Some(function) => {
            let bare = function.split('@').next().unwrap_or_default();
            format!("{file}::{}", bare.replace('.', "::"))
        }
        None => file.clone(),
    })
}

fn lines(all: impl IntoIterator<Item = String>) -> String {
    all.into_iter().map(|line| line + "\n").collect()
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@,+%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::AffectedTest;
    use super::*;

    fn reply(
        ecosystem: &'static str,
        tests: &[&str],
        functions: &[(&str, Option<&str>)],
    ) -> AffectedReply {
        let test = |name: &&str| AffectedTest {
            name: (*name).to_owned(),
            outcome: Some("pass"),
            why: "ran-function",
            file: None,
            what: None,
        };
        let function = |(file, name): &(&str, Option<&str>)| ChangedFunction {
            file: (*file).to_owned(),
            function: name.map(str::to_owned),
            is_new: true,
        };
        AffectedReply {
            ecosystem,
            since: String::new(),
            all: tests.len(),
            changed_files: 1,
            tests: tests.iter().map(test).collect(),
            gone: Vec::new(),
            functions: functions.iter().map(function).collect(),
            not_run: Vec::new(),
            any_test: Vec::new(),
            unseen: Vec::new(),
            notes: Vec::new(),
            root: "/nowhere".into(),
        }
    }

    #[test]
    fn every_tool_gets_its_own_words() {
        let python = reply(
            "pytest",
            &[
                "t/test_a.py::test_x[a b]",
                "t/test_a.py::test_x[c]",
                "t/test_a.py::test_y[it's]",
            ],
            &[
                ("t/test_a.py", Some("test_x")),
                ("t/test_new.py", None),
                ("t/test_a.py", Some("T.test_z")),
            ],
        );
        let go = reply(
            "go",
            &["./TestCost/a", "./TestCost/b", "label/TestMake"],
            &[("label/label_test.go", Some("TestNew"))],
        );
        let java = reply(
            "junit",
            &["a.B#c", "a.B#d(int)[2]", "a.E$F#g()"],
            &[("src/test/java/a/New.java", None)],
        );
        let rust = reply(
            "cargo",
            &["till::tests::a", "till::test/basket::b", "till::bin/x::c"],
            &[],
        );
        for (reply, tool, expected) in [
            (
                &python,
                "ids",
                "t/test_a.py::T::test_z\nt/test_a.py::test_x\nt/test_a.py::test_y[it's]\nt/test_new.py\n",
            ),
            (
                &python,
                "pytest",
                "t/test_a.py::T::test_z t/test_a.py::test_x 't/test_a.py::test_y[it'\\''s]' t/test_new.py\n",
            ),
            (
                &go,
                "go",
                "go test . -run '^(TestCost)$'\ngo test ./label -run '^(TestMake|TestNew)$'\n",
            ),
            (&java, "maven", "'-Dtest=a.B#c+d,a.E$F#g,a.New'\n"),
            (
                &java,
                "gradle",
                "--tests a.B.c\n--tests a.B.d\n--tests 'a.E$F.g'\n--tests a.New\n",
            ),
            (
                &java,
                "junit",
                "--select-class a.B\n--select-class a.New\n--select-method 'a.B#c'\n--select-method 'a.E$F#g'\n",
            ),
            (
                &rust,
                "cargo",
                "cargo test -p till --bin x -- --exact c\ncargo test -p till --lib -- --exact tests::a\ncargo test -p till --test basket -- --exact b\n",
            ),
            (
                &rust,
                "nextest",
                "(package(=till) & kind(bin) & binary(=x) & (test(=c))) + (package(=till) & kind(lib) & (test(=tests::a))) + (package(=till) & kind(test) & binary(=basket) & (test(=b)))\n",
            ),
        ] {
            let tool = TestTool::named(tool).unwrap();
            assert_eq!(reply.for_tool(tool), expected);
        }
    }

    #[test]
    fn of_nothing_there_is_nothing_to_print() {
        for tool in TestTool::all() {
            assert_eq!(reply("pytest", &[], &[]).for_tool(tool), "");
        }
    }
}
