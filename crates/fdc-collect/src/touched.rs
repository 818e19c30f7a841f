//! Which parts of a file differ between two texts of it: functions, and what stands outside them.
//!
//! A function counts as a whole: a line that nobody ran can still change what the others do, as a
//! name does that becomes a local one. Blank lines and comments do not count.

use std::collections::{BTreeSet, HashMap};

use fdc_source::{Function, Language, Part, Parts};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// What a change of one text into another touches, seen from the first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched {
    /// Functions of the first text that differ, or are gone.
    pub functions: Vec<Function>,
    /// Functions that only the other text has.
    pub added: Vec<Function>,
    /// Whether a statement outside functions differs.
    pub statements: bool,
    /// What such statements define; the empty name stands for statements that define nothing.
    pub defined: BTreeSet<String>,
    /// What changed imports name.
    pub imported: BTreeSet<String>,
    /// Names like `__all__` and `__version__`, whose values differ.
    pub about: BTreeSet<String>,
    /// Of each line of the first text, from 1, its number in the other; only lines that are the same.
    pub moved: HashMap<u32, u32>,
}

impl Touched {
    /// By a change of one text into the other.
    pub(crate) fn by(language: Language, first: &str, other: &str) -> Self {
        let (own, others) = (Parts::of(language, first), Parts::of(language, other));
        let lines: Vec<&str> = first.lines().collect();
        let other_lines: Vec<&str> = other.lines().collect();
        let twins = twins(&own.functions, &others.functions);
        let own_of: HashMap<usize, usize> = twins.iter().map(|(&own, &new)| (new, own)).collect();
        let mut touched = Touched::default();
        let mut functions: BTreeSet<usize> = (0..own.functions.len())
            .filter(|at| !twins.contains_key(at))
            .collect();
        let mut added: BTreeSet<usize> = BTreeSet::new();
        for step in capture_diff_slices(Algorithm::Myers, &lines, &other_lines) {
            if let DiffOp::Equal {
                old_index,
                new_index,
                len,
            } = step
            {
                let pairs = (0..len).map(|at| (number(old_index + at), number(new_index + at)));
                touched.moved.extend(pairs);
                continue;
            }
            for at in step.old_range() {
                match own.at(number(at)) {
                    Part::Function(function) => drop(functions.insert(*function)),
                    part => touched.outside(part),
                }
            }
            for at in step.new_range() {
                match others.at(number(at)) {
                    Part::Function(function) => match own_of.get(function) {
                        Some(own) => drop(functions.insert(*own)),
                        None => drop(added.insert(*function)),
                    },
                    part => touched.outside(part),
                }
            }
        }
        let unmatched = (0..others.functions.len()).filter(|at| !own_of.contains_key(at));
        added.extend(unmatched);
        let name = |parts: &Parts, at: &usize| parts.functions[*at].clone();
        touched.functions = functions.iter().map(|at| name(&own, at)).collect();
        touched.added = added.iter().map(|at| name(&others, at)).collect();
        touched
    }

    fn outside(&mut self, part: &Part) {
        match part {
            Part::Nothing | Part::Function(_) => {}
            Part::Import(names) => self.imported.extend(names.iter().cloned()),
            Part::About(names) => self.about.extend(names.iter().cloned()),
            Part::Statement(names) => {
                self.statements = true;
                // One without a name is told from none.
                let nameless = names.is_empty().then(String::new);
                self.defined.extend(names.iter().cloned().chain(nameless));
            }
        }
    }

    /// With what another change of the same first text touches.
    pub(crate) fn and(mut self, more: Self) -> Self {
        let known: BTreeSet<u32> = self.functions.iter().map(|own| own.first).collect();
        let new = more.functions.into_iter();
        self.functions
            .extend(new.filter(|own| !known.contains(&own.first)));
        self.added.extend(more.added);
        self.statements |= more.statements;
        self.defined.extend(more.defined);
        self.imported.extend(more.imported);
        self.about.extend(more.about);
        self
    }

