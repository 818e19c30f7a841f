//! Files that are missing, cut off, inconsistent or something else: file, place, expected, found,
//! what to do; exit code 3; nothing written.

use std::path::Path;

use crate::bad_input::refused;
use crate::program::{fdc, fdc_in};
use crate::subjects::folder;

const AGAIN: &str = "the file is inconsistent: make it again with the tool that wrote it";
const OWN_NAME: &str = "give every test a name of its own, e.g. with its class or parameters";
const CUT_OFF: &str = "the file is cut off: copy or make it again";
const ZSTD_CUT_OFF: &str = "the file is damaged or cut off: copy or make it again";
const FORCE: &str =
    "force a format with --from NAME; `fdc list formats` shows what each looks like";

struct Bad {
    name: &'static str,
    content: &'static [u8],
    /// After the file's name.
    message: &'static str,
    hint: &'static str,
}

const BAD: &[Bad] = &[
    Bad {
        name: "truncated.json",
        content: br#"{"methods":["a.py::f"],"elements":[[0,1]],"tests":[{"na"#,
        message: "line 1, column 55: expected more JSON, found the end of the file",
        hint: CUT_OFF,
    },
    Bad {
        name: "rows.json",
        content: br#"{"methods":["f"],"elements":[[0,1]],"tests":[{"name":"t","outcome":"fail"}],"coverage":[[0],[0]]}"#,
        message: "coverage: expected a row for each of the 1 tests, found 2 rows",
        hint: AGAIN,
    },
    Bad {
        name: "index.json",
        content: br#"{"methods":["f"],"elements":[[0,1]],"tests":[{"name":"t","outcome":"fail"}],"coverage":[[7]]}"#,
        message: "coverage row 0 (test t): expected element indices below 1, found column 7 is out of range: there are 1 columns",
        hint: AGAIN,
    },
    Bad {
        name: "latin.json",
        content: b"{\"methods\":[\"caf\xe9\"],\"elements\":[],\"tests\":[],\"coverage\":[]}",
        message: "line 1, column 17: expected valid JSON in UTF-8, found invalid unicode code point",
        hint: "the file is damaged or not JSON: make it again, or name its format with --from",
    },
    Bad {
        name: "latin.csv",
        content: b"method,statement,t\ncaf\xe9,1,1\n",
        message: "line 2, byte 22 of the file: expected UTF-8 text, found byte 0xe9",
        hint: "convert the file to UTF-8",
    },
    Bad {
        name: "huge.json",
        content: br#"{"methods":["f"],"elements":[[0,99999999999999]],"tests":[{"name":"t","outcome":"fail"}],"coverage":[[0]]}"#,
        message: "line 1, column 46: expected a bug as `fdc explain dataset` describes, found invalid value: integer `99999999999999`, expected u32",
        hint: "correct the value there, or name the right format with --from",
    },
    Bad {
        name: "huge.csv",
        content: b"method,statement,t\nf,99999999999,1\n",
        message: "line 2: expected a line number up to 4294967295, found \"99999999999\"",
        hint: "correct the second cell",
    },
    Bad {
        name: "twice.json",
        content: br#"{"methods":["f"],"elements":[[0,1]],"tests":[{"name":"t"},{"name":"t"}],"coverage":[[0],[0]]}"#,
        message: "expected a consistent matrix, found test \"t\" stands twice, as number 0 and 1",
        hint: OWN_NAME,
    },
    Bad {
        name: "twice.csv",
        content: b"method,statement,t,t\nf,1,1,1\n",
        message: "line 1: expected each test once, found \"t\" in columns 3 and 4",
        hint: OWN_NAME,
    },
    Bad {
        name: "empty.json",
        content: b"",
        message: "expected one of the formats case, dataset, gzoltar, tcm, csv, manifest, coverage.py, lcov, go, jacoco, jacoco-xml, cobertura, llvm-cov, istanbul, junit, pytest-output, cargo-output, gzoltar-ser, folder, found an empty file",
        hint: FORCE,
    },
    Bad {
        name: "letter.txt",
        content: b"Dear Sir\n",
        message: "expected one of the formats case, dataset, gzoltar, tcm, csv, manifest, coverage.py, lcov, go, jacoco, jacoco-xml, cobertura, llvm-cov, istanbul, junit, pytest-output, cargo-output, gzoltar-ser, folder, found a file that starts \"Dear Sir\\n\"",
        hint: FORCE,
    },
];

#[test]
fn each_damage_gives_its_message() {
    let folder = folder();
    for bad in BAD {
        std::fs::write(folder.path().join(bad.name), bad.content).unwrap();
        let expected = format!("error: {}: {}\n  {}\n", bad.name, bad.message, bad.hint);
        for command in ["rank", "select", "import"] {
            refused(folder.path(), &[command, bad.name], 3, &expected);
        }
    }
}

