//! The most suspicious lines of a suspect as a block of Markdown that nothing in them can end.

use fdc_draw::text::{shortened, visible};
use fdc_source::Language;

use crate::rank::{Ranked, Suspect};

/// Lines of a suspect, and characters of a line.
const LINES: u32 = 10;
const LONGEST: usize = 160;

/// The block, indented to stand in an item of a numbered list; nothing where there is no source.
pub(super) fn of(ranked: &Ranked<'_>, suspect: &Suspect) -> String {
    let Some(excerpt) = ranked.excerpt(suspect, |all| all.min(LINES)) else {
        return String::new();
    };
    let language = Language::of_path(&excerpt.path).map_or("", tag);
    let code = block(language, &excerpt.texts());
    let numbers = excerpt.lines.iter().map(|line| line.number);
    let (first, last) = (numbers.clone().min(), numbers.max());
    let caption = match (first, last) {
        (Some(first), Some(last)) if first < last => format!("Lines {first} to {last}:"),
        _ => format!("Line {}:", first.unwrap_or(0)),
    };
    let lines = caption.lines().chain(code.lines());
    lines.map(|line| format!("   {line}\n")).collect()
}

/// What a block of the language is marked with.
fn tag(language: Language) -> &'static str {
    match language {
        Language::Python => "python",
        Language::Rust => "rust",
        Language::Go => "go",
        Language::Java => "java",
        Language::JavaScript => "javascript",
        Language::TypeScript => "typescript",
        Language::Tsx => "tsx",
    }
}

/// A fence is longer than any run of backticks between it and its end.
fn block(language: &str, lines: &[String]) -> String {
    let shown =
        |line: &String| -> String { shortened(line, LONGEST).chars().map(visible).collect() };
    let lines: Vec<String> = lines.iter().map(shown).collect();
    let runs = lines.iter().flat_map(|line| line.split(|c| c != '`'));
    let longest = runs.map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}{language}\n{}\n{fence}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_ends_the_block() {
        let lines = ["````", "a\u{1b}b\r", "```` x"].map(str::to_owned);
        assert_eq!(
            block("python", &lines),
            "`````python\n````\na\u{fffd}b \n```` x\n`````"
        );
        assert_eq!(block("", &["x".to_owned()]), "```\nx\n```");
        let long = block("", &["y".repeat(500)]);
        assert!(long.chars().count() < 200);
    }
}
