//! What messages advise can be done: every run of a test checks that a message names only options
//! which its command has. Here commands are given what they are not meant for.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::program::{fdc_in, testdata};
use crate::subjects::{dataset, folder, write_json};

/// Commands that read coverage, and what they need beside it.
const READERS: &[(&str, &[&str])] = &[
    ("rank", &["--format", "csv"]),
    ("select", &[]),
    ("import", &["-o", "imported.fdc"]),
    ("label", &[]),
    ("report", &["--format", "markdown"]),
    ("evaluate", &["--metrics", "tfd", "-o", "results"]),
    ("train", &["--recipe", "sharp", "-o", "model.safetensors"]),
    ("compare", &[]),
    ("study", &["--data", "nowhere"]),
];

/// What somebody may add to any of them.
const ADDED: &[&[&str]] = &[
    &[],
    &["--failing", "nobody"],
    &["--source", "nowhere"],
    &["--since", "never"],
    &["--metric", "nothing"],
    &["--metric", "tfd", "--model", "model.safetensors"],
    &["--origin", "nobody"],
];

/// `fdc_in` looks at what is said.
fn every_reader(folder: &Path, input: &Path, added: &[&[&str]]) {
    for (command, needed) in READERS {
        for more in added {
            let start = [command, input.to_str().unwrap()];
            let run = fdc_in(folder, &[&start[..], needed, more].concat());
            assert_ne!(run.code, Some(70), "{command} {input:?} {more:?}");
            for output in ["imported.fdc", "model.safetensors"] {
                let _ = std::fs::remove_file(folder.join(output));
            }
            let _ = std::fs::remove_dir_all(folder.join("results"));
            // A server that starts does not end.
            if *command == "label" && run.code != Some(0) {
                fdc_in(folder, &[&["serve"], &start[1..], more].concat());
            }
        }
    }
}

#[test]
fn of_any_input_that_fits_or_not() {
    let folder = folder();
    let inside = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let kinds = inside(&testdata());
    let samples: Vec<PathBuf> = kinds.iter().flat_map(|kind| inside(kind)).collect();
    assert!(samples.len() > 50);
    // A message quotes how a file starts, and those about samples start with other programs.
    let quoted = |path: &Path| path.extension().is_some_and(|ending| ending == "md");
    for input in samples
        .iter()
        .filter(|path| path.is_file() && !quoted(path))
    {
        every_reader(folder.path(), input, &[&[]]);
    }
}

#[test]
fn of_cases_that_lack_something() {
    let place = folder();
    let folder = place.path();
    let one = dataset(&[("a", Some("pass"), &[0]), ("b", None, &[1])], 2);
    write_json(folder, "none.json", &one);
    let two: &[(&str, Option<&str>, &[u32])] = &[
        ("f", Some("fail"), &[0]),
        ("g", Some("fail"), &[1]),
        ("p", Some("pass"), &[0, 1]),
    ];
    write_json(folder, "several.json", &dataset(two, 2));
    write_json(
        folder,
        "empty.json",
        &dataset(&[("f", Some("fail"), &[]), ("p", None, &[0])], 1),
    );
    let mut flaky = dataset(two, 2);
    for test in flaky["tests"].as_array_mut().unwrap() {
        test["flaky"] = json!(true);
    }
    write_json(folder, "flaky.json", &flaky);
    for name in ["none", "several", "empty", "flaky"] {
        let (input, case) = (format!("{name}.json"), format!("{name}.fdc"));
        fdc_in(folder, &["import", &input, "-o", &case]).done();
    }
    let whole = std::fs::read(folder.join("several.fdc")).unwrap();
    std::fs::write(folder.join("cut.fdc"), &whole[..whole.len() / 2]).unwrap();
    std::fs::write(folder.join("cut.json"), "{\"methods\": [").unwrap();
    std::fs::write(folder.join("text.fdc"), "text").unwrap();
    for input in [
        "none.json",
        "none.fdc",
        "several.json",
        "several.fdc",
        "empty.fdc",
        "flaky.fdc",
        "cut.fdc",
        "cut.json",
        "text.fdc",
        "absent.fdc",
        ".",
    ] {
        every_reader(folder, Path::new(input), ADDED);
    }
}
