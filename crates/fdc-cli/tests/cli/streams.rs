//! Devices, pipes and links where files are expected.
#![cfg(unix)]

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::process::Stdio;

use crate::program::{Run, command, fdc_in, testdata};
use crate::subjects::folder;

const ORDERS: &str = "orders/orders.json";

fn with_input(arguments: &[&str], input: &[u8]) -> Run {
    let mut program = command(&testdata(), arguments);
    program.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = program.stderr(Stdio::piped()).spawn().unwrap();
    // A command that refuses its input does not read it.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

#[test]
fn results_go_to_standard_output_by_its_name() {
    let plain = ["rank", ORDERS, "--format", "json"];
    let named = [&plain[..], &["-o", "/dev/stdout"]].concat();
    let expected = fdc_in(&testdata(), &plain).done();
    assert_eq!(fdc_in(&testdata(), &named).done(), expected);
    let import = [
        "import",
        ORDERS,
        "--to",
        "dataset",
        "-o",
        "/dev/stdout",
        "-q",
    ];
    let dataset = fdc_in(&testdata(), &import).done();
    assert!(dataset.starts_with("{\"subject\":\"orders\""), "{dataset}");
}

#[test]
fn a_device_stays_a_device_whatever_is_written() {
    // A link of our own, so that a mistake cannot harm the machine.
    let made = folder();
    let null = made.path().join("null");
    symlink("/dev/null", &null).unwrap();
    let (null, orders) = (null.to_str().unwrap(), testdata().join(ORDERS));
    let orders = orders.to_str().unwrap();
    let elsewhere = folder();
    let case = elsewhere.path().join("case.fdc");
    let case = case.to_str().unwrap();
    fdc_in(made.path(), &["import", orders, "-o", case]).done();
    for arguments in [
        &["rank", orders, "--format", "html", "-o", null][..],
        &["report", case, "--format", "sarif", "-o", null],
        &["import", orders, "--to", "tcm", "-o", null],
        &["train", orders, "--recipe", "sharp", "-o", null],
        &[
            "train",
            orders,
            "--episodes",
            "1",
            "--log",
            null,
            "--plot",
            null,
            "-o",
            null,
        ],
    ] {
        fdc_in(made.path(), arguments).done();
    }
    let run = fdc_in(made.path(), &["import", orders, "--to", "case", "-o", null]);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(run.stderr.contains("expected a plain file, found a device"));
    let left: Vec<_> = std::fs::read_dir(made.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    let kind = std::fs::metadata("/dev/null").unwrap().file_type();
    assert!(kind.is_char_device());
}

#[test]
fn a_training_into_a_folder_is_refused_before_it_starts() {
    let made = folder();
    std::fs::create_dir(made.path().join("model")).unwrap();
    let orders = testdata().join(ORDERS);
    let train = ["train", orders.to_str().unwrap(), "-o", "model"];
    let run = fdc_in(made.path(), &train);
    assert_eq!(run.code, Some(3));
    assert!(
        run.stderr.contains("model: cannot write it"),
        "{}",
        run.stderr
    );
    assert_eq!(std::fs::read_dir(made.path()).unwrap().count(), 1);
}

#[test]
fn coverage_comes_from_a_pipe() {
    let orders = std::fs::read(testdata().join(ORDERS)).unwrap();
    let expected = fdc_in(&testdata(), &["rank", ORDERS, "--format", "csv"]).done();
    let rank = ["rank", "/dev/stdin", "--format", "csv"];
    assert_eq!(with_input(&rank, &orders).done(), expected);
    let packed = zstd_of(&orders);
    assert_eq!(with_input(&rank, &packed).done(), expected);
    let run = with_input(&rank, b"neither coverage nor anything else");
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    let run = with_input(&["rank", "/dev/stdin", "--from", "case"], b"");
    assert!(run.stderr.contains("expected a plain file, found a pipe"));
}

/// Packed by the program itself.
fn zstd_of(bytes: &[u8]) -> Vec<u8> {
    let made = folder();
    std::fs::write(made.path().join("a.json"), bytes).unwrap();
    fdc_in(made.path(), &["import", "a.json", "-o", "b.json.zst"]).done();
    std::fs::read(made.path().join("b.json.zst")).unwrap()
}

#[test]
fn a_full_standard_error_changes_nothing() {
    let made = folder();
    let orders = testdata().join(ORDERS);
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let import = ["import", orders.to_str().unwrap(), "-o", "case.fdc"];
    for (arguments, code) in [(&import[..], 0), (&["rank", "absent"], 3)] {
        let mut program = command(made.path(), arguments);
        let status = program.stderr(full()).status().unwrap();
        assert_eq!(status.code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn counts_that_would_fill_the_memory_are_refused() {
    for (option, what) in [("--tests", "tests in a run"), ("--seeds", "seeds")] {
        let evaluate = [
            "evaluate",
            ORDERS,
            "--metrics",
            "fdg",
            "-o",
            "absent",
            option,
            "4294967295",
        ];
        let run = fdc_in(&testdata(), &evaluate);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        let expected = format!("expected at most 10000 {what}, found 4294967295");
        assert!(run.stderr.contains(&expected), "{}", run.stderr);
    }
    let select = ["select", ORDERS, "-n", "4294967295", "--metric", "fdg"];
    fdc_in(&testdata(), &select).done();
    fdc_in(&testdata(), &["rank", ORDERS, "-n", "4294967295"]).done();
}
