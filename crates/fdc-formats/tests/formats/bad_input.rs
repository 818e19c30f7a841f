//! What is said of bad input: file, place, expected, found, and what to do.

use fdc_case::FileError;
use fdc_formats::{detect, format_named};

/// A format, the files of the input (the first one is given to the reader), and what is said:
/// the message, then the advice.
pub(super) type Case = (
    &'static str,
    &'static [(&'static str, &'static [u8])],
    &'static str,
    &'static str,
);

const DAMAGED: &str = "the file is damaged or cut off: make it again with the tool that wrote it";
const NOT_ONE_RUN: &str = "the files are damaged or not of one run: make them again with GZoltar";
const GZOLTAR_CUT: &str = "the file is damaged or cut off: make it again with GZoltar";
const NAMES: &str = "give every test a name of its own, e.g. with its class or parameters";
const UTF8: &str = "convert the file to UTF-8";
const EXPLAIN_GZOLTAR: &str = "`fdc explain gzoltar` shows what the files look like";
const EXPLAIN_CSV: &str = "`fdc explain csv` shows an example";
const CELLS: &str = "correct the row: as many cells as the header has, separated by commas";

const SPECTRA: (&str, &[u8]) = ("spectra.csv", b"name\na$B#c():1\na$B#c():2\n");
const TESTS: (&str, &[u8]) = (
    "tests.csv",
    b"name,outcome,runtime,stacktrace\nx,PASS,1,\ny,FAIL,1,\n",
);

