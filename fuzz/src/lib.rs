//! What is read from outside, each as a function of any bytes: it may refuse them, and must not panic,
//! hang or fill the memory. The fuzz targets call one each; `crates/fdc/tests/any_bytes.rs` calls all
//! of them with mutated seeds, which needs no nightly compiler.

use std::path::{Path, PathBuf};

use fdc::editor::{EditorCase, EditorRequest};
use fdc::label::protocol::{Request, handle};
use fdc::label::{Session, SessionOptions};
use fdc::rank::Scoring;
use fdc_case::{Case, FileError, row};
use fdc_core::selection::Start;
use fdc_core::{Formula, Spectrum};
use fdc_formats::collection::Collection;
use fdc_formats::jacoco::{self, exec};
use fdc_formats::{
    InputSample, LineMatrix, LinesInput, Project, cargo_output, cobertura, coverage_py, csv_matrix,
    dataset, go_profile, istanbul, junit, kill_matrix, lcov, llvm_cov, pytest_output, read_bytes,
    tcm, trace,
};
use fdc_learn::learner::{self, TrainingTask};
use fdc_study::results;
use fdc_study::run::StudyRun;
use tempfile::TempDir;

/// A reader, by the name of its target and of its seeds in `fuzz/corpus/`.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: &[Target] = &[
    ("cargo_output", cargo_output),
    ("case", case),
    ("case_row", case_row),
    ("checkpoint", checkpoint),
    ("class_file", class_file),
    ("cobertura", cobertura),
    ("cosmic_ray", cosmic_ray),
    ("coverage_py", coverage_py),
    ("csv", csv),
    ("dataset", dataset),
    ("evidence", evidence),
    ("go", go),
    ("gzoltar", gzoltar),
    ("istanbul", istanbul),
    ("jacoco", jacoco),
    ("jacoco_xml", jacoco_xml),
    ("jar", jar),
    ("junit", junit),
    ("label", label),
    ("lcov", lcov),
    ("llvm_cov", llvm_cov),
    ("llvm_mapping", llvm_mapping),
    ("llvm_profile", llvm_profile),
    ("lsp", lsp),
    ("major", major),
    ("model", model),
    ("pit", pit),
    ("pytest_output", pytest_output),
    ("results", results),
    ("stryker", stryker),
    ("study", study),
    ("tcm", tcm),
    ("trace", trace),
    ("zstd", zstd),
];

/// What cargo's tests print.
pub fn cargo_output(bytes: &[u8]) {
    let _ = cargo_output::parse(Path::new("input"), bytes);
}

/// A case file, read and opened for answers.
pub fn case(bytes: &[u8]) {
    let (_folder, path) = file("case.fdc", bytes);
    let _ = fdc_case::read(&path);
    let _ = Case::open(&path).and_then(|mut case| {
        case.take_answers()?;
        case.answers()
    });
}

/// A row of a case; a proper one survives another round.
pub fn case_row(bytes: &[u8]) {
    let mut runs = Vec::new();
    if row::decode(bytes, &mut runs).is_err() {
        return;
    }
    let mut maximal: Vec<std::ops::Range<u32>> = Vec::new();
    for run in runs.into_iter().filter(|run| !run.is_empty()) {
        match maximal.last_mut() {
            Some(last) if last.end == run.start => last.end = run.end,
            _ => maximal.push(run),
        }
    }
    // A long run is cheap to write as a pair and dear to compare element by element.
    if maximal.last().is_none_or(|run| run.end < 1 << 16) {
        let mut again = Vec::new();
        row::decode(&row::encode(&maximal), &mut again).unwrap();
        let elements = |runs: Vec<std::ops::Range<u32>>| runs.into_iter().flatten();
        assert!(elements(maximal).eq(elements(again)));
    }
}

/// The checkpoint of a training, resumed.
pub fn checkpoint(bytes: &[u8]) {
    let (_folder, path) = file("model.checkpoint", bytes);
    let trainer = learner::named("rlfdc").unwrap().trainer(&[]).unwrap();
    let task = TrainingTask {
        checkpoint: Some(path),
        resume: true,
        ..TrainingTask::default()
    };
    let _ = trainer.train(&task, &mut ());
}

/// The probes of a class file.
pub fn class_file(bytes: &[u8]) {
    let _ = jacoco::problem_of_class(bytes);
}

/// Cobertura's XML.
pub fn cobertura(bytes: &[u8]) {
    lines_of(bytes, cobertura::parse);
}

/// Cosmic Ray's session.
pub fn cosmic_ray(bytes: &[u8]) {
    let (_folder, path) = file("session.sqlite", bytes);
    let _ = kill_matrix::cosmic_ray::read(&path);
}

