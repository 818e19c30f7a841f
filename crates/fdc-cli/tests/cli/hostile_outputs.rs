//! Every output of the program, fed with names from outside: fixed ones, and generated ones. A name
//! is never a command to a terminal, mark-up, a mention or a second line, and data keeps it whole.

use std::path::Path;
use std::process::Stdio;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::annotations::is_annotation;
use crate::hostile_names::{HOSTILE, case, is_harmless};
use crate::label::session;
use crate::program::{command, fdc_in};
use crate::schemas::problem;
use crate::subjects::{folder, write_json};

/// What an output is, and so what is checked.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// For a person at a terminal; a name takes one line.
    Text,
    /// JSON, one document or one a line, that holds every method's name.
    Json,
    /// Quoted as RFC 4180 has it; every method's name is a field.
    Csv,
    /// `name;score`, one line a method.
    Gzoltar,
    /// SARIF.
    Log,
    /// A code quality report of GitLab.
    Findings,
    /// Workflow commands of GitHub, one line a method.
    Commands,
    /// A page.
    Page,
    /// Markdown for GitHub.
    Comment,
}

/// Every command that shows names of a case, in every format.
const OUTPUTS: &[(&[&str], Kind)] = &[
    (
        &["rank", "case.fdc", "-n", "99", "--formula", "ochiai"],
        Kind::Text,
    ),
    (
        &["rank", "case.fdc", "-n", "99", "--level", "line"],
        Kind::Text,
    ),
    (
        &["rank", "case.fdc", "-n", "99", "--level", "file"],
        Kind::Text,
    ),
    (&["rank", "case.fdc", "--format", "json"], Kind::Json),
    (&["rank", "case.fdc", "--format", "csv"], Kind::Csv),
    (&["rank", "case.fdc", "--format", "gzoltar"], Kind::Gzoltar),
    (
        &["rank", "case.fdc", "-n", "99", "--format", "sarif"],
        Kind::Log,
    ),
    (
        &[
            "rank", "case.fdc", "-n", "99", "--format", "sarif", "--level", "line",
        ],
        Kind::Log,
    ),
    (
        &["rank", "case.fdc", "-n", "99", "--format", "gitlab"],
        Kind::Findings,
    ),
    (
        &["rank", "case.fdc", "-n", "99", "--format", "annotations"],
        Kind::Commands,
    ),
    (
        &["rank", "case.fdc", "-n", "99", "--format", "html"],
        Kind::Page,
    ),
    (
        &[
            "rank", "case.fdc", "-n", "99", "--format", "html", "--level", "line",
        ],
        Kind::Page,
    ),
    (
        &[
            "rank", "case.fdc", "-n", "99", "--format", "html", "--level", "file",
        ],
        Kind::Page,
    ),
    (
        &[
            "select",
            "case.fdc",
            "--metric",
            "split",
            "--formula",
            "ochiai",
            "-n",
            "all",
        ],
        Kind::Text,
    ),
    (
        &[
            "select",
            "case.fdc",
            "--metric",
            "split",
            "--formula",
            "ochiai",
            "-n",
            "all",
            "--reveal",
        ],
        Kind::Text,
    ),
    (
        &[
            "label",
            "case.fdc",
            "--metric",
            "split",
            "--formula",
            "ochiai",
            "--suspects",
            "99",
        ],
        Kind::Json,
    ),
    (
        &[
            "report",
            "case.fdc",
            "--metric",
            "split",
            "--formula",
            "ochiai",
            "--suspects",
            "99",
        ],
        Kind::Page,
    ),
    (
        &[
            "report",
            "case.fdc",
            "--metric",
            "split",
            "--formula",
            "ochiai",
            "--suspects",
            "99",
            "--format",
            "sarif",
        ],
        Kind::Log,
    ),
    (
        &[
            "report",
            "case.fdc",
            "--metric",
            "split",
            "--formula",
            "ochiai",
            "--suspects",
            "99",
            "--format",
            "markdown",
        ],
        Kind::Comment,
    ),
    (&["import", "case.json", "-o", "again.fdc"], Kind::Text),
];

/// Elements and attributes that our pages are made of.
const TAGS: &str = "!DOCTYPE html head meta link title style body header h1 h2 h3 p nav ol ul li a main section div \
    table caption thead tbody tr th td button span strong code pre figure figcaption script svg desc rect text g line \
    path circle";
