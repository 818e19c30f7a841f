//! Collects a copy of `testdata/go-module`. Needs Go; without it these tests say so and do nothing,
//! on a machine of continuous integration they fail.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use fdc_case::recording::RecordingCounts;
use fdc_collect::filter::Filter;
use fdc_collect::{CollectOptions, RunError, Watch, collect, ecosystem_named, ecosystem_of};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Every test that can be measured without markers.
const MEASURED: [&str; 24] = [
    "./ExampleTag",
    "./FuzzCost/seed#0",
    "./FuzzCost/seed#1",
    "./TestCost/#00",
    "./TestCost/a/b_[x](y)|z.*",
    "./TestCost/light_parcel",
    "./TestCost/tab_and_ünïcode",
    "./TestCost/twin",
    "./TestCost/twin#01",
    "./TestCost/wrong",
    "./TestExit",
    "./TestExitQuietly",
    "./TestHeavy/1",
    "./TestHeavy/2001",
    "./TestHeavy/30000",
    "./TestNested/outer/inner",
    "./TestNested/outer/other",
    "./TestShare",
    "./TestShareElsewhere",
    "./TestSum",
    "./TestSum/far",
    "./TestSum/home",
    "label/TestMake",
    "label/TestUnknown",
];

const FAILING: [&str; 7] = [
    "./TestCost/wrong",
    "./TestExit",
    "./TestExitQuietly",
    "./TestHeavy/30000",
    "./TestShare",
    "./TestShareElsewhere",
    "./TestSum",
];

#[test]
fn every_test_and_subtest_is_measured_alone() -> Outcome {
    let Some(project) = Project::new()? else {
        return Ok(());
    };
    let progress = project.collect()?;
    let case = project.case()?;
    assert_eq!(case.tests.keys().collect::<Vec<_>>(), MEASURED);
    let failed = case.tests.iter().filter(|(_, test)| test.outcome == "fail");
    assert_eq!(failed.map(|(name, _)| name).collect::<Vec<_>>(), FAILING);
    assert_eq!(case.skipped, ["./TestHang", "./TestLuck"]);
    assert_eq!(
        (progress.tests, progress.skipped),
        (MEASURED.len() as u64, 2)
    );
    for (test, lines) in [
        ("./TestCost/light_parcel", "parcel.go:21 22 25 27 30"),
        // In Go's blocks a condition belongs to what is before it.
        ("./TestCost/a/b_[x](y)|z.*", "parcel.go:21 22 25 27 28"),
        ("./TestCost/#00", "parcel.go:21 22 23"),
        (
            "./ExampleTag",
            "label/label.go:10 13 14 18 19 20 22 parcel.go:21 22 25 27 30 41 42 43",
        ),
        ("label/TestUnknown", "label/label.go:10 11"),
    ] {
        assert_eq!(case.lines(test), lines, "{test}");
    }
    // What runs while the package is loaded is known, but no test's doing.
    assert!(case.known.contains("parcel.go:16"), "{:?}", case.known);
    let covers_load = |test: &&String| case.tests[*test].lines.contains("parcel.go:16");
    assert_eq!(case.tests.keys().find(covers_load), None);
    assert_eq!(case.methods["parcel.go:30"], "parcel.go::Cost");
    Ok(())
}

#[test]
fn a_test_that_takes_the_program_down_keeps_its_coverage() -> Outcome {
    let Some(project) = Project::new()? else {
        return Ok(());
    };
    std::fs::write(project.root().join("hang"), "")?;
    let options = CollectOptions {
        timeout: Some(Duration::from_secs(2)),
        ..project.options()
    };
    project.collect_with(&options, &Onlooker::default())?;
    let case = project.case()?;
    for (test, note, lines) in [
        (
            "./TestHeavy/30000",
            "panic: too heavy for far [recovered, repanicked]",
            "parcel.go:21 22 25 26",
        ),
        (
            "./TestShare",
            "panic: runtime error: integer divide by zero [recovered, repanicked]",
            "parcel.go:35 36",
        ),
        (
            "./TestShareElsewhere",
            "panic: runtime error: integer divide by zero",
            "parcel.go:35 36",
        ),
        ("./TestExit", "exit code 3", "parcel.go:21 22 23"),
        (
            "./TestHang",
            "timed out after 2 s",
            "parcel.go:21 22 25 27 28",
        ),
        (
            "./TestSum",
            "parcel_test.go:45: sum is 2200",
            "parcel.go:21 22 25 27 30",
        ),
        (
            "./TestCost/wrong",
            "parcel_test.go:25: got 400, want 401",
            "parcel.go:21 22 25 27 30",
        ),
    ] {
        // Versions of Go differ in what follows a panic that was seen before.
        let found = case.tests[test].note.replace(", repanicked", "");
        assert_eq!(found, note.replace(", repanicked", ""), "{test}");
        assert_eq!(case.tests[test].outcome, "fail", "{test}");
        assert_eq!(case.lines(test), lines, "{test}");
    }
    Ok(())
}

