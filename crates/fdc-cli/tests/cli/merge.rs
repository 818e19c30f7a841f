//! Work in parts, and what `fdc merge` makes of them: what one piece would have been.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use serde_json::json;

use crate::program::{Run, fdc_in, python};
use crate::subjects::{dataset, folder};

const SHOP: &str = "def price(count):
    if count > 3:
        return count * 2
    return count * 3


def tax(count):
    return price(count) + 1
";

/// A project with modules of tests, one of which fails.
fn project() -> tempfile::TempDir {
    let folder = folder();
    fs::write(folder.path().join("shop.py"), SHOP).unwrap();
    for module in 0..9 {
        let expected = if module == 5 { 4 } else { 3 * module };
        let text = format!(
            "import pytest, shop


def test_price():
    # No function in the message: pytest tells where it is in memory.
    found = shop.price({module})
    assert found == {expected} or {module} > 5


@pytest.mark.parametrize('count', [1, 9])
def test_tax(count):
    assert shop.tax(count) > 0


@pytest.mark.skip('not today')
def test_later():
    pass
"
        );
        fs::write(folder.path().join(format!("test_{module}.py")), text).unwrap();
    }
    folder
}

fn collect(folder: &Path, python: &str, out: &str, options: &[&str]) -> Run {
    let words = ["collect", "pytest", "--python", python, "-o", out];
    fdc_in(folder, &[&words, options].concat())
}

fn parts(folder: &Path, python: &str) -> Vec<String> {
    let part = |number| {
        let out = format!("part-{number}.fdc");
        let shard = format!("{number}/4");
        collect(folder, python, &out, &["--shard", &shard]).done();
        out
    };
    (1..=4).map(part).collect()
}

fn merge(folder: &Path, parts: &[String], out: &str) -> Run {
    let parts: Vec<&str> = parts.iter().map(|part| &**part).collect();
    fdc_in(folder, &[&["merge"], &parts[..], &["-o", out]].concat())
}

/// The file's bytes, but for what clocks told.
fn bytes(case: &Path) -> Vec<u8> {
    let database = Connection::open(case).unwrap();
    let timeless =
        "UPDATE test SET seconds = 0; UPDATE about SET value = '' WHERE key = 'checksum'; VACUUM";
    database.execute_batch(timeless).unwrap();
    database.close().unwrap();
    fs::read(case).unwrap()
}

#[test]
fn parts_of_a_collection_are_the_case_of_one_piece_to_the_byte() {
    let Some(python) = python() else { return };
    let folder = project();
    let folder = folder.path();
    collect(folder, &python, "whole.fdc", &["--jobs", "2"]).done();
    let mut parts = parts(folder, &python);
    let told = merge(folder, &parts, "merged.fdc");
    assert_eq!(told.stderr, "merged.fdc: 4 parts, 27 tests\n");
    parts.reverse();
    merge(folder, &parts, "again.fdc").done();
    let rank = |case| fdc_in(folder, &["rank", case, "--format", "csv"]).done();
    assert_eq!(rank("merged.fdc"), rank("whole.fdc"));
    let whole = bytes(&folder.join("whole.fdc"));
    assert!(whole == bytes(&folder.join("merged.fdc")));
    assert!(whole == bytes(&folder.join("again.fdc")));
}

#[test]
fn parts_that_do_not_belong_together_are_refused() {
    let Some(python) = python() else { return };
    let folder = project();
    let folder = folder.path();
    let parts = parts(folder, &python);
    let refused = |parts: &[String], words: &[&str]| {
        let run = merge(folder, parts, "merged.fdc");
        assert_eq!(run.code, Some(3), "{}", run.stderr);
        for word in words {
            assert!(run.stderr.contains(word), "{word}: {}", run.stderr);
        }
        assert!(!folder.join("merged.fdc").exists());
    };
    refused(
        &[parts[0].clone(), parts[3].clone()],
        &["missing: 2/4, 3/4"],
    );
    let twice = [&parts[..], &parts[1..2]].concat();
    refused(
        &twice,
        &["each part once", "2/4, which part-2.fdc is as well"],
    );
    collect(folder, &python, "whole.fdc", &[]).done();
    refused(&["whole.fdc".to_owned()], &["a whole one", "--shard K/N"]);
    collect(folder, &python, "half.fdc", &["--shard", "1/2"]).done();
    let mixed = [&parts[1..], &["half.fdc".to_owned()]].concat();
    refused(
        &mixed,
        &["half.fdc: expected a part of 4, as part-2.fdc is, found 1/2"],
    );
    collect(
        folder,
        &python,
        "other.fdc",
        &["--shard", "1/4", "--", "-p", "no:cacheprovider"],
    )
    .done();
    let other = [&["other.fdc".to_owned()], &parts[1..]].concat();
    refused(&other, &["options", "the same options"]);
    fs::write(
        folder.join("shop.py"),
        format!("{SHOP}\n\ndef new():\n    pass\n"),
    )
    .unwrap();
    collect(folder, &python, "later.fdc", &["--shard", "1/4"]).done();
    let later = [&["later.fdc".to_owned()], &parts[1..]].concat();
    refused(&later, &["the same sources"]);
    // A case is of one part alone.
    let again = collect(folder, &python, "part-2.fdc", &["--shard", "3/4"]);
    assert_eq!(again.code, Some(2), "{}", again.stderr);
    assert!(
        again.stderr.contains("is of part 2/4 and not of part 3/4"),
        "{}",
        again.stderr
    );
}

