//! Mutants that eat memory, fill files, leave processes running, damage the project or hang: each is
//! dealt with, and what comes after it fares as if it had not been there.

mod notes;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fdc_case::Case;
use fdc_case::mutants::Fate;
use fdc_collect::settings::Settings;
use fdc_collect::{CollectOptions, MutateOptions, collect, ecosystem_named, mutate};

use notes::Notes;

/// A project in which the negated condition of a function does harm, and tests that run all of it.
struct Harmful {
    kind: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// What stands for `NAME!` in the source: the harm of a function. Without harm, `calm`.
    harms: &'static [(&'static str, &'static str)],
    calm: &'static str,
    /// What became of the mutants that do harm, by function.
    fates: &'static [(&'static str, Fate)],
}

/// Nobody else sleeps for so long.
const NAP: &str = "60437";
/// Sleeps in a session of its own, and ends when that has begun.
const NAP_SCRIPT: &str = "setsid -f sh -c 'echo > $TMPDIR/up; exec sleep 60437'
until [ -e $TMPDIR/up ]; do sleep 0.02; done
";

const PYTHON: Harmful = Harmful {
    kind: "pytest",
    files: &[
        (
            "wild.py",
            "import os
import shutil
import subprocess


def eat(wild):
    if wild:
        EAT!
    return 1


def fill(wild):
    if wild:
        FILL!
    return 2


def leave(wild):
    if wild:
        LEAVE!
    return 3


def destroy(wild):
    if wild:
        DESTROY!
    return 4


def overwrite(wild):
    if wild:
        OVERWRITE!
    return 5


def hang(wild):
    if wild:
        HANG!
    return 6


def tame(count):
    return count + 1
",
        ),
        (
            "test_wild.py",
            "import wild


def test_eat():
    assert wild.eat(False) == 1


def test_fill():
    assert wild.fill(False) == 2


def test_leave():
    assert wild.leave(False) == 3


def test_destroy():
    assert wild.destroy(False) == 4


def test_overwrite():
    assert wild.overwrite(False) == 5


def test_hang():
    assert wild.hang(False) == 6


def test_tame():
    with open('data.txt') as file:
        assert file.read() == 'data'
    assert wild.tame(1) == 2
",
        ),
        ("data.txt", "data"),
    ],
    harms: &[
        ("EAT!", "bytearray(3 << 30)"),
        ("FILL!", "open('full', 'wb').write(bytes(300 << 20))"),
        (
            "LEAVE!",
            "subprocess.Popen(['sleep', '60437'], start_new_session=True)",
        ),
        ("DESTROY!", "shutil.rmtree(os.getcwd())"),
        ("OVERWRITE!", "open('data.txt', 'w').close()"),
        ("HANG!", "\n        while True: pass"),
    ],
    calm: "pass",
    fates: &[
        ("wild.py::eat", Fate::Killed),
        ("wild.py::fill", Fate::Killed),
        ("wild.py::leave", Fate::Survived),
        ("wild.py::destroy", Fate::Survived),
        ("wild.py::overwrite", Fate::Survived),
        ("wild.py::hang", Fate::Hung),
    ],
};

