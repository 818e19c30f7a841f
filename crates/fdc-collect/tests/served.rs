//! `fdc mutate junit` with real Maven, javac and JUnit: mutants in a JVM that stays fare as those that
//! are built one by one. It needs the jars that `make java` puts into target/java; without them the
//! tests say so and are skipped, and in CI they fail.

mod notes;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use fdc_case::Case;
use fdc_case::mutants::{Fate, Mutant};
use fdc_collect::settings::Settings;
use fdc_collect::{
    CollectOptions, MutateOptions, RunError, Watch, collect, ecosystem_named, mutate,
};

use notes::Notes;

fn ready() -> bool {
    let jars = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../java");
    let ready = jars.join("fdc-agent.jar").exists();
    if !ready {
        assert!(std::env::var_os("CI").is_none(), "run `make java` first");
        eprintln!("SKIPPED: no {}; run `make java`", jars.display());
    }
    ready
}

struct Project {
    _folder: tempfile::TempDir,
    options: MutateOptions,
}

impl Project {
    fn mutate(&self, watch: &dyn Watch) -> Result<(), RunError> {
        mutate(ecosystem_named("junit").unwrap(), &self.options, watch).map(drop)
    }

    /// What the case has, without what differs from run to run.
    fn mutants(&self) -> Vec<Mutant> {
        let case = Case::open(&self.options.run.case).unwrap();
        let mut mutants = case.mutants().unwrap();
        mutants.iter_mut().for_each(|mutant| mutant.seconds = 0.0);
        mutants
    }
}

