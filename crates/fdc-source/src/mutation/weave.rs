//! One text with many changes, each behind a switch that is read while the program runs. What is not
//! switched on does as the original does, and no line moves.

use std::collections::BTreeMap;
use std::ops::Range;

use tree_sitter::{Parser, Tree};

use super::Switchable;
use super::scope::Form;
use crate::Language;

/// A change to weave in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative<'m> {
    /// What switches it on; from 1.
    pub number: u32,
    /// What is replaced, in bytes of the text.
    pub bytes: Range<usize>,
    /// By what.
    pub replacement: &'m str,
    /// What stands there in both versions.
    pub scope: &'m Switchable,
}

/// A text with switches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Woven {
    /// The text itself.
    pub text: String,
    /// The numbers that are in it.
    pub numbers: Vec<u32>,
    /// By where they begin; one inside another comes after it.
    switches: Vec<Switch>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Switch {
    place: Range<usize>,
    alternatives: Vec<(u32, Range<usize>)>,
}

/// Deeper switches would be a burden for compilers.
const DEEPEST: usize = 24;

/// Weaves in what can be: an alternative that spans lines is put on one, unless that would change what
/// it means.
pub fn weave(language: Language, text: &str, alternatives: &[Alternative]) -> Woven {
    let Some(layout) = Layout::of(language, text) else {
        return Woven::default();
    };
    let mut scopes: BTreeMap<(usize, usize, Form), Vec<(u32, String)>> = BTreeMap::new();
    for one in alternatives {
        let Range { start, end } = one.scope.bytes;
        if let Some(changed) = layout.on_one_line(text, one) {
            // From the outermost to the innermost.
            let key = (start, usize::MAX - end, one.scope.form);
            scopes.entry(key).or_default().push((one.number, changed));
        }
    }
    let mut woven = Woven::default();
    let mut open: Vec<(usize, usize, String)> = Vec::new();
    let mut copied = 0;
    let mut close = |woven: &mut Woven, open: &mut Vec<(usize, usize, String)>, until: usize| {
        while let Some((end, switch, closing)) = open.pop_if(|(end, ..)| *end <= until) {
            woven.text += &text[copied..end];
            copied = end;
            woven.text += &closing;
            woven.switches[switch].place.end = woven.text.len();
        }
        let until = until.min(text.len());
        woven.text += &text[copied..until];
        copied = until;
    };
    for ((start, end, form), own) in scopes {
        let end = usize::MAX - end;
        close(&mut woven, &mut open, start);
        // Deep ones, and what a broken text made of two scopes that only touch.
        if open.len() >= DEEPEST || open.last().is_some_and(|(outer, ..)| *outer < end) {
            continue;
        }
        let begun = woven.text.len();
        let mut switch = Switch {
            place: begun..begun,
            alternatives: Vec::new(),
        };
        let syntax = Syntax { language, form };
        for (at, (number, changed)) in own.iter().enumerate() {
            woven.text += &syntax.before(at, *number);
            let begun = woven.text.len();
            woven.text += changed;
            switch.alternatives.push((*number, begun..woven.text.len()));
            woven.text += syntax.after();
            woven.numbers.push(*number);
        }
        let numbers: Vec<u32> = own.iter().map(|(number, _)| *number).collect();
        woven.text += &syntax.otherwise(&numbers);
        open.push((end, woven.switches.len(), syntax.end(own.len())));
        woven.switches.push(switch);
    }
    close(&mut woven, &mut open, usize::MAX);
    woven.numbers.sort_unstable();
    woven
}

impl Woven {
    /// Which changes to leave out because of an error at a place of the text: the one that it is in,
    /// else those of the switch around it, else those inside of the place.
    pub fn blamed(&self, place: &Range<usize>) -> Vec<u32> {
        let holds = |outer: &Range<usize>| outer.start <= place.start && place.end <= outer.end;
        let around = self.switches.iter().rfind(|switch| holds(&switch.place));
        if let Some(switch) = around {
            let mut own = switch.alternatives.iter();
            let exact = own.find(|(_, range)| holds(range));
            return match exact {
                Some((number, _)) => vec![*number],
                None => switch.numbers().collect(),
            };
        }
        let inside =
            |switch: &&Switch| place.start <= switch.place.start && switch.place.end <= place.end;
        let inside = self.switches.iter().filter(inside);
        inside.flat_map(Switch::numbers).collect()
    }
}

impl Switch {
    fn numbers(&self) -> impl Iterator<Item = u32> {
        self.alternatives.iter().map(|(number, _)| *number)
    }
}

/// How a language asks for a switch.
struct Syntax {
    language: Language,
    form: Form,
}

