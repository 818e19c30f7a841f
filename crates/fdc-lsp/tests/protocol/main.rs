//! The server, spoken to as an editor does, about the sample `orders`.

mod client;

use std::path::PathBuf;

use client::{Client, Project};
use fdc_lsp::{ConversationEnd, ServerOptions};
use serde_json::{Value, json};

const DISCOUNT: &str = "src/orders/discount.py";
const END_TO_END: &str = "tests/test_end_to_end.py";
const FAILING: &str = "tests/test_end_to_end.py::test_school_restocks_its_office";

fn line_of(text: &str, wanted: &str) -> u64 {
    let line = text.lines().position(|line| line.contains(wanted));
    line.unwrap_or_else(|| panic!("{wanted}")) as u64
}

fn start(diagnostic: &Value) -> u64 {
    diagnostic["range"]["start"]["line"].as_u64().unwrap()
}

fn starts(diagnostics: &[Value]) -> Vec<u64> {
    diagnostics.iter().map(start).collect()
}

#[test]
fn suspects_are_marked_with_why_and_the_failing_tests() {
    let project = Project::new();
    let mut client = Client::of(&project);
    let found = client.diagnostics(&project.uri(DISCOUNT));
    let first = &found[0];
    let message = first["message"].as_str().unwrap();
    assert!(message.starts_with("suspect "), "{message}");
    assert!(message.contains(" of 70 "), "{message}");
    assert!(message.contains("run by 1 failing test and "), "{message}");
    assert!(message.contains("\n- "), "there is a reason: {message}");
    let related = &first["relatedInformation"][0];
    assert_eq!(related["location"]["uri"], project.uri(END_TO_END));
    let words = related["message"].as_str().unwrap();
    assert!(words.starts_with(&format!("fails: {FAILING}")), "{words}");
    let ranks = found.iter().map(|own| own["severity"].as_u64().unwrap());
    assert!(ranks.is_sorted(), "the more suspicious, the louder");
    assert_eq!(client.leave(), ConversationEnd::Done);
}

#[test]
fn so_many_suspects_are_marked_as_the_editor_wants() {
    let project = Project::new();
    for wanted in [0, 1, 3] {
        let mut client = Client::start(ServerOptions::default());
        let options = json!({"suspects": wanted, "draws": true});
        client.initialize(json!({"rootUri": project.uri(""), "initializationOptions": options}));
        client.wait(|message| message["method"] == "fdc/caseChanged");
        let suspects = client.execute("fdc.showSuspects", json!(null));
        assert_eq!(suspects.as_array().unwrap().len(), wanted);
        client.leave();
    }
}

#[test]
fn lines_move_as_the_text_is_edited_and_edited_lines_say_nothing() {
    let project = Project::new();
    let (uri, text) = (project.uri(DISCOUNT), project.read(DISCOUNT));
    let mut client = Client::of(&project);
    client.open(&uri, &text);
    let before = client.diagnostics_until(&uri, |found| !found.is_empty());
    let moved = format!("# one\n# two\n{text}");
    client.change(&uri, &moved);
    let after = client.diagnostics_until(&uri, |found| found != before);
    let shifted: Vec<u64> = starts(&before).iter().map(|line| line + 2).collect();
    assert_eq!(starts(&after), shifted);

    let line = line_of(&moved, "if line.quantity > minimum:");
    let hover = client.hover(&uri, line as u32).unwrap();
    assert!(hover.starts_with("**fdc**: run by "), "{hover}");
    assert!(hover.contains(&format!("- fails: `{FAILING}`")), "{hover}");
    assert!(hover.contains("tiered_discount"), "{hover}");
    assert_eq!(client.hover(&uri, 0), None, "a new line");

    let mended = moved.replace(
        "if line.quantity > minimum:",
        "if line.quantity >= minimum:",
    );
    client.change(&uri, &mended);
    assert_eq!(client.hover(&uri, line as u32), None, "an edited line");
    let list = json!({"uri": uri, "line": line + 1});
    let list = client.execute("fdc.showTests", list);
    assert_eq!(list["title"], format!("Tests that run {DISCOUNT}:{}", line));
    client.leave();
}

