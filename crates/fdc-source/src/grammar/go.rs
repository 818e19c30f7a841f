//! Go.

use std::collections::HashMap;

use tree_sitter::Node;

use crate::naming::{field, spelling, text_of};
use crate::walk::{Grammar, Place, Step};

#[derive(Default)]
pub(crate) struct Go<'t> {
    /// Closures that are the whole value of a variable, by node: the name and where it stands.
    assigned: HashMap<usize, (&'t str, Node<'t>)>,
    /// The top-level variable whose value is being walked and its closures so far.
    variable: (&'t str, usize),
}

impl<'t> Grammar<'t> for Go<'t> {
    fn step(&mut self, place: &Place<'_, 't>) -> Option<Step<'t>> {
        let (node, text) = (place.node, place.text);
        match place.kind {
            "function_declaration" | "method_declaration" => {
                let name = field(node, "name", text)?;
                let body = node.child_by_field_name("body")?;
                let name = match node.child_by_field_name("receiver") {
                    Some(receiver) => format!("{}.{name}", receiver_type(receiver, text)),
                    None => name.to_owned(),
                };
                Step::function(name, node, body)
            }
            // Only closures can be in there.
            "block" if place.in_function() => Some(Step::Skip),
            "var_spec" if !place.in_function() => {
                self.note_values(node, text);
                None
            }
            "func_literal" if !place.in_function() => {
                let body = node.child_by_field_name("body")?;
                if let Some((name, start)) = self.assigned.remove(&node.id()) {
                    return Step::function(name.to_owned(), start, body);
                }
                let (variable, count) = &mut self.variable;
                *count += 1;
                Step::function(format!("{variable}.func{count}"), node, body)
            }
            _ => None,
        }
    }
}

impl<'t> Go<'t> {
    fn note_values(&mut self, variables: Node<'t>, text: &'t str) {
        let mut cursor = variables.walk();
        let names = variables.children_by_field_name("name", &mut cursor);
        let names: Vec<Node> = names.filter(|name| name.is_named()).collect();
        self.variable = (names.first().map_or("", |&name| text_of(name, text)), 0);
        let Some(values) = variables.child_by_field_name("value") else {
            return;
        };
        let values = values.named_children(&mut cursor);
        for (value, &name) in values.filter(|value| !value.is_extra()).zip(&names) {
            if value.kind() == "func_literal" {
                let name = (text_of(name, text), name);
                self.assigned.insert(value.id(), name);
            }
        }
    }
}

/// `(*T)` or `T`, without type parameters.
fn receiver_type(receiver: Node, text: &str) -> String {
    let mut cursor = receiver.walk();
    let mut parameters = receiver.named_children(&mut cursor);
    let declared = parameters.find_map(|parameter| parameter.child_by_field_name("type"));
    let Some(declared) = declared else {
        return String::from("?");
    };
    let spelt = spelling(declared, text, &["type_arguments", "(", ")"]);
    match spelt.starts_with('*') {
        true => format!("({spelt})"),
        false => spelt,
    }
}