impl Syntax {
    fn before(&self, at: usize, number: u32) -> String {
        let first = at == 0;
        match (self.language, self.form) {
            (Language::Go, Form::Statement) => format!("if fdcMutant({number}) {{ "),
            (Language::Go, Form::Truth) => {
                let open = if first { "(" } else { "" };
                format!("{open}fdcMutant({number}) && (")
            }
            (Language::Go, Form::Value) => format!("fdcPick({number}, ("),
            (Language::Java, Form::Statement) => format!("if (__fdc.Mutant.on == {number}) {{ "),
            (Language::Java, _) => {
                let open = if first { "(" } else { "" };
                format!("{open}__fdc.Mutant.on == {number} ? (")
            }
            (_, form) => {
                let is_open = form == Form::Statement || !first;
                let open = if is_open { "" } else { "(" };
                format!("{open}if crate::__fdc_mutant::is({number}) {{ ")
            }
        }
    }

    /// Between an alternative and the next one, or the original.
    fn after(&self) -> &'static str {
        match (self.language, self.form) {
            (Language::Go, Form::Truth) => ") || ",
            (Language::Go, Form::Value) => "), ",
            (Language::Java, Form::Truth | Form::Value) => ") : ",
            _ => " } else ",
        }
    }

    fn otherwise(&self, numbers: &[u32]) -> String {
        match (self.language, self.form) {
            (Language::Go, Form::Truth) => {
                let off = numbers.iter().map(|one| format!("!fdcMutant({one}) && "));
                off.collect::<String>() + "("
            }
            (Language::Go, Form::Value) | (Language::Java, Form::Truth | Form::Value) => {
                "(".to_owned()
            }
            _ => "{ ".to_owned(),
        }
    }

    fn end(&self, count: usize) -> String {
        match (self.language, self.form) {
            (Language::Go, Form::Truth) | (Language::Java, Form::Truth | Form::Value) => {
                "))".to_owned()
            }
            (Language::Go, Form::Value) => ")".repeat(count + 1),
            (_, Form::Statement) => " }".to_owned(),
            _ => " })".to_owned(),
        }
    }
}

/// What matters for putting code on one line.
struct Layout {
    comments: Vec<Range<usize>>,
    /// Lines have a meaning in here: texts, and the statements of languages whose lines end them.
    fixed: Vec<Range<usize>>,
}

impl Layout {
    fn of(language: Language, text: &str) -> Option<Self> {
        let mut parser = Parser::new();
        parser.set_language(&language.grammar()).ok()?;
        let tree = parser.parse(text, None)?;
        Some(Layout::of_tree(language, &tree))
    }

    fn of_tree(language: Language, tree: &Tree) -> Self {
        let mut layout = Layout {
            comments: Vec::new(),
            fixed: Vec::new(),
        };
        let has_meaning = |kind: &str| match kind {
            "block" => language == Language::Go,
            _ => kind.contains("string") || kind == "text_block",
        };
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            let (kind, range) = (node.kind(), node.byte_range());
            let spans_lines = node.start_position().row != node.end_position().row;
            if kind.contains("comment") {
                layout.comments.push(range);
            } else if spans_lines && has_meaning(kind) {
                layout.fixed.push(range);
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return layout;
                }
            }
        }
    }

    /// The changed scope; none if it cannot be put on one line.
    fn on_one_line(&self, text: &str, one: &Alternative) -> Option<String> {
        let scope = &one.scope.bytes;
        let parts = [scope.start..one.bytes.start, one.bytes.end..scope.end];
        let touches = |range: &Range<usize>, other: &Range<usize>| {
            range.start < other.end && other.start < range.end
        };
        let stays = |range: &Range<usize>| parts.iter().any(|part| touches(part, range));
        let has_lines = one.replacement.contains('\n');
        let replaced = |range: &Range<usize>| touches(&one.bytes, range);
        let inside = |range: &&Range<usize>| scope.start <= range.start && range.end <= scope.end;
        let mut fixed = self.fixed.iter().filter(inside);
        if fixed.any(|range| stays(range) || has_lines && replaced(range))
            || has_lines && self.comments.iter().any(replaced)
        {
            return None;
        }
        let mut changed = self.without_comments(text, &parts[0]);
        changed += one.replacement;
        changed += &self.without_comments(text, &parts[1]);
        Some(changed.replace(['\n', '\r'], " "))
    }

    fn without_comments(&self, text: &str, range: &Range<usize>) -> String {
        let mut plain = String::new();
        let mut at = range.start;
        let first = self.comments.partition_point(|one| one.end <= at);
        for comment in &self.comments[first..] {
            if comment.start >= range.end {
                break;
            }
            plain += &text[at..comment.start.max(at)];
            plain.push(' ');
            at = comment.end.max(at);
        }
        plain += text.get(at..range.end).unwrap_or_default();
        plain
    }
}
