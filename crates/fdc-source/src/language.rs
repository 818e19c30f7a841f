//! The languages whose functions can be found.

/// A language, told by the ending of a file's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// Python 3.
    Python,
    /// Rust.
    Rust,
    /// Go.
    Go,
    /// Java.
    Java,
    /// JavaScript, with or without JSX.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
}

const ENDINGS: &[(&str, Language)] = &[
    ("py", Language::Python),
    ("pyw", Language::Python),
    ("rs", Language::Rust),
    ("go", Language::Go),
    ("java", Language::Java),
    ("js", Language::JavaScript),
    ("jsx", Language::JavaScript),
    ("mjs", Language::JavaScript),
    ("cjs", Language::JavaScript),
    ("ts", Language::TypeScript),
    ("mts", Language::TypeScript),
    ("cts", Language::TypeScript),
    ("tsx", Language::Tsx),
];

impl Language {
    /// Every language, in a fixed order.
    pub const ALL: [Language; 7] = [
        Language::Python,
        Language::Rust,
        Language::Go,
        Language::Java,
        Language::JavaScript,
        Language::TypeScript,
        Language::Tsx,
    ];

    /// The language of a file by the ending of its name, in any case; `/` and `\` separate folders.
    pub fn of_path(path: &str) -> Option<Language> {
        let file = path.rsplit(['/', '\\']).next()?;
        let (stem, ending) = file.rsplit_once('.')?;
        if stem.is_empty() {
            return None;
        }
        let mut known = ENDINGS.iter();
        let known = known.find(|(known, _)| known.eq_ignore_ascii_case(ending));
        known.map(|&(_, language)| language)
    }

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Language::Python => tree_sitter_python::LANGUAGE.into(),
            Language::Rust => tree_sitter_rust::LANGUAGE.into(),
            Language::Go => tree_sitter_go::LANGUAGE.into(),
            Language::Java => tree_sitter_java::LANGUAGE.into(),
            Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_told_by_the_ending() {
        assert_eq!(Language::of_path("a/b.PY"), Some(Language::Python));
        assert_eq!(Language::of_path("src\\lib.rs"), Some(Language::Rust));
        assert_eq!(Language::of_path("x.d.ts"), Some(Language::TypeScript));
        assert_eq!(Language::of_path("App.tsx"), Some(Language::Tsx));
        for none in ["", "py", ".py", "a.py/", "a.py/b", "a.pyc", "a."] {
            assert_eq!(Language::of_path(none), None, "{none}");
        }
    }

    #[test]
    fn every_language_has_an_ending_and_a_grammar_that_loads() {
        for language in Language::ALL {
            assert!(ENDINGS.iter().any(|&(_, known)| known == language));
            let mut parser = tree_sitter::Parser::new();
            assert!(
                parser.set_language(&language.grammar()).is_ok(),
                "{language:?}"
            );
        }
    }
}
