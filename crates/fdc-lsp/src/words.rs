//! What an editor shows, in words and in the shapes of the protocol. Names come from outside, so
//! whatever is shown goes through [`printable_name`], and Markdown is kept from being one.

use fdc::Suspect;
use fdc::editor::{HoveredLine, Lens, LensKind, Mark, NextTest, TestList};
use fdc_draw::text::{counted, printable_name, quantity};
use serde_json::{Value, json};

/// Tests that a message names.
const IN_MESSAGE: usize = 20;

/// Who says it.
pub(crate) const SOURCE: &str = "fdc";

/// What stands at the head of a file whose lines say nothing.
pub(crate) const OUTDATED: &str = "measured on an older version of this file: run `fdc collect` again to see suspects and tests here";

/// Of the first suspect a warning, of those near the top information, of others a hint.
fn severity(rank: f64) -> u8 {
    match rank {
        ..2.0 => 2,
        ..6.0 => 3,
        _ => 4,
    }
}

/// A mark as a diagnostic; `uri` tells the file of a path.
pub(crate) fn diagnostic(mark: &Mark, range: Value, uri: impl Fn(&str) -> Option<String>) -> Value {
    let related = mark.related.iter().filter_map(|related| {
        let line = related.line.saturating_sub(1);
        Some(json!({
            "location": {"uri": uri(&related.path)?, "range": line_range(line)},
            "message": printable_name(&related.words),
        }))
    });
    let related: Vec<Value> = related.collect();
    let mut message = format!(
        "suspect {} of {} ({}): {}; run by {} and {}",
        quantity(mark.rank),
        mark.of,
        mark.score,
        printable_name(&mark.method),
        counted(mark.failing as u64, "failing test"),
        counted(mark.passing as u64, "passing test"),
    );
    for reason in &mark.reasons {
        message += &format!("\n- {}", printable_name(reason));
    }
    json!({
        "range": range,
        "severity": severity(mark.rank),
        "source": SOURCE,
        "code": "suspect",
        "message": message,
        "relatedInformation": related,
    })
}

/// The hint at the head of a file.
pub(crate) fn outdated() -> Value {
    json!({
        "range": line_range(0),
        "severity": 4,
        "source": SOURCE,
        "code": "outdated",
        "message": OUTDATED,
    })
}

/// The start of a line (from 0).
pub(crate) fn line_range(line: u32) -> Value {
    json!({"start": {"line": line, "character": 0}, "end": {"line": line, "character": 0}})
}

/// A lens with the command behind it.
pub(crate) fn lens(lens: &Lens) -> Value {
    let (title, command, argument) = match &lens.kind {
        LensKind::RunBy {
            method,
            tests,
            failing,
        } => {
            let mut title = format!("run by {}", counted(u64::from(*tests), "test"));
            if *failing > 0 {
                title += &format!(", {failing} failing");
            }
            (title, "fdc.showTests", json!([{"method": method}]))
        }
        LensKind::Fails { test, message } => {
            let told = message.as_deref().map_or_else(String::new, printable_name);
            let title = match told.as_str() {
                "" => "fails".to_owned(),
                told => format!("fails: {told}"),
            };
            (title, "fdc.showTests", json!([{"tests": [test]}]))
        }
        LensKind::Next { .. } => ("next test to look at".to_owned(), "fdc.nextTest", json!([])),
    };
    json!({
        "range": line_range(lens.line.saturating_sub(1)),
        "command": {"title": title, "command": command, "arguments": argument},
    })
}

/// A hover as Markdown.
pub(crate) fn hover(line: &HoveredLine) -> String {
    let mut text = format!("run by {}", counted(line.tests as u64, "test"));
    if line.failing > 0 {
        text += &format!(", {} failing", line.failing);
    }
    let mut text = format!("**fdc**: {text}\n");
    for (name, fails) in &line.names {
        let mark = if *fails { "fails" } else { "passes" };
        text += &format!("- {mark}: {}\n", code(name));
    }
    let named = line.names.len();
    if line.tests > named {
        text += &format!("- and {} more\n", line.tests - named);
    }
    if let Some(score) = line.score {
        text += &format!("\nscore of the line: {score:.3}\n");
    }
    if let Some(suspect) = &line.suspect {
        text += &format!(
            "\nsuspect {} of {} ({}): {}\n",
            quantity(suspect.rank),
            line.of,
            suspect.score_text(),
            code(&suspect.name),
        );
        for reason in &suspect.reasons {
            text += &format!("- {}\n", escaped(reason));
        }
    }
    text
}

/// A list of tests as a message.
pub(crate) fn list(list: &TestList) -> String {
    let mut text = format!("{}: {}", printable_name(&list.title), list.tests.len());
    for test in list.tests.iter().take(IN_MESSAGE) {
        let outcome = match test.outcome {
            Some("fail") => "fails",
            Some(_) => "passes",
            None => "not known",
        };
        text += &format!("\n{outcome}: {}", printable_name(&test.name));
        if let Some(message) = &test.message {
            text += &format!(" ({})", printable_name(message));
        }
    }
    if list.tests.len() > IN_MESSAGE {
        text += &format!("\nand {} more", list.tests.len() - IN_MESSAGE);
    }
    text
}

/// The test to look at next as a message.
pub(crate) fn next(next: &NextTest) -> String {
    let (name, why) = (printable_name(&next.test.name), printable_name(&next.why));
    format!("next test to look at: {name}\n{why}")
}

/// Suspects as a message.
pub(crate) fn suspects(suspects: &[Suspect]) -> String {
    let line = |own: &Suspect| {
        let (rank, score) = (quantity(own.rank), own.score_text());
        let (name, spot) = (printable_name(&own.name), printable_name(&own.spot()));
        format!("{rank}. {name} ({score}) {spot}")
    };
    match suspects {
        [] => "no test fails, so nothing is suspected".to_owned(),
        some => some.iter().map(line).collect::<Vec<_>>().join("\n"),
    }
}

/// A name as code, whatever is in it.
fn code(name: &str) -> String {
    let name = printable_name(name);
    let ticks = name.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(ticks + 1);
    let blank = if name.starts_with('`') || name.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{blank}{name}{blank}{fence}")
}

/// Text in Markdown that stays text.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in printable_name(text).chars() {
        if r"\`*_{}[]()#+!|<>&~".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_names_in_markdown() {
        assert_eq!(code("t[x]"), "`t[x]`");
        assert_eq!(code("a``b"), "```a``b```");
        assert_eq!(code("`x"), "`` `x ``");
        assert_eq!(code("a\n# b"), r"`a\n# b`");
        assert_eq!(escaped("[x](y) <b>"), r"\[x\]\(y\) \<b\>");
    }

    #[test]
    fn the_first_suspect_warns_and_the_last_ones_hint() {
        assert_eq!([1.0, 1.5, 2.0, 5.0, 6.0].map(severity), [2, 2, 3, 3, 4]);
    }
}
