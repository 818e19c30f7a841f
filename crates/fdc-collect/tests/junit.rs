//! `fdc collect junit` with real Maven and JUnit. It needs the jars that `make java` puts into
//! target/java; without them the tests say so and are skipped, and in CI they fail.

mod notes;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use fdc_case::recording::RecordingCounts;
use fdc_collect::filter::Filter;
use fdc_collect::settings::Settings;
use fdc_collect::{Cause, CollectOptions, RunError, collect, ecosystem_named};
use fdc_core::spectrum::Outcome;

use notes::Notes;

/// Whether the jars are there.
fn ready() -> bool {
    let jars = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../java");
    let ready = jars.join("fdc-agent.jar").exists();
    if !ready {
        assert!(std::env::var_os("CI").is_none(), "run `make java` first");
        eprintln!("SKIPPED: no {}; run `make java`", jars.display());
    }
    ready
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            if entry.file_name() != "target" {
                copy(&entry.path(), &target);
            }
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn modules() -> (tempfile::TempDir, CollectOptions) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("shop");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/maven-modules");
    copy(&data, &root);
    let options = CollectOptions {
        root: root.canonicalize().unwrap(),
        case: folder.path().join("case.fdc"),
        runs: 1,
        ..CollectOptions::default()
    };
    (folder, options)
}

fn run(options: &CollectOptions, notes: &Notes) -> Result<RecordingCounts, RunError> {
    collect(ecosystem_named("junit").unwrap(), options, notes)
}

/// Per test its outcome and lines.
fn rows(case: &Path) -> BTreeMap<String, (Outcome, Vec<String>)> {
    let spectrum = fdc_case::read(case).unwrap();
    let program = &spectrum.program;
    let tests = spectrum.coverage.tests().map(|id| {
        let test = spectrum.test(id);
        let lines = spectrum.coverage.elements(id).into_iter().map(|element| {
            let element = program.elements[element as usize];
            let method = &program.methods[element.method.index()];
            let file = program.files[method.file as usize]
                .rsplit('/')
                .next()
                .unwrap();
            format!("{file}:{}", element.line)
        });
        (test.name.clone(), (test.outcome.unwrap(), lines.collect()))
    });
    tests.collect()
}

#[test]
fn maven_modules_of_different_junits_are_measured_in_one_go() {
    if !ready() {
        return;
    }
    let (_folder, options) = modules();
    let notes = Notes::default();
    let progress = run(&options, &notes).unwrap();
    assert_eq!(
        (progress.tests, progress.failing, progress.skipped),
        (7, 2, 2)
    );
    let rows = rows(&options.case);
    let names: Vec<&str> = rows.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "org.shop.CartTest#empty",
            "org.shop.CartTest#one(int)[1]",
            "org.shop.CartTest#one(int)[2]",
            "org.shop.CartTest$Full#discount",
            "org.shop.PriceTest#fewPieces",
            "org.shop.PriceTest#manyPiecesAreCheaper",
            "org.shop.PriceTest#negative",
        ]
    );
    // The line that throws is covered, and so is the initialiser, which another test ran.
    let (outcome, lines) = &rows["org.shop.PriceTest#negative"];
    assert_eq!(*outcome, Outcome::Pass);
    assert_eq!(
        lines.join(" "),
        "Price.java:4 Price.java:9 Price.java:13 Price.java:14"
    );
    // A test of one module covers code of another.
    let (outcome, lines) = &rows["org.shop.CartTest$Full#discount"];
    assert_eq!(*outcome, Outcome::Fail);
    assert!(lines.contains(&"Cart.java:10".into()) && lines.contains(&"Price.java:21".into()));

    // How it failed is kept: the test's own line, JUnit's left out.
    let spectrum = fdc_case::read(&options.case).unwrap();
    let failed = spectrum.test_named("org.shop.CartTest$Full#discount");
    let failure = spectrum.test(failed.unwrap()).failure.as_ref().unwrap();
    assert!(
        failure.exception.is_some() && failure.message.is_some(),
        "{failure:?}"
    );
    let places = failure.frames.iter().map(|frame| &*frame.place);
    assert_eq!(
        places.collect::<Vec<_>>(),
        ["org.shop.CartTest$Full"],
        "{failure:?}"
    );

    let place = failure.source.as_ref().unwrap();
    assert!(
        place.file.ends_with("CartTest.java") && place.first < place.last,
        "{place:?}"
    );

    // Nothing is left to do the second time.
    let again = Notes::default();
    run(&options, &again).unwrap();
    assert!(
        again.tests().iter().all(|test| test.contains("[")),
        "{:?}",
        again.tests()
    );
}

