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
    fn step(&mut self, place: &Place<'_, 't>) -> Step<'t> {
        let (node, text) = (place.node, place.text);
        match place.kind {
            "variable_declarator" => self.assign(node, "name", "value", text),
            "assignment_expression" => self.assign(node, "left", "right", text),
            "pair" => self.assign(node, "key", "value", text),
            "field_definition" => self.assign(node, "property", "value", text),
            "public_field_definition" => self.assign(node, "name", "value", text),
            "export_statement" => {
                if let Some(value) = node.child_by_field_name("value") {
                    self.note(value, String::from("default"), node);
                } else if let Some(value) = node.child_by_field_name("declaration") {
                    // Only `export default` may leave the name out.
                    if value.child_by_field_name("name").is_none() {
                        self.note(value, String::from("default"), node);
                    }
                }
            }
            "function_declaration"
            | "generator_function_declaration"
            | "function_expression"
            | "generator_function"
            | "arrow_function" => return self.function(place),
            "method_definition" => {
                let name = node.child_by_field_name("name");
                let name = name.map_or_else(String::new, |name| property(name, text));
                return found(place, &name, after_decorators(node));
            }
            "class_declaration" | "abstract_class_declaration" | "class" | "object" => {
                let assigned = self.assigned.remove(&node.id());
                let own = field(node, "name", text).map(str::to_owned);
                if let Some(name) = assigned.map(|(name, _)| name).or(own) {
                    return Step::Scope(join(place.prefix(), ".", &name));
                }
            }
            "internal_module" | "module" => {
                if let Some(name) = node.child_by_field_name("name") {
                    let name = property(name, text);
                    return Step::Scope(join(place.prefix(), ".", &name));
                }
            }
            _ => {}
        }
        Step::Through
    }
}

impl<'t> EcmaScript<'t> {
    fn assign(&mut self, node: Node<'t>, name: &str, value: &str, text: &str) {
        let target = node.child_by_field_name(name);
        let value = node.child_by_field_name(value);
        if let (Some(target), Some(value)) = (target, value)
            && let Some(name) = target_name(target, text)
        {
            self.note(value, name, target);
        }
    }

    fn note(&mut self, value: Node<'t>, name: String, start: Node<'t>) {
        let mut value = value;
        while matches!(
            value.kind(),
            "parenthesized_expression"
                | "as_expression"
                | "satisfies_expression"
                | "non_null_expression"
        ) {
            let mut cursor = value.walk();
            let inner = value
                .named_children(&mut cursor)
                .find(|part| !part.is_extra());
            match inner {
                Some(inner) => value = inner,
                None => return,
            }
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

    fn function(&mut self, place: &Place<'_, 't>) -> Step<'t> {
        let node = place.node;
        if let Some((name, start)) = self.assigned.remove(&node.id()) {
            return found(place, &name, start);
        }
        if let Some(name) = field(node, "name", place.text) {
            return found(place, name, node);
        }
        let Some(body) = node.child_by_field_name("body") else {
            return Step::Through;
        };
        if place.in_function() {
            return Step::Through;
        }
        let line = node.start_position().row + 1;
        Step::Function(Found {
            name: join(place.prefix(), ".", &format!("<anonymous:{line}>")),
            start: node,
            body,
            // A wrapper around a whole file says nothing about what is inside.
            prefix: place.prefix().to_owned(),
        })
    }
}

fn found<'t>(place: &Place<'_, 't>, name: &str, start: Node<'t>) -> Step<'t> {
    match place.node.child_by_field_name("body") {
        Some(body) if !name.is_empty() => {
            Step::function(join(place.prefix(), ".", name), start, body)
        }
        _ => Step::Through,
    }
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
    for holder in ["module.exports.", "exports.", "this."] {
        if let Some(rest) = name.strip_prefix(holder) {
            name = rest.to_owned();
            break;
        }
    }
    (!name.is_empty()).then_some(name)
}

/// A property's name; quotes are left out.
fn property(name: Node, text: &str) -> String {
    let spelt = spelling(name, text, &[]);
    if name.kind() == "string" {
        spelt.trim_matches(['"', '\'']).to_owned()
    } else {
        spelt
    }
}

fn after_decorators(method: Node) -> Node {
    method
        .children(&mut method.walk())
        .find(|part| !part.is_extra() && part.kind() != "decorator")
        .unwrap_or(method)
}