/// coverage.py's database.
pub fn coverage_py(bytes: &[u8]) {
    let (_folder, path) = file("data", bytes);
    lines(&Project::new(Path::new("absent")), &path, coverage_py::read);
}

/// A matrix as CSV.
pub fn csv(bytes: &[u8]) {
    let _ = csv_matrix::parse(Path::new("input"), bytes);
}

/// A bug of the dataset.
pub fn dataset(bytes: &[u8]) {
    let _ = dataset::parse(Path::new("input"), bytes);
}

/// What is known of bugs, beside one of them.
pub fn evidence(bytes: &[u8]) {
    let (folder, path) = file("evidence.jsonl", bytes);
    let bug = folder.path().join("bug.json");
    std::fs::write(&bug, include_bytes!("../corpus/dataset/bug")).unwrap();
    let read = Collection::read(&[bug, path]).unwrap();
    assert_eq!(read.bugs.len(), 1);
    read.digest();
}

/// Go's profile.
pub fn go(bytes: &[u8]) {
    lines_of(bytes, go_profile::parse);
}

/// GZoltar's three files, separated by NUL bytes: spectra.csv, matrix.txt and, if there, tests.csv.
/// What can be written reads back the same.
pub fn gzoltar(bytes: &[u8]) {
    use fdc_formats::gzoltar::{parse, read, write};
    let mut files = bytes.splitn(3, |&byte| byte == 0);
    let spectra = (Path::new("spectra.csv"), files.next().unwrap_or_default());
    let matrix = (Path::new("matrix.txt"), files.next().unwrap_or_default());
    let tests = files.next().map(|bytes| (Path::new("tests.csv"), bytes));
    let Ok(spectrum) = parse(spectra, matrix, tests) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    if write(&spectrum, folder.path()).is_ok() {
        same(&spectrum, &read(folder.path()).unwrap());
    }
}

/// Istanbul's JSON.
pub fn istanbul(bytes: &[u8]) {
    lines_of(bytes, istanbul::parse);
}

/// JaCoCo's execution data.
pub fn jacoco(bytes: &[u8]) {
    let (_folder, classes) = file("shop.jar", include_bytes!("../corpus/jar/shop.jar"));
    let project = Project::new(Path::new("absent")).with_classes(vec![classes]);
    lines(&project, Path::new("input"), |input, matrix| {
        exec::parse(input, bytes, matrix)
    });
}

/// JaCoCo's XML.
pub fn jacoco_xml(bytes: &[u8]) {
    lines_of(bytes, jacoco::report::parse);
}

/// The class files of an archive.
pub fn jar(bytes: &[u8]) {
    for name in jacoco::classes_in_archive(bytes).unwrap_or_default() {
        let _ = jacoco::class_in_archive(bytes, &name);
    }
}

/// JUnit's XML.
pub fn junit(bytes: &[u8]) {
    let _ = junit::parse(Path::new("input"), bytes);
}

/// Requests to a session, a line each; what it says it knows is in the case.
pub fn label(bytes: &[u8]) {
    let (_folder, path) = file("case.fdc", include_bytes!("../corpus/case/small"));
    let options = SessionOptions {
        start: Start::Labelled,
        origins: Vec::new(),
        trust: 1.0,
        who: "somebody".to_owned(),
        scoring: Scoring::by(Formula::named("ochiai").unwrap()),
    };
    let metric = fdc_learn::catalogue::parse("split", None).unwrap();
    let mut session = Session::open(&path, None, metric, options).unwrap();
    for line in bytes.split(|&byte| byte == b'\n').take(8) {
        if let Ok(request) = serde_json::from_slice::<Request>(line) {
            let _ = handle(&mut session, request, 3);
        }
    }
    let stored = Case::open(&path).unwrap().answers().unwrap();
    assert_eq!(stored, session.answers());
}

/// LCOV's text.
pub fn lcov(bytes: &[u8]) {
    lines_of(bytes, |input, bytes, matrix| {
        lcov::parse(input, bytes, matrix)
    });
}

/// LLVM's exported JSON.
pub fn llvm_cov(bytes: &[u8]) {
    lines_of(bytes, llvm_cov::parse);
}

/// Two bytes with the length of the file tables, the file tables, the records of functions.
pub fn llvm_mapping(bytes: &[u8]) {
    if let Some((length, rest)) = bytes.split_first_chunk() {
        let length = usize::from(u16::from_le_bytes(*length));
        let (tables, functions) = rest.split_at(length.min(rest.len()));
        let _ = fdc_collect::llvm::regions(tables, functions);
    }
}

/// LLVM's raw profile.
pub fn llvm_profile(bytes: &[u8]) {
    let _ = fdc_collect::llvm::functions_run(bytes);
}

