//! What each line of a file is part of, for those who ask what a change of the line may do: a function
//! runs when it is called, an import only gives a name, any other statement runs for everybody who uses
//! the file.

use tree_sitter::{Node, Parser};

use crate::{Function, Language, functions};

/// What a line is part of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Blank, or comments.
    Nothing,
    /// A function, declaration included; an index into [`Parts::functions`].
    Function(usize),
    /// An import: what it names.
    Import(Vec<String>),
    /// A statement outside functions that does nothing but give these names values of no weight for a
    /// program: `__all__`, `__version__`, a docstring.
    About(Vec<String>),
    /// Any other code outside functions, with the names that it defines.
    Statement(Vec<String>),
}

/// The parts of a file, by line.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Those that are inside no other, by first line.
    pub functions: Vec<Function>,
    lines: Vec<Part>,
}

impl Parts {
    /// Of a source file.
    pub fn of(language: Language, text: &str) -> Self {
        let mut outermost: Vec<Function> = Vec::new();
        for function in functions(language, text) {
            if outermost.last().is_none_or(|o| o.last < function.first) {
                outermost.push(function);
            }
        }
        let mut parts = Parts {
            functions: outermost,
            lines: vec![Part::Nothing; text.lines().count()],
        };
        let mut parser = Parser::new();
        if u32::try_from(text.len()).is_err() || parser.set_language(&language.grammar()).is_err() {
            return parts;
        }
        if let Some(tree) = parser.parse(text, None) {
            parts.read(tree.root_node(), text);
        }
        parts
    }

    /// What a line is part of, by its number from 1.
    pub fn at(&self, line: u32) -> &Part {
        let index = (line as usize).checked_sub(1);
        let part = index.and_then(|index| self.lines.get(index));
        part.unwrap_or(&Part::Nothing)
    }

    /// All lines with their parts.
    pub fn lines(&self) -> impl Iterator<Item = (u32, &Part)> {
        self.lines.iter().zip(1..).map(|(part, line)| (line, part))
    }

    fn read(&mut self, root: Node, text: &str) {
        let mut cursor = root.walk();
        let mut above: Vec<Node> = Vec::new();
        loop {
            let node = cursor.node();
            if !node.kind().contains("comment") {
                if cursor.goto_first_child() {
                    above.push(node);
                    continue;
                }
                self.leaf(&above, node, text);
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                above.pop();
            }
        }
    }

    /// A word, a sign or a string, with the nodes that it is in.
    fn leaf(&mut self, above: &[Node], node: Node, text: &str) {
        let (first, end) = (node.start_position(), node.end_position());
        let before = usize::from(end.column == 0 && end.row > first.row);
        let mut outside = None;
        for row in first.row..=end.row - before {
            let line = u32::try_from(row).map_or(u32::MAX, |row| row.saturating_add(1));
            let after = self.functions.partition_point(|f| f.first <= line);
            let function = after.checked_sub(1);
            let function = function.filter(|&at| self.functions[at].last >= line);
            let part = match function {
                Some(function) => Part::Function(function),
                None => outside
                    .get_or_insert_with(|| outside_functions(above, node, text))
                    .clone(),
            };
            match (self.lines.get_mut(row), part) {
                (Some(Part::Import(known)), Part::Import(more)) => known.extend(more),
                (Some(known), part) if weight(known) < weight(&part) => *known = part,
                _ => {}
            }
        }
    }
}

/// Of several parts on a line the heaviest counts.
fn weight(part: &Part) -> u8 {
    match part {
        Part::Nothing => 0,
        Part::Function(_) => 1,
        Part::About(_) => 2,
        Part::Import(_) => 3,
        Part::Statement(names) if names.is_empty() => 4,
        Part::Statement(_) => 5,
    }
}

