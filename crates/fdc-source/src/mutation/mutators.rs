//! The table of mutators.

use super::change::Change::{self, By, Operator};
use super::change::{
    break_or_continue, call_removed, condition_negated, negation_removed, other_boolean,
    other_number, other_text, other_value,
};

/// A kind of small change.
#[derive(Debug)]
pub struct Mutator {
    /// A stable name.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    pub(crate) change: Change,
}

/// All mutators, by name.
pub static MUTATORS: &[Mutator] = &[
    Mutator {
        name: "arithmetic",
        summary: "+ and -, * and / for one another; * for %, // and **",
        change: Operator(&[
            ("+", "-"),
            ("-", "+"),
            ("*", "/"),
            ("/", "*"),
            ("//", "*"),
            ("%", "*"),
            ("**", "*"),
        ]),
    },
    Mutator {
        name: "assignment",
        summary: "+= and -=, *= and /=, ++ and -- for one another",
        change: Operator(&[
            ("+=", "-="),
            ("-=", "+="),
            ("*=", "/="),
            ("/=", "*="),
            ("++", "--"),
            ("--", "++"),
        ]),
    },
    Mutator {
        name: "bits",
        summary: "& and |, << and >> for one another; & for ^",
        change: Operator(&[
            ("&", "|"),
            ("|", "&"),
            ("^", "&"),
            ("<<", ">>"),
            (">>", "<<"),
        ]),
    },
    Mutator {
        name: "boolean",
        summary: "true and false for one another",
        change: By(other_boolean),
    },
    Mutator {
        name: "boundary",
        summary: "< and <=, > and >= for one another",
        change: Operator(&[("<", "<="), ("<=", "<"), (">", ">="), (">=", ">")]),
    },
    Mutator {
        name: "call",
        summary: "a call whose result nobody uses is removed",
        change: By(call_removed),
    },
    Mutator {
        name: "condition",
        summary: "the condition of an if, a while or a choice is negated",
        change: By(condition_negated),
    },
    Mutator {
        name: "equality",
        summary: "== and !=, is and is not, in and not in for one another",
        change: Operator(&[
            ("==", "!="),
            ("!=", "=="),
            ("===", "!=="),
            ("!==", "==="),
            ("is", "is not"),
            ("is not", "is"),
            ("in", "not in"),
            ("not in", "in"),
        ]),
    },
    Mutator {
        name: "jump",
        summary: "break and continue for one another",
        change: By(break_or_continue),
    },
    Mutator {
        name: "logic",
        summary: "and and or, && and || for one another",
        change: Operator(&[("and", "or"), ("or", "and"), ("&&", "||"), ("||", "&&")]),
    },
    Mutator {
        name: "negation",
        summary: "not and ! are removed",
        change: By(negation_removed),
    },
    Mutator {
        name: "number",
        summary: "a whole number becomes the next one, 1 becomes 0",
        change: By(other_number),
    },
    Mutator {
        name: "return",
        summary: "nothing, zero, false or empty is returned, as the type allows",
        change: By(other_value),
    },
    Mutator {
        name: "text",
        summary: "a text becomes empty, an empty one does not stay so",
        change: By(other_text),
    },
];