const ATTRIBUTES: &str = "html lang charset http-equiv content name rel href class id role tabindex aria-label \
    aria-labelledby aria-live aria-hidden scope colspan title type data-kind data-first data-v data-groups xmlns \
    width height viewBox font-family font-size font-weight text-anchor x y x1 y1 x2 y2 d fill stroke stroke-width \
    pointer-events transform stroke-dasharray stroke-linecap stroke-linejoin stroke-opacity fill-opacity cx cy r";

/// A case of these names: each is a test and a method. The first test fails and runs all, a third
/// of the others passes, the rest waits for a verdict. Some answers are given under such a name, too.
fn store(folder: &Path, names: &[String]) {
    let count = names.len();
    let rows: Vec<Vec<usize>> = (0..count)
        .map(|test| match test {
            0 => [vec![0], vec![1; count - 1]].concat(),
            _ => vec![test],
        })
        .collect();
    let test = |(index, name): (usize, &String)| match index {
        0 => json!({"name": name, "outcome": "fail"}),
        index if index.is_multiple_of(3) => json!({"name": name, "outcome": "pass"}),
        _ => json!({"name": name}),
    };
    let case = json!({
        "subject": names[0], "version": 1,
        "methods": names.iter().map(|name| method(name)).collect::<Vec<_>>(),
        "elements": (0..count).map(|method| [method, method + 1]).collect::<Vec<_>>(),
        "tests": names.iter().enumerate().map(test).collect::<Vec<_>>(),
        "coverage": rows,
        "faulty_methods": [1], "faulty_elements": [],
    });
    write_json(folder, "case.json", &case);
    fdc_in(folder, &["import", "case.json", "-o", "case.fdc"]).done();
    let answer = |verdict: &str| json!({"do": "answer", "verdict": verdict});
    let fine = json!({"do": "fine", "method": method(&names[1])});
    let undo = json!({"do": "undo"});
    // No argument holds a NUL.
    let who = format!("--who={}", names[count - 1].replace('\0', ""));
    let start = ["label", "case.fdc", "--metric", "split", &who];
    let said = [answer("pass"), answer("fail"), undo, answer("skip"), fine];
    session(folder, &start, &said);
}

fn method(name: &str) -> String {
    format!("src/{name}.py::{name}")
}

/// Runs every output on these names, and on as many plain ones.
fn check_all(names: &[String]) {
    let (hostile, plain) = (folder(), folder());
    let plain_names: Vec<String> = (0..names.len()).map(|n| format!("plain{n}")).collect();
    store(hostile.path(), names);
    store(plain.path(), &plain_names);
    let methods: Vec<String> = names.iter().map(|name| method(name)).collect();
    for (arguments, kind) in OUTPUTS {
        let run = |folder: &Path| {
            let output = command(folder, arguments)
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
            let stderr = text(output.stderr);
            assert!(output.status.success(), "{arguments:?}: {stderr}");
            is_harmless(&stderr);
            text(output.stdout)
        };
        let text = run(hostile.path());
        let twin = run(plain.path());
        match kind {
            Kind::Text => {
                is_harmless(&text);
                assert_eq!(
                    text.lines().count(),
                    twin.lines().count(),
                    "{arguments:?}: {text}"
                );
            }
            Kind::Json => {
                is_harmless(&text);
                let document: Value = serde_json::from_str(&text).unwrap();
                for method in &methods {
                    assert!(holds(&document, method), "{arguments:?}: {method:?}");
                }
            }
            Kind::Csv => {
                let mut fields = names_of_csv(&text);
                let mut wanted = methods.clone();
                fields.sort_unstable();
                wanted.sort_unstable();
                assert_eq!(fields, wanted);
            }
            Kind::Gzoltar => {
                is_harmless(&text);
                assert_eq!(text.lines().count(), 1 + names.len());
            }
            Kind::Log => {
                is_harmless(&text);
                let log: Value = serde_json::from_str(&text).unwrap();
                let results = log["runs"][0]["results"].as_array().unwrap();
                assert_eq!(results.len(), names.len());
                for result in results {
                    let message = result["message"]["text"].as_str().unwrap();
                    is_harmless(message);
                    assert!(!is_link(message), "{message}");
                }
            }
            Kind::Findings => {
                is_harmless(&text);
                let findings: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(problem("gitlab", &findings), None);
                for finding in findings.as_array().unwrap() {
                    is_harmless(finding["description"].as_str().unwrap());
                }
            }
            Kind::Commands => {
                is_harmless(&text);
                assert_eq!(text.lines().count(), names.len());
                assert!(text.lines().all(is_annotation), "{text}");
            }
            Kind::Page => {
                is_harmless(&text);
                assert_eq!(tags(&text), tags(&twin), "{arguments:?}");
            }
            Kind::Comment => {
                is_harmless(&text);
                assert_eq!(outside_code(&text), outside_code(&twin), "{text}");
                assert!(text.chars().count() < 65_536);
            }
        }
    }
}

