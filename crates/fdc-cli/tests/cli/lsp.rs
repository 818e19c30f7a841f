//! `fdc lsp` as an editor starts it. What it answers is tested in `fdc-lsp`.

use std::io::Write as _;
use std::process::Stdio;

use crate::program::command;

/// How it ends and what it prints after this input.
fn conversation(input: &[u8]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut child = command(folder.path(), &["lsp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may be gone before everything is written.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

fn frames(messages: &[&str]) -> Vec<u8> {
    let frame = |text: &&str| format!("Content-Length: {}\r\n\r\n{text}", text.len());
    messages.iter().map(frame).collect::<String>().into_bytes()
}

#[test]
fn a_goodbye_ends_it_well_and_a_hasty_exit_is_told_by_the_code() {
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
    let shutdown = r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#;
    let exit = r#"{"jsonrpc":"2.0","method":"exit"}"#;
    let (code, said) = conversation(&frames(&[initialize, shutdown, exit]));
    assert_eq!(code, Some(0));
    assert!(said.starts_with("Content-Length: "), "{said}");
    assert!(said.contains(r#""codeLensProvider""#), "{said}");
    assert_eq!(conversation(&frames(&[initialize, exit])).0, Some(1));
    assert_eq!(conversation(b"").0, Some(0), "the editor is gone");
}

#[test]
fn garbage_is_survived() {
    let mut garbage = b"\xff\0Content-Length: -1\r\n\r\n{\r\nContent-Length: 3\r\n\r\n{]}".to_vec();
    garbage.extend(frames(&[r#"{"id":7,"method":"initialize"}"#]));
    let (code, said) = conversation(&garbage);
    assert_eq!(code, Some(0));
    assert!(
        said.contains("-32700") && said.contains(r#""id":7"#),
        "{said}"
    );
}
