//! The suspicious methods as a map: packages or folders, in them classes or files, in them methods.
//! Shade is suspicion, size the lines under suspicion, numbers name groups not told apart.

use std::collections::BTreeMap;

use fdc_core::naming::java_class;
use fdc_draw::text::{counted, quantity, shortened};
use fdc_draw::treemap::{Leaf, Treemap, TreemapWords};

use crate::label::picture::MethodPart;

/// Groups that a tool tip names.
const NAMED_GROUPS: usize = 8;
/// Characters of a name in a tool tip.
const LONGEST: usize = 200;

/// The map of methods, the most suspicious first; `link` says where on the page more stands.
pub fn suspects_map(
    title: String,
    methods: &[MethodPart],
    link: impl Fn(&MethodPart) -> Option<String>,
) -> Treemap {
    suspects_map_laid_out(title, methods, |method| method.rank, link)
}

/// The same, laid out by other places than those of now: a map that is drawn again and again
/// changes its shades, and nothing moves.
pub fn suspects_map_laid_out(
    title: String,
    methods: &[MethodPart],
    place_on_map: impl Fn(&MethodPart) -> f64,
    link: impl Fn(&MethodPart) -> Option<String>,
) -> Treemap {
    // By group, how many methods have a part in it.
    let mut sharing: BTreeMap<u32, usize> = BTreeMap::new();
    for group in methods.iter().flat_map(|method| &method.groups) {
        *sharing.entry(*group).or_default() += 1;
    }
    let leaf = |method: &MethodPart| {
        let shared = method.groups.iter().map(|group| (*group, sharing[group]));
        let shared: Vec<(u32, usize)> = shared.filter(|(_, methods)| *methods > 1).collect();
        let (package, class) = home(method);
        let place = format!("place {}", quantity(method.rank));
        let lines = counted(method.lines as u64, "line");
        Leaf {
            path: vec![package.to_owned(), class.to_owned()],
            label: short_name(method),
            place: place_on_map(method),
            size: method.lines,
            heat: method.score,
            notes: vec![vec![format!("{place} · {lines}"), place], notes(&shared)],
            numbers: method.groups.clone(),
            tip: tip(method, &shared),
            link: link(method),
        }
    };
    let mut in_order: Vec<&MethodPart> = methods.iter().collect();
    in_order.sort_by(|a, b| place_on_map(a).total_cmp(&place_on_map(b)));
    Treemap {
        title,
        description: description(methods),
        words: TreemapWords {
            leaf: "method",
            unit: "line",
            of_size: "under suspicion",
            shades: ("less suspicious", "more"),
            nothing: "No line is under suspicion.",
        },
        leaves: in_order.into_iter().map(leaf).collect(),
    }
}

fn description(methods: &[MethodPart]) -> String {
    let lines: usize = methods.iter().map(|method| method.lines).sum();
    let all = methods.len();
    let text = format!("{all} methods with {lines} lines under suspicion, as nested rectangles. ");
    let Some(first) = methods.first() else {
        return text;
    };
    let tied = methods.iter().filter(|method| method.rank == first.rank);
    let (name, score, tied) = (shortened(&first.method, LONGEST), first.score, tied.count());
    text + &format!(
        "The most suspicious is {name} with score {score:.3}; methods at its place: {tied}."
    )
}

/// What a method is called within its class.
fn short_name(method: &MethodPart) -> String {
    let name = &method.method;
    if let (Some(class), Some((_, own))) = (java_class(name), name.split_once('#')) {
        let simple = class.rsplit('.').next().unwrap_or(class);
        let (bare, parameters) = own.split_once('(').unwrap_or((own, ")"));
        return match bare {
            "<clinit>" => format!("static initialiser of {simple}"),
            _ if bare == "<init>" || bare == simple => format!("new {simple}({parameters}"),
            _ => own.to_owned(),
        };
    }
    let rest = name.strip_prefix(method.file.as_str());
    let rest = rest.and_then(|rest| rest.strip_prefix("::"));
    rest.filter(|rest| !rest.is_empty())
        .unwrap_or(name)
        .to_owned()
}

/// The package and the class of a Java method, else the folder and the file.
fn home(method: &MethodPart) -> (&str, &str) {
    if let Some(class) = java_class(&method.method) {
        return class.rsplit_once('.').unwrap_or(("", class));
    }
    method.file.rsplit_once('/').unwrap_or(("", &method.file))
}

