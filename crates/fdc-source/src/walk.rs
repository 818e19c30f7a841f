//! One walk over a syntax tree, shared by all languages: it keeps the scopes, a [`Grammar`] says
//! what each node means. Nothing here recurses, since source may nest as deeply as it likes.

use tree_sitter::{Node, Parser};

use crate::grammar;
use crate::naming::make_unique;
use crate::{Function, Language};

/// What a node means for the functions of a file; one without a meaning is looked inside.
pub(crate) enum Step<'t> {
    /// Nothing, and nothing inside either.
    Skip,
    /// A class, module or the like: what is inside is qualified by this full name.
    Scope(String),
    /// A function.
    Function(Found<'t>),
}

impl<'t> Step<'t> {
    /// A function whose full name qualifies what is inside it.
    pub(crate) fn function(name: String, start: Node<'t>, body: Node<'t>) -> Option<Self> {
        Some(Step::Function(Found {
            prefix: name.clone(),
            name,
            start,
            body,
        }))
    }
}

pub(crate) struct Found<'t> {
    /// Its full name within the file.
    pub name: String,
    /// Where its declaration starts, attributes left out.
    pub start: Node<'t>,
    pub body: Node<'t>,
    /// What qualifies the functions inside it.
    pub prefix: String,
}

/// A class, module or function that is open where the walk is.
pub(crate) struct Scope {
    pub name: String,
    pub is_function: bool,
    depth: usize,
}

pub(crate) struct Place<'a, 't> {
    pub node: Node<'t>,
    /// The node's kind. Asking the node itself is much slower.
    pub kind: &'t str,
    /// The kind of the node's parent; empty at the root.
    pub parent: &'t str,
    pub text: &'t str,
    /// From the outermost to the innermost.
    pub scopes: &'a [Scope],
}

impl Place<'_, '_> {
    /// What qualifies a name here; empty at top level.
    pub(crate) fn prefix(&self) -> &str {
        self.scopes.last().map_or("", |scope| &scope.name)
    }

    pub(crate) fn in_function(&self) -> bool {
        self.scopes.iter().any(|scope| scope.is_function)
    }
}

/// What the nodes of one language mean.
pub(crate) trait Grammar<'t> {
    /// Called for every named node, parents first.
    fn step(&mut self, place: &Place<'_, 't>) -> Option<Step<'t>>;
}

/// All functions of a source file by first line, the outer before the inner.
pub fn functions(language: Language, text: &str) -> Vec<Function> {
    let parsed = language.grammar();
    let mut parser = Parser::new();
    if u32::try_from(text.len()).is_err() || parser.set_language(&parsed).is_err() {
        return Vec::new();
    }
    let Some(tree) = parser.parse(text, None) else {
        return Vec::new();
    };
    let mut grammar = grammar::of(language);
    let mut functions = walk(tree.root_node(), text, &kinds(&parsed), grammar.as_mut());
    functions.sort_by_key(|function| function.first);
    make_unique(&mut functions);
    functions
}

/// A name longer than this qualifies nothing: nesting without end must not take memory without end.
const LONGEST_PREFIX: usize = 400;

/// The kinds of nodes by number.
fn kinds(language: &tree_sitter::Language) -> Vec<&str> {
    let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
    let kind = |id| language.node_kind_for_id(id).unwrap_or("");
    (0..count).map(kind).collect()
}

fn walk<'t>(
    root: Node<'t>,
    text: &'t str,
    kinds: &[&'t str],
    grammar: &mut dyn Grammar<'t>,
) -> Vec<Function> {
    let mut functions = Vec::new();
    let mut scopes: Vec<Scope> = Vec::new();
    let mut parents: Vec<&'t str> = Vec::new();
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let kind = kinds.get(usize::from(node.kind_id()));
        let kind = kind.copied().unwrap_or("");
        let mut inside = true;
        if node.is_named() {
            let place = Place {
                node,
                kind,
                parent: parents.last().copied().unwrap_or(""),
                text,
                scopes: &scopes,
            };
            let (name, is_function) = match grammar.step(&place) {
                None => (None, false),
                Some(Step::Skip) => {
                    inside = false;
                    (None, false)
                }
                Some(Step::Scope(name)) => (Some(name), false),
                Some(Step::Function(found)) => {
                    functions.push(span(node, &found));
                    (Some(found.prefix), true)
                }
            };
            if let Some(mut name) = name {
                if name.len() > LONGEST_PREFIX {
                    name = place.prefix().to_owned();
                }
                let depth = parents.len();
                scopes.push(Scope {
                    name,
                    is_function,
                    depth,
                });
            }
        }
        if inside && cursor.goto_first_child() {
            parents.push(kind);
            continue;
        }
        loop {
            let depth = parents.len();
            while scopes.pop_if(|scope| scope.depth == depth).is_some() {}
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return functions;
            }
            parents.pop();
        }
    }
}

fn span(node: Node, found: &Found) -> Function {
    let line = |row: usize| u32::try_from(row).map_or(u32::MAX, |row| row.saturating_add(1));
    let first = line(found.start.start_position().row);
    let body = line(found.body.start_position().row).max(first);
    let end = node.end_position();
    // A node that ends with its line break ends at column 0 of the line after.
    let before = usize::from(end.column == 0 && end.row > 0);
    let last = line(end.row - before);
    Function {
        name: found.name.clone(),
        first,
        body,
        last: last.max(body),
        bytes: node.byte_range(),
    }
}
