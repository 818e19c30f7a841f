//! What `fdc-source` finds, and that nothing makes it fail.

mod any_text;
mod golden;
mod lines;

use fdc_source::Language;

/// A file per language with every shape of function it has.
pub(crate) const SAMPLES: &[(Language, &str)] = &[
    (Language::Python, include_str!("../samples/python.py")),
    (Language::Rust, include_str!("../samples/rust.rs")),
    (Language::Go, include_str!("../samples/go.go")),
    (Language::Java, include_str!("../samples/java.java")),
    (
        Language::JavaScript,
        include_str!("../samples/javascript.js"),
    ),
    (
        Language::TypeScript,
        include_str!("../samples/typescript.ts"),
    ),
    (Language::Tsx, include_str!("../samples/tsx.tsx")),
];

pub(crate) fn sample(language: Language) -> &'static str {
    let found = SAMPLES.iter().find(|(known, _)| *known == language);
    found.expect("every language has a sample").1
}
