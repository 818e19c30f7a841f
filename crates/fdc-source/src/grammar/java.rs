//! Java.

use std::collections::HashMap;

use tree_sitter::Node;

use crate::naming::{field, join, spelling};
use crate::walk::{Found, Grammar, Place, Step};

#[derive(Default)]
pub(crate) struct Java {
    package: String,
    /// How many anonymous (empty name) or local classes of a name each class has so far.
    numbered: HashMap<(String, String), usize>,
    /// The parameter types of the records that are open, by the record's name.
    records: HashMap<String, String>,
}

impl<'t> Grammar<'t> for Java {
    fn step(&mut self, place: &Place<'_, 't>) -> Option<Step<'t>> {
        let (node, text) = (place.node, place.text);
        match place.kind {
            "package_declaration" => {
                let mut cursor = node.walk();
                let mut parts = node.named_children(&mut cursor);
                let is_name = |it: &Node| matches!(it.kind(), "scoped_identifier" | "identifier");
                let name = parts.find(is_name);
                self.package = name.map_or_else(String::new, |name| spelling(name, text, &[]));
                Some(Step::Skip)
            }
            "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration" => self.class(place),
            // Not the whole expression: its arguments are numbered before it.
            "class_body"
                if matches!(place.parent, "object_creation_expression" | "enum_constant") =>
            {
                Some(Step::Scope(self.number(enclosing_class(place), "")))
            }
            "method_declaration" => {
                let name = field(node, "name", text)?;
                function(place, name, &parameter_types(node, text))
            }
            "constructor_declaration" => {
                let types = parameter_types(node, text);
                function(place, simple_name(enclosing_class(place)), &types)
            }
            "compact_constructor_declaration" => {
                let class = enclosing_class(place);
                let types = self.records.get(class).cloned().unwrap_or_default();
                function(place, simple_name(class), &types)
            }
            _ => None,
        }
    }
}

impl Java {
    fn class<'t>(&mut self, place: &Place<'_, 't>) -> Option<Step<'t>> {
        let simple = field(place.node, "name", place.text)?;
        let around = enclosing_class(place);
        let is_member = matches!(
            place.parent,
            "class_body" | "interface_body" | "enum_body_declarations" | "annotation_type_body"
        );
        let name = match (around, is_member) {
            ("", _) => join(&self.package, ".", simple),
            (around, true) => format!("{around}${simple}"),
            (around, false) => self.number(around, simple),
        };
        if place.kind == "record_declaration" {
            let types = parameter_types(place.node, place.text);
            self.records.insert(name.clone(), types);
        }
        Some(Step::Scope(name))
    }

    /// The compiler's name of an anonymous or local class: its number within the class around it.
    fn number(&mut self, around: &str, simple: &str) -> String {
        let key = (around.to_owned(), simple.to_owned());
        let count = self.numbered.entry(key).or_insert(0);
        *count += 1;
        format!("{around}${count}{simple}")
    }
}

fn enclosing_class<'a>(place: &Place<'a, '_>) -> &'a str {
    place.scopes.last().map_or("", |scope| scope.name.as_str())
}

/// `Inner` of `org.x.Outer$Inner`, `Local` of `org.x.Outer$1Local`.
fn simple_name(class: &str) -> &str {
    let last = class.rsplit(['.', '$']).next().unwrap_or("");
    last.trim_start_matches(|c: char| c.is_ascii_digit())
}

fn function<'t>(place: &Place<'_, 't>, name: &str, types: &str) -> Option<Step<'t>> {
    let class = enclosing_class(place);
    Some(Step::Function(Found {
        name: join(class, "#", &format!("{name}({types})")),
        start: after_annotations(place.node),
        body: place.node.child_by_field_name("body")?,
        // Classes inside a method are named after the class around it.
        prefix: class.to_owned(),
    }))
}

fn parameter_types(declaration: Node, text: &str) -> String {
    let without = ["type_arguments", "annotation", "marker_annotation"];
    let Some(parameters) = declaration.child_by_field_name("parameters") else {
        return String::new();
    };
    let spelt = |parameter: Node| match parameter.kind() {
        "formal_parameter" => {
            let kind = parameter.child_by_field_name("type")?;
            let dimensions = parameter.child_by_field_name("dimensions");
            let dimensions = dimensions.map(|node| spelling(node, text, &without));
            Some(spelling(kind, text, &without) + &dimensions.unwrap_or_default())
        }
        "spread_parameter" => {
            let mut cursor = parameter.walk();
            let mut parts = parameter.named_children(&mut cursor);
            let kind = parts.find(|part| !part.is_extra() && part.kind() != "modifiers")?;
            Some(format!("{}...", spelling(kind, text, &without)))
        }
        _ => None,
    };
    let mut cursor = parameters.walk();
    let types = parameters.named_children(&mut cursor).filter_map(spelt);
    types.collect::<Vec<_>>().join(",")
}

/// The first part of a declaration that is no annotation.
fn after_annotations(declaration: Node) -> Node {
    let is_code = |node: &Node| {
        !node.is_extra() && !matches!(node.kind(), "annotation" | "marker_annotation")
    };
    for part in declaration.children(&mut declaration.walk()) {
        if part.kind() == "modifiers" {
            if let Some(modifier) = part.children(&mut part.walk()).find(is_code) {
                return modifier;
            }
        } else if is_code(&part) {
            return part;
        }
    }
    declaration
}