const GZOLTAR: &[Case] = &[
    (
        "gzoltar",
        &[SPECTRA],
        "DIR: expected a folder with spectra.csv and matrix.txt, or one of these files, \
         found no matrix.txt",
        EXPLAIN_GZOLTAR,
    ),
    (
        "gzoltar",
        &[("matrix.txt", b"1 1 +\n")],
        "DIR: expected a folder with spectra.csv and matrix.txt, or one of these files, \
         found no spectra.csv",
        EXPLAIN_GZOLTAR,
    ),
    (
        "gzoltar",
        &[("notes.txt", b"hello")],
        "DIR/notes.txt: expected a folder with spectra.csv and matrix.txt, or one of these files, \
         found none of them",
        EXPLAIN_GZOLTAR,
    ),
    (
        "gzoltar",
        &[("matrix.txt", b"1 +\n"), ("spectra.csv", b"")],
        "DIR/spectra.csv: line 1: expected the header \"name\", found an empty file",
        "the first line must be the header that GZoltar 1.7 writes",
    ),
    (
        "gzoltar",
        &[("matrix.txt", b"1 +\n"), ("spectra.csv", b"a$B#c():1\n")],
        "DIR/spectra.csv: line 1: expected the header \"name\", found \"a$B#c():1\"",
        "the first line must be the header that GZoltar 1.7 writes",
    ),
    (
        "gzoltar",
        &[("matrix.txt", b"+\n"), ("spectra.csv", b"name\n")],
        "DIR/spectra.csv: expected one element per line after the header, found no element",
        "GZoltar instrumented no class: check its --includes",
    ),
    (
        "gzoltar",
        &[
            ("matrix.txt", b"1 +\n"),
            ("spectra.csv", b"name\na$B#c()\n"),
        ],
        "DIR/spectra.csv: line 2: expected package$Class#method(types):line, with a line up to \
         4294967295, found \"a$B#c()\"",
        GZOLTAR_CUT,
    ),
    (
        "gzoltar",
        &[
            ("matrix.txt", b"1 +\n"),
            ("spectra.csv", b"name\na$B#c():99999999999\n"),
        ],
        "DIR/spectra.csv: line 2: expected package$Class#method(types):line, with a line up to \
         4294967295, found \"a$B#c():99999999999\"",
        GZOLTAR_CUT,
    ),
    (
        "gzoltar",
        &[
            ("matrix.txt", b"1 1 +\n"),
            ("spectra.csv", b"name\na$B#c():1\n\na$B#c():1\n"),
        ],
        "DIR/spectra.csv: line 4: expected each element once, found \"a$B#c():1\" again, \
         first on line 2",
        NOT_ONE_RUN,
    ),
    (
        "gzoltar",
        &[
            ("matrix.txt", b"1 +\n"),
            ("spectra.csv", b"name\na$B#\xff():1\n"),
        ],
        "DIR/spectra.csv: line 2, byte 9 of the file: expected UTF-8 text, found byte 0xff",
        UTF8,
    ),
    (
        "gzoltar",
        &[("matrix.txt", b""), SPECTRA],
        "DIR/matrix.txt: line 1: expected a row for each test, found the end after 0 rows",
        NOT_ONE_RUN,
    ),
    (
        "gzoltar",
        &[("matrix.txt", b"1 0 +\n1 +\n"), SPECTRA],
        "DIR/matrix.txt: line 2: expected 2 values, one for each element, then + or -, \
         found 1 values, then +",
        NOT_ONE_RUN,
    ),
    (
        "gzoltar",
        &[("matrix.txt", b"1 0 1 +\n"), SPECTRA],
        "DIR/matrix.txt: line 1: expected 2 values, one for each element, then + or -, \
         found 3 values, then +",
        NOT_ONE_RUN,
    ),
    (
        "gzoltar",
        &[("matrix.txt", b"1 0 +\n1 0"), SPECTRA],
        "DIR/matrix.txt: line 2: expected 2 values, one for each element, then + or -, \
         found 2 values, then no sign",
        NOT_ONE_RUN,
    ),
    (
        "gzoltar",
        &[("matrix.txt", b"1 99999999999999999999 +\n"), SPECTRA],
        "DIR/matrix.txt: line 1, column 3: expected 0 or 1, found \"99999999999999999999\"",
        NOT_ONE_RUN,
    ),
    (
        "gzoltar",
        &[("matrix.txt", b"1 \xff -\n"), SPECTRA],
        "DIR/matrix.txt: line 1, column 3: expected 0 or 1, found \"\u{fffd}\"",
        NOT_ONE_RUN,
    ),
    (
        "gzoltar",
        &[("matrix.txt", b"1 0 +\n"), SPECTRA, TESTS],
        "DIR/matrix.txt: line 2: expected a row for each of the 2 tests of tests.csv, \
         found the end after 1 rows",
        NOT_ONE_RUN,
    ),
    (
        "gzoltar",
        &[("matrix.txt", b"1 0 +\n1 0 -\n1 0 +\n"), SPECTRA, TESTS],
        "DIR/matrix.txt: line 3: expected the end, as tests.csv has 2 tests, found one more row",
        NOT_ONE_RUN,
    ),
    (
        "gzoltar",
        &[("matrix.txt", b"1 0 +\n1 0 +\n"), SPECTRA, TESTS],
        "DIR/matrix.txt: line 2: expected -, as tests.csv says FAIL of \"y\", found +",
        NOT_ONE_RUN,
    ),
    (
        "gzoltar",
        &[
            ("matrix.txt", b"1 0 +\n"),
            SPECTRA,
            ("tests.csv", b"x,PASS,1,\n"),
        ],
        "DIR/tests.csv: line 1: expected the header \"name,outcome,runtime,stacktrace\", \
         found \"x,PASS,1,\"",
        "the first line must be the header that GZoltar 1.7 writes",
    ),
    (
        "gzoltar",
        &[
            ("matrix.txt", b"1 0 +\n"),
            SPECTRA,
            ("tests.csv", b"name,outcome,runtime,stacktrace\nx,SKIP,1,\n"),
        ],
        "DIR/tests.csv: line 2: expected name,outcome,runtime,stacktrace with the outcome PASS, \
         FAIL or ERROR, found \"x,SKIP,1,\"",
        "correct the outcome, or leave the test out here and in matrix.txt",
    ),
    (
        "gzoltar",
        &[
            ("matrix.txt", b"1 0 +\n"),
            SPECTRA,
            ("tests.csv", b"name,outcome,runtime,stacktrace\n,PASS,1,\n"),
        ],
        "DIR/tests.csv: line 2: expected a test's name before the first comma, found \",PASS,1,\"",
        NOT_ONE_RUN,
    ),
    (
        "gzoltar",
        &[
            ("matrix.txt", b"1 0 +\n"),
            SPECTRA,
            (
                "tests.csv",
                b"name,outcome,runtime,stacktrace\nx,PASS,1,\nx,PASS,1,\n",
            ),
        ],
        "DIR/tests.csv: line 3: expected each test once, found \"x\" again, first on line 2",
        NAMES,
    ),
    (
        "gzoltar",
        &[
            ("matrix.txt", b"1 0 +\n"),
            SPECTRA,
            ("tests.csv", b"name,outcome,runtime,stacktrace\n"),
        ],
        "DIR/tests.csv: expected one test per line after the header, found no test",
        "GZoltar ran no test: check its list of test methods",
    ),
];

