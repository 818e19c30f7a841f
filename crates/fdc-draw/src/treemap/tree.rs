//! From methods to nested rectangles: which package and class a method is in, which are too small
//! to be drawn, where each comes to stand.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use fdc_core::naming::java_class;

use super::Leaf;
use super::area::Area;

/// So many of the first methods are drawn however small they are.
const KEPT: usize = 20;
/// At most so many rectangles, so that the picture stays small.
const MOST: usize = 300;
/// Smaller ones are gathered, in square pixels; more, if there are too many.
const SMALLEST: f64 = 260.0;
const HEADING: f64 = 14.0;
const GAP: f64 = 1.0;

/// Something with its place on the picture.
#[derive(Debug)]
pub(super) struct Drawn<'t> {
    pub area: Area,
    pub held: Held<'t>,
}

#[derive(Debug)]
pub(super) enum Held<'t> {
    /// The name of a package or class.
    Heading(&'t str),
    /// A method, by its number.
    Leaf(usize),
    /// Methods too small to be drawn.
    More(Vec<usize>),
}

/// A package or class, or one method of it.
#[derive(Debug)]
struct Node<'t> {
    name: &'t str,
    /// The best place of a method in it.
    rank: f64,
    size: f64,
    parts: Vec<Node<'t>>,
    /// The methods in it, ascending.
    leaves: Vec<usize>,
}

/// Where everything comes to stand.
pub(super) fn layout(leaves: &[Leaf], frame: Area) -> Vec<Drawn<'_>> {
    let total: f64 = leaves.iter().map(size).sum();
    let scale = frame.size() / total;
    let mut smallest = SMALLEST;
    loop {
        let mut packages = tree(leaves);
        for package in &mut packages {
            for class in &mut package.parts {
                order(&mut class.parts, smallest, scale);
            }
            order(&mut package.parts, smallest, scale);
        }
        order(&mut packages, smallest, scale);
        let mut drawn = Vec::new();
        place(packages, frame, &mut drawn);
        let is_rectangle = |drawn: &&Drawn| !matches!(drawn.held, Held::Heading(_));
        let rectangles = drawn.iter().filter(is_rectangle).count();
        // Above the frame's own size nothing is left to gather.
        if rectangles <= MOST || smallest > frame.size() {
            return drawn;
        }
        smallest *= 2.0;
    }
}

/// What a method is called within its class.
pub(super) fn short_name(leaf: &Leaf) -> &str {
    let name = &leaf.method;
    if java_class(name).is_some() {
        return name.split_once('#').map_or(name, |(_, method)| method);
    }
    let rest = name.strip_prefix(leaf.file.as_str());
    let rest = rest.and_then(|rest| rest.strip_prefix("::"));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(name)
}

/// The package and the class of a Java method, else the folder and the file.
fn home(leaf: &Leaf) -> (&str, &str) {
    if let Some(class) = java_class(&leaf.method) {
        return class.rsplit_once('.').unwrap_or(("", class));
    }
    leaf.file.rsplit_once('/').unwrap_or(("", &leaf.file))
}

fn size(leaf: &Leaf) -> f64 {
    leaf.lines.max(1) as f64
}

/// Packages, classes and methods.
fn tree(leaves: &[Leaf]) -> Vec<Node<'_>> {
    let mut packages: Vec<Node<'_>> = Vec::new();
    let mut places: BTreeMap<(&str, Option<&str>), usize> = BTreeMap::new();
    for (index, leaf) in leaves.iter().enumerate() {
        let (package_name, class_name) = home(leaf);
        let place = places.entry((package_name, None));
        let package = named(&mut packages, package_name, place);
        package.add(index, leaf);
        let place = places.entry((package_name, Some(class_name)));
        let class = named(&mut package.parts, class_name, place);
        class.add(index, leaf);
        let mut method = Node::new(short_name(leaf));
        method.add(index, leaf);
        class.parts.push(method);
    }
    packages
}

fn named<'n, 't, K: Ord>(
    nodes: &'n mut Vec<Node<'t>>,
    name: &'t str,
    place: Entry<'_, K, usize>,
) -> &'n mut Node<'t> {
    let place = *place.or_insert_with(|| {
        nodes.push(Node::new(name));
        nodes.len() - 1
    });
    &mut nodes[place]
}

impl<'t> Node<'t> {
    fn new(name: &'t str) -> Self {
        Node {
            name,
            rank: f64::INFINITY,
            size: 0.0,
            parts: Vec::new(),
            leaves: Vec::new(),
        }
    }

    fn add(&mut self, index: usize, leaf: &Leaf) {
        self.rank = self.rank.min(leaf.rank);
        self.size += size(leaf);
        self.leaves.push(index);
    }
}

/// By place, and at the same place the larger first, which makes for squarer rectangles. The small
/// ones, but for those that hold one of the first methods, become one at the end.
fn order(nodes: &mut Vec<Node<'_>>, smallest: f64, scale: f64) {
    nodes.sort_by(|a, b| {
        let by_rank = a.rank.total_cmp(&b.rank);
        by_rank.then(b.size.total_cmp(&a.size))
    });
    let is_small = |node: &Node<'_>| {
        let first = node.leaves.first().is_some_and(|&index| index < KEPT);
        !first && node.size * scale < smallest
    };
    if nodes.iter().filter(|node| is_small(node)).count() < 2 {
        return;
    }
    let mut more = Node::new("");
    let mut kept = Vec::with_capacity(nodes.len());
    for node in nodes.drain(..) {
        if is_small(&node) {
            more.size += node.size;
            more.leaves.extend(&node.leaves);
        } else {
            kept.push(node);
        }
    }
    more.leaves.sort_unstable();
    kept.push(more);
    *nodes = kept;
}

fn place<'t>(nodes: Vec<Node<'t>>, frame: Area, drawn: &mut Vec<Drawn<'t>>) {
    let sizes: Vec<f64> = nodes.iter().map(|node| node.size).collect();
    for (node, area) in nodes.into_iter().zip(frame.parts(&sizes)) {
        let area = area.within(GAP);
        if node.parts.is_empty() {
            let held = match node.leaves.as_slice() {
                [one] => Held::Leaf(*one),
                _ => Held::More(node.leaves),
            };
            drawn.push(Drawn { area, held });
            continue;
        }
        let mut inside = area;
        // Where a heading would take more than a third, the tool tips have to do.
        if !node.name.is_empty() && area.height >= 3.0 * HEADING && area.width >= 40.0 {
            let (top, below) = area.cut_top(HEADING);
            let held = Held::Heading(node.name);
            drawn.push(Drawn { area: top, held });
            inside = below;
        }
        place(node.parts, inside, drawn);
    }
}