/// Whether a string of the document is the name.
fn holds(document: &Value, name: &str) -> bool {
    match document {
        Value::String(text) => text == name,
        Value::Array(parts) => parts.iter().any(|part| holds(part, name)),
        Value::Object(parts) => parts.values().any(|part| holds(part, name)),
        _ => false,
    }
}

/// SARIF's links in messages: `[text](target)`, unless a backslash stands before the bracket.
fn is_link(message: &str) -> bool {
    let ends = message.match_indices("](").map(|(at, _)| at);
    ends.into_iter().any(|at| !message[..at].ends_with('\\'))
}

/// The last field of every record but the first.
fn names_of_csv(text: &str) -> Vec<String> {
    let mut records = vec![vec![String::new()]];
    let mut letters = text.chars().peekable();
    let mut quoted = false;
    while let Some(letter) = letters.next() {
        let record = records.last_mut().unwrap();
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                record.last_mut().unwrap().push('"');
                letters.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(String::new()),
            '\n' if !quoted => records.push(vec![String::new()]),
            letter => record.last_mut().unwrap().push(letter),
        }
    }
    records.pop();
    let last = |record: &Vec<String>| record.last().unwrap().clone();
    records.iter().skip(1).map(last).collect()
}

/// The elements of a page in order, those of pictures left out: how much of a name is drawn depends
/// on its length. Elements, attributes and links are checked everywhere.
fn tags(page: &str) -> Vec<String> {
    let (before, rest) = page.split_once("<style>").unwrap();
    let (_, rest) = rest.split_once("</style>").unwrap();
    let (middle, rest) = rest.split_once("<script>").unwrap();
    let (_, after) = rest.split_once("</script>").unwrap();
    let page = [before, middle, after].concat();
    let mut found = Vec::new();
    let mut in_picture = false;
    for part in page.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("a tag ends");
        assert!(!text.contains('>'), "{part}");
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let name = name.trim_matches('/');
        assert!(
            TAGS.split_whitespace().any(|known| known == name),
            "<{tag}>"
        );
        check_attributes(attributes.trim_end_matches('/'));
        in_picture = match tag.split(' ').next().unwrap() {
            "svg" => true,
            "/svg" => false,
            _ => in_picture,
        };
        if !in_picture {
            found.push(tag.split(' ').next().unwrap().to_owned());
        }
    }
    found
}

fn check_attributes(mut attributes: &str) {
    while !attributes.trim().is_empty() {
        let name = attributes.trim_start();
        let (name, rest) = name.split_once('=').unwrap_or((name, "\"\""));
        assert!(
            ATTRIBUTES.split_whitespace().any(|known| known == name),
            "{name:?} in {attributes}"
        );
        let rest = rest.strip_prefix('"').expect("a value is quoted");
        let (value, rest) = rest.split_once('"').expect("a value ends");
        if name == "href" {
            assert!(value.starts_with('#') || value == "data:,", "{value}");
        }
        attributes = rest;
    }
}

/// What stands outside code spans, as CommonMark finds them.
fn outside_code(comment: &str) -> String {
    let mut outside = String::new();
    let mut rest = comment;
    while let Some(start) = rest.find('`') {
        outside.push_str(&rest[..start]);
        let opened = &rest[start..];
        let fence = opened.len() - opened.trim_start_matches('`').len();
        let inside = &opened[fence..];
        let end = closing(inside, fence).expect("a span ends");
        assert!(!inside[..end].contains('\n'), "a name is one line");
        outside.push_str("CODE");
        rest = &inside[end + fence..];
    }
    outside.push_str(rest);
    outside
}

/// Where the next run of exactly so many backticks begins.
fn closing(text: &str, fence: usize) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find('`')?;
        let run = text[at..].len() - text[at..].trim_start_matches('`').len();
        if run == fence {
            return Some(at);
        }
        at += run;
    }
}

