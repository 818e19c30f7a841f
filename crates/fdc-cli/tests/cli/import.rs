//! `fdc import`: nothing is lost, nothing is half.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::program::{command, fdc, fdc_in};
use crate::subjects::{INPUTS, folder, large_dataset, orders, write_json};

/// Ranking at each level, as JSON.
fn rankings(input: &str, options: &[&str]) -> Vec<String> {
    let rank = |level: &str| {
        let start = ["rank", input, "--format", "json", "--level", level];
        fdc(&[&start[..], options].concat()).done()
    };
    ["method", "line", "file"].map(rank).to_vec()
}

#[test]
fn a_case_ranks_as_the_input_it_was_made_of() {
    for (input, options) in INPUTS {
        let folder = folder();
        let case = folder.path().join("case.fdc");
        let case = case.to_str().unwrap();
        let note = fdc(&["import", input, "-o", case]);
        assert!(
            note.stderr.contains(" tests (") && note.stdout.is_empty(),
            "{input}: {note:?}"
        );
        assert_eq!(note.code, Some(0));
        assert_eq!(rankings(case, options), rankings(input, options), "{input}");
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            1,
            "one file: {input}"
        );
    }
}

#[test]
fn a_case_selects_as_the_input_it_was_made_of() {
    let folder = folder();
    let case = folder.path().join("case.fdc");
    let case = case.to_str().unwrap();
    assert_eq!(
        fdc(&["import", "orders/orders.json", "-o", case, "--quiet"]).stderr,
        ""
    );
    for reveal in [&["--reveal"][..], &[]] {
        let select = |input| fdc(&[&["select", input, "--format", "json"], reveal].concat()).done();
        assert_eq!(select(case), select("orders/orders.json"));
    }
}