#[test]
fn a_build_that_fails_is_told_in_the_compilers_words_and_leaves_no_case() {
    if !ready() {
        return;
    }
    let (_folder, options) = modules();
    let source = options.root.join("old/src/main/java/org/shop/Price.java");
    let text = std::fs::read_to_string(&source).unwrap();
    std::fs::write(&source, text.replace("price / 100", "price / hundred")).unwrap();
    let error = run(&options, &Notes::default()).unwrap_err();
    assert!(matches!(error.cause(), Some(Cause::Build)), "{error}");
    assert_eq!(
        error.to_string(),
        "the build failed: Maven ended with exit code 1"
    );
    let advice = error.advice().unwrap();
    assert!(
        advice.contains("Price.java:[21,24] cannot find symbol"),
        "{advice}"
    );
    assert!(!options.case.exists());
}

const CODE: &str = "package p;
public class Code {
    public static int half(int n) {
        if (n == 13) while (true) Thread.onSpinWait();
        if (n == 14) Runtime.getRuntime().halt(9);
        if (n == 15) System.exit(0);
        return n / 2;
    }
}
";

const TESTS: &str = "package p;
import static org.junit.Assert.assertEquals;
import org.junit.Test;
public class CodeTest {
    @Test public void even() { assertEquals(2, Code.half(4)); }
    @Test public void exits() { Code.half(15); }
    @Test public void halts() { Code.half(14); }
    @Test public void hangs() { Code.half(13); }
    @Test public void odd() { assertEquals(3, Code.half(7)); }
}
";

/// A class path of one class and its tests, compiled here.
fn class_path() -> (tempfile::TempDir, CollectOptions) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("src/p")).unwrap();
    std::fs::write(at("src/p/Code.java"), CODE).unwrap();
    std::fs::write(at("CodeTest.java"), TESTS).unwrap();
    let repository = PathBuf::from(std::env::var_os("HOME").unwrap()).join(".m2/repository");
    let jars = [
        "junit/junit/4.13.2/junit-4.13.2.jar",
        "org/hamcrest/hamcrest-core/1.3/hamcrest-core-1.3.jar",
    ];
    let mut paths = vec![at("classes"), at("tests")];
    paths.extend(jars.map(|jar| repository.join(jar)));
    let class_path = std::env::join_paths(&paths).unwrap();
    for (source, target) in [("src/p/Code.java", "classes"), ("CodeTest.java", "tests")] {
        let mut javac = Command::new("javac");
        javac
            .arg("-d")
            .arg(at(target))
            .arg("-cp")
            .arg(&class_path)
            .arg(at(source));
        assert!(
            javac.status().unwrap().success(),
            "the jars come with `make java`"
        );
    }
    let options = CollectOptions {
        root: folder.path().canonicalize().unwrap(),
        case: at("case.fdc"),
        runs: 1,
        timeout: Some(Duration::from_secs(2)),
        settings: Settings::default()
            .with("classpath", class_path)
            .with("classes", at("classes"))
            .with("tests", at("tests")),
        ..CollectOptions::default()
    };
    (folder, options)
}

