//! `fdc label`: a session by lines of JSON.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::program::{command, fdc, fdc_in};
use crate::subjects::{dataset, folder, write_json};

/// A session under way.
pub(crate) struct Label {
    pub child: Child,
    pub requests: ChildStdin,
    pub replies: BufReader<ChildStdout>,
}

impl Label {
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> (Self, Value) {
        let all = [
            &[
                "label",
                "case.fdc",
                "--metric",
                "split",
                "--formula",
                "ochiai",
            ],
            arguments,
        ]
        .concat();
        let mut child = command(folder, &all)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut label = Label {
            requests: child.stdin.take().unwrap(),
            replies: BufReader::new(child.stdout.take().unwrap()),
            child,
        };
        let first = label.reply();
        (label, first)
    }

    pub(crate) fn ask(&mut self, request: &Value) -> Value {
        writeln!(self.requests, "{request}").unwrap();
        self.reply()
    }

    pub(crate) fn reply(&mut self) -> Value {
        let mut line = String::new();
        self.replies.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}"))
    }
}

/// What a session with these requests, and no more, replies.
pub(crate) fn session(folder: &Path, arguments: &[&str], requests: &[Value]) -> String {
    let mut child = command(folder, arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    for request in requests {
        writeln!(input, "{request}").unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// Three tests to ask for, and one that fails.
pub(crate) fn stored() -> tempfile::TempDir {
    let folder = folder();
    let tests: &[(&str, Option<&str>, &[u32])] = &[
        ("fails", Some("fail"), &[0, 1, 2]),
        ("a", None, &[0]),
        ("b", None, &[0, 1]),
        ("c", None, &[2]),
    ];
    write_json(folder.path(), "case.json", &dataset(tests, 3));
    fdc_in(folder.path(), &["import", "case.json", "-o", "case.fdc"]).done();
    folder
}

#[test]
fn an_answer_without_a_name_is_to_the_test_that_was_shown() {
    let folder = folder();
    let case = folder.path().join("orders.fdc");
    let case = case.to_str().unwrap();
    fdc(&["import", "orders/orders.json", "-o", case]).done();
    let arguments = ["label", case, "--start", "labelled"];
    let answer = json!({"do": "answer", "verdict": "pass"});
    let said = session(folder.path(), &arguments, &[answer.clone(), answer]);
    let states: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for answer in 0..2 {
        let shown = &states[answer]["next"]["test"];
        assert_eq!(shown, &states[answer + 1]["answers"][answer]["subject"]);
    }
}

#[test]
fn answers_sharpen_the_ranking_and_survive_a_kill() {
    let folder = stored();
    let (mut label, state) = Label::start(folder.path(), &["--who", "ann"]);
    assert_eq!(state["event"], "state");
    assert_eq!(state["tied"], 3);
    assert_eq!(state["next"]["test"], "a");
    let state = label.ask(&json!({"do": "answer", "verdict": "pass"}));
    assert_eq!((&state["tied"], &state["left"]), (&json!(2), &json!(2)));
    // What was shown as taken is in the file.
    label.child.kill().unwrap();
    label.child.wait().unwrap();
    let (mut again, state) = Label::start(folder.path(), &[]);
    assert_eq!(state["answers"][0]["subject"], "a");
    assert_eq!(state["answers"][0]["who"], "ann");
    assert_eq!(state["tied"], 2);
    let state = again.ask(&json!({"do": "undo"}));
    assert_eq!(state["tied"], 3);
    assert_eq!(state["answers"][0]["undone"], true);
    assert_eq!(again.ask(&json!({"do": "quit"})), json!({"event": "bye"}));
    assert_eq!(again.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_bad_request_changes_nothing_and_the_session_goes_on() {
    let folder = stored();
    let (mut label, before) = Label::start(folder.path(), &[]);
    for (request, message) in [
        (json!({"do": "dance"}), "not a request"),
        (json!("pass"), "not a request"),
        (json!({"do": "undo"}), "there is nothing to undo"),
        (json!({"do": "undo", "id": "label x"}), "no answer is"),
        (
            json!({"do": "answer", "verdict": "pass", "test": "zzz"}),
            "no test is named \"zzz\"",
        ),
        (
            json!({"do": "answer", "verdict": "fail", "test": "fails"}),
            "need no verdict",
        ),
        (
            json!({"do": "fine", "method": "src/a.py::m9"}),
            "did you mean",
        ),
    ] {
        let reply = label.ask(&request);
        assert_eq!(reply["event"], "error", "{request}");
        let said = reply["message"].as_str().unwrap();
        assert!(said.contains(message), "{request}: {said}");
    }
    assert_eq!(label.ask(&json!({"do": "show"})), before);
}

#[test]
fn statements_count_in_every_command() {
    let folder = stored();
    let (mut label, _) = Label::start(folder.path(), &["--json-lines"]);
    let state = label.ask(&json!({"do": "fine", "method": "src/a.py::m0"}));
    assert_eq!(state["tied"], 2);
    let advice = label.ask(&json!({"do": "advice"}));
    assert_eq!(advice["event"], "advice");
    assert_eq!(advice["answers"], 1);
    assert!(
        advice["words"]
            .as_str()
            .unwrap()
            .starts_with("1 answer so far.")
    );
    let ranked = fdc_in(
        folder.path(),
        &[
            "rank",
            "case.fdc",
            "--format",
            "json",
            "--formula",
            "ochiai",
        ],
    )
    .json();
    let places: Vec<&Value> = ranked["methods"].as_array().unwrap().iter().collect();
    assert_eq!(places[0]["rank"], 2);
    assert_eq!(places[2]["name"], "src/a.py::m0");
    let learned = fdc_in(folder.path(), &["rank", "case.fdc", "--format", "json"]).json();
    assert_eq!(learned["methods"][2]["name"], "src/a.py::m0");
}

#[test]
fn trust_outside_its_range_is_refused() {
    let folder = stored();
    let run = fdc_in(folder.path(), &["label", "case.fdc", "--trust", "0.3"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("expected a number from 0.5 to 1"));
}

#[test]
fn a_line_that_is_no_request_is_refused_and_the_next_one_heard() {
    let folder = stored();
    let mut child = command(folder.path(), &["label", "case.fdc"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"{\"do\": \"\xff\"}\n").unwrap();
    let long = vec![b' '; 3 << 20];
    input
        .write_all(&[&long[..], b"{\"do\": \"show\"}\n"].concat())
        .unwrap();
    input.write_all(b"{\"do\": \"show\"}").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let events = String::from_utf8(output.stdout).unwrap();
    let events: Vec<Value> = events
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kinds: Vec<&str> = events
        .iter()
        .map(|e| e["event"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["state", "error", "error", "state"]);
    let long = events[2]["message"].as_str().unwrap();
    assert_eq!(long, "not a request: it has more than 1048576 bytes");
}

#[cfg(target_os = "linux")]
#[test]
fn replies_that_cannot_be_written_are_an_error() {
    let folder = stored();
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = command(folder.path(), &["label", "case.fdc"])
        .stdin(Stdio::null())
        .stdout(full)
        .output()
        .unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(message.contains("standard output"), "{message}");
}

/// The program without the right of an administrator to write everywhere; none if this system
/// cannot take it away.
#[cfg(target_os = "linux")]
fn unprivileged(folder: &Path, arguments: &[&str]) -> Option<std::process::Command> {
    let probe = folder.join("probe");
    std::fs::write(&probe, "").unwrap();
    chmod(&probe, 0o444);
    if std::fs::File::options().append(true).open(&probe).is_err() {
        return Some(command(folder, arguments));
    }
    let mut without = std::process::Command::new("setpriv");
    without
        .arg("--bounding-set=-dac_override")
        .current_dir(folder);
    let writes = format!("test ! -w {}", probe.display());
    let tried = std::process::Command::new("setpriv")
        .args(["--bounding-set=-dac_override", "sh", "-c", &writes])
        .status();
    if !tried.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: this system cannot take the right to write away");
        return None;
    }
    without.arg(env!("CARGO_BIN_EXE_fdc")).args(arguments);
    Some(without)
}

#[cfg(target_os = "linux")]
fn chmod(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_case_that_cannot_be_written_is_refused_at_the_start_and_can_be_looked_at() {
    // The file, or only its folder, in which SQLite needs a journal.
    for (file, inside) in [(0o444, 0o755), (0o644, 0o555)] {
        let folder = stored();
        let run = |arguments: &[&str]| {
            let output = unprivileged(folder.path(), arguments)?.output().unwrap();
            let (code, said) = (output.status.code(), output.stderr);
            Some((code, String::from_utf8(said).unwrap()))
        };
        if run(&["list", "metrics"]).is_none() {
            return;
        }
        chmod(&folder.path().join("case.fdc"), file);
        for command in ["label", "serve"] {
            chmod(folder.path(), 0o755);
            let mut session = unprivileged(folder.path(), &[command, "case.fdc"]).unwrap();
            chmod(folder.path(), inside);
            let output = session.output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(3), "{command}: {said}");
            assert!(
                said.contains("case.fdc") && said.contains("can be written"),
                "{said}"
            );
            assert!(output.stdout.is_empty());
        }
        chmod(folder.path(), 0o755);
        let mut report = unprivileged(folder.path(), &["report", "case.fdc"]).unwrap();
        chmod(folder.path(), inside);
        let output = report.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        chmod(folder.path(), 0o755);
    }
}