#[test]
fn parts_of_the_mutants_are_all_mutants() {
    let Some(python) = python() else { return };
    let folder = project();
    let folder = folder.path();
    let mutate = |case: &str, options: &[&str]| {
        let words = ["mutate", "pytest", "--python", &python, "--case", case];
        fdc_in(folder, &[&words, options].concat()).done();
    };
    collect(folder, &python, "whole.fdc", &[]).done();
    let parts: Vec<String> = (1..=2).map(|number| format!("part-{number}.fdc")).collect();
    for (number, part) in (1..).zip(&parts) {
        fs::copy(folder.join("whole.fdc"), folder.join(part)).unwrap();
        mutate(part, &["--number", "8", "--shard", &format!("{number}/2")]);
    }
    mutate("whole.fdc", &["--number", "8"]);
    merge(folder, &parts, "merged.fdc").done();
    let mutants = |case: &str| {
        let database = Connection::open(folder.join(case)).unwrap();
        let statement = "SELECT mutant.path || first || replacement || fate || coalesce(group_concat(name), '')
            FROM mutant LEFT JOIN kill ON mutant.id = kill.mutant
            LEFT JOIN mutant_test ON mutant_test.id = kill.test GROUP BY mutant.id ORDER BY mutant.id";
        let mut query = database.prepare(statement).unwrap();
        let rows = query.query_map([], |row| row.get::<_, String>(0)).unwrap();
        rows.collect::<Result<Vec<_>, _>>().unwrap()
    };
    assert_eq!(mutants("merged.fdc"), mutants("whole.fdc"));
    assert_eq!(mutants("merged.fdc").len(), 8);
}

/// Five small bugs of two projects.
fn bugs(folder: &Path) {
    fs::create_dir(folder.join("bugs")).unwrap();
    for version in 1..=5u32 {
        let subject = if version < 4 { "Shop" } else { "Office" };
        let tests = [
            ("fails", Some("fail"), &[0, 1, 2, 3][..]),
            ("a", Some("pass"), &[0, 1]),
            ("b", Some("pass"), &[1, 3]),
            ("c", Some("pass"), &[2][..version.min(1) as usize]),
        ];
        let mut bug = dataset(&tests, 4);
        bug["subject"] = json!(subject);
        bug["version"] = json!(version);
        bug["faulty_methods"] = json!([version % 4]);
        fs::write(folder.join(format!("bugs/{version}.json")), bug.to_string()).unwrap();
    }
}

#[test]
fn parts_of_an_evaluation_are_the_results_of_one_piece_to_the_byte() {
    let folder = folder();
    let folder = folder.path();
    bugs(folder);
    let evaluate = |out: &str, options: &[&str]| {
        let words = [
            "evaluate",
            "bugs",
            "--metrics",
            "total,tfd,rlfdc:episodes=1",
            "--seeds",
            "2",
        ];
        let protocol = ["--protocol", "cross-project", "--tests", "2", "-o", out];
        fdc_in(folder, &[&words[..], &protocol, options].concat())
    };
    evaluate("whole", &[]).done();
    let mut parts = Vec::new();
    for number in 1..=7 {
        let out = format!("part-{number}");
        evaluate(&out, &["--shard", &format!("{number}/7")]).done();
        parts.insert(0, out);
    }
    let told = merge(folder, &parts, "merged").stderr;
    assert!(told.starts_with("merged: 7 parts, "), "{told}");
    for file in ["options.json", "results.parquet"] {
        let read = |of: &str| fs::read(folder.join(of).join(file)).unwrap();
        assert!(read("whole") == read("merged"), "{file}");
    }
    let run = merge(folder, &parts[1..], "incomplete");
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(run.stderr.contains("missing: 7/7"), "{}", run.stderr);
    let run = merge(folder, &["whole".to_owned()], "incomplete");
    assert!(run.stderr.contains("whole results"), "{}", run.stderr);
}

#[test]
fn parts_of_a_training_are_the_models_of_one_piece_to_the_byte() {
    let folder = folder();
    let folder = folder.path();
    bugs(folder);
    let train = |out: &str, options: &[&str]| {
        let words = [
            "train",
            "bugs",
            "--episodes",
            "1",
            "--protocol",
            "cross-project",
            "-o",
            out,
        ];
        fdc_in(folder, &[&words, options].concat())
    };
    train("whole", &[]).done();
    let parts = ["part-1".to_owned(), "part-2".to_owned()];
    train("part-1", &["--shard", "1/2"]).done();
    train("part-2", &["--shard", "2/2"]).done();
    assert_eq!(
        merge(folder, &parts, "merged").stderr,
        "merged: 2 parts, 2 models\n"
    );
    for model in fs::read_dir(folder.join("whole")).unwrap() {
        let model = model.unwrap();
        let merged = folder.join("merged").join(model.file_name());
        assert!(fs::read(model.path()).unwrap() == fs::read(merged).unwrap());
    }
    let run = train("part-1", &["--shard", "2/2"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let run = fdc_in(
        folder,
        &["train", "bugs", "--shard", "1/2", "-o", "one.safetensors"],
    );
    assert!(run.stderr.contains("choose a --protocol"), "{}", run.stderr);
}
