use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fdc_core::Spectrum;
use fdc_core::rows::Rows;
use fdc_core::spectrum::{Fault, Outcome, ProgramBuilder, Test};
use fdc_formats::{FORMATS, Format, detect, format_named};
use proptest::prelude::*;

use super::{files_below, rows, testdata};

/// A path for output in a fresh folder, of the kind the format writes.
fn out(folder: &tempfile::TempDir) -> std::path::PathBuf {
    folder.path().join("out")
}

fn assert_same(found: &Spectrum, expected: &Spectrum) {
    assert_eq!(found.program, expected.program);
    assert_eq!(found.tests, expected.tests);
    assert_eq!(found.fault, expected.fault);
    assert_eq!(rows(found), rows(expected));
}

/// Writes and reads; `None` if the format says that it cannot hold the spectrum, and then nothing
/// may be left behind.
fn written_and_read(format: &Format, spectrum: &Spectrum) -> Option<Spectrum> {
    let folder = tempfile::tempdir().unwrap();
    let path = out(&folder);
    if let Err(error) = (format.write.unwrap())(spectrum, &path) {
        assert!(error.advice().is_some(), "{error}");
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            0,
            "nothing is left behind"
        );
        return None;
    }
    let partial = |path: &Path| path.to_string_lossy().ends_with(".partial");
    assert!(!files_below(folder.path()).iter().any(|path| partial(path)));
    assert_eq!(detect(&path).unwrap().name, format.name);
    Some(
        format
            .read(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", format.name)),
    )
}

type Parts = (
    Vec<(String, u32)>,
    Vec<(String, bool, Vec<bool>)>,
    Vec<bool>,
);

/// A spectrum of elements (method, line), tests (name, passes, covers) and faulty elements; what
/// stands twice is dropped.
fn spectrum((elements, tests, faulty): Parts) -> Spectrum {
    let mut program = ProgramBuilder::default();
    let mut fault = Fault::default();
    let mut seen = std::collections::HashSet::new();
    for ((method, line), faulty) in elements.into_iter().zip(faulty) {
        if seen.insert((method.clone(), line)) {
            let id = program.method(&method, || file_of(&method));
            program.element(id, line, None);
            if faulty {
                fault.methods.push(id);
                fault.elements.push(seen.len() as u32 - 1);
            }
        }
    }
    fault.methods.sort_unstable();
    fault.methods.dedup();
    let program = program.finish();
    let width = program.elements.len() as u32;
    let mut covered = Rows::new(width);
    let mut kept: Vec<Test> = Vec::new();
    for (name, passes, covers) in tests {
        if kept.iter().any(|test| test.name == name) {
            continue;
        }
        let outcome = Some(if passes { Outcome::Pass } else { Outcome::Fail });
        covered
            .push_columns((0..width).filter(|&element| covers[element as usize]))
            .unwrap();
        kept.push(Test {
            name,
            outcome,
            ..Test::default()
        });
    }
    let fault = (!fault.elements.is_empty()).then_some(fault);
    Spectrum::new(None, program, kept, covered, fault).unwrap()
}

fn file_of(method: &str) -> String {
    let class = method.split(['#', ':']).next().unwrap();
    class.split('$').next().unwrap().to_owned()
}

const WIDEST: usize = 40;

fn parts(method: &'static str, test: &'static str, most: usize) -> impl Strategy<Value = Parts> {
    let line = prop_oneof![1u32..50, Just(0), Just(u32::MAX)];
    let covers = proptest::collection::vec(any::<bool>(), WIDEST);
    (
        proptest::collection::vec((method, line), 1..most),
        proptest::collection::vec((test, any::<bool>(), covers), 1..most.min(9)),
        proptest::collection::vec(prop::bool::weighted(0.2), WIDEST),
    )
}

const JAVA_METHOD: &str = r"([a-z]{1,3}\.){0,2}[A-Z][a-z]{0,3}(\$[A-Z1-9])?#[<>a-z]{1,2}\((int)?\)";
const JAVA_TEST: &str = r"[a-z]{1,2}\.[A-Z]Test#[a-z]{1,3}(\[[0-9]: [a-z,]{0,4}\])?";
const PATH_METHOD: &str = r"[a-z]{1,2}/[a-z]{1,2}\.py::[A-Z]?\.?[a-z]{1,2}";
/// All that a format might trip over.
const ANY_NAME: &str = r"([a-zé#:$.,| \r\n/0-9]|PASS|FAILED|::|#tests| \| ){0,8}";

/// Formats of whole matrices that can be written.
fn matrices() -> impl Iterator<Item = &'static Format> {
    let written = FORMATS.iter().filter(|format| format.write.is_some());
    written.filter(|format| !format.has_paths())
}

/// Formats of lines that can be written, and what to call a file of theirs.
const LINES: [(&str, &str); 3] = [
    ("lcov", "out.info"),
    ("cobertura", "out"),
    ("coverage.py", "out.coverage"),
];

/// Per test, the lines that it ran.
fn lines_run(spectrum: &Spectrum) -> BTreeMap<String, BTreeSet<(String, u32)>> {
    let program = &spectrum.program;
    let place = |element: u32| {
        let element = &program.elements[element as usize];
        let file = program.methods[element.method.index()].file;
        (program.files[file as usize].clone(), element.line)
    };
    let tests = spectrum.coverage.tests().map(|id| {
        let ran = spectrum.coverage.elements(id).into_iter().map(place);
        (spectrum.test(id).name.clone(), ran.collect())
    });
    tests.collect()
}

