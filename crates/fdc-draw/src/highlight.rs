//! What is what in source, for colours: comments, texts, keywords, numbers. A lexer for the families
//! of languages, no parser: a wrong guess costs a colour and nothing else.

/// What a stretch of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Syntax {
    /// Anything else.
    #[default]
    Plain,
    /// A comment.
    Comment,
    /// A string or character.
    Text,
    /// A word of the language.
    Keyword,
    /// A number.
    Number,
}

/// A stretch of a line: what it is and how many bytes it has.
pub type SyntaxRun = (Syntax, usize);

impl Syntax {
    /// Its class on a page; empty for what has no colour of its own.
    pub fn class(self) -> &'static str {
        match self {
            Syntax::Plain => "",
            Syntax::Comment => "sc",
            Syntax::Text => "st",
            Syntax::Keyword => "sk",
            Syntax::Number => "sn",
        }
    }
}

/// A family of languages.
struct Family {
    endings: &'static [&'static str],
    comment: &'static str,
    block: Option<(&'static str, &'static str)>,
    /// What encloses texts, the longer first, and whether a text may go on in the next line.
    texts: &'static [(&'static str, bool)],
    /// Whether `'` may also stand before a lifetime.
    lifetimes: bool,
    keywords: &'static str,
}

const C_BLOCK: Option<(&str, &str)> = Some(("/*", "*/"));

const FAMILIES: &[Family] = &[
    Family {
        endings: &["py", "pyw"],
        comment: "#",
        block: None,
        texts: &[("\"\"\"", true), ("'''", true), ("\"", false), ("'", false)],
        lifetimes: false,
        keywords: "and as assert async await break case class continue def del elif else except \
            finally for from global if import in is lambda match nonlocal not or pass raise return try \
            while with yield None True False",
    },
    Family {
        endings: &["java", "kt", "scala", "groovy"],
        comment: "//",
        block: C_BLOCK,
        texts: &[("\"\"\"", true), ("\"", false), ("'", false)],
        lifetimes: false,
        keywords: "abstract assert boolean break byte case catch char class const continue default do \
            double else enum extends final finally float for if implements import instanceof int \
            interface long native new package private protected public record return sealed short \
            static super switch synchronized this throw throws transient try val var void volatile \
            while yield null true false fun object override when",
    },
    Family {
        endings: &["rs"],
        comment: "//",
        block: C_BLOCK,
        texts: &[("\"", true), ("'", false)],
        lifetimes: true,
        keywords: "as async await break const continue crate dyn else enum extern fn for if impl in \
            let loop match mod move mut pub ref return self Self static struct super trait type \
            unsafe use where while true false",
    },
    Family {
        endings: &["go"],
        comment: "//",
        block: C_BLOCK,
        texts: &[("`", true), ("\"", false), ("'", false)],
        lifetimes: false,
        keywords: "break case chan const continue default defer else fallthrough for func go goto if \
            import interface map package range return select struct switch type var nil true false",
    },
    Family {
        endings: &["js", "jsx", "mjs", "cjs", "ts", "mts", "cts", "tsx"],
        comment: "//",
        block: C_BLOCK,
        texts: &[("`", true), ("\"", false), ("'", false)],
        lifetimes: false,
        keywords: "abstract as async await break case catch class const continue debugger default \
            delete do else enum export extends finally for from function if implements import in \
            instanceof interface let new of private protected public readonly return static super \
            switch this throw try type typeof var void while yield null undefined true false",
    },
];

/// Where the lines before have left it.
enum Inside {
    Nothing,
    /// Until this is found.
    Until(&'static str, Syntax),
}

/// The stretches of each line of a file, told by the ending of its path. A line of an unknown
/// language is one plain stretch, an empty line has none.
pub fn highlight<'t>(path: &str, lines: impl IntoIterator<Item = &'t str>) -> Vec<Vec<SyntaxRun>> {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let known = |family: &&Family| {
        family
            .endings
            .iter()
            .any(|own| own.eq_ignore_ascii_case(ending))
    };
    let family = FAMILIES.iter().find(known);
    let mut inside = Inside::Nothing;
    let runs = |line: &str| match family {
        Some(family) => family.runs(line, &mut inside),
        None if line.is_empty() => Vec::new(),
        None => vec![(Syntax::Plain, line.len())],
    };
    lines.into_iter().map(runs).collect()
}

impl Family {
    fn runs(&self, line: &str, inside: &mut Inside) -> Vec<SyntaxRun> {
        let mut runs: Vec<SyntaxRun> = Vec::new();
        let mut at = 0;
        while at < line.len() {
            let rest = &line[at..];
            let (kind, length) = match *inside {
                Inside::Until(end, kind) => {
                    let (length, ended) = until(rest, end, kind);
                    if ended {
                        *inside = Inside::Nothing;
                    }
                    (kind, length)
                }
                Inside::Nothing => self.next(rest, inside),
            };
            match runs.last_mut() {
                Some((last, so_far)) if *last == kind => *so_far += length,
                _ => runs.push((kind, length)),
            }
            at += length;
        }
        // A text that may not go on in the next line is a wrong guess, or a mistake of its author.
        if let Inside::Until(end, Syntax::Text) = *inside {
            let goes_on = |(own, many): &(&str, bool)| *own == end && *many;
            if !self.texts.iter().any(goes_on) {
                *inside = Inside::Nothing;
            }
        }
        runs
    }