#[test]
fn an_interrupted_run_goes_on_and_ends_in_the_same_case() -> Outcome {
    let Some(project) = Project::new()? else {
        return Ok(());
    };
    let impatient = Onlooker {
        patience: Some(5),
        ..Onlooker::default()
    };
    let stopped = project.collect_with(&project.options(), &impatient);
    assert!(matches!(stopped, Err(RunError::Interrupted)), "{stopped:?}");
    let second = Onlooker::default();
    project.collect_with(&project.options(), &second)?;
    let (first, second) = (impatient.tests(), second.tests());
    let again: Vec<_> = second.intersection(&first).collect();
    assert!(again.is_empty(), "measured twice: {again:?}");
    let resumed = project.case()?;
    std::fs::remove_file(&project.options().case)?;
    project.collect()?;
    assert_eq!(resumed, project.case()?);
    Ok(())
}

#[test]
fn filters_reach_subtests() -> Outcome {
    let Some(project) = Project::new()? else {
        return Ok(());
    };
    for (only, exclude, expected) in [
        (
            "TestCost/twin",
            "",
            &["./TestCost/twin", "./TestCost/twin#01"][..],
        ),
        ("inner", "", &["./TestNested/outer/inner"]),
        ("label/*", "Unknown", &["label/TestMake"]),
        ("./TestSum/*", "*home", &["./TestSum/far"]),
    ] {
        let exclude = [exclude].into_iter().filter(|word| !word.is_empty());
        let options = CollectOptions {
            filter: Filter {
                only: vec![only.to_owned()],
                exclude: exclude.map(str::to_owned).collect(),
            },
            ..project.options()
        };
        project.collect_with(&options, &Onlooker::default())?;
        assert_eq!(
            project.case()?.tests.keys().collect::<Vec<_>>(),
            expected,
            "{only}"
        );
        std::fs::remove_file(&options.case)?;
    }
    let nothing = CollectOptions {
        filter: Filter {
            only: vec!["TestNothing".to_owned()],
            exclude: Vec::new(),
        },
        ..project.options()
    };
    let error = failure(project.collect_with(&nothing, &Onlooker::default()));
    assert!(error.contains("matches --only and --exclude"), "{error}");
    assert!(!nothing.case.exists());
    Ok(())
}

#[test]
fn tests_whose_outcome_changes_are_found() -> Outcome {
    let Some(project) = Project::new()? else {
        return Ok(());
    };
    std::fs::write(project.root().join("luck"), "")?;
    let options = CollectOptions {
        runs: 3,
        filter: Filter {
            only: vec!["TestLuck".to_owned(), "TestSum".to_owned()],
            exclude: Vec::new(),
        },
        ..project.options()
    };
    let progress = project.collect_with(&options, &Onlooker::default())?;
    assert_eq!((progress.tests, progress.flaky), (4, 1));
    let case = project.case()?;
    let flaky: Vec<_> = case.tests.iter().filter(|(_, test)| test.flaky).collect();
    assert_eq!(flaky.len(), 1);
    assert_eq!(flaky[0].0, "./TestLuck");
    Ok(())
}

#[test]
fn a_change_is_measured_again_and_nothing_else() -> Outcome {
    let Some(project) = Project::new()? else {
        return Ok(());
    };
    git(&project.root(), &["init", "-q"])?;
    git(&project.root(), &["add", "."])?;
    git(
        &project.root(),
        &[
            "-c",
            "user.name=a",
            "-c",
            "user.email=b",
            "commit",
            "-qm",
            "c",
        ],
    )?;
    project.collect()?;
    let history = fdc_case::read(&project.options().case)?.history;
    let known = history.iter().flatten().map(|known| known.commits);
    assert!(!history.is_empty() && known.eq(history.iter().map(|_| 1)));
    let since = CollectOptions {
        changed_since: Some("HEAD".to_owned()),
        ..project.options()
    };
    for (file, old, new, touched, untouched) in [
        (
            "parcel.go",
            "price * 200",
            "200 * price",
            "./TestSum/home",
            "./TestShare",
        ),
        (
            "label/label_test.go",
            "home: 0.05",
            "home: 0.5",
            "label/TestMake",
            "./TestShare",
        ),
    ] {
        let path = project.root().join(file);
        let text = std::fs::read_to_string(&path)?;
        std::fs::write(&path, text.replace(old, new))?;
        let onlooker = Onlooker::default();
        project.collect_with(&since, &onlooker)?;
        let measured = &onlooker.tests();
        assert!(measured.contains(touched), "{measured:?}");
        assert!(!measured.contains(untouched), "{measured:?}");
        std::fs::write(&path, text)?;
        // Nobody has the text any more that was measured.
        project.collect_with(&since, &Onlooker::default())?;
    }
    assert_eq!(project.case()?.tests.len(), 24);
    Ok(())
}