/// The groups that a method shares with others, in full and in short.
fn notes(shared: &[(u32, usize)]) -> Vec<String> {
    let groups: Vec<String> = shared.iter().map(|(group, _)| group.to_string()).collect();
    match groups.as_slice() {
        [] => Vec::new(),
        [one] => vec![format!("group {one}")],
        [first, ..] => vec![
            format!("groups {}", groups.join(", ")),
            format!("groups {first}, …"),
            format!("group {first}, …"),
        ],
    }
}

fn tip(method: &MethodPart, shared: &[(u32, usize)]) -> String {
    let (name, rank) = (shortened(&method.method, LONGEST), quantity(method.rank));
    let (score, lines) = (method.score, counted(method.lines as u64, "line"));
    let start = format!("{name}, place {rank}, score {score:.3}: {lines} under suspicion");
    if shared.is_empty() {
        return start + "; no other method is in a group with it";
    }
    let all = shared.len() <= NAMED_GROUPS;
    let more = if all { "" } else { " and more" };
    let named = shared.iter().take(NAMED_GROUPS).map(|(group, methods)| {
        let others = counted(*methods as u64 - 1, "other method");
        format!("group {group} with {others}")
    });
    let named: Vec<String> = named.collect();
    format!("{start}; cannot be told apart: {}{more}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(file: &str, method: &str, rank: f64, lines: usize, groups: &[u32]) -> MethodPart {
        MethodPart {
            method: method.into(),
            file: file.into(),
            rank,
            score: 1.0 / rank,
            lines,
            groups: groups.to_vec(),
            unit: 0,
        }
    }

    #[test]
    fn nothing_and_one_method_are_maps_too() {
        let empty = suspects_map(String::new(), &[], |_| None).svg();
        assert!(empty.element().contains("No line is under suspicion."));
        let one = [part("a/b.py", "a/b.py::f", 1.0, 0, &[])];
        let text = suspects_map("one".into(), &one, |_| None).svg().element();
        assert!(text.contains("role=\"img\""), "nothing to follow");
        assert!(text.contains("a/b.py::f, place 1, score 1.000: 0 lines under suspicion"));
    }

    #[test]
    fn methods_that_share_a_group_say_so() {
        let methods = [
            part("a.C", "a.C#f()", 2.0, 4, &[1, 2]),
            part("a.C", "a.C#g(int)", 2.0, 4, &[1]),
            part("a.D", "a.D#h()", 3.0, 4, &[3]),
        ];
        let link = |part: &MethodPart| part.method.contains('f').then(|| "file-1-7".to_owned());
        let text = suspects_map("t".into(), &methods, link).svg().element();
        assert!(text.contains("role=\"group\""), "there is a link to follow");
        assert!(text.contains("href=\"#file-1-7\""));
        assert!(text.contains("a.C#f(), place 2, score 0.500: 4 lines under suspicion; cannot be told apart: group 1 with 1 other method"));
        assert!(text.contains("a.D#h(), place 3, score 0.333: 4 lines under suspicion; no other method is in a group with it"));
        assert!(
            text.contains(">g(int)<") || text.contains(" g(int)<"),
            "{text}"
        );
        assert!(
            text.contains(">C<") && text.contains(">D<") && text.contains(">a<"),
            "{text}"
        );
    }

    #[test]
    fn thousands_of_long_names_stay_a_small_picture() {
        let long = "Long".repeat(500);
        let method = |i: u32| {
            let class = format!("p{}.{long}{}", i % 50, i % 700);
            let groups: Vec<u32> = (0..40).map(|g| g + i / 100).collect();
            let lines = 1 + i as usize % 30;
            part(
                &class,
                &format!("{class}#m{i}()"),
                f64::from(i + 1),
                lines,
                &groups,
            )
        };
        let methods: Vec<MethodPart> = (0..5_000).map(method).collect();
        let link = |part: &MethodPart| (part.rank <= 20.0).then(|| format!("file-{}", part.rank));
        let text = suspects_map(long, &methods, link).svg().element();
        assert!(text.len() < 400_000, "{}", text.len());
        assert!(text.contains("and "), "some are gathered");
        assert!(text.contains("p0.Long"), "the first is drawn");
    }
}