#[test]
fn no_output_lets_a_hostile_name_out() {
    let more = [
        "</script><script>alert(1)</script>",
        "</title></svg><img src=x onerror=alert(1)>",
        "\" onmouseover=\"alert(1)",
        "' onfocus='alert(1)' autofocus='",
        "<!-- comment",
        "]]> &lt; &#60; &amp;",
        "@octocat #1 GH-1 octocat/hello#1",
        "www.example.com http://example.com a@example.com",
        "| a | b |\n|---|---|\n# heading\n- [x] task",
        "`code` ``more`` ``` fence",
        "[link](javascript:alert(1)) ![image](x)",
        "$a$ **bold** _it_ ~~no~~ :smile:",
        "</details><details open>",
        "../../etc/passwd",
    ];
    let mut names: Vec<String> = HOSTILE
        .iter()
        .chain(&more)
        .map(|&name| name.to_owned())
        .collect();
    names.push("very long ".repeat(2_000));
    check_all(&names);
}

#[test]
fn the_page_of_a_comparison_shows_names_as_text() {
    let pages = [HOSTILE[5], "</script><script>alert(1)</script>", "plain"].map(|name| {
        let folder = folder();
        let mut case = case();
        case["subject"] = json!(name);
        write_json(folder.path(), "case.json", &case);
        let metrics = ["--metrics", "tfd,split", "-o", "results"];
        fdc_in(
            folder.path(),
            &[&["evaluate", "case.json"][..], &metrics].concat(),
        )
        .done();
        let compare = [
            "compare",
            "results",
            "--by-project",
            "--report",
            "page.html",
        ];
        let run = fdc_in(folder.path(), &compare);
        is_harmless(&run.stderr);
        is_harmless(&run.done());
        let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
        is_harmless(&page);
        tags(&page)
    });
    assert!(pages[0] == pages[2] && pages[1] == pages[2]);
}

#[test]
fn errors_show_unknown_names_and_never_send_them() {
    let folder = folder();
    let names: Vec<String> = HOSTILE.iter().map(|&name| name.to_owned()).collect();
    store(folder.path(), &names);
    for name in HOSTILE.iter().filter(|name| !name.contains('\0')) {
        let failing = format!("--failing={name}?");
        for command in ["rank", "select", "label", "report"] {
            let run = fdc_in(folder.path(), &[command, "case.fdc", &failing]);
            assert_eq!(run.code, Some(2), "{command} {name:?}");
            is_harmless(&run.stderr);
            assert_eq!(run.stdout, "");
            assert!(run.stderr.lines().count() <= 2, "{}", run.stderr);
        }
        for option in ["--metric", "--origin", "--source", "--format", "--out"] {
            let value = format!("{option}={name}?");
            let run = fdc_in(folder.path(), &["report", "case.fdc", &value]);
            assert_ne!(run.code, Some(0), "{option} {name:?}");
            assert_ne!(run.code, Some(70), "{}", run.stderr);
            is_harmless(&run.stderr);
        }
        let requests = [
            json!({"do": "answer", "verdict": "pass", "test": format!("{name}?")}),
            json!({"do": "fine", "method": name}),
            json!({"do": "near", "file": name}),
            json!({"do": "undo", "id": name}),
            json!({"do": name}),
        ];
        let replies = session(folder.path(), &["label", "case.fdc"], &requests);
        is_harmless(&replies);
        assert_eq!(replies.lines().count(), 1 + requests.len());
    }
}

/// Names as an attacker or an unlucky project would choose them.
fn hostile_name() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => "[a-zA-Z0-9_.:#/$-]{0,12}",
        2 => any::<String>(),
        2 => proptest::sample::select(vec![
            "\u{1b}[2J", "\u{1b}]0;x\u{7}", "\u{9b}31m", "\u{90}", "\u{0}", "\r", "\n", "\n\n", "\t", "\u{7f}",
            "\u{85}", "\u{2028}", "\u{202e}", "\u{2066}", "\u{200f}", "\u{feff}", "\u{fffe}", "<b>", "</script>",
            "<!--", "-->", "]]>", "&amp;", "\"", "'", "`", "``", "|", "\\", "\\|", "@all", "#1", "[a](b)", "](",
            "www.a.b", "https://a.b", "<https://a.b>", "**", "__", "~~", "$$", "</details>", ";", ",", "=1+1", "--",
            "../", "::", "%0a", "e\u{301}\u{301}\u{301}", "\u{1f468}\u{200d}\u{1f469}",
        ]).prop_map(str::to_owned),
        1 => Just("long".repeat(300)),
    ];
    prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

proptest! {
    // Each case starts the program some forty times.
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn no_output_lets_a_generated_name_out(names in prop::collection::vec(hostile_name(), 4..9)) {
        // A test's name must differ from the others'.
        let names: Vec<String> = names.iter().enumerate().map(|(n, name)| format!("{name}{n}")).collect();
        check_all(&names);
    }
}
