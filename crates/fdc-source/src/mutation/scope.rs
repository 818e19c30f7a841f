//! Where a change can be switched on while the program runs: the smallest expression or statement
//! around it that may stand in two versions.

use std::ops::Range;

use tree_sitter::Node;

use super::Spot;
use super::change::has_child;
use crate::Language;

/// An expression or a statement that a change is inside of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switchable {
    /// Its place in the text.
    pub bytes: Range<usize>,
    /// What may stand in its place.
    pub form: Form,
}

/// What a scope is to the code around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// A yes or no.
    Truth,
    /// Any value; in Go a literal's.
    Value,
    /// It has no value.
    Statement,
}

/// The scope of a change of this node, if its language and the code around it allow one. Where a
/// compiler still refuses, it says so.
pub(super) fn scope_of(spot: &Spot) -> Option<Switchable> {
    let (node, around) = match spot.node.is_named() {
        true => (spot.node, spot.ancestors),
        // An operator, between its operands.
        false => {
            let (node, around) = spot.ancestors.split_last()?;
            (*node, around)
        }
    };
    match spot.language {
        Language::Rust => rust_scope(node, around),
        Language::Go if leaves_unused(spot) => None,
        Language::Go => go_scope(node, around),
        Language::Java => java_scope(spot, node, around),
        _ => None,
    }
}

impl Switchable {
    fn of(node: Node, form: Form) -> Self {
        let bytes = node.byte_range();
        Switchable { bytes, form }
    }
}

fn rust_scope(node: Node, around: &[Node]) -> Option<Switchable> {
    let mut child = node;
    for &parent in around.iter().rev() {
        let is_field = |name: &str| parent.child_by_field_name(name) == Some(child);
        let fixed = match parent.kind() {
            // Its body runs at run time, whatever is around the function.
            "function_item" if !is_const(parent) => break,
            "function_item" | "const_item" | "static_item" | "enum_variant" | "const_block"
            | "const_parameter" | "extern_modifier" | "where_clause" => true,
            "array_expression" => is_field("length"),
            "field_expression" => is_field("field"),
            "match_pattern" => !is_field("condition"),
            "let_declaration" | "let_condition" | "for_expression" | "parameter" => {
                is_field("pattern")
            }
            kind => kind.ends_with("_pattern"),
        };
        if fixed {
            return None;
        }
        child = parent;
    }
    let form = match node.kind() {
        "expression_statement" => Form::Statement,
        _ => Form::Value,
    };
    Some(Switchable::of(node, form))
}

/// Whether the compiler may have to run a Rust function.
fn is_const(function: Node) -> bool {
    let mut cursor = function.walk();
    let mut children = function.children(&mut cursor);
    children.any(|child| child.kind() == "function_modifiers" && has_child(child, "const"))
}

/// `a ? b : c` can stand for nearly every expression of Java. What its compiler looks through must stay
/// as it is: constants, conditions of endless loops, conditions that give variables their values.
fn java_scope(spot: &Spot, node: Node, around: &[Node]) -> Option<Switchable> {
    if java_keeps(node, around, spot.text) {
        return None;
    }
    let mut scope = node;
    for &parent in around.iter().rev() {
        let kind = scope.kind();
        let form = match kind.ends_with("_statement") {
            true if !STATEMENT_PLACES.contains(&parent.kind()) => return None,
            true => Form::Statement,
            false => Form::Value,
        };
        match parent.kind() {
            // These may be statements, and then are no values.
            "expression_statement" if JAVA_ACTS.contains(&kind) => {
                scope = parent;
                continue;
            }
            "for_statement" if form == Form::Value => {
                let is_condition = parent.child_by_field_name("condition") == Some(scope);
                if !is_condition {
                    return None;
                }
            }
            _ => {}
        }
        let is_replaced = spot.node == scope;
        let is_dropped = form == Form::Statement || parent.kind() == "return_statement";
        let stands_once = is_replaced && is_dropped;
        let fits = stands_once || !any_below(scope, &|one| java_stands_once(one));
        return fits.then(|| Switchable::of(scope, form));
    }
    None
}

/// Whether a change is inside of what Java's compiler has to know the value of.
fn java_keeps(node: Node, around: &[Node], text: &str) -> bool {
    let mut child = node;
    for (at, &parent) in around.iter().enumerate().rev() {
        let is_kept = match parent.kind() {
            "switch_label" => true,
            kind if JAVA_RUNS.contains(&kind) => return false,
            "variable_declarator" => {
                let declaration = at.checked_sub(1).map(|outer| around[outer]);
                declaration.is_some_and(|one| is_final(one, text))
            }
            "while_statement" | "do_statement" | "for_statement" => {
                let is_condition = parent.child_by_field_name("condition") == Some(child);
                is_condition && is_literal_truth(child)
            }
            _ => false,
        };
        if is_kept {
            return true;
        }
        child = parent;
    }
    false
}

/// Whether a part of Java may not be there twice: the names of classes and lambdas count on, and
/// variables get their values, or are declared, for what comes after.
fn java_stands_once(node: Node) -> bool {
    match node.kind() {
        "class_body" | "lambda_expression" | "record_pattern" | "type_pattern" => true,
        "assignment_expression" => has_child(node, "="),
        "instanceof_expression" => node.child_by_field_name("name").is_some(),
        _ => false,
    }
}