fn outside_functions(above: &[Node], leaf: Node, text: &str) -> Part {
    const IMPORTS: [&str; 5] = [
        "import_statement",
        "import_from_statement",
        "future_import_statement",
        "use_declaration",
        "import_declaration",
    ];
    // Deeper nodes tell nothing more, and source may nest as deeply as it likes.
    let above = &above[..above.len().min(DEEPEST)];
    if above.iter().any(|node| IMPORTS.contains(&node.kind())) {
        return Part::Import(names_in(leaf, text));
    }
    let statement = above.iter().find(|n| n.kind() == "expression_statement");
    let is_docstring = statement.is_some_and(|node| {
        let only = node
            .named_child(0)
            .filter(|_| node.named_child_count() == 1);
        only.is_some_and(|child| child.kind() == "string")
    });
    if is_docstring {
        return Part::About(vec!["__doc__".to_owned()]);
    }
    let mut names = Vec::new();
    for node in above {
        let defined = node.child_by_field_name("definition").unwrap_or(*node);
        // Inside a class it is the member that matters.
        let body = defined.child_by_field_name("body");
        if body.is_some_and(|body| body.byte_range().contains(&leaf.start_byte())) {
            continue;
        }
        let declared = defined.child_by_field_name("declarator").unwrap_or(defined);
        let fields = ["name", "left"].into_iter();
        let name = fields
            .filter_map(|f| declared.child_by_field_name(f))
            .next();
        if let Some(name) = name {
            names = names_in(name, text);
            break;
        }
    }
    let plain = |name: &String| name.len() > 4 && name.starts_with("__") && name.ends_with("__");
    match !names.is_empty() && names.iter().all(plain) {
        true => Part::About(names),
        false => Part::Statement(names),
    }
}

/// So many nodes from the file inwards are looked at.
const DEEPEST: usize = 40;

/// The identifiers in a node, in order, each once.
fn names_in(node: Node, text: &str) -> Vec<String> {
    let bytes = text.get(node.byte_range()).unwrap_or_default();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words = bytes.split(|c: char| !is_word(c));
    let is_name = |word: &&str| word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let keywords = [
        "import", "from", "as", "use", "pub", "crate", "self", "super", "static",
    ];
    let names = words.filter(|word| is_name(word) && !keywords.contains(word));
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(language: Language, text: &str) -> Vec<String> {
        let parts = Parts::of(language, text);
        let word = |part: &Part| match part {
            Part::Nothing => "-".to_owned(),
            Part::Function(at) => parts.functions[*at].name.clone(),
            Part::Import(names) => format!("import {}", names.join(" ")),
            Part::About(names) => format!("about {}", names.join(" ")),
            Part::Statement(names) => format!("run {}", names.join(" ")),
        };
        parts.lines().map(|(_, part)| word(part)).collect()
    }

    #[test]
    fn a_line_of_python_is_part_of_a_function_an_import_or_what_runs_at_import() {
        let text = "\"\"\"Shop.\n\nCarts.\n\"\"\"\nfrom shop import (\n    tax,\n)\n\n__all__ = [\n    'Cart',\n]\nRATES = {\n    'a': f(x=1),\n}\n# Carts.\n@frozen\nclass Cart(Base):\n    limit = 3\n\n    @property\n    def size(self):\n        # Lines.\n\n        def inner(): pass\n        return 1\nif RATES:\n    run()\n";
        let expected = [
            "about __doc__",
            "about __doc__",
            "about __doc__",
            "about __doc__",
            "import shop",
            "import tax",
            "import ",
            "-",
            "about __all__",
            "about __all__",
            "about __all__",
            "run RATES",
            "run RATES",
            "run RATES",
            "-",
            "run Cart",
            "run Cart",
            "run limit",
            "-",
            "run size",
            "Cart.size",
            "-",
            "-",
            "Cart.size",
            "Cart.size",
            "run ",
            "run ",
        ];
        assert_eq!(parts(Language::Python, text), expected);
    }

    #[test]
    fn members_and_constants_have_names_in_other_languages_too() {
        let java = "package a;\nimport b.C;\nclass D {\n  static int limit = 1;\n  int f() {\n    return 1;\n  }\n}\n";
        assert_eq!(
            parts(Language::Java, java),
            [
                "run ",
                "import b C",
                "run D",
                "run limit",
                "a.D#f()",
                "a.D#f()",
                "a.D#f()",
                "run "
            ]
        );
        let rust = "use a::b;\n/// Doc.\nconst MOST: u32 = 1;\nimpl T {\n    fn f() {}\n}\n";
        assert_eq!(
            parts(Language::Rust, rust),
            ["import a b", "-", "run MOST", "run ", "T::f", "run "]
        );
        let go = "package a\n\nimport \"fmt\"\n\nvar rate = 2\n\nfunc F() {\n}\n";
        assert_eq!(
            parts(Language::Go, go),
            ["run ", "-", "import fmt", "-", "run rate", "-", "F", "F"]
        );
    }

    #[test]
    fn broken_source_is_still_divided() {
        let text = "def f(:\n    x = (\n\n}\n";
        assert_eq!(parts(Language::Python, text).len(), 4);
        assert_eq!(*Parts::of(Language::Python, "").at(0), Part::Nothing);
        assert_eq!(*Parts::of(Language::Python, "a = 1\n").at(9), Part::Nothing);
    }
}