#[test]
fn a_package_that_does_not_build_is_named_when_the_others_are_measured() -> Outcome {
    let Some(project) = Project::new()? else {
        return Ok(());
    };
    let broken = project.root().join("label/label_test.go");
    std::fs::write(&broken, "package label\n\nfunc f() { nowhere() }\n")?;
    let error = failure(project.collect());
    assert!(
        error.starts_with("example.org/parcel/label does not build"),
        "{error}"
    );
    assert!(error.contains("undefined: nowhere"), "{error}");
    let case = project.case()?;
    assert!(case.tests.contains_key("./TestShare") && !case.tests.contains_key("label/TestMake"));

    std::fs::write(
        project.root().join("parcel.go"),
        "package parcel\n\nvar x = y\n",
    )?;
    let error = failure(project.collect());
    assert!(error.starts_with("2 packages do not build"), "{error}");
    Ok(())
}

#[test]
fn a_module_without_tests_and_a_broken_one_are_told_apart() -> Outcome {
    let Some(project) = Project::new()? else {
        return Ok(());
    };
    std::fs::remove_file(project.root().join("parcel_test.go"))?;
    std::fs::remove_file(project.root().join("label/label_test.go"))?;
    let error = failure(project.collect());
    assert!(error.starts_with("no tests found in "), "{error}");
    assert!(!project.options().case.exists());
    std::fs::write(project.root().join("go.mod"), "module\n")?;
    let error = failure(project.collect());
    assert!(
        error.starts_with("go list failed") && error.contains("go.mod:1"),
        "{error}"
    );
    Ok(())
}

#[test]
fn modules_of_a_workspace_are_measured_together() -> Outcome {
    let Some(project) = Project::new()? else {
        return Ok(());
    };
    let tool = project.root().join("tool");
    std::fs::create_dir(&tool)?;
    std::fs::write(tool.join("go.mod"), "module example.org/tool\n\ngo 1.12\n")?;
    std::fs::write(
        tool.join("tool.go"),
        "package tool\n\nfunc F() int {\n\treturn 1\n}\n",
    )?;
    let test = "package tool_test\n\nimport (\n\t\"testing\"\n\n\t\"example.org/parcel/label\"\n\t\
                \"example.org/tool\"\n)\n\nfunc TestF(t *testing.T) {\n\t\
                label.Make(\"x\", tool.F()-2)\n\tpanic(\"end\")\n}\n";
    std::fs::write(tool.join("tool_test.go"), test)?;
    std::fs::write(
        project.root().join("go.work"),
        "go 1.21\n\nuse (\n\t.\n\t./tool\n)\n",
    )?;
    let options = CollectOptions {
        arguments: vec!["./tool/...".into(), "-short".into()],
        ..project.options()
    };
    project.collect_with(&options, &Onlooker::default())?;
    let case = project.case()?;
    assert_eq!(case.tests.keys().collect::<Vec<_>>(), ["tool/TestF"]);
    assert_eq!(
        case.lines("tool/TestF"),
        "label/label.go:10 11 tool/tool.go:4"
    );
    Ok(())
}

#[test]
fn the_go_command_has_to_be_there() -> Outcome {
    const CHILD: &str = "FDC_TEST_WITHOUT_GO";
    if std::env::var_os(CHILD).is_none() {
        let mut child = Command::new(std::env::current_exe()?);
        child.args(["--exact", "the_go_command_has_to_be_there"]);
        let status = child.env(CHILD, "yes").env("PATH", "").status()?;
        assert!(status.success());
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("go.mod"), "module m\n")?;
    let options = CollectOptions {
        root: folder.path().to_owned(),
        case: folder.path().join("case.fdc"),
        ..CollectOptions::default()
    };
    let ecosystem = ecosystem_of(folder.path())?;
    let error = failure(collect(ecosystem, &options, &Onlooker::default()));
    assert!(
        error.starts_with("the go command does not run: install Go 1.21"),
        "{error}"
    );
    assert!(!options.case.exists());
    Ok(())
}

