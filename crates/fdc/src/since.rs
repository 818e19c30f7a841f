//! What changed in the program since a revision that was good.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use fdc_collect::affected::is_file;
use fdc_collect::git::{ChangedLines, changed_lines};
use fdc_core::Spectrum;
use fdc_core::spectrum::Program;

use crate::error::Result;

/// Puts the methods that differ from the revision into the spectrum; a note, if there are none. `root`
/// is the project's, with its present sources.
pub fn mark_changed(
    spectrum: &mut Spectrum,
    root: &Path,
    revision: &str,
) -> Result<Option<String>> {
    let files = changed_lines(root, revision)?;
    let methods = files.iter();
    let methods = methods.flat_map(|file| methods_in(&spectrum.program, file));
    let mut methods: Vec<u32> = methods.collect();
    methods.sort_unstable();
    methods.dedup();
    let note = methods.is_empty().then(|| {
        let what = match files.len() {
            0 => "nothing has changed".to_owned(),
            1 => "the change of 1 file touches no measured method".to_owned(),
            count => format!("the changes of {count} files touch no measured method"),
        };
        format!("{what} since {revision}: ranked without it")
    });
    spectrum.changed = note.is_none().then_some(methods);
    Ok(note)
}

/// Methods with a changed line. Where none of the changed lines was measured, as when lines were only
/// taken away, it is the method around the place.
fn methods_in(program: &Program, changed: &ChangedLines) -> Vec<u32> {
    let is_it: Vec<bool> = program
        .files
        .iter()
        .map(|file| is_file(file, &changed.file))
        .collect();
    let mut lines: Vec<(u32, u32)> = Vec::new();
    let mut spans: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for element in &program.elements {
        let method = element.method.0;
        if is_it[program.methods[method as usize].file as usize] {
            lines.push((element.line, method));
            let span = spans.entry(method).or_insert((element.line, element.line));
            *span = (span.0.min(element.line), span.1.max(element.line));
        }
    }
    let mut found = Vec::new();
    for range in &changed.lines {
        let hit = lines.iter().filter(|(line, _)| range.contains(line));
        let before = found.len();
        found.extend(hit.map(|&(_, method)| method));
        if found.len() == before {
            found.extend(around(&spans, range));
        }
    }
    found
}

/// The smallest method that goes on before and after the range; lines may also have been taken away
/// from a method's ends.
fn around(spans: &BTreeMap<u32, (u32, u32)>, range: &Range<u32>) -> Option<u32> {
    let slack = u32::from(range.is_empty());
    let inside = spans.iter().filter(|(_, (first, last))| {
        *first < range.start.saturating_add(slack) && last.saturating_add(slack) >= range.end
    });
    let smallest = inside.min_by_key(|(_, (first, last))| last - first);
    smallest.map(|(&method, _)| method)
}

#[cfg(test)]
mod tests {
    use fdc_core::spectrum::ProgramBuilder;

    use super::*;

    #[test]
    fn changed_lines_are_those_of_methods() {
        let mut builder = ProgramBuilder::default();
        for (method, file, lines) in [
            ("outer", "shop/cart.py", 3..=9),
            ("inner", "shop/cart.py", 5..=6),
            ("last", "shop/cart.py", 12..=13),
            ("org.x.Cart#total()", "org.x.Cart", 3..=9),
        ] {
            let id = builder.method(method, || file.to_owned());
            let odd = |line: &u32| method != "outer" || ![5, 6, 8].contains(line);
            for line in lines.filter(odd) {
                builder.element(id, line, None);
            }
        }
        let program = builder.finish();
        let of = |file: &str, lines: Range<u32>| {
            let file = file.to_owned();
            let lines = vec![lines];
            methods_in(&program, &ChangedLines { file, lines })
        };
        assert_eq!(of("shop/cart.py", 4..6), [0, 1]);
        assert_eq!(of("shop/cart.py", 8..9), [0], "a line that is not measured");
        assert_eq!(of("shop/cart.py", 10..12), [0; 0], "between methods");
        assert_eq!(of("shop/cart.py", 6..6), [1], "taken away inside");
        assert_eq!(of("shop/cart.py", 14..14), [2], "taken away at the end");
        assert_eq!(of("shop/cart.py", 11..11), [0; 0]);
        assert_eq!(of("shop/cart.py", 1..u32::MAX).len(), 8);
        assert_eq!(of("cart.py", 4..6), [0; 0]);
        assert_eq!(of("src/org/x/Cart.java", 4..5), [3]);
        assert_eq!(of("src/org/x/MyCart.java", 4..5), [0; 0]);
    }
}
