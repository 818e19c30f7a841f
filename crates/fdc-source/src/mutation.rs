//! Small changes of source, each a plausible fault: what a project's tests can be tried on.
//!
//! A mutator is a line in [`MUTATORS`]. Languages share them as far as their grammars have the same
//! things; a change that a compiler refuses costs a build and is counted, so types are not looked at.

mod change;
mod mutators;
mod scope;
mod weave;

use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::{Node, Parser};

use crate::Language;

pub use mutators::{MUTATORS, Mutator};
pub use scope::{Form, Switchable};
pub use weave::{Alternative, Woven, weave};

/// One change of one place of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// The name of its mutator.
    pub mutator: &'static str,
    /// The line it begins on, from 1.
    pub line: u32,
    /// What is replaced, in bytes of the text.
    pub bytes: Range<usize>,
    /// By what. Python's keeps the number of lines.
    pub replacement: String,
    /// What can be switched between both versions, if anything can.
    pub scope: Option<Switchable>,
}

impl Mutation {
    /// The text with the change.
    pub fn apply(&self, text: &str) -> String {
        let (before, after) = (&text[..self.bytes.start], &text[self.bytes.end..]);
        [before, &self.replacement, after].concat()
    }
}

/// A node that may be changed.
pub(crate) struct Spot<'a, 't> {
    pub language: Language,
    pub node: Node<'t>,
    /// From the outermost to the innermost.
    pub ancestors: &'a [Node<'t>],
    pub text: &'t str,
}

impl<'t> Spot<'_, 't> {
    pub(crate) fn kind(&self) -> &'t str {
        self.node.kind()
    }

    pub(crate) fn source(&self) -> &'t str {
        self.text_of(self.node)
    }

    pub(crate) fn text_of(&self, node: Node) -> &'t str {
        &self.text[node.byte_range()]
    }

    pub(crate) fn parent(&self) -> Option<Node<'t>> {
        self.ancestors.last().copied()
    }

    pub(crate) fn parent_kind(&self) -> &'t str {
        self.parent().map_or("", |parent| parent.kind())
    }
}

/// Nothing in here is changed: it runs at no time, or a change of it is none of behaviour.
const LEFT_ALONE: &[&str] = &[
    "annotation",
    "array_type",
    "attribute_item",
    "decorator",
    "generic_type",
    "import_declaration",
    "import_from_statement",
    "import_statement",
    "inner_attribute_item",
    "marker_annotation",
    // What is inside a Rust macro has no structure.
    "token_tree",
    "type",
    "type_annotation",
    "type_arguments",
    "type_parameters",
    "use_declaration",
];

/// All changes of a source file that mutators propose, by place. Broken source is changed where it can
/// be made out.
pub fn mutations(language: Language, text: &str) -> Vec<Mutation> {
    let mut parser = Parser::new();
    if u32::try_from(text.len()).is_err() || parser.set_language(&language.grammar()).is_err() {
        return Vec::new();
    }
    let Some(tree) = parser.parse(text, None) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut ancestors: Vec<Node> = Vec::new();
    let mut cursor = tree.walk();
    // Nothing recurses, since source may nest as deeply as it likes.
    loop {
        let node = cursor.node();
        let inside = !node.is_error() && !LEFT_ALONE.contains(&node.kind());
        if inside {
            let spot = Spot {
                language,
                node,
                ancestors: &ancestors,
                text,
            };
            let proposed = MUTATORS.iter().filter_map(|mutator| {
                let replacement = mutator.change.at(&spot)?;
                (replacement != spot.source()).then_some((mutator, replacement))
            });
            found.extend(proposed.map(|(mutator, replacement)| Mutation {
                mutator: mutator.name,
                line: node.start_position().row as u32 + 1,
                bytes: node.byte_range(),
                replacement: keep_lines(&spot, replacement),
                scope: scope::scope_of(&spot),
            }));
        }
        if inside && cursor.goto_first_child() {
            ancestors.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                found.sort_by_key(|one| (one.bytes.start, one.bytes.end));
                return without_repeats(found);
            }
            ancestors.pop();
        }
    }
}

/// Two mutators may make the same change; the first one in the table has made it.
fn without_repeats(found: Vec<Mutation>) -> Vec<Mutation> {
    let mut seen = HashSet::new();
    let mut is_new = |one: &Mutation| seen.insert((one.bytes.clone(), one.replacement.clone()));
    found.into_iter().filter(|one| is_new(one)).collect()
}

/// Python's code objects are told apart by their lines, so those must not move.
fn keep_lines(spot: &Spot, replacement: String) -> String {
    let lines = |text: &str| text.matches('\n').count();
    let missing = lines(spot.source()).saturating_sub(lines(&replacement));
    if spot.language != Language::Python || missing == 0 {
        return replacement;
    }
    let rest = spot.text[spot.node.end_byte()..].lines().next();
    let rest = rest.unwrap_or_default().trim_start();
    // What follows must not end up on a line of its own.
    match (spot.node.is_named(), &*replacement) {
        (false, _) => replacement + &" \\\n".repeat(missing),
        _ if rest.is_empty() || rest.starts_with('#') => replacement + &"\n".repeat(missing),
        (true, "pass") => format!("(None{})", "\n".repeat(missing)),
        (true, _) => format!("({replacement}{})", "\n".repeat(missing)),
    }
}

#[cfg(test)]
mod tests;