proptest! {
    #[test]
    fn what_a_format_of_lines_writes_is_run_by_the_same_tests(parts in parts(PATH_METHOD, JAVA_TEST, WIDEST)) {
        let expected = spectrum(parts);
        let odd = expected.program.elements.iter().any(|own| !(1..=2_000_000).contains(&own.line));
        for (name, file) in LINES {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(file);
            let format = format_named(name).ok().unwrap();
            let written = (format.write.unwrap())(&expected, &path);
            prop_assert_eq!(written.is_err(), odd, "{}", name);
            if odd {
                prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
                continue;
            }
            // It cannot say that nothing was run.
            if name == "coverage.py" && lines_run(&expected).values().all(BTreeSet::is_empty) {
                prop_assert!(fdc_formats::read(&path).is_err(), "{}", name);
                continue;
            }
            let found = fdc_formats::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
            let (found_run, mut run) = (lines_run(&found), lines_run(&expected));
            if name == "coverage.py" {
                // It has no place for tests that ran nothing.
                run.retain(|test, lines| !lines.is_empty() || found_run.contains_key(test));
            }
            prop_assert_eq!(found_run, run, "{}", name);
            if name == "cobertura" {
                for own in &found.tests {
                    let other = expected.tests.iter().find(|other| other.name == own.name);
                    prop_assert_eq!(Some(own.outcome), other.map(|other| other.outcome));
                }
            }
        }
    }

    #[test]
    fn what_a_format_writes_of_java_programs_it_reads(parts in parts(JAVA_METHOD, JAVA_TEST, WIDEST)) {
        for format in matrices() {
            let mut expected = spectrum(parts.clone());
            if format.name == "gzoltar" {
                expected.fault = None; // It has no place for faults.
            }
            let found = written_and_read(format, &expected).expect("can be written");
            assert_same(&found, &expected);
        }
    }

    #[test]
    fn what_a_format_writes_of_paths_and_functions_it_reads(parts in parts(PATH_METHOD, JAVA_TEST, WIDEST)) {
        for format in matrices() {
            let mut expected = spectrum(parts.clone());
            if format.name == "gzoltar" {
                expected.fault = None;
            }
            let found = written_and_read(format, &expected).expect("can be written");
            assert_same(&found, &expected);
        }
    }

    #[test]
    fn odd_names_are_read_back_or_refused(parts in parts(ANY_NAME, ANY_NAME, 3)) {
        let expected = spectrum(parts);
        for name in ["gzoltar", "tcm"] {
            let Some(found) = written_and_read(format_named(name).ok().unwrap(), &expected) else {
                continue;
            };
            // Files come from the method's name in these formats.
            let names = |s: &Spectrum| -> Vec<_> {
                s.program.methods.iter().map(|method| method.name.clone()).collect()
            };
            prop_assert_eq!(names(&found), names(&expected));
            prop_assert_eq!(&found.program.elements, &expected.program.elements);
            prop_assert_eq!(&found.tests, &expected.tests);
            prop_assert_eq!(rows(&found), rows(&expected));
        }
    }
}

#[test]
fn gzoltar_samples_are_written_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let path = out(&folder);
    let sample = testdata().join("gzoltar/shop");
    let format = format_named("gzoltar").ok().unwrap();
    (format.write.unwrap())(&format.read(&sample).unwrap(), &path).unwrap();
    for name in ["spectra.csv", "matrix.txt"] {
        let text = |folder: &Path| std::fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(text(&path), text(&sample));
    }
    let tests = std::fs::read_to_string(path.join("tests.csv")).unwrap();
    assert!(
        tests.contains("org.shop.CartTest#adds[1: 2, pen, PASS],PASS,0,\n"),
        "{tests}"
    );
}

#[test]
fn tcm_samples_read_back_with_labels_and_faults() {
    let format = format_named("tcm").ok().unwrap();
    for path in files_below(&testdata().join("tcm")) {
        let sample = format.read(&path).unwrap();
        assert_same(&written_and_read(format, &sample).unwrap(), &sample);
    }
}

#[test]
fn a_test_without_an_outcome_is_not_written_to_formats_that_need_one() {
    let csv = testdata().join("csv/judged.csv");
    let spectrum = fdc_formats::read(&csv).unwrap();
    for name in ["gzoltar", "tcm"] {
        let folder = tempfile::tempdir().unwrap();
        let path = out(&folder);
        let error =
            (format_named(name).ok().unwrap().write.unwrap())(&spectrum, &path).unwrap_err();
        let message = error.to_string().replace(&*path.to_string_lossy(), "OUT");
        assert_eq!(
            message,
            "OUT: expected the outcome of every test, found no outcome of test \"t2\""
        );
        assert_eq!(
            error.advice().unwrap(),
            "the dataset and case formats can leave outcomes open: write one of these"
        );
        assert!(!path.exists());
    }
}

#[test]
fn tcm_elements_named_like_sections_keep_their_labels() {
    let text = b"#tests\nt FAILED\n\n#uuts\n#tests | 1\n  | 2\nx\x0b | 3\ny\n\n#matrix\n0 1\n";
    let sample = fdc_formats::tcm::parse(Path::new("odd.tcm"), text).unwrap();
    assert_eq!(sample.program.labels, ["#tests", " ", "x\u{b}", "y"]);
    assert_same(
        &written_and_read(format_named("tcm").ok().unwrap(), &sample).unwrap(),
        &sample,
    );
}