#[test]
fn a_truncated_archive_is_said_to_be_cut_off() {
    let folder = folder();
    let whole = folder.path().join("whole.json.zst");
    fdc(&[
        "import",
        "orders/orders.json",
        "-o",
        whole.to_str().unwrap(),
    ])
    .done();
    let bytes = std::fs::read(&whole).unwrap();
    for length in [10, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(folder.path().join("cut.json.zst"), &bytes[..length]).unwrap();
        let run = fdc_in(folder.path(), &["rank", "cut.json.zst"]);
        let start =
            "error: cut.json.zst: expected a whole zstd archive, found incomplete frame after ";
        assert!(run.stderr.starts_with(start), "{}", run.stderr);
        assert!(
            run.stderr
                .ends_with(&format!(" bytes of content\n  {ZSTD_CUT_OFF}\n")),
            "{}",
            run.stderr
        );
        assert_eq!((run.code, &*run.stdout), (Some(3), ""));
        refused(folder.path(), &["rank", "cut.json.zst"], 3, &run.stderr);
    }
}

#[test]
fn a_missing_file_and_a_folder_without_known_files_are_named() {
    let folder = folder();
    let missing = "error: missing.json: cannot open it: No such file or directory (os error 2)\n  \
                   check the path; relative ones start from the current folder\n";
    refused(folder.path(), &["rank", "missing.json"], 3, missing);
    refused(folder.path(), &["import", "missing.json"], 3, missing);
    std::fs::create_dir(folder.path().join("project")).unwrap();
    std::fs::write(folder.path().join("project/README.md"), "# project").unwrap();
    let other = format!(
        "error: project/README.md: expected one of the formats case, dataset, gzoltar, tcm, csv, \
         manifest, coverage.py, lcov, go, jacoco, jacoco-xml, cobertura, llvm-cov, istanbul, \
         junit, pytest-output, cargo-output, gzoltar-ser, folder, found a file that starts \"# project\"\n  {FORCE}\n"
    );
    refused(folder.path(), &["rank", "project"], 3, &other);
}

/// A small case file in the folder.
fn case(folder: &Path) -> Vec<u8> {
    let path = folder.join("whole.fdc");
    fdc(&["import", "gzoltar/shop", "-o", path.to_str().unwrap()]).done();
    std::fs::read(path).unwrap()
}

#[test]
fn a_half_written_case_is_refused() {
    let folder = folder();
    let whole = case(folder.path());
    let half = whole.len() / 2 / 4096 * 4096 + 100;
    std::fs::write(folder.path().join("half.fdc"), &whole[..half]).unwrap();
    let expected = format!(
        "error: half.fdc: expected {} bytes, found {half}\n  \
         the case file is cut off: copy, import or collect it again\n",
        whole.len()
    );
    refused(folder.path(), &["rank", "half.fdc"], 3, &expected);
}

#[test]
fn a_case_of_a_newer_schema_asks_for_a_newer_fdc() {
    let folder = folder();
    let mut bytes = case(folder.path());
    // SQLite's user_version.
    bytes[60..64].copy_from_slice(&99u32.to_be_bytes());
    std::fs::write(folder.path().join("newer.fdc"), &bytes).unwrap();
    let run = fdc_in(folder.path(), &["rank", "newer.fdc"]);
    assert!(
        run.stderr
            .starts_with("error: newer.fdc: expected a case file of schema "),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .ends_with(" or older, found schema 99\n  a newer fdc wrote it: update fdc\n"),
        "{}",
        run.stderr
    );
    refused(folder.path(), &["rank", "newer.fdc"], 3, &run.stderr);
}

#[test]
fn another_sqlite_database_is_no_case() {
    let folder = folder();
    let mut bytes = case(folder.path());
    // SQLite's application_id.
    bytes[68..72].copy_from_slice(&[0; 4]);
    std::fs::write(folder.path().join("other.db"), &bytes).unwrap();
    let expected = "error: other.db: expected a case file, found another SQLite database\n  \
                    make a case of it with `fdc import`\n";
    refused(
        folder.path(),
        &["rank", "other.db", "--from", "case"],
        3,
        expected,
    );
    let run = fdc_in(folder.path(), &["rank", "other.db"]);
    assert_eq!((run.code, &*run.stdout), (Some(3), ""));
    assert!(run.stderr.contains("SQLite"), "{}", run.stderr);
}

#[test]
fn no_cut_or_flipped_byte_makes_a_panic() {
    let folder = folder();
    let path = folder.path().join("damaged");
    let inputs = [
        std::fs::read(crate::program::testdata().join("tcm/lines.tcm")).unwrap(),
        std::fs::read(crate::program::testdata().join("csv/judged.csv")).unwrap(),
        case(folder.path()),
    ];
    for bytes in inputs {
        for round in 0..12 {
            let mut damaged = bytes.clone();
            let place = bytes.len() * round / 12;
            if round % 2 == 0 {
                damaged.truncate(place);
            } else {
                damaged[place] ^= 0x55;
            }
            std::fs::write(&path, damaged).unwrap();
            let run = fdc_in(folder.path(), &["rank", "damaged"]);
            assert!(matches!(run.code, Some(0 | 3)), "{run:?}");
            assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        }
    }
}