#[test]
fn functions_and_tests_say_who_runs_them_and_what_is_next() {
    let project = Project::new();
    let mut client = Client::of(&project);
    let (uri, text) = (project.uri(DISCOUNT), project.read(DISCOUNT));
    client.open(&uri, &text);
    client.diagnostics_until(&uri, |found| !found.is_empty());
    let lenses = client.lenses(&uri);
    let own = line_of(&text, "def tiered_discount");
    let lens = lenses.iter().find(|(line, _)| *line == own).unwrap();
    assert!(lens.1.starts_with("run by "), "{lens:?}");
    assert!(lens.1.ends_with(" tests, 1 failing"), "{lens:?}");

    let tests = project.read(END_TO_END);
    let uri = project.uri(END_TO_END);
    client.open(&uri, &tests);
    let own = line_of(&tests, "def test_school_restocks_its_office");
    assert!(client.lenses(&uri).contains(&(own, "fails".to_owned())));

    let next = client.execute("fdc.nextTest", json!(null));
    let name = next["test"]["name"].as_str().unwrap();
    assert!(client.message().contains(name));
    let place = next["test"]["uri"].as_str().unwrap().to_owned();
    let text = std::fs::read_to_string(place.strip_prefix("file://").unwrap()).unwrap();
    client.open(&place, &text);
    let lenses = client.lenses(&place);
    assert!(
        lenses
            .iter()
            .any(|(_, title)| title == "next test to look at"),
        "{lenses:?}"
    );
    client.leave();
}

#[test]
fn a_case_that_changes_is_sent_anew_and_a_damaged_one_is_said() {
    let project = Project::new();
    let mut client = Client::of(&project);
    let uri = project.uri(DISCOUNT);
    client.diagnostics_until(&uri, |found| !found.is_empty());
    project.mend();
    client.diagnostics_until(&uri, |found| found.is_empty());
    project.import(
        &PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/orders/orders.json"),
    );
    client.diagnostics_until(&uri, |found| !found.is_empty());
    std::fs::write(
        project.path("case.fdc"),
        b"SQLite format 3\0 and then nothing",
    )
    .unwrap();
    client.diagnostics_until(&uri, |found| found.is_empty());
    let message = client.message();
    assert!(
        message.contains("case.fdc: expected a case file"),
        "{message}"
    );
    std::fs::remove_file(project.path("case.fdc")).unwrap();
    let message = client.message();
    assert!(message.contains("case.fdc: cannot open it"), "{message}");
    project.import(
        &PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/orders/orders.json"),
    );
    client.diagnostics_until(&uri, |found| !found.is_empty());
    client.leave();
}

#[test]
fn a_file_that_changed_after_it_was_measured_gets_one_hint_and_nothing_else() {
    let project = Project::new();
    let uri = project.uri(DISCOUNT);
    let text = format!("# new\n{}", project.read(DISCOUNT));
    std::fs::write(project.path(DISCOUNT), &text).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    let file = std::fs::File::options()
        .append(true)
        .open(project.path(DISCOUNT));
    file.unwrap().set_modified(later).unwrap();
    let mut client = Client::of(&project);
    let found = client.diagnostics_until(&uri, |found| !found.is_empty());
    assert_eq!((found.len(), &found[0]["code"]), (1, &json!("outdated")));
    client.open(&uri, &text);
    assert_eq!(client.lenses(&uri), []);
    assert_eq!(
        client.hover(&uri, line_of(&text, "if line.quantity") as u32),
        None
    );
    client.leave();
}

#[test]
fn a_saved_edit_keeps_what_was_known_of_the_text_that_was_measured() {
    let project = Project::new();
    let (uri, text) = (project.uri(DISCOUNT), project.read(DISCOUNT));
    let mut client = Client::of(&project);
    client.open(&uri, &text);
    let before = client.diagnostics_until(&uri, |found| !found.is_empty());
    let moved = format!("\n{text}");
    client.change(&uri, &moved);
    std::fs::write(project.path(DISCOUNT), &moved).unwrap();
    client.tell(
        "textDocument/didClose",
        json!({"textDocument": {"uri": uri}}),
    );
    let shifted: Vec<u64> = starts(&before).iter().map(|line| line + 1).collect();
    client.diagnostics_until(&uri, |found| starts(found) == shifted);
    client.leave();
}