    /// What begins here and how long it is, at least a character.
    fn next(&self, rest: &str, inside: &mut Inside) -> SyntaxRun {
        if rest.starts_with(self.comment) {
            return (Syntax::Comment, rest.len());
        }
        if let Some((begin, end)) = self.block.filter(|(begin, _)| rest.starts_with(begin)) {
            *inside = Inside::Until(end, Syntax::Comment);
            return (Syntax::Comment, begin.len());
        }
        let text = self.texts.iter().find(|(own, _)| rest.starts_with(own));
        if let Some((quote, _)) = text.filter(|_| !self.is_lifetime(rest)) {
            *inside = Inside::Until(quote, Syntax::Text);
            return (Syntax::Text, quote.len());
        }
        let first = rest.chars().next().expect("there is a rest");
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        if !word(first) {
            return (Syntax::Plain, first.len_utf8());
        }
        let number = first.is_ascii_digit();
        let part = |c: char| word(c) || number && c == '.';
        let length = rest.find(|c| !part(c)).unwrap_or(rest.len());
        let keyword = || {
            self.keywords
                .split_ascii_whitespace()
                .any(|own| own == &rest[..length])
        };
        match number {
            true => (Syntax::Number, length),
            false if keyword() => (Syntax::Keyword, length),
            false => (Syntax::Plain, length),
        }
    }

    /// Whether `'` stands before a name that no `'` follows.
    fn is_lifetime(&self, rest: &str) -> bool {
        let mut after = rest.chars().skip(1);
        let (first, second) = (after.next(), after.next());
        self.lifetimes && rest.starts_with('\'') && first != Some('\\') && second != Some('\'')
    }
}

/// How far it goes, the end included, and whether the end is in it.
fn until(rest: &str, end: &str, kind: Syntax) -> (usize, bool) {
    let mut characters = rest.char_indices();
    while let Some((at, c)) = characters.next() {
        if rest[at..].starts_with(end) {
            return (at + end.len(), true);
        }
        if c == '\\' && kind == Syntax::Text {
            characters.next();
        }
    }
    (rest.len(), false)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Each line as its stretches, `class:text`.
    fn shown(path: &str, text: &str) -> Vec<String> {
        let lines: Vec<&str> = text.split('\n').collect();
        let all = highlight(path, lines.iter().copied());
        let line = |(line, runs): (&&str, &Vec<SyntaxRun>)| {
            let mut at = 0;
            let mut words = String::new();
            for (kind, length) in runs {
                let own = line[at..at + length].trim();
                at += length;
                if *kind != Syntax::Plain {
                    words += &format!("{}:{own} ", kind.class());
                }
            }
            words.trim_end().to_owned()
        };
        lines.iter().zip(&all).map(line).collect()
    }

    #[test]
    fn comments_texts_keywords_and_numbers_are_told() {
        for (path, text, expected) in [
            ("a.py", "def f(): # why", vec!["sk:def sc:# why"]),
            ("a.py", "x = 'it\\'s' + 1.5", vec!["st:'it\\'s' sn:1.5"]),
            (
                "a.py",
                "\"\"\"a\nif b\"\"\" if",
                vec!["st:\"\"\"a", "st:if b\"\"\" sk:if"],
            ),
            ("a.py", "'open\nif", vec!["st:'open", "sk:if"]),
            (
                "A.java",
                "/* a\nint */ int i;",
                vec!["sc:/* a", "sc:int */ sk:int"],
            ),
            (
                "A.java",
                "char c = '\"'; // x",
                vec!["sk:char st:'\"' sc:// x"],
            ),
            ("a.rs", "fn f<'a>(x: &'a str) -> 'x'", vec!["sk:fn st:'x'"]),
            ("a.go", "s := `a\nb` // c", vec!["st:`a", "st:b` sc:// c"]),
            ("a.ts", "const iffy = 0x1f", vec!["sk:const sn:0x1f"]),
            ("a.txt", "if 1 'x'", vec![""]),
        ] {
            assert_eq!(shown(path, text), expected, "{path}: {text}");
        }
    }

    proptest! {
        #[test]
        fn every_byte_is_in_one_stretch(
            text in "[a-z0-9'\"`/*#\\\\ \u{e4}\u{1f41b}\n]{0,60}",
            path in "a\\.(py|java|rs|go|ts|txt)",
        ) {
            let lines: Vec<&str> = text.split('\n').collect();
            let all = highlight(&path, lines.iter().copied());
            prop_assert_eq!(all.len(), lines.len());
            for (line, runs) in lines.iter().zip(all) {
                let mut at = 0;
                for (_, length) in runs {
                    prop_assert!(length > 0 && line.is_char_boundary(at + length));
                    at += length;
                }
                prop_assert_eq!(at, line.len());
            }
        }
    }
}