const TCM: &[Case] = &[
    (
        "tcm",
        &[("x.tcm", b"")],
        "DIR/x.tcm: expected the sections #tests, #uuts and #matrix, found no #tests",
        DAMAGED,
    ),
    (
        "tcm",
        &[("x.tcm", b"#tests\na PASSED\n")],
        "DIR/x.tcm: expected the sections #tests, #uuts and #matrix, found no #uuts",
        DAMAGED,
    ),
    (
        "tcm",
        &[("x.tcm", b"#tests\na PASSED\n\n#uuts\nl1\n")],
        "DIR/x.tcm: expected the sections #tests, #uuts and #matrix, found no #matrix",
        DAMAGED,
    ),
    (
        "tcm",
        &[("x.tcm", b"#tests\n\n#uuts\nl1\n")],
        "DIR/x.tcm: expected one test per line after #tests, found no test",
        DAMAGED,
    ),
    (
        "tcm",
        &[("x.tcm", b"#tests\na PASSED\n\n#uuts\n\n#matrix\n\n")],
        "DIR/x.tcm: expected one element per line after #uuts, found no element",
        DAMAGED,
    ),
    (
        "tcm",
        &[("x.tcm", b"#tests\na PASSED\n\n#tests\nb PASSED\n")],
        "DIR/x.tcm: line 4: expected each section once, found #tests again",
        DAMAGED,
    ),
    (
        "tcm",
        &[("x.tcm", b"#tests\na PASSED\n\n#matrix\n0 1\n")],
        "DIR/x.tcm: line 4: expected #tests and #uuts before #matrix, found #matrix first",
        DAMAGED,
    ),
    (
        "tcm",
        &[("x.tcm", b"#cases\na PASSED\n")],
        "DIR/x.tcm: line 1: expected a section #tests, #uuts or #matrix, found \"#cases\"",
        DAMAGED,
    ),
    (
        "tcm",
        &[("x.tcm", b"#tests\na SKIPPED\n")],
        "DIR/x.tcm: line 2: expected a test's name and PASSED, FAILED or ERROR, \
         found \"a SKIPPED\"",
        DAMAGED,
    ),
    (
        "tcm",
        &[("x.tcm", b"#tests\na PASSED\na FAILED\n")],
        "DIR/x.tcm: line 3: expected each test once, found \"a\" again, first on line 2",
        NAMES,
    ),
    (
        "tcm",
        &[("x.tcm", b"#uuts\na:b:3\na:b:3 | 1\n")],
        "DIR/x.tcm: line 3: expected each element once, found \"a:b:3\" again, first on line 2",
        "give every element a name of its own, e.g. with its line",
    ),
    (
        "tcm",
        &[(
            "x.tcm",
            b"#tests\nt PASSED\n\n#uuts\na:b:3\na:b:03\n\n#matrix\n0 1\n",
        )],
        "DIR/x.tcm: expected a consistent matrix, found element 1 is the same as element 0: \
         line 3 of \"a#b\"",
        "make the input again with the tool that wrote it",
    ),
    (
        "tcm",
        &[("x.tcm", b"#uuts\na:b:4294967296\n")],
        "DIR/x.tcm: line 2: expected an element, with a line number up to 4294967295 and a fault \
         id after ` | ` if it has these, found \"a:b:4294967296\"",
        DAMAGED,
    ),
    (
        "tcm",
        &[("x.tcm", b"#uuts\na:b:4 | \n")],
        "DIR/x.tcm: line 2: expected an element, with a line number up to 4294967295 and a fault \
         id after ` | ` if it has these, found \"a:b:4 | \"",
        DAMAGED,
    ),
    (
        "tcm",
        &[(
            "x.tcm",
            b"#tests\na PASSED\nb FAILED\n\n#uuts\nl1\n\n#matrix\n0 1\n",
        )],
        "DIR/x.tcm: #matrix: expected a row for each of the 2 tests, \
         found the end of the file after 1 rows",
        DAMAGED,
    ),
    (
        "tcm",
        &[(
            "x.tcm",
            b"#tests\na PASSED\n\n#uuts\nl1\n\n#matrix\n0 1\n0 1\n",
        )],
        "DIR/x.tcm: line 9: expected the end after a row for each of the 1 tests, found \"0 1\"",
        DAMAGED,
    ),
    (
        "tcm",
        &[(
            "x.tcm",
            b"#tests\na PASSED\n\n#uuts\nl1\n\n#matrix\n0 1 1 1\n",
        )],
        "DIR/x.tcm: line 8 (test \"a\"): expected the index of an element, below 1, found \"1\"",
        DAMAGED,
    ),
    (
        "tcm",
        &[(
            "x.tcm",
            b"#tests\na PASSED\n\n#uuts\nl1\n\n#matrix\n99999999999999999999 1\n",
        )],
        "DIR/x.tcm: line 8 (test \"a\"): expected the index of an element, below 1, \
         found \"99999999999999999999\"",
        DAMAGED,
    ),
    (
        "tcm",
        &[("x.tcm", b"#tests\na PASSED\n\n#uuts\nl1\n\n#matrix\n0\n")],
        "DIR/x.tcm: line 8 (test \"a\"): expected how often element 0 ran, \
         found the end of the line",
        DAMAGED,
    ),
    (
        "tcm",
        &[(
            "x.tcm",
            b"#tests\na PASSED\n\n#uuts\nl1\n\n#matrix\n0 1 0 1\n",
        )],
        "DIR/x.tcm: line 8 (test \"a\"): expected each element once, found element 0 twice",
        DAMAGED,
    ),
    (
        "tcm",
        &[("x.tcm", b"#tests\na\xe4 PASSED\n")],
        "DIR/x.tcm: line 2, byte 8 of the file: expected UTF-8 text, found byte 0xe4",
        UTF8,
    ),
];