/// A copy of the module.
struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new() -> Result<Option<Self>, Box<dyn std::error::Error>> {
        if !Command::new("go")
            .arg("version")
            .output()
            .is_ok_and(|out| out.status.success())
        {
            let install = "install it by the system's packages (apt-get install golang-go)";
            assert!(std::env::var_os("CI").is_none(), "Go is missing: {install}");
            eprintln!("SKIPPED: Go is missing: {install}");
            return Ok(None);
        }
        let project = Project {
            folder: tempfile::tempdir()?,
        };
        let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/go-module");
        for file in [
            "go.mod",
            "parcel.go",
            "parcel_test.go",
            "label/label.go",
            "label/label_test.go",
        ] {
            let path = project.root().join(file);
            std::fs::create_dir_all(path.parent().unwrap_or(&path))?;
            std::fs::copy(module.join(file), &path)?;
        }
        Ok(Some(project))
    }

    fn root(&self) -> PathBuf {
        let folder = self.folder.path().canonicalize();
        folder.unwrap_or_default().join("module")
    }

    fn options(&self) -> CollectOptions {
        CollectOptions {
            root: self.root(),
            case: self.folder.path().join("case.fdc"),
            jobs: Some(2),
            runs: 1,
            ..CollectOptions::default()
        }
    }

    fn collect(&self) -> Result<RecordingCounts, RunError> {
        self.collect_with(&self.options(), &Onlooker::default())
    }

    fn collect_with(
        &self,
        options: &CollectOptions,
        watch: &dyn Watch,
    ) -> Result<RecordingCounts, RunError> {
        let ecosystem = ecosystem_named("go").expect("go is known");
        collect(ecosystem, options, watch)
    }

    fn case(&self) -> Result<Case, Box<dyn std::error::Error>> {
        Case::read(&self.options().case)
    }
}

/// What a case file holds, by names.
#[derive(Debug, Default, PartialEq, Eq)]
struct Case {
    tests: BTreeMap<String, Measured>,
    skipped: Vec<String>,
    /// `file:line` of all elements.
    known: BTreeSet<String>,
    methods: BTreeMap<String, String>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Measured {
    outcome: String,
    note: String,
    flaky: bool,
    lines: BTreeSet<String>,
}

impl Case {
    fn read(path: &Path) -> Result<Self, Box<dyn std::error::Error>> {
        let spectrum = fdc_formats::read(path)?;
        let connection = rusqlite::Connection::open(path)?;
        let mut case = Case::default();
        let program = &spectrum.program;
        let place = |element: usize| {
            let method = &program.methods[program.elements[element].method.index()];
            let file = &program.files[method.file as usize];
            (
                format!("{file}:{}", program.elements[element].line),
                method.name.clone(),
            )
        };
        for element in 0..program.elements.len() {
            let (line, method) = place(element);
            case.known.insert(line.clone());
            case.methods.insert(line, method);
        }
        for (id, test) in spectrum.coverage.tests().zip(&spectrum.tests) {
            let note = "SELECT ifnull(note, '') FROM test WHERE name = ?";
            let elements = spectrum.coverage.elements(id);
            let measured = Measured {
                outcome: test.outcome.map_or("", |outcome| outcome.name()).to_owned(),
                note: connection.query_row(note, [&test.name], |row| row.get(0))?,
                flaky: test.flaky,
                lines: elements
                    .into_iter()
                    .map(|element| place(element as usize).0)
                    .collect(),
            };
            case.tests.insert(test.name.clone(), measured);
        }
        let mut names = connection.prepare("SELECT name FROM skipped ORDER BY name")?;
        let names = names.query_map([], |row| row.get(0))?;
        case.skipped = names.collect::<Result<_, _>>()?;
        Ok(case)
    }

    /// `file:line line file:line ...`
    fn lines(&self, test: &str) -> String {
        let mut files: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for line in &self.tests[test].lines {
            if let Some((file, line)) = line.rsplit_once(':') {
                files.entry(file).or_default().extend(line.parse::<u32>());
            }
        }
        let words = files.iter().map(|(file, lines)| {
            let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
            format!("{file}:{}", lines.join(" "))
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

#[derive(Default)]
struct Onlooker {
    /// Asks to stop after so many tests.
    patience: Option<usize>,
    finished: Mutex<BTreeSet<String>>,
}

impl Onlooker {
    fn tests(&self) -> BTreeSet<String> {
        self.finished.lock().unwrap().clone()
    }
}

impl Watch for Onlooker {
    fn finished(&self, test: &str) {
        self.finished.lock().unwrap().insert(test.to_owned());
    }

    fn note(&self, _text: &str) {}

    fn asked_to_stop(&self) -> bool {
        self.patience
            .is_some_and(|patience| self.tests().len() >= patience)
    }
}

fn failure(collected: Result<RecordingCounts, RunError>) -> String {
    match collected {
        Ok(progress) => format!("no failure: {progress:?}"),
        Err(error) => format!("{error}: {}", error.advice().unwrap_or_default()),
    }
}

fn git(folder: &Path, arguments: &[&str]) -> Outcome {
    let status = Command::new("git")
        .current_dir(folder)
        .args(arguments)
        .status()?;
    assert!(status.success(), "git {arguments:?}");
    Ok(())
}
