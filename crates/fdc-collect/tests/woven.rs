//! `fdc mutate` on small projects whose tests are built: all mutants in one build, and each by itself.
//! Both have to find the same.

mod notes;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fdc_case::Case;
use fdc_case::mutants::{Fate, Mutant};
use fdc_collect::{
    CollectOptions, MutateOptions, RunError, Watch, collect, ecosystem_named, mutate,
};

use notes::Notes;

const RUST: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lints.rust]\nwarnings = \"deny\"\n\
         [features]\npictures = []\n\
         [[example]]\nname = \"not-packed\"\npath = \"examples/not-packed.rs\"\nrequired-features = [\"pictures\"]\n",
    ),
    (
        "src/lib.rs",
        "#![forbid(unsafe_code)]
pub mod stock;

/// What so many pieces cost.
pub fn price(count: u32) -> u32 {
    if count > 10 && count != 13 {
        return count * LESS;
    }
    count * each(1)
}

const LESS: u32 = 1 + 1;

const fn each(more: u32) -> u32 {
    more + 2
}

pub fn drain(mut count: u16) -> u16 {
    while count > 0 {
        count -= 1;
    }
    count
}

pub fn name(first: &str, last: &str) -> String {
    String::from(first) + last
}

pub fn size(count: u32) -> &'static str {
    match count {
        0 => \"none\",
        1 | 2 => \"few\",
        _ if count > 100 => \"heaps\",
        _ => \"many\",
    }
}
",
    ),
    (
        "src/stock.rs",
        "#[derive(Debug, Default)]
pub struct Stock {
    pub pieces: Vec<(u32, bool)>,
}

impl Stock {
    pub fn put(&mut self, count: u32) -> Option<u32> {
        self.check(
            count,
            true,
        );
        let last = self.pieces.len();
        self.pieces.push((count, false));
        self.pieces[last].1 = !self.pieces[last].1;
        self.pieces
            .iter()
            .map(|piece| piece.0 + 1)
            .max()
    }

    fn check(&mut self, count: u32, strict: bool) {
        assert!(count < 100, \"too many: {count}\");
        if strict
            // Nobody needs so few.
            && count == 0
        {
            self.pieces.clear();
        }
    }
}
",
    ),
    (
        "tests/shop.rs",
        "use shop::{stock::Stock, *};

#[test]
fn prices() {
    assert_eq!(price(20), 40);
    assert_eq!(price(1), 3);
}

#[test]
fn drains() {
    assert_eq!(drain(3), 0);
}

#[test]
fn names() {
    assert_eq!(name(\"a\", \"b\"), \"ab\");
}

#[test]
fn sizes() {
    assert_eq!([size(0), size(2), size(5)], [\"none\", \"few\", \"many\"]);
    assert_eq!(size(200), \"heaps\");
}

#[test]
fn stock_is_put() {
    let mut stock = Stock::default();
    assert_eq!(stock.put(5), Some(6));
    assert_eq!(stock.put(7), Some(8));
    assert_eq!(stock.pieces.len(), 2);
}
",
    ),
];

const GO: &[(&str, &str)] = &[
    ("go.mod", "module example.org/shop\n\ngo 1.21\n"),
    (
        "shop.go",
        "package shop

import \"strings\"

// Price is what so many pieces cost.
func Price(count int) int {
	each := 3
	if count > 10 && !closed(count) {
		return count * 2
	}
	total := count * each
	return total
}

func closed(count int) bool {
	return count == 13
}

func Drain(count int) int {
	for count > 0 {
		count--
	}
	return count
}

func Name(first, last string) string {
	switch first {
	case \"\":
		return last
	}
	return strings.TrimSpace(first) + last
}
",
    ),
    (
        "shop_test.go",
        "package shop

import \"testing\"

func TestPrice(t *testing.T) {
	for name, wanted := range map[string]int{\"few\": 3, \"many\": 40} {
		t.Run(name, func(t *testing.T) {
			count := map[string]int{\"few\": 1, \"many\": 20}[name]
			if got := Price(count); got != wanted {
				t.Errorf(\"got %d\", got)
			}
		})
	}
}

func TestDrain(t *testing.T) {
	if Drain(3) != 0 {
		panic(\"not empty\")
	}
}

func TestName(t *testing.T) {
	if Name(\"a\", \"b\") != \"ab\" || Name(\"\", \"b\") != \"b\" {
		t.Fatal(Name(\"a\", \"b\"))
	}
}
",
    ),
];

struct Project {
    _folder: tempfile::TempDir,
    kind: &'static str,
    options: MutateOptions,
}

impl Project {
    fn collected(kind: &'static str, files: &[(&str, &str)]) -> Project {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("project");
        for (name, text) in files {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let run = CollectOptions {
            case: root.join("case.fdc"),
            root,
            runs: 1,
            ..CollectOptions::default()
        };
        collect(ecosystem_named(kind).unwrap(), &run, &Notes::default()).unwrap();
        let run = CollectOptions {
            timeout: Some(Duration::from_secs(3)),
            jobs: Some(2),
            ..run
        };
        let options = MutateOptions {
            run,
            seed: 1,
            ..MutateOptions::default()
        };
        Project {
            _folder: folder,
            kind,
            options,
        }
    }

    fn mutate(&self) -> (Vec<Mutant>, Vec<String>) {
        let (notes, kind) = (Notes::default(), ecosystem_named(self.kind).unwrap());
        mutate(kind, &self.options, &notes).unwrap();
        let mutants = self.mutants();
        assert_eq!(notes.tests().len(), mutants.len());
        (mutants, notes.notes())
    }

    fn mutants(&self) -> Vec<Mutant> {
        let case = Case::open(&self.options.run.case).unwrap();
        let mut mutants = case.mutants().unwrap();
        for mutant in &mut mutants {
            mutant.seconds = 0.0;
            // Compiled with coverage or without, closures have other names.
            let frames = mutant
                .kills
                .iter_mut()
                .flat_map(|kill| &mut kill.failure.frames);
            frames.for_each(|frame| frame.function.clear());
        }
        mutants
    }

    fn leaves_nothing_beside_the_case(&self) {
        let left = std::fs::read_dir(&self.options.run.root).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        let is_ours = |name: &&std::ffi::OsString| name.to_string_lossy().starts_with("case.fdc.");
        let ours: Vec<_> = left.iter().filter(is_ours).collect();
        assert!(ours.is_empty(), "{ours:?}");
    }
}

/// Asks to stop after so many mutants.
struct Impatient(AtomicUsize);

impl Watch for Impatient {
    fn finished(&self, _: &str) {
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            });
    }

    fn note(&self, _: &str) {}

    fn asked_to_stop(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

/// A budget that is over and an interruption lose nothing, and change nothing in the end.
fn interrupt(kind: &'static str, files: &[(&str, &str)]) {
    let mut project = Project::collected(kind, files);
    let ecosystem = ecosystem_named(kind).unwrap();
    let measured = std::fs::read(&project.options.run.case).unwrap();
    let (undisturbed, _) = project.mutate();
    std::fs::write(&project.options.run.case, measured).unwrap();
    project.options.budget = Some(Duration::from_nanos(1));
    let counts = mutate(ecosystem, &project.options, &Notes::default()).unwrap();
    assert_eq!((counts.done, counts.planned), (0, undisturbed.len()));
    project.leaves_nothing_beside_the_case();
    project.options.budget = None;
    let impatient = Impatient(AtomicUsize::new(3));
    let error = mutate(ecosystem, &project.options, &impatient).unwrap_err();
    assert!(matches!(error, RunError::Interrupted), "{error}");
    project.leaves_nothing_beside_the_case();
    let some = project.mutants();
    assert!(
        some.len() >= 3 && some.len() < undisturbed.len(),
        "{}",
        some.len()
    );
    let counts = mutate(ecosystem, &project.options, &Notes::default()).unwrap();
    assert_eq!(counts.done, counts.planned);
    assert_eq!(project.mutants(), undisturbed);
    project.leaves_nothing_beside_the_case();
}

#[test]
fn mutants_of_rust_are_the_same_after_a_budget_and_an_interruption() {
    interrupt("cargo", RUST);
}

#[test]
fn mutants_of_go_are_the_same_after_a_budget_and_an_interruption() {
    interrupt("go", GO);
}

/// Tries all mutants both ways; at the most so many have to be built by themselves in any case.
fn compare(kind: &'static str, files: &[(&str, &str)], most_alone: usize) -> Vec<Mutant> {
    let project = Project::collected(kind, files);
    let (woven, notes) = project.mutate();
    let words = "mutants are built at once, ";
    let told = notes.iter().find_map(|note| note.split_once(words));
    let (together, alone) = told.unwrap_or_else(|| panic!("{notes:?}"));
    let alone: usize = alone.split(' ').next().unwrap().parse().unwrap();
    assert!(alone <= most_alone, "{alone} alone, {together} together");
    let mut other = Project::collected(kind, files);
    other.options.alone = true;
    let (cold, _) = other.mutate();
    assert_eq!(woven.len(), cold.len());
    for (one, other) in woven.iter().zip(&cold) {
        assert_eq!(one, other);
    }
    for fate in [Fate::Killed, Fate::Survived, Fate::Hung, Fate::Broken] {
        assert!(woven.iter().any(|mutant| mutant.fate == fate), "{fate:?}");
    }
    project.leaves_nothing_beside_the_case();
    woven
}

#[test]
fn mutants_of_rust_fare_the_same_together_and_alone() {
    compare("cargo", RUST, 12);
}

#[test]
fn mutants_of_go_fare_the_same_together_and_alone() {
    let mutants = compare("go", GO, 6);
    let all = mutants.iter().flat_map(|mutant| &mutant.kills);
    let told = all.filter(|kill| kill.test == "./TestPrice/few");
    let mut told = told.map(|kill| &kill.failure);
    let (message, place) = (Some("got 4"), "shop_test.go");
    let is_told = |failure: &&fdc_core::evidence::FailureRecord| {
        let frame = failure.frames.first();
        let there = frame.is_some_and(|frame| frame.place == place && frame.line == 10);
        failure.message.as_deref() == message && failure.exception.is_none() && there
    };
    assert!(told.any(|failure| is_told(&failure)), "{mutants:#?}");
}

/// What go vet refuses, and a program that panics while it is loading: both compile.
const GO_UNLIKELY: &[(&str, &str)] = &[
    ("go.mod", "module example.org/shop\n\ngo 1.21\n"),
    (
        "shop.go",
        "package shop

import \"fmt\"

var start = begin(1)

func begin(count int) int {
	if count > 5 {
		panic(\"too many\")
	}
	return count
}

func Name(count int) string {
	return fmt.Sprintf(\"piece %d\", count)
}
",
    ),
    (
        "shop_test.go",
        "package shop

import \"testing\"

func TestName(t *testing.T) {
	if Name(start) != \"piece 1\" {
		t.Fatal(Name(1))
	}
}

func TestBegin(t *testing.T) {
	if begin(2) != 2 {
		t.Fatal(begin(2))
	}
}
",
    ),
];

#[test]
fn broken_is_what_does_not_compile_and_nothing_else() {
    for alone in [false, true] {
        let mut project = Project::collected("go", GO_UNLIKELY);
        project.options.alone = alone;
        let (mutants, _) = project.mutate();
        for (mutator, killers) in [
            ("text", &["./TestName"][..]),
            ("condition", &["./TestBegin"]),
        ] {
            let own = mutants.iter().find(|mutant| mutant.mutator == mutator);
            let own = own.unwrap_or_else(|| panic!("{mutator}: {mutants:#?}"));
            assert_eq!(own.fate, Fate::Killed, "{own:#?}");
            let tests: Vec<&str> = own.kills.iter().map(|kill| &*kill.test).collect();
            assert_eq!(tests, killers, "{mutator}, alone: {alone}");
        }
    }
}
