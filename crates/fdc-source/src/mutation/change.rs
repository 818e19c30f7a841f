//! How a node is changed.

use tree_sitter::Node;

use super::Spot;
use crate::Language;

/// What a mutator puts in the place of a node, if it has something for it.
#[derive(Debug)]
pub(crate) enum Change {
    /// An operator between its operands, or before an assignment's: one for another.
    Operator(&'static [(&'static str, &'static str)]),
    By(fn(&Spot) -> Option<String>),
}

impl Change {
    pub(crate) fn at(&self, spot: &Spot) -> Option<String> {
        match self {
            Change::Operator(_) if spot.node.is_named() || !has_operators(spot.parent_kind()) => {
                None
            }
            Change::Operator(pairs) => {
                let mut pairs = pairs.iter();
                let pair = pairs.find(|(from, _)| *from == spot.kind());
                pair.map(|(_, to)| (*to).to_owned())
            }
            Change::By(_) if !spot.node.is_named() => None,
            Change::By(change) => change(spot),
        }
    }
}

fn has_operators(kind: &str) -> bool {
    [
        "assignment_expression",
        "assignment_statement",
        "augmented_assignment",
        "augmented_assignment_expression",
        "binary_expression",
        "binary_operator",
        "boolean_operator",
        "comparison_operator",
        "compound_assignment_expr",
        "dec_statement",
        "inc_statement",
        "update_expression",
    ]
    .contains(&kind)
}

pub(crate) fn other_boolean(spot: &Spot) -> Option<String> {
    let is_literal = ["true", "false", "boolean_literal"].contains(&spot.kind());
    let other = match spot.source() {
        "true" => "false",
        "false" => "true",
        "True" => "False",
        "False" => "True",
        _ => return None,
    };
    is_literal.then(|| other.to_owned())
}

pub(crate) fn other_number(spot: &Spot) -> Option<String> {
    let kinds = [
        "decimal_integer_literal",
        "int_literal",
        "integer",
        "integer_literal",
        "number",
    ];
    if !kinds.contains(&spot.kind()) {
        return None;
    }
    // `pair.0` names a field.
    let names = |field| spot.parent()?.child_by_field_name(field);
    if [names("field"), names("name")].contains(&Some(spot.node)) {
        return None;
    }
    let digits = spot.source();
    // 010 is eight in some languages.
    let plain = digits == "0" || !digits.starts_with('0');
    let number: u32 = digits.parse().ok().filter(|_| plain)?;
    Some(match number {
        1 => "0".to_owned(),
        _ => number.checked_add(1)?.to_string(),
    })
}

pub(crate) fn other_text(spot: &Spot) -> Option<String> {
    let kinds = ["string", "string_literal", "interpreted_string_literal"];
    let is_value = ![
        "expression_statement",
        "concatenated_string",
        "import_spec",
        "module",
        "block",
    ]
    .contains(&spot.parent_kind());
    if !kinds.contains(&spot.kind()) || !is_value || has_child(spot.node, "interpolation") {
        return None;
    }
    let source = spot.source();
    let (prefix, rest) = source.split_at(source.find(['"', '\''])?);
    let quote = &rest[..1];
    let empty = rest.trim_matches(['"', '\'']).is_empty();
    // Raw texts of Rust, whose ends have to fit.
    let plain = !prefix.contains('#') && !rest.ends_with('#');
    let content = if empty { "fdc" } else { "" };
    plain.then(|| format!("{prefix}{quote}{content}{quote}"))
}

pub(crate) fn negation_removed(spot: &Spot) -> Option<String> {
    let operand = match spot.kind() {
        "not_operator" => spot.node.child_by_field_name("argument"),
        "unary_expression" if spot.node.child(0)?.kind() == "!" => first_named(spot.node),
        _ => None,
    }?;
    Some(spot.text_of(operand).to_owned())
}

pub(crate) fn condition_negated(spot: &Spot) -> Option<String> {
    let parent = spot.parent()?;
    let is_condition = match parent.kind() {
        "if_statement" | "elif_clause" | "while_statement" | "if_expression"
        | "while_expression" | "ternary_expression" | "do_statement" => {
            parent.child_by_field_name("condition") == Some(spot.node)
        }
        "conditional_expression" => parent.named_child(1) == Some(spot.node),
        // The condition of Go's `for`, which stands alone or in its clause.
        "for_clause" => parent.child_by_field_name("condition") == Some(spot.node),
        _ => false,
    };
    let condition = match spot.kind() {
        "parenthesized_expression" => first_named(spot.node)?,
        _ => spot.node,
    };
    // Its comparison or its `not` is changed already, to the same.
    let changed_already = [
        "not_operator",
        "unary_expression",
        "let_condition",
        "let_chain",
    ]
    .contains(&condition.kind())
        || ["==", "!=", "is", "is not", "in", "not in", "===", "!=="]
            .iter()
            .any(|operator| has_child(condition, operator));
    if !is_condition || changed_already {
        return None;
    }
    let not = match spot.language {
        Language::Python => "not ",
        _ => "!",
    };
    // Brackets that are there stay as they are, with their comments and ends of lines.
    let source = spot.source();
    Some(match spot.kind() {
        "parenthesized_expression" => format!("({not}{source})"),
        _ => format!("{not}({source})"),
    })
}

pub(crate) fn call_removed(spot: &Spot) -> Option<String> {
    let calls = [
        "call",
        "call_expression",
        "method_invocation",
        "await",
        "await_expression",
    ];
    let call = spot.node.named_child(0)?;
    if spot.kind() != "expression_statement" || !calls.contains(&call.kind()) {
        return None;
    }
    let nothing = match spot.language {
        Language::Python => "pass",
        Language::Rust if !spot.source().ends_with(';') => return None,
        Language::Rust => "();",
        Language::Go => "{}",
        _ => ";",
    };
    Some(nothing.to_owned())
}

pub(crate) fn break_or_continue(spot: &Spot) -> Option<String> {
    let kinds = [
        "break_expression",
        "break_statement",
        "continue_expression",
        "continue_statement",
    ];
    if !kinds.contains(&spot.kind()) {
        return None;
    }
    let source = spot.source();
    let other = match source.trim_end_matches(';') {
        "break" => "continue",
        "continue" => "break",
        _ => return None,
    };
    let end = if source.ends_with(';') { ";" } else { "" };
    Some(format!("{other}{end}"))
}

pub(crate) fn other_value(spot: &Spot) -> Option<String> {
    if !is_returned(spot) {
        return None;
    }
    let mut values = match spot.language {
        Language::Python => vec!["None"],
        Language::JavaScript | Language::TypeScript | Language::Tsx => vec!["undefined"],
        language => values_of(language, result_type(spot)?),
    };
    values.retain(|value| *value != spot.source());
    values.first().map(|value| (*value).to_owned())
}

fn is_returned(spot: &Spot) -> bool {
    let Some(parent) = spot.parent() else {
        return false;
    };
    match parent.kind() {
        "return_statement" | "return_expression" => spot.kind() != "expression_list",
        "expression_list" => {
            let around = spot.ancestors.iter().rev().nth(1);
            let alone = parent.named_child_count() == 1;
            alone && around.is_some_and(|around| around.kind() == "return_statement")
        }
        // The value of a Rust function is that of its last expression.
        "block" if spot.language == Language::Rust => {
            let around = spot.ancestors.iter().rev().nth(1);
            let last = parent.named_child_count().checked_sub(1);
            let last = last.and_then(|last| parent.named_child(last as u32));
            let is_statement = spot.kind().ends_with("_statement");
            around.is_some_and(|around| around.kind() == "function_item")
                && last == Some(spot.node)
                && !is_statement
                && !["let_declaration", "line_comment", "block_comment"].contains(&spot.kind())
        }
        _ => false,
    }
}

/// What the function around it gives back, as its source spells it; none inside a closure.
fn result_type<'t>(spot: &Spot<'_, 't>) -> Option<&'t str> {
    for ancestor in spot.ancestors.iter().rev() {
        let field = match ancestor.kind() {
            "function_item" => "return_type",
            "method_declaration" if spot.language == Language::Java => "type",
            "function_declaration" | "method_declaration" => "result",
            "closure_expression" | "func_literal" | "lambda_expression" | "async_block" => {
                return None;
            }
            _ => continue,
        };
        let node = ancestor.child_by_field_name(field)?;
        return Some(spot.text_of(node).trim());
    }
    None
}

/// Values of a type to return instead, the better one first.
fn values_of(language: Language, result: &str) -> Vec<&'static str> {
    const WHOLE: [&str; 22] = [
        "byte", "short", "int", "long", "char", "int8", "int16", "int32", "int64", "uint", "uint8",
        "uint32", "uint64", "u8", "u16", "u32", "u64", "usize", "i32", "i64", "isize", "i8",
    ];
    let is = |names: &[&str]| names.contains(&result);
    match language {
        _ if is(&["bool", "boolean"]) => vec!["false", "true"],
        _ if is(&WHOLE) => vec!["0", "1"],
        _ if is(&["f32", "f64", "float64", "float32", "double", "float"]) => vec!["0.0", "1.0"],
        Language::Rust if result.starts_with("Option<") => vec!["None"],
        Language::Rust if result == "String" => vec!["String::new()"],
        Language::Rust if result.starts_with("Vec<") => vec!["Vec::new()"],
        Language::Rust if result.starts_with('&') && result.ends_with("str") => vec!["\"\""],
        Language::Go if result == "string" => vec!["\"\""],
        Language::Go if result == "error" || result.starts_with(['*', '[']) => vec!["nil"],
        Language::Go if result.starts_with("map[") => vec!["nil"],
        Language::Java if result != "void" => vec!["null"],
        _ => Vec::new(),
    }
}

/// The first child that is neither a token nor a comment.
fn first_named(node: Node) -> Option<Node> {
    let mut cursor = node.walk();
    let mut children = node.named_children(&mut cursor);
    children.find(|child| !child.is_extra())
}

pub(super) fn has_child(node: Node, kind: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == kind)
}