#[test]
fn tests_that_hang_or_end_the_jvm_have_failed_and_the_others_are_measured() {
    if !ready() {
        return;
    }
    let (_folder, options) = class_path();
    let notes = Notes::default();
    let progress = run(&options, &notes).unwrap();
    assert_eq!(
        (progress.tests, progress.failing),
        (5, 3),
        "{:?}",
        notes.notes()
    );
    let rows = rows(&options.case);
    assert_eq!(
        rows["p.CodeTest#even"].1.join(" "),
        "Code.java:4 Code.java:5 Code.java:6 Code.java:7"
    );
    // What ran before the time was over, and before System.exit, is known.
    assert_eq!(rows["p.CodeTest#hangs"].1.join(" "), "Code.java:4");
    assert_eq!(
        rows["p.CodeTest#exits"].1.join(" "),
        "Code.java:4 Code.java:5 Code.java:6"
    );
    // Nothing can be known of a test that halts the machine.
    assert_eq!(rows["p.CodeTest#halts"], (Outcome::Fail, vec![]));
    let said = notes.notes().join("\n");
    assert!(
        said.contains("p.CodeTest#halts: the process ended in it (exit code 9)"),
        "{said}"
    );
}

#[test]
fn several_jvms_share_the_classes_and_a_build_says_so_itself() {
    if !ready() {
        return;
    }
    let (_folder, mut options) = class_path();
    options.filter.only = vec!["even".into(), "odd".into()];
    options.jobs = Some(2);
    let progress = run(&options, &Notes::default()).unwrap();
    assert_eq!((progress.tests, progress.failing), (2, 0));
    let (_folder, mut options) = modules();
    options.jobs = Some(2);
    let error = run(&options, &Notes::default()).unwrap_err();
    assert!(matches!(error.cause(), Some(Cause::Usage)), "{error}");
    assert!(error.advice().unwrap().contains("-DforkCount=2"));
}

#[test]
fn only_the_tests_asked_for_are_run() {
    if !ready() {
        return;
    }
    let (_folder, mut options) = class_path();
    options.filter = Filter {
        only: vec!["*#even".into(), "odd".into()],
        exclude: vec![],
    };
    options.runs = 2;
    let notes = Notes::default();
    let progress = run(&options, &notes).unwrap();
    assert_eq!((progress.tests, progress.flaky), (2, 0));
    assert_eq!(notes.tests().len(), 4, "{:?}", notes.tests());
    options.filter.only = vec!["nothing".into()];
    options.case = options.case.with_file_name("other.fdc");
    let error = run(&options, &Notes::default()).unwrap_err();
    assert!(
        error.to_string().contains("matches --only and --exclude"),
        "{error}"
    );
    assert!(!options.case.exists());
}

#[test]
fn jupiter_without_its_launcher_is_told_what_to_add() {
    if !ready() {
        return;
    }
    let (folder, mut options) = class_path();
    let only_code = folder.path().join("classes").into_os_string();
    options.settings.set("classpath", [only_code]);
    let error = run(&options, &Notes::default()).unwrap_err();
    assert!(matches!(error.cause(), Some(Cause::Tool)), "{error}");
    assert!(
        error.to_string().contains("no JUnit on the class path"),
        "{error}"
    );
}

#[test]
fn a_jvm_that_is_too_old_is_named_with_what_is_needed() {
    let (_folder, mut options) = modules();
    let java = options.case.with_file_name("java");
    std::fs::write(&java, "#!/bin/sh\necho 'java version \"1.7.0_80\"' >&2\n").unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&java, executable).unwrap();
    options.settings.set("java", [java.clone().into()]);
    let error = run(&options, &Notes::default()).unwrap_err();
    assert!(matches!(error.cause(), Some(Cause::Tool)), "{error}");
    let expected = format!("{} is Java 7; Java 8 or newer is needed", java.display());
    assert_eq!(error.to_string(), expected);
    assert!(error.advice().unwrap().contains("--java or JAVA_HOME"));
    assert!(!options.case.exists());
}
