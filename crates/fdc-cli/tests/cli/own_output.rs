//! No command writes over what it reads, or over what people have answered.

use serde_json::json;

use crate::label::{session, stored};
use crate::program::fdc_in;

/// Every command that reads a file and writes one, with its input as its output.
#[test]
fn an_input_is_never_its_own_output() {
    let folder = stored();
    #[cfg(unix)]
    std::os::unix::fs::symlink("case.fdc", folder.path().join("link.fdc")).unwrap();
    std::fs::write(folder.path().join("study.toml"), "").unwrap();
    std::fs::create_dir(folder.path().join("results")).unwrap();
    let before = std::fs::read(folder.path().join("case.fdc")).unwrap();
    let lines: &[&[&str]] = &[
        &["import", "case.fdc", "-o", "case.fdc"],
        &["import", "case.fdc", "-o", "./case.fdc"],
        #[cfg(unix)]
        &["import", "link.fdc", "-o", "case.fdc"],
        &["rank", "case.fdc", "-o", "case.fdc"],
        &["select", "case.fdc", "-o", "case.fdc"],
        &["report", "case.fdc", "-o", "case.fdc"],
        &["train", "case.fdc", "-o", "case.fdc"],
        &["train", "case.fdc", "-o", "model", "--log", "case.fdc"],
        &["train", "case.fdc", "-o", "model", "--plot", "case.fdc"],
        &["train", "case.fdc", "-o", "model", "--log", "model"],
        &["evaluate", "results", "--metrics", "fdg", "-o", "results"],
        &["compare", "results", "-o", "results"],
        &["compare", "results", "--plots", "results"],
        &["study", "study.toml", "--out", "study.toml"],
        &[
            "generate",
            "evosuite",
            "--case",
            "case.fdc",
            "--classpath",
            "x",
            "-o",
            "case.fdc",
        ],
    ];
    for line in lines {
        let run = fdc_in(folder.path(), line);
        let message = run.stderr;
        assert_eq!(run.code, Some(2), "{line:?}: {message}");
        let refused = message.contains("would be written over") || message.contains("two outputs");
        assert!(refused, "{line:?}: {message}");
        let after = std::fs::read(folder.path().join("case.fdc")).unwrap();
        assert!(after == before, "{line:?} changed the case");
    }
}

#[test]
fn answers_are_kept_or_the_command_is_refused() {
    let folder = stored();
    let answer = json!({"do": "answer", "verdict": "pass"});
    session(folder.path(), &["label", "case.fdc"], &[answer]);
    for line in [
        &["import", "case.json", "-o", "case.fdc"][..],
        &["rank", "case.json", "-o", "case.fdc"],
        &["select", "case.json", "-o", "case.fdc"],
    ] {
        let run = fdc_in(folder.path(), line);
        let message = run.stderr;
        assert_ne!(run.code, Some(0), "{line:?}");
        assert!(
            message.contains("a case with 1 answer"),
            "{line:?}: {message}"
        );
    }
    // From case to case they come along.
    fdc_in(folder.path(), &["import", "case.fdc", "-o", "copy.fdc"]).done();
    let state = session(folder.path(), &["label", "copy.fdc"], &[]);
    let state: serde_json::Value = serde_json::from_str(state.lines().next().unwrap()).unwrap();
    assert_eq!(state["answers"].as_array().unwrap().len(), 1);
}
