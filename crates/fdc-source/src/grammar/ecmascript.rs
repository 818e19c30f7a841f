//! JavaScript and TypeScript, with or without JSX.

use std::collections::HashMap;

use tree_sitter::Node;

use crate::naming::{field, join, spelling};
use crate::walk::{Found, Grammar, Place, Step};

#[derive(Default)]
pub(crate) struct EcmaScript<'t> {
    /// Functions, classes and objects that are assigned to something: its name and where it starts.
    assigned: HashMap<usize, (String, Node<'t>)>,
}

impl<'t> Grammar<'t> for EcmaScript<'t> {
    fn step(&mut self, place: &Place<'_, 't>) -> Option<Step<'t>> {
        let (node, text) = (place.node, place.text);
        let scope = |name: &str| Some(Step::Scope(join(place.prefix(), ".", name)));
        match place.kind {
            "variable_declarator" => self.assign(node, "name", "value", text),
            "assignment_expression" => self.assign(node, "left", "right", text),
            "pair" => self.assign(node, "key", "value", text),
            "field_definition" => self.assign(node, "property", "value", text),
            "public_field_definition" => self.assign(node, "name", "value", text),
            "export_statement" => {
                // Only `export default` may leave the name out.
                let nameless = |value: &Node| value.child_by_field_name("name").is_none();
                let declared = || node.child_by_field_name("declaration").filter(nameless);
                let value = node.child_by_field_name("value").or_else(declared)?;
                self.note(value, String::from("default"), node);
                None
            }
            "function_declaration"
            | "generator_function_declaration"
            | "function_expression"
            | "generator_function"
            | "arrow_function" => self.function(place),
            "method_definition" => {
                let name = property(node.child_by_field_name("name")?, text);
                found(place, &name, after_decorators(node))
            }
            "class_declaration" | "abstract_class_declaration" | "class" | "object" => {
                let assigned = self.assigned.remove(&node.id()).map(|(name, _)| name);
                scope(&assigned.or_else(|| field(node, "name", text).map(str::to_owned))?)
            }
            "internal_module" | "module" => {
                scope(&property(node.child_by_field_name("name")?, text))
            }
            _ => None,
        }
    }
}

impl<'t> EcmaScript<'t> {
    /// Notes what is assigned to a name.
    fn assign(&mut self, node: Node<'t>, name: &str, value: &str, text: &str) -> Option<Step<'t>> {
        let target = node.child_by_field_name(name)?;
        let value = node.child_by_field_name(value)?;
        self.note(value, target_name(target, text)?, target);
        None
    }

    fn note(&mut self, value: Node<'t>, name: String, start: Node<'t>) {
        let mut value = value;
        let wrappers = ["parenthesized", "as", "satisfies", "non_null"];
        let wraps = |kind: &str| {
            kind.strip_suffix("_expression")
                .is_some_and(|kind| wrappers.contains(&kind))
        };
        while wraps(value.kind()) {
            let mut cursor = value.walk();
            let mut parts = value.named_children(&mut cursor);
            let Some(inner) = parts.find(|part| !part.is_extra()) else {
                return;
            };
            value = inner;
        }
        if matches!(
            value.kind(),
            "function_expression"
                | "generator_function"
                | "arrow_function"
                | "class"
                | "object"
                | "function_declaration"
                | "generator_function_declaration"
                | "class_declaration"
                | "abstract_class_declaration"
        ) {
            self.assigned.insert(value.id(), (name, start));
        }
    }

    fn function(&mut self, place: &Place<'_, 't>) -> Option<Step<'t>> {
        let node = place.node;
        if let Some((name, start)) = self.assigned.remove(&node.id()) {
            return found(place, &name, start);
        }
        if let Some(name) = field(node, "name", place.text) {
            return found(place, name, node);
        }
        let body = node.child_by_field_name("body")?;
        let line = node.start_position().row + 1;
        let found = || Found {
            name: join(place.prefix(), ".", &format!("<anonymous:{line}>")),
            start: node,
            body,
            // A wrapper around a whole file says nothing about what is inside.
            prefix: place.prefix().to_owned(),
        };
        (!place.in_function()).then(|| Step::Function(found()))
    }
}

fn found<'t>(place: &Place<'_, 't>, name: &str, start: Node<'t>) -> Option<Step<'t>> {
    let body = place.node.child_by_field_name("body")?;
    let name = Some(name).filter(|name| !name.is_empty())?;
    Step::function(join(place.prefix(), ".", name), start, body)
}

/// The name of what is assigned to, if it has one that does not depend on values.
fn target_name(target: Node, text: &str) -> Option<String> {
    let mut name = match target.kind() {
        "identifier" => spelling(target, text, &[]),
        "member_expression" => {
            let spelt = spelling(target, text, &[]);
            if spelt.contains(['(', '[', '{', '`', '"', '\'', '…']) {
                return None;
            }
            spelt.replace("?.", ".").replace(".prototype.", ".")
        }
        "object_pattern" | "array_pattern" | "subscript_expression" => return None,
        _ => property(target, text),
    };
    let holders = ["module.exports.", "exports.", "this."];
    if let Some(rest) = holders.iter().find_map(|holder| name.strip_prefix(holder)) {
        name = rest.to_owned();
    }
    (!name.is_empty()).then_some(name)
}

/// A property's name; quotes are left out.
fn property(name: Node, text: &str) -> String {
    let spelt = spelling(name, text, &[]);
    match name.kind() {
        "string" => spelt.trim_matches(['"', '\'']).to_owned(),
        _ => spelt,
    }
}

fn after_decorators(method: Node) -> Node {
    let mut cursor = method.walk();
    let mut parts = method.children(&mut cursor);
    let first = parts.find(|part| !part.is_extra() && part.kind() != "decorator");
    first.unwrap_or(method)
}