#[test]
fn coverage_is_told_by_file_and_by_test() {
    let project = Project::new();
    let mut client = Client::of(&project);
    let uri = project.uri(DISCOUNT);
    client.diagnostics_until(&uri, |found| !found.is_empty());
    let tests = client.ask("fdc/tests", json!({}));
    let names: Vec<&str> = tests["tests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|test| test["name"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), 117);
    let files = client.ask("fdc/coverage", json!({}));
    let files = files.as_array().unwrap();
    let lines: u64 = files
        .iter()
        .map(|file| file["lines"].as_u64().unwrap())
        .sum();
    assert_eq!(lines, 285);
    let discount = files.iter().find(|file| file["uri"] == *uri).unwrap();
    let own: Vec<u64> = discount["tests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_u64().unwrap())
        .collect();
    let of = |test: Option<&str>| json!({"textDocument": {"uri": uri}, "test": test});
    let all = client.ask("fdc/lines", of(None));
    let all = all.as_array().unwrap();
    assert_eq!(all.len() as u64, discount["lines"].as_u64().unwrap());
    // The counts of all tests are the sums of the tests' own.
    let mut sums = vec![0; all.len()];
    for (number, name) in names.iter().enumerate() {
        let lines = client.ask("fdc/lines", of(Some(name)));
        let counts: Vec<u64> = lines
            .as_array()
            .unwrap()
            .iter()
            .map(|line| line["tests"].as_u64().unwrap())
            .collect();
        assert_eq!(
            counts.iter().sum::<u64>() > 0,
            own.contains(&(number as u64)),
            "{name}"
        );
        sums.iter_mut()
            .zip(counts)
            .for_each(|(sum, count)| *sum += count);
    }
    let told: Vec<u64> = all
        .iter()
        .map(|line| line["tests"].as_u64().unwrap())
        .collect();
    assert_eq!(sums, told);
    assert_eq!(client.ask("fdc/lines", of(Some("nobody"))), json!(null));
    client.leave();
}

#[test]
fn garbage_is_refused_and_the_next_request_answered() {
    let project = Project::new();
    let mut client = Client::of(&project);
    client.send_bytes(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n\xff\xfe\n");
    client.send_text("{]");
    client.send_text("[]");
    client.send_text(r#"{"jsonrpc": "2.0"}"#);
    client.send_text(r#"{"method": 3, "id": {}}"#);
    for method in [
        "textDocument/didOpen",
        "textDocument/didChange",
        "textDocument/didClose",
    ] {
        for parameters in [
            json!(null),
            json!([]),
            json!({"textDocument": 1}),
            json!({"textDocument": {"uri": "x"}, "contentChanges": []}),
        ] {
            client.tell(method, parameters);
        }
    }
    let code = |answer: Value| answer["error"]["code"].as_i64();
    assert_eq!(
        code(client.answer("textDocument/rename", json!({}))),
        Some(-32601)
    );
    let wrong = json!({"command": "fdc.showTests", "arguments": [3]});
    assert_eq!(
        code(client.answer("workspace/executeCommand", wrong)),
        Some(-32602)
    );
    let far =
        json!({"textDocument": {"uri": project.uri(DISCOUNT)}, "position": {"line": u32::MAX}});
    assert_eq!(client.ask("textDocument/hover", far), json!(null));
    assert_eq!(client.lenses("file:///nowhere.py"), []);
    assert_eq!(client.leave(), ConversationEnd::Done);
}

#[test]
fn a_conversation_begins_and_ends_as_the_protocol_says() {
    let mut client = Client::start(ServerOptions::default());
    let early = client.answer("textDocument/hover", json!({}));
    assert_eq!(early["error"]["code"], -32002);
    let answer = client.initialize(json!({"rootUri": null}));
    assert_eq!(answer["capabilities"]["hoverProvider"], true);
    client.ask("shutdown", json!(null));
    let late = client.answer("fdc/tests", json!(null));
    assert_eq!(late["error"]["code"], -32600);
    client.tell("exit", json!(null));
    assert_eq!(client.leave(), ConversationEnd::Done);

    let mut client = Client::start(ServerOptions::default());
    client.tell("exit", json!(null));
    assert_eq!(client.leave(), ConversationEnd::Unasked);
}