const CSV: &[Case] = &[
    (
        "csv",
        &[("x.csv", b"")],
        "DIR/x.csv: line 1: expected the header method,statement,[faulty,] and a name for each \
         test, found an empty file",
        EXPLAIN_CSV,
    ),
    (
        "csv",
        &[("x.csv", b"name,line,t0\n")],
        "DIR/x.csv: line 1: expected the header method,statement,[faulty,] and a name for each \
         test, found \"name,line,t0\"",
        EXPLAIN_CSV,
    ),
    (
        "csv",
        &[("x.csv", b"method,statement,faulty\nm,1,0\n")],
        "DIR/x.csv: line 1: expected the header method,statement,[faulty,] and a name for each \
         test, found no test",
        EXPLAIN_CSV,
    ),
    (
        "csv",
        &[("x.csv", b"method,statement,t0,\n")],
        "DIR/x.csv: line 1: expected a name for each test, found nothing in column 4",
        "name the test in the header",
    ),
    (
        "csv",
        &[("x.csv", b"method,statement,t0,t1,t0\n")],
        "DIR/x.csv: line 1: expected each test once, found \"t0\" in columns 3 and 5",
        NAMES,
    ),
    (
        "csv",
        &[("x.csv", b"method,statement,t0\n")],
        "DIR/x.csv: expected a row for each statement, found no statement",
        "the file is cut off, or nothing was covered: make it again",
    ),
    (
        "csv",
        &[("x.csv", b"method,statement,t0,t1\nm,1,0,1\nm,2,0\n")],
        "DIR/x.csv: line 3: expected 4 cells, found 3",
        CELLS,
    ),
    (
        "csv",
        &[("x.csv", b"method,statement,t0\r\nm,1,0\r\n\r\nm,2,0,1\r\n")],
        "DIR/x.csv: line 4: expected 3 cells, found 4",
        CELLS,
    ),
    (
        "csv",
        &[("x.csv", b"method,statement,t0\nm,1,2\n")],
        "DIR/x.csv: line 2: expected 0 or 1, found \"2\" in column 3",
        "correct the cell",
    ),
    (
        "csv",
        &[("x.csv", b"method,statement,faulty,t0\nm,1,yes,1\n")],
        "DIR/x.csv: line 2: expected 0 or 1, found \"yes\" in column 3",
        "correct the cell",
    ),
    (
        "csv",
        &[("x.csv", b"method,statement,t0\nm,99999999999,1\n")],
        "DIR/x.csv: line 2: expected a line number up to 4294967295, found \"99999999999\"",
        "correct the second cell",
    ),
    (
        "csv",
        &[("x.csv", b"method,statement,t0\nm,,1\n")],
        "DIR/x.csv: line 2: expected a method and a statement, found \"m\" and \"\"",
        "name both, or drop the row",
    ),
    (
        "csv",
        &[("x.csv", b"method,statement,t0\nm,s1,1\nn,s1,1\nm,s1,0\n")],
        "DIR/x.csv: line 4: expected each statement once, found \"m\" \"s1\" again, first on line 2",
        "drop or rename one of the two",
    ),
    (
        "csv",
        &[("x.csv", b"method,statement,t0\nm,1,1\noutcome,,skipped\n")],
        "DIR/x.csv: line 3: expected the outcome pass, fail, error or unknown, \
         found \"skipped\" for test \"t0\"",
        "correct the outcome, or leave the cell empty",
    ),
    (
        "csv",
        &[("x.csv", b"method,statement,t0\noutcome,,fail\nm,1,1\n")],
        "DIR/x.csv: line 3: expected the end after the outcomes on line 2, found \"m,1,1\"",
        "the row of outcomes comes last",
    ),
    (
        "csv",
        &[("x.csv", b"method,statement,t\xfc\nm,1,1\n")],
        "DIR/x.csv: line 1, byte 18 of the file: expected UTF-8 text, found byte 0xfc",
        UTF8,
    ),
];