#[test]
fn every_written_format_reads_back() {
    let folder = folder();
    let methods = |input: &str| {
        let rank = fdc(&["rank", input, "--format", "csv"]).done();
        let mut lines: Vec<String> = rank.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    for out in ["out.fdc", "out.json", "out.json.zst", "out.tcm", "folder"] {
        let path = folder.path().join(out);
        let path = path.to_str().unwrap();
        fdc(&["import", "orders/orders.json", "-o", path]).done();
        assert_eq!(methods(path), methods("orders/orders.json"), "{out}");
    }
}

#[test]
fn an_unknown_ending_and_a_format_that_is_not_written_are_usage_errors() {
    let folder = folder();
    write_json(folder.path(), "orders.json", &orders());
    let run = fdc_in(folder.path(), &["import", "orders.json", "-o", "out.yaml"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(
        run.stderr,
        "error: no format is known by the ending .yaml\n  \
         use .fdc, .json, .json.zst or .tcm, or name the format with --to\n"
    );
    let run = fdc_in(
        folder.path(),
        &["import", "orders.json", "-o", "out.csv", "--to", "csv"],
    );
    assert_eq!(run.code, Some(2));
    assert_eq!(
        run.stderr,
        "error: format csv can be read, not written\n  write a case: -o case.fdc\n"
    );
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        1,
        "nothing is written"
    );
}

#[test]
fn outcomes_given_at_import_are_kept() {
    let folder = folder();
    let case = folder.path().join("case.fdc");
    let case = case.to_str().unwrap();
    fdc(&[
        "import",
        "csv/named.csv",
        "--failed",
        "first test",
        "-o",
        case,
    ])
    .done();
    let rank = fdc(&["rank", case]).done();
    assert!(rank.starts_with("1 failing and 1 passing tests"), "{rank}");
}

#[test]
fn an_import_replaces_an_existing_case_whole() {
    let folder = folder();
    let case = folder.path().join("case.fdc");
    let case = case.to_str().unwrap();
    fdc(&["import", "orders/orders.json", "-o", case]).done();
    fdc(&["import", "gzoltar/shop", "-o", case]).done();
    assert_eq!(rankings(case, &[]), rankings("gzoltar/shop", &[]));
    let fresh = folder.path().join("fresh.fdc");
    fdc(&["import", "gzoltar/shop", "-o", fresh.to_str().unwrap()]).done();
    assert_eq!(
        std::fs::read(case).unwrap(),
        std::fs::read(fresh).unwrap(),
        "nothing old is left"
    );
}

#[test]
fn a_failed_import_leaves_the_case_that_was_there() {
    let folder = folder();
    let case = folder.path().join("case.fdc");
    let case = case.to_str().unwrap();
    fdc(&["import", "gzoltar/shop", "-o", case]).done();
    let before = std::fs::read(case).unwrap();
    std::fs::write(folder.path().join("cut.json"), "{\"methods\":[\"a\"").unwrap();
    assert_eq!(
        fdc_in(folder.path(), &["import", "cut.json", "-o", case]).code,
        Some(3)
    );
    assert_eq!(std::fs::read(case).unwrap(), before);
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        2,
        "no partial file"
    );
}

#[test]
fn a_killed_import_leaves_no_case_or_a_whole_one() {
    let folder = folder();
    write_json(folder.path(), "large.json", &large_dataset(3000, 20_000));
    let import = || {
        command(
            folder.path(),
            &["import", "large.json", "-o", "case.fdc", "--quiet"],
        )
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
    };
    let rank = |input: &str| fdc_in(folder.path(), &["rank", input, "--format", "csv"]);
    let expected = rank("large.json").done();
    let begun = Instant::now();
    assert!(import().wait().unwrap().success());
    let whole = begun.elapsed();
    let case = folder.path().join("case.fdc");
    let (mut absent, mut present) = (0, 0);
    for kill in 0..20u32 {
        // Every second time over a case that is there.
        if kill % 2 == 0 {
            std::fs::remove_file(&case).unwrap_or_default();
        }
        let there = case.exists();
        let mut child = import();
        std::thread::sleep(whole.mul_f64(0.02 + 0.055 * f64::from(kill)));
        child.kill().unwrap();
        child.wait().unwrap();
        if case.exists() {
            assert_eq!(rank("case.fdc").done(), expected, "kill {kill}");
            present += 1;
        } else {
            assert!(!there, "a case that was there is kept");
            absent += 1;
        }
        if kill % 2 == 0 && !case.exists() {
            assert!(
                import().wait().unwrap().success(),
                "what a kill leaves is no hindrance"
            );
        }
    }
    assert!(
        absent > 0,
        "some kills come before the end ({present} after)"
    );
    assert!(begun.elapsed() < Duration::from_secs(120));
}

#[test]
fn mutants_of_another_tool_come_into_the_case_and_are_reported() {
    let folder = folder();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (coverage, plain, case) = (place("cart.json"), place("plain.fdc"), place("case.fdc"));
    let document = serde_json::json!({
        "methods": ["shop.Cart#Cart()", "shop.Cart#add(int,int)"],
        "elements": [[0, 2], [1, 4], [1, 5]],
        "tests": [
            {"name": "shop.CartTest#adds", "outcome": "pass"},
            {"name": "shop.CartTest#many(int)[2]", "outcome": "pass"},
            {"name": "shop.OldTest#sums", "outcome": "pass"}
        ],
        "coverage": [[0, 1, 1], [0, 1, 1], [0, 1, 1]]
    });
    write_json(folder.path(), "cart.json", &document);
    fdc(&["import", &coverage, "-o", &plain]).done();
    let report = ["--mutants", "pit/mutations.xml"];
    let run = fdc(&[&["import", &*plain], &report[..], &["-o", &*case]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let note = "note: pit/mutations.xml: 6 mutants, 4 killed; 2 in code that was not measured; \
                1 more not tried\n";
    assert!(run.stderr.starts_with(note), "{}", run.stderr);
    let shown = fdc(&["mutate", "--case", &case, "--report"]).done();
    let shown = shown.replace(&case, "case.fdc");
    assert_eq!(
        shown,
        "case.fdc: 4 mutants in 2 methods; tests notice 3 (75 %) and miss 1\n\n\
         No test would notice:\n  \
         shop.Cart:4  changed conditional boundary [Cart.add(I...  (ConditionalsBoundaryMutator)\n"
    );
    // The same again replaces what the tool brought before.
    let (again, other) = (place("again.fdc"), place("other.json"));
    fdc(&[&["import", &*case], &report[..], &["-o", &*again]].concat()).done();
    let same = fdc(&["mutate", "--case", &again, "--report"]).done();
    assert_eq!(same.replace(&again, "case.fdc"), shown);
    let run = fdc(&[&["import", &*plain], &report[..], &["-o", &*other]].concat());
    assert_eq!(
        (run.code, &*run.stderr),
        (
            Some(2),
            "error: format dataset cannot hold mutants\n  write a case: -o case.fdc\n"
        )
    );
}

#[test]
fn imports_that_race_leave_a_whole_case() {
    let folder = folder();
    write_json(folder.path(), "large.json", &large_dataset(3000, 20_000));
    write_json(folder.path(), "orders.json", &orders());
    let rank = |input: &str| fdc_in(folder.path(), &["rank", input, "--format", "csv"]);
    let whole = ["large.json", "orders.json"].map(|input| rank(input).done());
    for _ in 0..10 {
        let large = ["import", "large.json", "-o", "case.fdc", "--quiet"];
        let mut first = command(folder.path(), &large)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while first.try_wait().unwrap().is_none() {
            fdc_in(folder.path(), &["import", "orders.json", "-o", "case.fdc"]);
        }
        let found = rank("case.fdc");
        assert_eq!(found.code, Some(0), "{}", found.stderr);
        assert!(whole.contains(&found.stdout));
    }
}
