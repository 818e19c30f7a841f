//! A copy of the test project, and what is in its case file.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::orders::{Orders, Report};

/// A copy of the test project in a folder of its own.
pub(crate) struct Project {
    folder: tempfile::TempDir,
    root: PathBuf,
}

/// A case file's content, without what differs from run to run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Case {
    pub tests: Vec<Test>,
    /// Name and reason.
    pub skipped: Vec<(String, String)>,
    /// File, line and method.
    elements: Vec<(String, u32, String)>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Test {
    pub name: String,
    pub outcome: String,
    pub note: Option<String>,
    pub flaky: bool,
    pub lines: BTreeSet<(String, u32)>,
}

impl Project {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("till");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cargo-project");
        copy(&source, &root);
        Project { folder, root }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root.join(path)).unwrap()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        std::fs::write(self.root.join(path), text).unwrap();
    }

    /// Which tests make trouble.
    pub(crate) fn trouble(&self, list: &str) {
        self.write("trouble", list);
    }

    /// A script outside the project; its path.
    pub(crate) fn script(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.into_os_string().into_string().unwrap()
    }

    /// Starts a collection.
    pub(crate) fn start(&self, orders: &Orders) -> Child {
        let mut command = orders.command(&self.root);
        command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Runs a collection to its end.
    pub(crate) fn collect(&self, orders: &Orders) -> Report {
        let output = orders.command(&self.root).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "the collector itself failed: {errors}"
        );
        Report::read(&String::from_utf8_lossy(&output.stdout))
    }

    /// Waits until a process runs whose program's name and arguments contain these; its number.
    pub(crate) fn wait_for_process(&self, folder: &str, program: &str, argument: &str) -> u32 {
        let program = format!("/{program}");
        for _ in 0..6000 {
            for entry in std::fs::read_dir("/proc").unwrap().flatten() {
                let id = entry.file_name().to_string_lossy().parse::<u32>();
                let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
                let line = String::from_utf8_lossy(&line).into_owned();
                let own = line.starts_with(&*self.root.to_string_lossy()) && line.contains(folder);
                let (Ok(id), true) = (id, own) else {
                    continue;
                };
                let mut words = line.split('\0');
                let is_program = words.next().is_some_and(|path| path.contains(&program));
                if is_program && words.any(|word| word == argument) && looks_idle(id) {
                    return id;
                }
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("no process {program} {argument}");
    }

    pub(crate) fn remove_case(&self) {
        std::fs::remove_file(self.root.join("case.fdc")).unwrap();
    }

    pub(crate) fn case(&self) -> Case {
        let path = self.root.join("case.fdc");
        let spectrum = fdc_case::read(&path).unwrap();
        let connection = rusqlite::Connection::open(&path).unwrap();
        let program = &spectrum.program;
        let elements = program.elements.iter().map(|element| {
            let method = &program.methods[element.method.index()];
            let file = program.files[method.file as usize].clone();
            (file, element.line, method.name.clone())
        });
        let elements: Vec<_> = elements.collect();
        let tests = spectrum.coverage.tests().map(|id| {
            let test = spectrum.test(id);
            let covered = spectrum.coverage.elements(id).into_iter();
            let place = |element: u32| {
                let (file, line, _) = &elements[element as usize];
                (file.clone(), *line)
            };
            let note = "SELECT note FROM test WHERE name = ?";
            let note = connection.query_row(note, [&test.name], |row| row.get(0));
            Test {
                name: test.name.clone(),
                outcome: test
                    .outcome
                    .map_or("unknown", |outcome| outcome.name())
                    .to_owned(),
                note: note.unwrap(),
                flaky: test.flaky,
                lines: covered.map(place).collect(),
            }
        });
        let tests = tests.collect();
        let mut query = connection
            .prepare("SELECT name, reason FROM skipped ORDER BY name")
            .unwrap();
        let skipped = query
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        Case {
            tests,
            skipped: skipped.collect::<Result<_, _>>().unwrap(),
            elements,
        }
    }
}

impl Case {
    /// Fails with the first difference, if there is any.
    pub(crate) fn must_be(&self, expected: &Case) {
        for (test, expected) in self.tests.iter().zip(&expected.tests) {
            assert_eq!(test, expected);
        }
        assert_eq!(self.elements, expected.elements);
        assert_eq!(self, expected);
    }

    pub(crate) fn test(&self, name: &str) -> &Test {
        self.tests.iter().find(|test| test.name == name).unwrap()
    }

    pub(crate) fn method(&self, file: &str, line: u32) -> Option<&str> {
        let mut elements = self.elements.iter();
        let found = elements.find(|element| element.0 == file && element.1 == line);
        found.map(|(_, _, method)| &**method)
    }
}

/// Whether the process sleeps, as the hanging test does once it is there.
fn looks_idle(id: u32) -> bool {
    let path = format!("/proc/{id}/stat");
    let stat = std::fs::read_to_string(path).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_some_and(|rest| rest.trim_start().starts_with('S'))
}

/// Whether a process is gone, or waits for somebody to take note that it is.
pub(crate) fn has_ended(id: u32) -> bool {
    let path = format!("/proc/{id}/stat");
    for _ in 0..200 {
        let Ok(stat) = std::fs::read_to_string(&path) else {
            return true;
        };
        let state = stat.rsplit(')').next().unwrap_or_default().trim_start();
        if state.starts_with(['Z', 'X']) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

/// LLVM's tools that fit the compiler. Without them a test that needs them is skipped, loudly; in
/// continuous integration it fails.
pub(crate) fn llvm_tools() -> Option<(String, String)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/llvm-tools");
    let output = Command::new(script).arg("--find").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    if let [profdata, cov] = text.lines().collect::<Vec<_>>().as_slice() {
        return Some(((*profdata).to_owned(), (*cov).to_owned()));
    }
    let why = String::from_utf8_lossy(&output.stderr);
    assert!(
        std::env::var_os("CI").is_none(),
        "LLVM's tools are missing: {why}"
    );
    eprintln!("SKIPPED, LLVM's tools are missing: {why}");
    None
}

pub(crate) fn git(root: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(root);
    command.args([
        "-c",
        "user.name=Tester",
        "-c",
        "user.email=tester@localhost",
    ]);
    let status = command.args(arguments).status().unwrap();
    assert!(status.success(), "git {arguments:?}");
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        match entry.file_name().to_str() {
            Some("target") => {}
            _ if source.is_dir() => copy(&source, &target),
            _ => {
                std::fs::copy(&source, &target).unwrap();
            }
        }
    }
}
