//! Escaping for every text format written here. Names come from projects under test and may hold
//! anything: mark-up, control characters, text that runs right to left.

use crate::text::{shortened, visible};

/// Text for XML and HTML, as content or inside a quoted attribute.
///
/// Characters that XML 1.0 forbids, and the invisible ones that reorder the text around them,
/// come out as U+FFFD, so that a name cannot disguise itself; line breaks and tabs become spaces.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(visible(c)),
        }
    }
    out
}

/// Text for a cell of a Markdown (GitHub) table: shown literally, never a second cell or a row.
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // An address would become a link, `@name` a mention, `#5` an issue.
            ':' | '@' => out.push_str(&format!("&#{};", u32::from(c))),
            c if r"\|`*_{}[]()#!~$".contains(c) => out.extend(['\\', c]),
            c => out.push(visible(c)),
        }
    }
    out.trim().to_owned()
}

/// Text as a code span of Markdown (GitHub), outside tables: shown literally, and nothing in it is
/// a mention, a reference, a link or mark-up. At most `most` characters, `…` where more were.
pub fn code_span(text: &str, most: usize) -> String {
    let shown: String = shortened(text, most).chars().map(visible).collect();
    let longest_run = shown.split(|c| c != '`').map(str::len).max();
    let fence = "`".repeat(longest_run.unwrap_or(0) + 1);
    if shown.is_empty() {
        return "(no name)".to_owned();
    }
    // A blank on either side is taken off again, unless there is nothing but blanks.
    let edge = |c: char| c == '`' || c == ' ';
    let blank = shown.chars().all(|c| c == ' ');
    if !blank && (shown.starts_with(edge) || shown.ends_with(edge)) {
        format!("{fence} {shown} {fence}")
    } else {
        format!("{fence}{shown}{fence}")
    }
}

/// Lines as a code block of Markdown (GitHub): shown literally, and nothing in them is a mention, a
/// link or mark-up. At most `most` characters, `…` where more were.
pub fn code_block(text: &str, most: usize) -> String {
    let kept = shortened(text, most);
    let shown = |line: &str| line.chars().map(visible).collect::<String>();
    let lines: Vec<String> = kept.lines().map(shown).collect();
    let runs = lines.iter().flat_map(|line| line.split(|c| c != '`'));
    let fence = "`".repeat(runs.map(str::len).max().unwrap_or(0).max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", lines.join("\n"))
}

/// A field of a CSV file as RFC 4180 has it: quoted only where needed, otherwise verbatim.
///
/// Data for programs: a field that a spreadsheet takes for a formula stays as it is.
pub fn csv(text: &str) -> String {
    let quote =
        text.contains([',', '"', '\n', '\r']) || text.starts_with(' ') || text.ends_with(' ');
    match quote {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// Text for LaTeX outside mathematics, safe at the start of a table row too.
///
/// Greek letters and common signs become mathematics, so that pdfLaTeX accepts them; other
/// characters outside ASCII stay as they are (UTF-8), control characters become `?`.
pub fn latex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut previous = '\0';
    for c in text.chars() {
        let mut signs = SIGNS.split_whitespace();
        let sign = signs.find_map(|sign| sign.strip_prefix(c));
        match c {
            '{' | '}' | '$' | '&' | '#' | '_' | '%' => out.extend(['\\', c]),
            // After `\\`, a bracket or a star would be read as its argument.
            '[' | ']' | '*' => out.extend(['{', c, '}']),
            // `--` would become a dash, `,,` a quotation mark.
            '-' | ',' if previous == c => out.extend(['{', '}', c]),
            '\u{a0}' => out.push('~'),
            c => match (sign, visible(c)) {
                (Some(sign), _) => out.push_str(sign),
                (None, '\u{fffd}') => out.push('?'),
                (None, shown) => out.push(shown),
            },
        }
        previous = c;
    }
    out
}

/// Characters, each followed by what LaTeX is to read instead.
const SIGNS: &str = r#"
    \\textbackslash{} ^\textasciicircum{} ~\textasciitilde{} <\textless{} >\textgreater{}
    |\textbar{} "\textquotedbl{} '\textquotesingle{} `\textasciigrave{}
    −$-$ ±$\pm$ ×$\times$ ·$\cdot$ ≤$\leq$ ≥$\geq$ ≠$\neq$ ≈$\approx$ ∞$\infty$
    →$\rightarrow$ ←$\leftarrow$ ²$^2$ °$^\circ$ –-- —--- …\ldots{}
    α$\alpha$ β$\beta$ γ$\gamma$ δ$\delta$ Δ$\Delta$ ε$\varepsilon$ λ$\lambda$ μ$\mu$ µ$\mu$
    ρ$\rho$ σ$\sigma$ Σ$\Sigma$ τ$\tau$ χ$\chi$
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_escapes_mark_up_and_hides_nothing() {
        assert_eq!(xml("a<b>&\"'c"), "a&lt;b&gt;&amp;&quot;&#39;c");
        assert_eq!(xml("x\u{0}\u{202e}y\nz"), "x\u{fffd}\u{fffd}y z");
    }

    #[test]
    fn a_pipe_or_a_line_break_does_not_open_a_markdown_cell() {
        assert_eq!(markdown("a|b\nc"), "a\\|b c");
        assert_eq!(markdown("\\|"), "\\\\\\|");
        assert_eq!(markdown("http://x @me"), "http&#58;//x &#64;me");
    }

    #[test]
    fn a_code_span_closes_where_it_should_and_nowhere_else() {
        assert_eq!(code_span("a|b <i> @me #1", 99), "`a|b <i> @me #1`");
        assert_eq!(code_span("`` ` x", 99), "``` `` ` x ```");
        assert_eq!(code_span("a`", 99), "`` a` ``");
        assert_eq!(code_span(" \n", 99), "`  `");
        assert_eq!(code_span("", 99), "(no name)");
        assert_eq!(code_span("abc`def", 4), "``abc`…``");
    }

    #[test]
    fn csv_quotes_only_where_needed() {
        assert_eq!(csv("plain"), "plain");
        assert_eq!(csv("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"");
    }

    #[test]
    fn latex_has_no_active_character_left() {
        assert_eq!(latex("50%_{a}"), "50\\%\\_\\{a\\}");
        assert_eq!(latex("[x]*"), "{[}x{]}{*}");
        assert_eq!(latex("a--b"), "a-{}-b");
        assert_eq!(latex("χ² ≤ 3"), "$\\chi$$^2$ $\\leq$ 3");
    }
}
