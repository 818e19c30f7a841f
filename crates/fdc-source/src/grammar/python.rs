//! Python.

use crate::naming::{field, join};
use crate::walk::{Grammar, Place, Step};

pub(crate) struct Python;

impl<'t> Grammar<'t> for Python {
    fn step(&mut self, place: &Place<'_, 't>) -> Step<'t> {
        let node = place.node;
        match place.kind {
            "function_definition" | "class_definition" => {}
            // No definition can be inside an expression.
            "expression_statement" | "return_statement" | "parameters" | "decorator" => {
                return Step::Skip;
            }
            _ => return Step::Through,
        }
        let (Some(name), Some(body)) = (
            field(node, "name", place.text),
            node.child_by_field_name("body"),
        ) else {
            return Step::Through;
        };
        let name = join(place.prefix(), ".", name);
        if place.kind == "class_definition" {
            return Step::Scope(name);
        }
        Step::function(name, node, body)
    }
}
