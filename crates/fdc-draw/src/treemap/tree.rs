//! From leaves to nested rectangles: which are too small to be drawn, where each comes to stand.

use std::collections::BTreeMap;

use super::Leaf;
use super::area::Area;

/// So many of the first leaves are drawn however small they are.
const KEPT: usize = 20;
/// At most so many rectangles, so that the picture stays small.
const MOST: usize = 300;
/// Smaller ones are gathered, in square pixels; more, if there are too many.
const SMALLEST: f64 = 260.0;
const HEADING: f64 = 14.0;
const GAP: f64 = 1.0;

/// Something with its place on the picture.
pub(super) struct Drawn<'t> {
    pub(super) area: Area,
    pub(super) held: Held<'t>,
}

pub(super) enum Held<'t> {
    Heading(&'t str),
    /// A leaf, by its number.
    Leaf(usize),
    /// Leaves too small to be drawn.
    More(Vec<usize>),
}

/// A group, or one leaf of it.
struct Node<'t> {
    name: &'t str,
    /// The first place of a leaf in it.
    place: f64,
    size: f64,
    parts: Vec<Node<'t>>,
    /// Where in `parts` the groups among them are.
    groups: BTreeMap<&'t str, usize>,
    /// The leaves in it, ascending.
    leaves: Vec<usize>,
}

pub(super) fn layout(leaves: &[Leaf], frame: Area) -> Vec<Drawn<'_>> {
    let mut smallest = SMALLEST;
    loop {
        let mut root = Node::new("");
        for (index, leaf) in leaves.iter().enumerate() {
            root.add(index, leaf, &leaf.path);
        }
        let scale = frame.size() / root.size;
        root.order(smallest, scale);
        let mut drawn = Vec::new();
        place(root.parts, frame, &mut drawn);
        let is_rectangle = |drawn: &&Drawn| !matches!(drawn.held, Held::Heading(_));
        let rectangles = drawn.iter().filter(is_rectangle).count();
        // Above the frame's own size nothing is left to gather.
        if rectangles <= MOST || smallest > frame.size() {
            return drawn;
        }
        smallest *= 2.0;
    }
}

impl<'t> Node<'t> {
    fn new(name: &'t str) -> Self {
        Node {
            name,
            place: f64::INFINITY,
            size: 0.0,
            parts: Vec::new(),
            groups: BTreeMap::new(),
            leaves: Vec::new(),
        }
    }

    /// Takes in a leaf, at the end of the rest of its path.
    fn add(&mut self, index: usize, leaf: &'t Leaf, path: &'t [String]) {
        self.include(index, leaf);
        let Some((name, rest)) = path.split_first() else {
            let mut own = Node::new(&leaf.label);
            own.include(index, leaf);
            self.parts.push(own);
            return;
        };
        let at = *self.groups.entry(name).or_insert(self.parts.len());
        if at == self.parts.len() {
            self.parts.push(Node::new(name));
        }
        self.parts[at].add(index, leaf, rest);
    }

    fn include(&mut self, index: usize, leaf: &Leaf) {
        self.place = self.place.min(leaf.place);
        self.size += leaf.size.max(1) as f64;
        self.leaves.push(index);
    }

    /// By place, and at the same place the larger first, which makes for squarer rectangles. The
    /// small ones, but for those that hold one of the first leaves, become one at the end.
    fn order(&mut self, smallest: f64, scale: f64) {
        for part in &mut self.parts {
            part.order(smallest, scale);
        }
        self.parts.sort_by(|a, b| {
            let by_place = a.place.total_cmp(&b.place);
            by_place.then(b.size.total_cmp(&a.size))
        });
        let is_small = |node: &Node<'_>| {
            let first = node.leaves.first().is_some_and(|&index| index < KEPT);
            !first && node.size * scale < smallest
        };
        if self.parts.iter().filter(|node| is_small(node)).count() < 2 {
            return;
        }
        let mut more = Node::new("");
        for node in self.parts.extract_if(.., |node| is_small(node)) {
            more.size += node.size;
            more.leaves.extend(node.leaves);
        }
        more.leaves.sort_unstable();
        self.parts.push(more);
    }
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