const CORRECT: &str = "correct the value there, or name the right format with --from";
const INCONSISTENT: &str = "the file is inconsistent: make it again with the tool that wrote it";
const NOT_JSON: &str =
    "the file is damaged or not JSON: make it again, or name its format with --from";

const DATASET: &[Case] = &[
    (
        "dataset",
        &[("x.json", b"")],
        "DIR/x.json: line 1, column 0: expected more JSON, found the end of the file",
        "the file is cut off: copy or make it again",
    ),
    (
        "dataset",
        &[("x.json", br#"{"methods":["m"],"elements":[[0,1]"#)],
        "DIR/x.json: line 1, column 34: expected more JSON, found the end of the file",
        "the file is cut off: copy or make it again",
    ),
    (
        "dataset",
        &[("x.json", b"{\"methods\":[\"\xff\"]}")],
        "DIR/x.json: line 1, column 14: expected valid JSON in UTF-8, \
         found invalid unicode code point",
        NOT_JSON,
    ),
    (
        "dataset",
        &[("x.json", br#"{"methods":[],"elements":[],"tests":[]}"#)],
        "DIR/x.json: line 1, column 39: expected a bug as `fdc explain dataset` describes, \
         found missing field `coverage`",
        CORRECT,
    ),
    (
        "dataset",
        &[(
            "x.json",
            br#"{"coverage":[[0,0]],"methods":["m"],"elements":[[0,1]],"tests":[]}"#,
        )],
        "DIR/x.json: line 1, column 18: expected a bug as `fdc explain dataset` describes, \
         found a difference of 0: element listed twice",
        CORRECT,
    ),
    (
        "dataset",
        &[("x.json", br#"{"coverage":[[4294967295]]}"#)],
        "DIR/x.json: line 1, column 25: expected a bug as `fdc explain dataset` describes, \
         found an element index beyond 4294967294",
        CORRECT,
    ),
    (
        "dataset",
        &[("x.json", br#"{"coverage":[[4294967294,2]]}"#)],
        "DIR/x.json: line 1, column 27: expected a bug as `fdc explain dataset` describes, \
         found an element index beyond 4294967294",
        CORRECT,
    ),
    (
        "dataset",
        &[("x.json", br#"{"elements":[[0,99999999999]]}"#)],
        "DIR/x.json: line 1, column 27: expected a bug as `fdc explain dataset` describes, \
         found invalid value: integer `99999999999`, expected u32",
        CORRECT,
    ),
    (
        "dataset",
        &[("x.json", br#"{"tests":[{"name":"t","outcome":"skip"}]}"#)],
        "DIR/x.json: line 1, column 38: expected a bug as `fdc explain dataset` describes, \
         found unknown variant `skip`, expected one of `pass`, `fail`, `unknown`",
        CORRECT,
    ),
    (
        "dataset",
        &[(
            "x.json",
            br#"{"methods":["m"],"elements":[[0,1]],"tests":[{"name":"t"}],"coverage":[]}"#,
        )],
        "DIR/x.json: coverage: expected a row for each of the 1 tests, found 0 rows",
        INCONSISTENT,
    ),
    (
        "dataset",
        &[(
            "x.json",
            br#"{"coverage":[[0,1]],"methods":["m"],"elements":[[0,1]],"tests":[{"name":"t"}]}"#,
        )],
        "DIR/x.json: coverage row 0 (test t): expected element indices below 1, \
         found column 1 is out of range: there are 1 columns",
        INCONSISTENT,
    ),
    (
        "dataset",
        &[(
            "x.json",
            br#"{"methods":["m"],"elements":[[0,1]],"tests":[{"name":"t"},{"name":"t"}],
                "coverage":[[],[]]}"#,
        )],
        "DIR/x.json: expected a consistent matrix, \
         found test \"t\" stands twice, as number 0 and 1",
        NAMES,
    ),
    (
        "dataset",
        &[(
            "x.json",
            br#"{"methods":["m","m"],"elements":[],"tests":[],"coverage":[]}"#,
        )],
        "DIR/x.json: expected a consistent matrix, \
         found method \"m\" stands twice, as number 0 and 1",
        "give every method a name of its own, with its class and parameter types",
    ),
    (
        "dataset",
        &[(
            "x.json",
            br#"{"methods":["m"],"elements":[[0,1],[0,1]],"tests":[],"coverage":[]}"#,
        )],
        "DIR/x.json: expected a consistent matrix, \
         found element 1 is the same as element 0: line 1 of \"m\"",
        "make the input again with the tool that wrote it",
    ),
    (
        "dataset",
        &[(
            "x.json",
            br#"{"methods":["m"],"elements":[[3,1]],"tests":[],"coverage":[]}"#,
        )],
        "DIR/x.json: expected a consistent matrix, \
         found method 3 is out of range: there are 1",
        "make the input again with the tool that wrote it",
    ),
];

#[test]
fn each_bad_input_gives_its_message_and_advice() {
    check([GZOLTAR, TCM, CSV, DATASET].into_iter().flatten());
}

/// Compares what is said of each case with what should be.
pub(super) fn check<'c>(cases: impl Iterator<Item = &'c Case>) {
    let mut wrong = Vec::new();
    for (format, files, message, advice) in cases {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in *files {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        let path = folder.path().join(files[0].0);
        let (found, found_advice) = match format_named(format).ok().unwrap().read(&path) {
            Ok(_) => ("a spectrum".to_owned(), String::new()),
            Err(error) => (
                error
                    .to_string()
                    .replace(&*folder.path().to_string_lossy(), "DIR"),
                error.advice().unwrap_or_default().to_owned(),
            ),
        };
        if (&*found, &*found_advice) != (*message, *advice) {
            wrong.push(format!(
                "{format}: expected {message}\n  ({advice})\n  found {found}\n  ({found_advice})"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_dataset_may_give_its_parts_in_any_order_and_have_no_tests() {
    let path = std::path::Path::new("x.json");
    let read = |text: &str| fdc_formats::dataset::parse(path, text.as_bytes()).unwrap();
    let turned =
        r#"{"coverage":[[1]],"tests":[{"name":"t"}],"elements":[[0,1],[0,2]],"methods":["m"]}"#;
    assert_eq!(super::rows(&read(turned)), [[1]]);
    let empty = r#"{"methods":["m"],"elements":[[0,1]],"tests":[],"coverage":[]}"#;
    assert_eq!(read(empty).tests, []);
    let nothing = r#"{"methods":[],"elements":[],"tests":[],"coverage":[]}"#;
    assert_eq!(read(nothing).coverage.element_count(), 0);
}

#[test]
fn an_input_of_no_format_says_what_it_looks_like() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let found = |content: &[u8]| {
        std::fs::write(&path, content).unwrap();
        let error = detect(&path).err().unwrap();
        let advice =
            "force a format with --from NAME; `fdc list formats` shows what each looks like";
        assert_eq!(error.advice(), Some(advice));
        error
            .to_string()
            .rsplit_once("found ")
            .unwrap()
            .1
            .to_owned()
    };
    assert_eq!(found(b""), "an empty file");
    assert_eq!(found(b"a,b,c\n"), "a file that starts \"a,b,c\\n\"");
    assert_eq!(found(b"\xff\xfe\x00"), "bytes [ff, fe, 00]");
    assert_eq!(detect(folder.path()).unwrap().name, "folder");
    let error = detect(&folder.path().join("absent")).err().unwrap();
    assert!(matches!(error, FileError::Io { .. }));
    for format in fdc_formats::FORMATS {
        let error = format.read(&folder.path().join("absent")).err().unwrap();
        assert!(error.to_string().contains("cannot open it"), "{error}");
    }
}
