//! The type the plots are set in, and how wide a text will be, without asking a font.

/// The fonts asked for, best first. All have similar proportions, DejaVu Sans the widest.
pub(crate) const FAMILIES: [&str; 7] = [
    "Helvetica Neue",
    "Helvetica",
    "Arial",
    "Liberation Sans",
    "Noto Sans",
    "DejaVu Sans",
    "Verdana",
];

/// The `font-family` value for CSS and SVG.
pub(crate) fn stack() -> String {
    let quoted = FAMILIES.map(|name| match name.contains(' ') {
        true => format!("'{name}'"),
        false => name.to_owned(),
    });
    format!("{}, sans-serif", quoted.join(", "))
}

/// Estimated width in pixels; leans to the wide side (DejaVu Sans), so labels do not collide.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size
}

/// The width of the widest text, 0 if there is none.
pub(crate) fn widest<'a>(texts: impl IntoIterator<Item = &'a str>, size: f64) -> f64 {
    let widths = texts.into_iter().map(|text| width(text, size));
    widths.fold(0.0, f64::max)
}

/// The text cut with an ellipsis so that it is at most `limit` pixels wide.
pub(crate) fn fit(text: &str, size: f64, limit: f64) -> String {
    if width(text, size) <= limit {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = advance('…') * size;
    for c in text.chars() {
        used += advance(c) * size;
        if used > limit {
            break;
        }
        out.push(c);
    }
    out.truncate(out.trim_end().len());
    out.push('…');
    out
}

/// Width of a character, in em.
fn advance(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '\'' | '|' => 0.30,
        ' ' | '.' | ',' | ':' | ';' | 'I' | '!' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' | '\\' => 0.41,
        's' | 'z' | 'c' | 'k' | '*' | '"' | '?' | '_' => 0.56,
        '0'..='9' | 'a'..='e' | 'g' | 'h' | 'n'..='q' | 'u' | 'v' | 'x' | 'y' => 0.63,
        'm' | 'W' | '@' | '%' | '…' => 1.0,
        'w' | '+' | '<' | '>' | '=' | '~' | '^' | '#' | '−' | '±' | '→' => 0.84,
        'M' | 'O' | 'Q' | 'G' | 'D' | 'H' | 'N' | 'U' => 0.80,
        'A'..='Z' | '$' | '&' => 0.70,
        // Combining marks take no room of their own.
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200d}' | '\u{fe00}'..='\u{fe0f}' => 0.0,
        '\u{80}'..='\u{10ff}' => 0.70,
        '\0'..='\u{7f}' => 0.64,
        _ => 1.05,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_text_fits() {
        let long = "org.apache.commons.lang3.StringUtils";
        let cut = fit(long, 10.0, 80.0);
        assert!(cut.ends_with('…') && width(&cut, 10.0) <= 80.0, "{cut}");
        assert_eq!(fit("short", 10.0, 80.0), "short");
        assert_eq!(fit("short", 10.0, 0.0), "…");
    }
}