const JAVA_ACTS: &[&str] = &[
    "assignment_expression",
    "method_invocation",
    "update_expression",
];

/// What is inside of these is no part of a constant.
const JAVA_RUNS: &[&str] = &[
    "array_initializer",
    "block",
    "class_body",
    "lambda_expression",
    "method_invocation",
    "object_creation_expression",
];

/// Where a statement of Java may stand in two versions.
const STATEMENT_PLACES: &[&str] = &[
    "block",
    "constructor_body",
    "do_statement",
    "enhanced_for_statement",
    "for_statement",
    "if_statement",
    "switch_block_statement_group",
    "while_statement",
];

/// Whether a declaration of Java is of variables that keep their first value: constants, maybe.
fn is_final(declaration: Node, text: &str) -> bool {
    let modifiers = declaration.child(0);
    let modifiers = modifiers.filter(|one| one.kind() == "modifiers");
    let is_marked = modifiers.is_some_and(|one| {
        let mut words = text[one.byte_range()].split_whitespace();
        words.any(|word| word == "final")
    });
    is_marked || declaration.kind() == "constant_declaration"
}

fn is_literal_truth(condition: Node) -> bool {
    let inner = match condition.kind() {
        "parenthesized_expression" => condition.named_child(0),
        _ => Some(condition),
    };
    inner.is_some_and(|inner| ["true", "false"].contains(&inner.kind()))
}

/// Whether a node or one below it is such.
fn any_below(node: Node, holds: &dyn Fn(Node) -> bool) -> bool {
    let mut cursor = node.walk();
    loop {
        if holds(cursor.node()) {
            return true;
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
    }
}

/// Go has no expression that chooses, so it is the statement around the change, unless there is a
/// condition in between; a literal can be given to a function.
fn go_scope(node: Node, around: &[Node]) -> Option<Switchable> {
    let parents = around.iter().rev().copied();
    let mut found = None;
    for (child, parent) in [node]
        .into_iter()
        .chain(parents.clone())
        .zip(parents.clone())
    {
        let in_block = ["block", "statement_list"].contains(&parent.kind());
        found = match child.kind() {
            _ if is_condition(child, parent) => Some(Switchable::of(child, Form::Truth)),
            "assignment_statement"
            | "break_statement"
            | "continue_statement"
            | "dec_statement"
            | "defer_statement"
            | "expression_statement"
            | "go_statement"
            | "inc_statement"
            | "return_statement"
            | "send_statement"
                if in_block =>
            {
                Some(Switchable::of(child, Form::Statement))
            }
            _ => None,
        };
        let outside = ["block", "func_literal", "statement_list"].contains(&child.kind());
        if found.is_some() || outside || child.kind().ends_with("_declaration") {
            break;
        }
    }
    let runs = |one: Node| ["block", "statement_list"].contains(&one.kind());
    let is_fixed = |one: Node| ["const_declaration", "array_type"].contains(&one.kind());
    let mut inside = parents.clone().take_while(|one| !runs(*one));
    if !parents.clone().any(runs) || inside.any(is_fixed) {
        return None;
    }
    // `n := 1`; elsewhere a compiler may insist on a constant, or know more of one.
    let assigned = around.last()?.kind() == "expression_list" && node.kind() == "int_literal";
    let short = parents.clone().nth(1)?.kind() == "short_var_declaration";
    found.or_else(|| (assigned && short).then(|| Switchable::of(node, Form::Value)))
}

/// Whether a change may take the last use of a variable or an import away, which Go's compiler refuses:
/// beside the original it would not notice.
fn leaves_unused(spot: &Spot) -> bool {
    let removes = spot.node.is_named() && !spot.kind().ends_with("_literal");
    let keeps = super::change::condition_negated(spot).is_some()
        || super::change::negation_removed(spot).is_some();
    if !removes || keeps {
        return false;
    }
    let own =
        |one: &&Node| one.kind().ends_with("_declaration") && one.kind() != "short_var_declaration";
    let function = spot.ancestors.iter().rev().find(own);
    let declared = function.map_or_else(Vec::new, |function| declared_in(*function, spot.text));
    let source = spot.source();
    let mut words = source.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| {
        let call = format!("{word}.");
        let is_last = || spot.text.matches(&call).count() == source.matches(&call).count();
        !word.is_empty() && (declared.contains(&word) || source.contains(&call) && is_last())
    })
}

/// The variables that a function of Go declares, its parameters left out.
fn declared_in<'t>(function: Node, text: &'t str) -> Vec<&'t str> {
    let mut names = Vec::new();
    let mut cursor = function.walk();
    loop {
        let node = cursor.node();
        let left = match node.kind() {
            "short_var_declaration" | "range_clause" => node.child_by_field_name("left"),
            "var_spec" => Some(node),
            _ => None,
        };
        let left = left.map_or("", |left| &text[left.byte_range()]);
        names.extend(left.split(|c: char| !c.is_alphanumeric() && c != '_'));
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return names;
            }
        }
    }
}

fn is_condition(node: Node, parent: Node) -> bool {
    let truths = ["==", "!=", "<", "<=", ">", ">=", "&&", "||"];
    match node.kind() {
        "true" | "false" => true,
        "unary_expression" => has_child(node, "!"),
        "binary_expression" => truths.iter().any(|operator| has_child(node, operator)),
        _ => parent.child_by_field_name("condition") == Some(node),
    }
}