    /// Whether a line of the first text is in a function that differs.
    pub(crate) fn holds(&self, line: u32) -> bool {
        let mut functions = self.functions.iter();
        functions.any(|own| (own.first..=own.last).contains(&line))
    }

    /// Whether nothing that could have an effect differs.
    pub(crate) fn is_nothing(&self) -> bool {
        let names = [&self.defined, &self.imported, &self.about];
        self.functions.is_empty()
            && self.added.is_empty()
            && !self.statements
            && names.iter().all(|names| names.is_empty())
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).map_or(u32::MAX, |index| index.saturating_add(1))
}

/// Without the line that tells functions of one name apart.
fn bare(function: &Function) -> &str {
    let name = &function.name;
    name.rsplit_once('@').map_or(name, |(bare, _)| bare)
}

/// Functions that are the same one in both texts, by index: those of one name in their order, if both
/// texts have as many of them.
fn twins(own: &[Function], others: &[Function]) -> HashMap<usize, usize> {
    let by_name = |functions: &[Function]| {
        let mut named: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, function) in functions.iter().enumerate() {
            named.entry(bare(function).to_owned()).or_default().push(at);
        }
        named
    };
    let theirs = by_name(others);
    let mut twins = HashMap::new();
    for (name, own) in by_name(own) {
        if let Some(theirs) = theirs.get(&name).filter(|found| found.len() == own.len()) {
            twins.extend(own.into_iter().zip(theirs.iter().copied()));
        }
    }
    twins
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOP: &str = "import tax\n\nRATE = 2\n\nclass Cart:\n    @property\n    def size(self):\n        return 1\n\n    @size.setter\n    def size(self, value):\n        self.n = value\n\ndef total(a):\n    # Sum.\n    return a\n";

    fn by(old: &str, new: &str) -> Touched {
        let other = SHOP.replace(old, new);
        assert_ne!(other, SHOP);
        Touched::by(Language::Python, SHOP, &other)
    }

    fn names(functions: &[Function]) -> Vec<&str> {
        functions.iter().map(|own| &*own.name).collect()
    }

    #[test]
    fn a_change_inside_a_function_touches_it_alone() {
        let touched = by("    return a", "    b = a\n    return b");
        assert_eq!(names(&touched.functions), ["total"]);
        assert!(touched.added.is_empty() && !touched.statements);
        assert_eq!(touched.moved[&14], 14);
        let touched = by("    # Sum.\n    return a", "    # All.\n\n    return a");
        assert!(touched.is_nothing(), "comments and blank lines do nothing");
        let touched = by("(a):", "(a, b=RATE):");
        assert_eq!(names(&touched.functions), ["total"]);
    }

    #[test]
    fn what_is_outside_functions_is_told_by_kind() {
        let touched = by("RATE = 2", "RATE = 3");
        assert!(touched.statements && touched.defined.contains("RATE"));
        assert!(touched.functions.is_empty());
        let touched = by("import tax", "import tax, duty");
        assert!(!touched.statements && touched.imported.contains("duty"));
        let touched = by("import tax", "__all__ = []\nimport tax");
        assert!(!touched.statements && touched.about.contains("__all__"));
        assert!(by("@property", "@cached").defined.contains("size"));
    }

    #[test]
    fn new_and_gone_functions_are_told_and_moved_ones_are_the_same() {
        let touched = by("RATE = 2", "def rate():\n    return 2\n\nRATE = 2");
        assert_eq!(names(&touched.added), ["rate"]);
        assert!(touched.functions.is_empty() && !touched.statements);
        assert_eq!(touched.moved[&16], 19);
        let touched = by("def total(a):", "def sum_of(a):");
        assert_eq!(names(&touched.functions), ["total"]);
        assert_eq!(names(&touched.added), ["sum_of"]);
    }
}
