//! Python.

use crate::naming::{field, join};
use crate::walk::{Grammar, Place, Step};

pub(crate) struct Python;

impl<'t> Grammar<'t> for Python {
    fn step(&mut self, place: &Place<'_, 't>) -> Option<Step<'t>> {
        let node = place.node;
        match place.kind {
            "function_definition" | "class_definition" => {
                let name = join(place.prefix(), ".", field(node, "name", place.text)?);
                let body = node.child_by_field_name("body")?;
                match place.kind {
                    "class_definition" => Some(Step::Scope(name)),
                    _ => Step::function(name, node, body),
                }
            }
            // No definition can be inside an expression.
            "expression_statement" | "return_statement" | "parameters" | "decorator" => {
                Some(Step::Skip)
            }
            _ => None,
        }
    }
}
