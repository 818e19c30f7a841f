//! testdata/halves, compiled and collected. It needs a JDK, and the jars that `make java` puts into
//! target/java; without them the tests say so and are skipped, and in CI they fail.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use fdc_case as case;
use fdc_collect::settings::Settings;
use fdc_collect::{CollectOptions, Watch};
use fdc_generate::{GenerateOptions, Target};

pub(crate) const FAILING: &str = "org.halves.HalfTest#aNegativeNumberIsTiny";

/// Whether the jars are there.
pub(crate) fn ready() -> bool {
    let jars = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../java");
    let ready = jars.join("fdc-agent.jar").exists() && jars.join("fdc-evosuite.jar").exists();
    if !ready {
        assert!(std::env::var_os("CI").is_none(), "run `make java` first");
        eprintln!("SKIPPED: no {}; run `make java`", jars.display());
    }
    ready
}

pub(crate) fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/halves")
}

/// The code compiled and the human-written tests collected, in a folder of its own.
pub(crate) struct Subject {
    pub folder: tempfile::TempDir,
}

impl Subject {
    pub(crate) fn new() -> Self {
        let subject = Subject {
            folder: tempfile::tempdir().unwrap(),
        };
        // For EvoSuite, which reads no newer classes.
        for (sources, path) in [("faulty", ""), ("fixed", ""), ("human", "faulty")] {
            subject.javac(&testdata().join(sources), sources, path);
        }
        let code = subject.at("faulty");
        let mut class_path = vec![code.clone(), subject.at("human")];
        class_path.extend(junit());
        let options = CollectOptions {
            root: subject.folder.path().canonicalize().unwrap(),
            case: subject.case(),
            runs: 1,
            settings: Settings::default()
                .with("classpath", std::env::join_paths(class_path).unwrap())
                .with("classes", code)
                .with("tests", subject.at("human")),
            ..CollectOptions::default()
        };
        let junit = fdc_collect::ecosystem_named("junit").unwrap();
        fdc_collect::collect(junit, &options, &Nobody).unwrap();
        subject
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn case(&self) -> PathBuf {
        self.at("case.fdc")
    }

    pub(crate) fn javac(&self, sources: &Path, to: &str, class_path: &str) {
        let mut paths = vec![self.at(class_path)];
        paths.extend(junit());
        let mut javac = Command::new("javac");
        javac.args(["-nowarn", "-g", "--release", "8", "-d"]);
        javac.arg(self.at(to)).arg("-cp");
        javac.arg(std::env::join_paths(paths).unwrap());
        let folder = sources.join("org/halves");
        for entry in std::fs::read_dir(folder).unwrap() {
            javac.arg(entry.unwrap().path());
        }
        assert!(javac.status().unwrap().success(), "a JDK is needed");
    }

    pub(crate) fn target(&self) -> Target {
        let spectrum = case::read(&self.case()).unwrap();
        let failing = spectrum.test_named(FAILING).unwrap();
        Target::new(&self.case(), spectrum, failing).unwrap()
    }

    /// Options for the code with the bug, and an output folder.
    pub(crate) fn options(&self, out: &str) -> GenerateOptions {
        GenerateOptions {
            out: self.at(out),
            timeout: Duration::from_secs(2),
            settings: Settings::default()
                .with("classpath", self.at("faulty"))
                .with("tests", testdata().join("made")),
            ..GenerateOptions::default()
        }
    }
}

/// JUnit 4, which comes with `make java`.
fn junit() -> [PathBuf; 2] {
    let repository = PathBuf::from(std::env::var_os("HOME").unwrap()).join(".m2/repository");
    [
        "junit/junit/4.13.2/junit-4.13.2.jar",
        "org/hamcrest/hamcrest-core/1.3/hamcrest-core-1.3.jar",
    ]
    .map(|jar| repository.join(jar))
}

/// Looks on and never asks to stop.
pub(crate) struct Nobody;

impl Watch for Nobody {
    fn note(&self, _text: &str) {}
    fn asked_to_stop(&self) -> bool {
        false
    }
}

/// Fails unless a folder's summary is what `schemas/generate.schema.json` promises.
#[track_caller]
pub(crate) fn check_summary(folder: &Path) {
    let read = |path: &Path| -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    };
    let schema = testdata().join("../../schemas/generate.schema.json");
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    let url = "urn:fdc:schema:generate:1";
    compiler.add_resource(url, read(&schema)).unwrap();
    let index = compiler.compile(url, &mut schemas).unwrap();
    let summary = read(&folder.join("summary.json"));
    if let Err(error) = schemas.validate(&summary, index) {
        panic!("{error:#}\n{summary:#}");
    }
}
