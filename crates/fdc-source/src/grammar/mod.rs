//! One file per language: which nodes are functions and how they are called.

mod ecmascript;
mod go;
mod java;
mod python;
mod rust;

use crate::Language;
use crate::walk::Grammar;

pub(crate) fn of<'t>(language: Language) -> Box<dyn Grammar<'t> + 't> {
    match language {
        Language::Python => Box::new(python::Python),
        Language::Rust => Box::new(rust::Rust::default()),
        Language::Go => Box::new(go::Go::default()),
        Language::Java => Box::new(java::Java::default()),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            Box::new(ecmascript::EcmaScript::default())
        }
    }
}
