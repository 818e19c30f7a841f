//! Rust.

use std::collections::HashMap;

use tree_sitter::Node;

use crate::naming::{field, join, spelling, text_of};
use crate::walk::{Grammar, Place, Step};

#[derive(Default)]
pub(crate) struct Rust<'t> {
    /// Bodies of functions inside macro calls, by node: there the tree holds tokens only.
    in_macros: HashMap<usize, (&'t str, Node<'t>)>,
}

impl<'t> Grammar<'t> for Rust<'t> {
    fn step(&mut self, place: &Place<'_, 't>) -> Option<Step<'t>> {
        let (node, text) = (place.node, place.text);
        let full = |name: &str| join(place.prefix(), "::", name);
        match place.kind {
            "function_item" => {
                let name = full(field(node, "name", text)?);
                Step::function(name, node, node.child_by_field_name("body")?)
            }
            "mod_item" | "trait_item" => Some(Step::Scope(full(field(node, "name", text)?))),
            "impl_item" => Some(Step::Scope(full(&implemented(node, text)?))),
            "macro_definition" | "use_declaration" | "parameters" => Some(Step::Skip),
            "token_tree" => {
                self.note_functions(node, text);
                let (name, start) = self.in_macros.remove(&node.id())?;
                Step::function(full(name), start, node)
            }
            _ => None,
        }
    }
}

impl<'t> Rust<'t> {
    /// Notes every `fn name ... { }` among the tokens of a macro call.
    fn note_functions(&mut self, tokens: Node<'t>, text: &'t str) {
        let mut declared: Option<(&'t str, Node<'t>)> = None;
        let mut keyword: Option<Node<'t>> = None;
        for token in tokens.children(&mut tokens.walk()) {
            match token.kind() {
                "fn" => keyword = Some(token),
                "identifier" => {
                    let spelt = text_of(token, text);
                    if spelt == "fn" {
                        keyword = Some(token);
                    } else if let Some(start) = keyword.take() {
                        declared = Some((spelt, start));
                    }
                }
                ";" => (keyword, declared) = (None, None),
                "token_tree" if text_of(token, text).starts_with('{') => {
                    if let Some(function) = declared.take() {
                        self.in_macros.insert(token.id(), function);
                    }
                    keyword = None;
                }
                _ => keyword = None,
            }
        }
    }
}

/// `Type` for `impl<T> Type<T>`, `<Type<T> as Trait>` for the implementation of a trait: there the
/// arguments tell one implementation from another.
fn implemented(node: Node, text: &str) -> Option<String> {
    let kind = node.child_by_field_name("type")?;
    let Some(shown) = node.child_by_field_name("trait") else {
        return Some(spelling(kind, text, &["type_arguments"]));
    };
    let [kind, shown] = [kind, shown].map(|node| spelling(node, text, &[]));
    Some(format!("<{kind} as {shown}>"))
}
