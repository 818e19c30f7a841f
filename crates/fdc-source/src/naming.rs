//! Names out of syntax nodes, and names made unique.

use std::collections::HashMap;

use tree_sitter::Node;

use crate::Function;

/// The text of a node, as it stands in the source.
pub(crate) fn text_of<'t>(node: Node, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or("")
}

/// The text of a field; nothing if it is absent or empty, as it can be in broken source.
pub(crate) fn field<'t>(node: Node, name: &str, text: &'t str) -> Option<&'t str> {
    let found = text_of(node.child_by_field_name(name)?, text);
    (!found.is_empty()).then_some(found)
}

/// A type or expression used as a name is cut at about this many bytes.
const LONGEST_SPELLING: usize = 120;

/// A node's tokens without the layout between them: blanks only where words would run together.
/// Nodes of the kinds in `without` and comments are left out.
pub(crate) fn spelling(node: Node, text: &str, without: &[&str]) -> String {
    let mut spelt = String::new();
    let mut cursor = node.walk();
    let mut depth = 0usize;
    loop {
        let here = cursor.node();
        let kind = here.kind();
        let left_out = kind.ends_with("comment") || without.contains(&kind);
        if !left_out && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        if !left_out {
            push_token(&mut spelt, text_of(here, text));
            if spelt.len() > LONGEST_SPELLING {
                let mut places = (0..=LONGEST_SPELLING).rev();
                let cut = places.find(|&at| spelt.is_char_boundary(at));
                spelt.truncate(cut.unwrap_or(0));
                spelt.push('…');
                return spelt;
            }
        }
        loop {
            if depth == 0 {
                return spelt;
            }
            if cursor.goto_next_sibling() {
                break;
            }
            cursor.goto_parent();
            depth -= 1;
        }
    }
}

fn push_token(spelt: &mut String, token: &str) {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    if spelt.ends_with(word) && token.starts_with(word) {
        spelt.push(' ');
    }
    // Tokens with layout inside them (strings over several lines) still make one line.
    let parts: Vec<&str> = token.split_whitespace().collect();
    spelt.push_str(&parts.join(" "));
}

/// `prefix`, separator and name; the name alone where nothing qualifies it.
pub(crate) fn join(prefix: &str, separator: &str, name: &str) -> String {
    let separator = if prefix.is_empty() { "" } else { separator };
    format!("{prefix}{separator}{name}")
}

/// Appends `@LINE` to a name that an earlier function has, and a number where even that is taken.
pub(crate) fn make_unique(functions: &mut [Function]) {
    let mut taken: HashMap<String, u32> = HashMap::new();
    for function in functions {
        if taken.contains_key(&function.name) {
            let numbered = format!("{}@{}", function.name, function.first);
            let mut count = taken.get(&numbered).copied().unwrap_or(0);
            let mut free = numbered.clone();
            while taken.contains_key(&free) {
                count += 1;
                free = format!("{numbered}.{count}");
            }
            taken.insert(numbered, count.max(1));
            function.name = free;
        }
        taken.entry(function.name.clone()).or_insert(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_never_given_twice() {
        let mut functions: Vec<Function> = ["f", "f", "f", "f", "f@7", "g"]
            .map(|name| Function {
                name: name.to_owned(),
                first: 7,
                body: 7,
                last: 7,
                bytes: 0..1,
            })
            .to_vec();
        make_unique(&mut functions);
        let names: Vec<&str> = functions.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["f", "f@7", "f@7.2", "f@7.3", "f@7@7", "g"]);
    }
}