fn collected(folder: tempfile::TempDir, run: CollectOptions) -> Project {
    collect(ecosystem_named("junit").unwrap(), &run, &Notes::default()).unwrap();
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
        options,
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true if entry.file_name() == "target" => {}
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// Two modules, one with JUnit 4 and one with Jupiter: nested classes, parameters.
fn modules() -> Project {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap().join("shop");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/maven-modules");
    copy(&data, &root);
    let run = CollectOptions {
        case: root.join("case.fdc"),
        root,
        runs: 1,
        ..CollectOptions::default()
    };
    collected(folder, run)
}

#[test]
fn mutants_of_maven_modules_fare_as_those_that_are_built_one_by_one() {
    if !ready() {
        return;
    }
    let mut project = modules();
    project.options.number = Some(9);
    let notes = Notes::default();
    project.mutate(&notes).unwrap();
    let served = project.mutants();
    let notes = notes.notes().join("\n");
    assert!(notes.contains("are built at once, "), "{notes}");
    assert!(!notes.contains(" 0 mutants are built at once"), "{notes}");
    let mut other = modules();
    other.options.number = Some(9);
    other.options.alone = true;
    other.mutate(&Notes::default()).unwrap();
    let cold = other.mutants();
    assert_eq!(served.len(), 9);
    assert_eq!(served.len(), cold.len());
    for (one, other) in served.iter().zip(&cold) {
        assert_eq!(one, other);
    }
    let killers = served.iter().flat_map(|mutant| &mutant.kills);
    let killers: Vec<&str> = killers.map(|kill| &*kill.test).collect();
    for test in ["PriceTest#fewPieces", "CartTest#one(int)[2]"] {
        assert!(
            killers.iter().any(|name| name.contains(test)),
            "{killers:?}"
        );
    }
}

const CODE: &str = "package p;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

public class Code {
    static final List<Integer> STEPS = Arrays.asList(4, 10);
    static int registered = Integer.parseInt(\"0\");

    public static int register() {
        registered++;
        return registered;
    }

    public static int half(int n) {
        if (n == 77) {
            System.exit(3);
        }
        return n / 2;
    }

    public static long count(long n) {
        long i = n * 0;
        while (i != n) {
            i++;
        }
        return i;
    }

    public static int fill(int n) {
        List<long[]> all = new ArrayList<>();
        for (int i = 0; i != n; i++) {
            all.add(new long[1 << 20]);
        }
        return all.size();
    }

    public static boolean late(boolean really) {
        if (really) {
            new Thread(() -> count(Long.MAX_VALUE)).start();
        }
        return true;
    }

    public static String named(String first) {
        final int most = 3;
        return first.length() > most ? first.substring(0, most) + \"...\" : first;
    }
}
";

const TESTS: &str = "package p;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import org.junit.Test;

public class CodeTest {
    @Test public void steps() { assertEquals(14, Code.STEPS.get(0) + Code.STEPS.get(1)); }
    @Test public void halves() { assertEquals(2, Code.half(5)); }
    @Test public void counts() { assertEquals(3, Code.count(3)); }
    @Test public void fills() { assertEquals(2, Code.fill(2)); }
    @Test public void late() { assertNull(System.getProperty(\"late\")); Code.late(false); System.setProperty(\"late\", \"yes\"); }
    @Test public void names() { assertEquals(\"abc...\", Code.named(\"abcd\")); }
}
";

const OLD_TESTS: &str = "package p;

public class OldTest extends junit.framework.TestCase {
    public void testRegister() {
        assertEquals(1, Code.register());
    }
}
";

/// A class path of one class and its tests, of JUnit 3 and 4, compiled here.
fn class_path() -> Project {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap().join("code");
    let at = |name: &str| root.join(name);
    for name in ["src/p", "tests/p"] {
        std::fs::create_dir_all(at(name)).unwrap();
    }
    let repository = PathBuf::from(std::env::var_os("HOME").unwrap()).join(".m2/repository");
    let jars = [
        "junit/junit/4.13.2/junit-4.13.2.jar",
        "org/hamcrest/hamcrest-core/1.3/hamcrest-core-1.3.jar",
    ];
    let mut paths = vec![at("classes"), at("test-classes")];
    paths.extend(jars.map(|jar| repository.join(jar)));
    let class_path = std::env::join_paths(&paths).unwrap();
    for (source, text, target) in [
        ("src/p/Code.java", CODE, "classes"),
        ("tests/p/CodeTest.java", TESTS, "test-classes"),
        ("tests/p/OldTest.java", OLD_TESTS, "test-classes"),
    ] {
        std::fs::write(at(source), text).unwrap();
        let mut javac = Command::new("javac");
        javac.args(["-g", "-d"]).arg(at(target));
        javac.arg("-cp").arg(&class_path).arg(at(source));
        assert!(
            javac.status().unwrap().success(),
            "the jars come with `make java`"
        );
    }
    let run = CollectOptions {
        case: root.join("case.fdc"),
        runs: 1,
        settings: Settings::default()
            .with("classpath", class_path)
            .with("classes", at("classes"))
            .with("tests", at("test-classes")),
        arguments: vec!["-Xmx64m".into()],
        root,
        ..CollectOptions::default()
    };
    collected(folder, run)
}

/// By the line's text and the change.
fn fates(mutants: &[Mutant]) -> BTreeMap<String, Fate> {
    let lines: Vec<&str> = CODE.lines().map(str::trim).collect();
    let named = mutants.iter().map(|mutant| {
        let line = lines[mutant.line as usize - 1];
        let name = format!(
            "{line} | {} -> {}",
            mutant.original, mutant.change.replacement
        );
        (name, mutant.fate)
    });
    named.collect()
}

#[test]
fn a_class_path_is_enough_and_no_mutant_disturbs_the_next_one() {
    if !ready() {
        return;
    }
    let project = class_path();
    let notes = Notes::default();
    project.mutate(&notes).unwrap();
    let mutants = project.mutants();
    let fates = fates(&mutants);
    for (name, fate) in [
        ("if (n == 77) { | == -> !=", Fate::Crashed),
        ("if (n == 77) { | 77 -> 78", Fate::Survived),
        ("return n / 2; | 2 -> 3", Fate::Killed),
        ("i++; | ++ -> --", Fate::Hung),
        // Of all longs it comes to n in the end, of all memory it does not.
        ("for (int i = 0; i != n; i++) { | ++ -> --", Fate::Crashed),
        ("for (int i = 0; i != n; i++) { | != -> ==", Fate::Killed),
        ("if (really) { | (really) -> (!(really))", Fate::Survived),
        ("registered++; | ++ -> --", Fate::Killed),
        // A constant for the compiler: built by itself.
        ("final int most = 3; | 3 -> 4", Fate::Killed),
        (
            "return first.length() > most ? first.substring(0, most) + \"...\" : first; | + -> -",
            Fate::Broken,
        ),
    ] {
        assert_eq!(fates.get(name), Some(&fate), "{name}: {fates:#?}");
    }
    let initialised = "static final List<Integer> STEPS = Arrays.asList(4, 10); | 10 -> 11";
    assert_eq!(fates.get(initialised), Some(&Fate::Killed), "{fates:#?}");
    let is_step = |one: &&Mutant| one.original == "10";
    let kills = &mutants.iter().find(is_step).unwrap().kills;
    let killers: Vec<&str> = kills.iter().map(|kill| &*kill.test).collect();
    assert_eq!(killers, ["p.CodeTest#steps"], "all tests run this line");
    let half = mutants
        .iter()
        .find(|one| one.original == "2" && one.line == 20);
    let kill = &half.unwrap().kills[0];
    assert_eq!(kill.test, "p.CodeTest#halves");
    let failure = &kill.failure;
    assert_eq!(
        failure.exception.as_deref(),
        Some("java.lang.AssertionError")
    );
    assert_eq!(failure.message.as_deref(), Some("expected:<2> but was:<1>"));
    assert_eq!(failure.frames[0].place, "p.CodeTest");
    // The original is as it was, and so is the folder.
    let root = &project.options.run.root;
    assert_eq!(
        std::fs::read_to_string(root.join("src/p/Code.java")).unwrap(),
        CODE
    );
    assert!(!root.join("case.fdc.mutants").exists());
}

/// Asks to stop after some mutants.
struct Impatient(Notes, usize);

impl Watch for Impatient {
    fn finished(&self, test: &str) {
        self.0.finished(test);
    }

    fn note(&self, text: &str) {
        self.0.note(text);
    }

    fn asked_to_stop(&self) -> bool {
        self.0.tests().len() >= self.1
    }
}

#[test]
fn an_interrupted_run_goes_on_where_it_ended() {
    if !ready() {
        return;
    }
    let mut project = class_path();
    project.options.number = Some(10);
    let impatient = Impatient(Notes::default(), 3);
    let error = project.mutate(&impatient).unwrap_err();
    assert!(matches!(error, RunError::Interrupted), "{error}");
    let before = project.mutants();
    assert!((3..10).contains(&before.len()), "{}", before.len());
    let notes = Notes::default();
    project.mutate(&notes).unwrap();
    let after = project.mutants();
    assert_eq!(after.len(), 10);
    assert_eq!(notes.tests().len(), 10 - before.len());
    assert!(before.iter().all(|mutant| after.contains(mutant)));
}

#[test]
fn a_class_path_that_the_sources_cannot_be_compiled_on_is_refused() {
    if !ready() {
        return;
    }
    let project = class_path();
    let source = project.options.run.root.join("src/p/Code.java");
    let text = std::fs::read_to_string(&source).unwrap();
    std::fs::write(&source, text.replace("long n) {", "Missing n) {")).unwrap();
    let error = project.mutate(&Notes::default()).unwrap_err();
    let words = "the project's sources cannot be compiled on this class path";
    assert_eq!(error.to_string(), words);
    assert!(project.mutants().is_empty());
}