/// What an editor says to the language server: as bytes, then line by line as the messages of a
/// conversation. `ROOT` stands for the project's folder.
pub fn lsp(bytes: &[u8]) {
    let (folder, path) = file("case.fdc", include_bytes!("../corpus/case/small"));
    std::fs::create_dir(folder.path().join("a")).unwrap();
    let source = "class B {\n  void c() { }\n}\n";
    std::fs::write(folder.path().join("a/B.java"), source).unwrap();
    let case = || {
        EditorCase::open(&EditorRequest {
            case: path.clone(),
            source: Some(folder.path().to_owned()),
            workspace: None,
            suspects: 3,
        })
        .unwrap()
    };
    let _ = fdc_lsp::answer(bytes, std::io::sink(), case());
    let root = folder.path().canonicalize().unwrap();
    let text = String::from_utf8_lossy(bytes).replace("ROOT", &root.to_string_lossy());
    let mut framed = Vec::new();
    for line in text.lines().take(20) {
        framed.extend(format!("Content-Length: {}\r\n\r\n{line}", line.len()).into_bytes());
    }
    fdc_lsp::answer(&framed[..], std::io::sink(), case()).unwrap();
}

/// Major's files, separated by NUL bytes: killMap.csv, testMap.csv, mutants.log and, if there, covMap.csv.
pub fn major(bytes: &[u8]) {
    let mut files = bytes.splitn(4, |&byte| byte == 0);
    let mut file = |name| (Path::new(name), files.next().unwrap_or_default());
    let (kills, tests, mutants) = (
        file("killMap.csv"),
        file("testMap.csv"),
        file("mutants.log"),
    );
    let covered = files.next().map(|bytes| (Path::new("covMap.csv"), bytes));
    let _ = kill_matrix::major::parse(kills, tests, mutants, covered);
}

/// A model file of any learner; what is read can be written, explained and exported.
pub fn model(bytes: &[u8]) {
    let (_folder, path) = file("model.safetensors", bytes);
    if let Ok((_, model)) = learner::read(&path) {
        model.to_bytes().unwrap();
        model.explain();
        model.onnx();
    }
}

/// PIT's XML.
pub fn pit(bytes: &[u8]) {
    let _ = kill_matrix::pit::parse(Path::new("input"), bytes);
}

/// What pytest prints.
pub fn pytest_output(bytes: &[u8]) {
    let _ = pytest_output::parse(Path::new("input"), bytes);
}

/// A Parquet table of runs.
pub fn results(bytes: &[u8]) {
    let (_folder, path) = file("results.parquet", bytes);
    let _ = results::read::<StudyRun>(&path);
}

/// Stryker's JSON.
pub fn stryker(bytes: &[u8]) {
    let _ = kill_matrix::stryker::parse(Path::new("input"), bytes);
}

/// A study file.
pub fn study(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = fdc_study::study::Study::parse(text);
    }
}

/// A TCM file; what can be written reads back the same.
pub fn tcm(bytes: &[u8]) {
    let Ok(read) = tcm::parse(Path::new("input"), bytes) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("written.tcm");
    if tcm::write(&read, &path).is_ok() {
        let again = fdc_formats::read(&path).unwrap();
        assert_eq!(read.fault, again.fault);
        same(&read, &again);
    }
}

/// The text of a stack.
pub fn trace(bytes: &[u8]) {
    trace::failure(&String::from_utf8_lossy(bytes));
}

/// A packed file: recognised and unpacked.
pub fn zstd(bytes: &[u8]) {
    let (_folder, path) = file("packed.json.zst", bytes);
    let _ = InputSample::of(&path);
    let _ = read_bytes(&path);
}

/// A file of these bytes in a folder of its own.
fn file(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn lines_of(
    bytes: &[u8],
    parse: impl FnOnce(&LinesInput, &[u8], &mut LineMatrix) -> Result<(), FileError>,
) {
    let project = Project::new(Path::new("absent"));
    lines(&project, Path::new("input"), |input, matrix| {
        parse(input, bytes, matrix)
    });
}

/// A format of lines; what is read makes a spectrum.
fn lines(
    project: &Project,
    path: &Path,
    read: impl FnOnce(&LinesInput, &mut LineMatrix) -> Result<(), FileError>,
) {
    let mut matrix = LineMatrix::new(project);
    let input = LinesInput {
        path,
        test: "t",
        listed: false,
    };
    // A few bytes can stand for millions of lines, which are slow and not worth it.
    if read(&input, &mut matrix).is_ok() && matrix.line_count() < 100_000 {
        matrix.finish(path).unwrap();
    }
}

fn same(one: &Spectrum, other: &Spectrum) {
    assert_eq!(one.program, other.program);
    assert_eq!(one.tests, other.tests);
    for test in one.coverage.tests() {
        assert_eq!(one.coverage.elements(test), other.coverage.elements(test));
    }
}