const RUST: Harmful = Harmful {
    kind: "cargo",
    files: &[
        (
            "Cargo.toml",
            "[package]\nname = \"wild\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        ),
        (
            "src/lib.rs",
            "pub fn eat(wild: bool) -> u8 {
    if wild {
        EAT!
    }
    1
}

pub fn fill(wild: bool) -> u8 {
    if wild {
        FILL!
    }
    2
}

pub fn leave(wild: bool) -> u8 {
    if wild {
        LEAVE!
    }
    3
}

pub fn destroy(wild: bool) -> u8 {
    if wild {
        DESTROY!
    }
    4
}

pub fn overwrite(wild: bool) -> u8 {
    if wild {
        OVERWRITE!
    }
    5
}

pub fn hang(wild: bool) -> u8 {
    if wild {
        HANG!
    }
    6
}

pub fn tame(count: u8) -> u8 {
    count + 1
}
",
        ),
        (
            "tests/wild.rs",
            "use wild::*;

#[test]
fn eats() { assert_eq!(eat(false), 1); }
#[test]
fn fills() { assert_eq!(fill(false), 2); }
#[test]
fn leaves() { assert_eq!(leave(false), 3); }
#[test]
fn destroys() { assert_eq!(destroy(false), 4); }
#[test]
fn overwrites() { assert_eq!(overwrite(false), 5); }
#[test]
fn hangs() { assert_eq!(hang(false), 6); }
#[test]
fn tames() {
    assert_eq!(std::fs::read_to_string(\"data.txt\").unwrap(), \"data\");
    assert_eq!(tame(1), 2);
}
",
        ),
        ("data.txt", "data"),
        ("nap.sh", NAP_SCRIPT),
    ],
    harms: &[
        // On a busy machine the limits may come a moment after the start.
        (
            "EAT!",
            "std::hint::black_box((0..192).map(|_| vec![1u8; 16 << 20]).collect::<Vec<_>>());",
        ),
        (
            "FILL!",
            "use std::io::Write as _;
        let mut full = std::fs::File::create(\"full\").unwrap();
        (0..2048).for_each(|_| full.write_all(&[0; 1 << 20]).unwrap());",
        ),
        (
            "LEAVE!",
            "assert!(std::process::Command::new(\"sh\").args([\"-c\", include_str!(\"../nap.sh\")]).status().unwrap().success());",
        ),
        (
            "DESTROY!",
            "std::fs::remove_dir_all(std::env::current_dir().unwrap()).unwrap();",
        ),
        ("OVERWRITE!", "std::fs::write(\"data.txt\", \"\").unwrap();"),
        ("HANG!", "loop { std::hint::spin_loop() }"),
    ],
    calm: "std::hint::spin_loop();",
    fates: &[
        ("eat", Fate::Killed),
        ("fill", Fate::Killed),
        ("leave", Fate::Survived),
        ("destroy", Fate::Survived),
        ("overwrite", Fate::Survived),
        ("hang", Fate::Hung),
    ],
};

const GO: Harmful = Harmful {
    kind: "go",
    files: &[
        ("go.mod", "module example.org/wild\n\ngo 1.21\n"),
        (
            "wild.go",
            "package wild

import (
	_ \"embed\"
	\"os\"
	\"os/exec\"
)

var kept [][]byte

//go:embed nap.sh
var nap string

func run(script string) {
	if err := exec.Command(\"sh\", \"-c\", script).Run(); err != nil {
		panic(err)
	}
}

func write(name string, size int) {
	if err := os.WriteFile(name, make([]byte, size), 0o644); err != nil {
		panic(err)
	}
}

func fill(name string) {
	file, err := os.Create(name)
	for i := 0; i < 2048 && err == nil; i++ {
		_, err = file.Write(make([]byte, 1<<20))
	}
	if err != nil {
		panic(err)
	}
}

func Eat(wild bool) int {
	if wild {
		EAT!
	}
	return 1
}

func Fill(wild bool) int {
	if wild {
		FILL!
	}
	return 2
}

func Leave(wild bool) int {
	if wild {
		LEAVE!
	}
	return 3
}

func Destroy(wild bool) int {
	if wild {
		DESTROY!
	}
	return 4
}

func Overwrite(wild bool) int {
	if wild {
		OVERWRITE!
	}
	return 5
}

func Hang(wild bool) int {
	if wild {
		HANG!
	}
	return 6
}

func Tame(count int) int {
	return count + 1
}
",
        ),
        (
            "wild_test.go",
            "package wild

import (
	\"os\"
	\"testing\"
)

func check(t *testing.T, found, expected int) {
	t.Helper()
	if found != expected {
		t.Error(found)
	}
}

func TestEat(t *testing.T)       { check(t, Eat(false), 1) }
func TestFill(t *testing.T)      { check(t, Fill(false), 2) }
func TestLeave(t *testing.T)     { check(t, Leave(false), 3) }
func TestDestroy(t *testing.T)   { check(t, Destroy(false), 4) }
func TestOverwrite(t *testing.T) { check(t, Overwrite(false), 5) }
func TestHang(t *testing.T)      { check(t, Hang(false), 6) }

func TestTame(t *testing.T) {
	if data, _ := os.ReadFile(\"data.txt\"); string(data) != \"data\" {
		t.Fatal(string(data))
	}
	check(t, Tame(1), 2)
}
",
        ),
        ("data.txt", "data"),
        ("nap.sh", NAP_SCRIPT),
    ],
    harms: &[
        // As above.
        (
            "EAT!",
            "kept = nil
		for i := 0; i < 192; i++ {
			piece := make([]byte, 16<<20)
			for at := 0; at < len(piece); at += 4096 { piece[at] = 1 }
			kept = append(kept, piece)
		}",
        ),
        ("FILL!", "fill(\"full\")"),
        ("LEAVE!", "run(nap)"),
        (
            "DESTROY!",
            "if folder, err := os.Getwd(); err == nil { os.RemoveAll(folder) }",
        ),
        ("OVERWRITE!", "write(\"data.txt\", 0)"),
        ("HANG!", "for { kept = nil }"),
    ],
    calm: "kept = nil",
    fates: &[
        ("Eat", Fate::Killed),
        ("Fill", Fate::Killed),
        ("Leave", Fate::Survived),
        ("Destroy", Fate::Survived),
        ("Overwrite", Fate::Survived),
        ("Hang", Fate::Hung),
    ],
};

struct Tried {
    _folder: tempfile::TempDir,
    options: MutateOptions,
    notes: Vec<String>,
}

impl Tried {
    fn of(harmful: &Harmful, does_harm: bool, settings: &Settings) -> Tried {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("project");
        for (name, text) in harmful.files {
            let mut text = (*text).to_owned();
            for (mark, harm) in harmful.harms {
                text = text.replace(mark, if does_harm { harm } else { harmful.calm });
            }
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let kind = ecosystem_named(harmful.kind).unwrap();
        let run = CollectOptions {
            case: root.join("case.fdc"),
            root,
            runs: 1,
            timeout: Some(Duration::from_secs(20)),
            settings: settings.clone(),
            ..CollectOptions::default()
        };
        collect(kind, &run, &Notes::default()).unwrap();
        let before = files(&run.root);
        let options = MutateOptions {
            run: CollectOptions {
                jobs: Some(2),
                ..run
            },
            seed: 1,
            ..MutateOptions::default()
        };
        let notes = Notes::default();
        mutate(kind, &options, &notes).unwrap();
        let tried = Case::open(&options.run.case).unwrap().mutants().unwrap();
        assert_eq!(notes.tests().len(), tried.len());
        let after = files(&options.run.root);
        assert_eq!(after, before, "the project is not as it was");
        assert!(is_nobody_asleep());
        Tried {
            _folder: folder,
            options,
            notes: notes.notes(),
        }
    }

    /// By method, what is replaced and by what.
    fn fates(&self) -> BTreeMap<(String, String, String), Fate> {
        let case = Case::open(&self.options.run.case).unwrap();
        let all = case.mutants().unwrap().into_iter();
        all.map(|one| ((one.method, one.original, one.change.replacement), one.fate))
            .collect()
    }

    fn number_after(&self, words: &str) -> usize {
        let told = self.notes.iter().find_map(|note| note.strip_prefix(words));
        let told = told.unwrap_or_else(|| panic!("{words:?} in {:?}", self.notes));
        told.trim_start_matches(": ").parse().unwrap()
    }
}

/// All files of a project but those that are the collector's own, with their content.
fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![root.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let made = ["case.fdc", "target", "__pycache__", ".pytest_cache"];
            match path.is_dir() {
                _ if made.contains(&name) => {}
                true => left.push(path),
                false => drop(found.insert(path.clone(), std::fs::read(&path).unwrap())),
            }
        }
    }
    found
}

fn is_nobody_asleep() -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut commands = processes.filter_map(|one| std::fs::read(one.path().join("cmdline")).ok());
    let nap = format!("sleep\0{NAP}\0");
    !commands.any(|command| command == nap.as_bytes())
}

fn check(harmful: &Harmful, settings: &Settings) {
    let wild = Tried::of(harmful, true, settings);
    let fates = wild.fates();
    for (method, expected) in harmful.fates {
        let own = fates.iter().find(|((name, original, _), _)| {
            let plain = name.rsplit("::").next().unwrap_or(name);
            let plain = plain.rsplit(['.', '/']).next().unwrap_or(plain);
            (name == method || plain == *method) && original == "wild"
        });
        let (_, fate) = own.unwrap_or_else(|| panic!("{method}: {fates:#?}"));
        assert_eq!(fate, expected, "{method}");
    }
    let damaged = "mutants that changed files of the project's copy, which were put back";
    assert!(wild.number_after(damaged) >= 2, "{:?}", wild.notes);
    let left = wild.number_after("mutants that left processes running, which were ended");
    assert_eq!(left, 1);
    let hung = wild.number_after("mutants that did not end, and were stopped");
    assert_eq!(hung, 1);
    let calm = Tried::of(harmful, false, settings).fates();
    let others = |all: BTreeMap<(String, String, String), Fate>| -> BTreeSet<_> {
        let all = all.into_iter();
        all.filter(|((_, original, _), _)| original != "wild")
            .collect()
    };
    assert_eq!(others(fates), others(calm));
}

#[test]
fn whatever_a_mutant_of_python_does_stays_with_it() {
    let python = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../venv-python/bin/python");
    if !python.exists() {
        eprintln!("SKIPPED: no {}; run python/environment", python.display());
        return;
    }
    let settings = Settings::default().with("python", python.to_str().unwrap());
    check(&PYTHON, &settings);
}

#[test]
fn whatever_a_mutant_of_rust_does_stays_with_it() {
    check(&RUST, &Settings::default());
}

#[test]
fn whatever_a_mutant_of_go_does_stays_with_it() {
    check(&GO, &Settings::default());
}
