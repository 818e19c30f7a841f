//! Ambiguity groups as labels and sizes alone: unlike [`Groups`](crate::Groups) it does not list a
//! group's members, so that a roll-out can copy it at each call.

use std::ops::{AddAssign, SubAssign};

/// A partition of elements, told by the element at the start of each run of alike ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Partition {
    /// The group of every element; only those of starts are kept up to date.
    pub(super) labels: Vec<u32>,
    pub(super) groups: Vec<Group>,
    /// Groups inside `S`.
    pub(super) suspicious: usize,
    /// Sum of `g(g-1)` over all groups.
    pub(super) pairs: u64,
    /// The group of the elements that no row covers.
    pub(super) dark: Option<u32>,
    /// Elements covered per group; zero between uses.
    covered: Vec<u64>,
    touched: Vec<u32>,
    /// The groups that were cut last; their covered parts are the newest groups, in this order.
    pub(super) parents: Vec<u32>,
    /// Per group cut last, the number of its covered part.
    part_of: Vec<u32>,
}

/// Elements that `T` cannot tell apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    size: u64,
    /// Whether it lies inside `S`.
    suspicious: bool,
}

impl Group {
    /// What a row does that covers so many of its elements.
    #[inline]
    pub(super) fn effect(self, covered: u64) -> Effect {
        let uncovered = self.size - covered;
        let parted = covered * uncovered;
        let even = covered.min(uncovered) * u64::from(self.suspicious);
        Effect {
            balance: self.size * even,
            cuts: u64::from(parted > 0),
            parted,
        }
    }

    /// What two parts were before they were cut.
    pub(super) fn joined(self, other: Group) -> Group {
        Group {
            size: self.size + other.size,
            ..self
        }
    }
}

/// What a row does to the groups it meets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Effect {
    /// Sum of `g * min(covered, not covered)` over the groups inside `S`.
    pub(super) balance: u64,
    /// Groups covered in part.
    pub(super) cuts: u64,
    /// Sum of `covered * not covered`.
    pub(super) parted: u64,
}

impl AddAssign for Effect {
    #[inline]
    fn add_assign(&mut self, other: Effect) {
        self.balance += other.balance;
        self.cuts += other.cuts;
        self.parted += other.parted;
    }
}

impl SubAssign for Effect {
    #[inline]
    fn sub_assign(&mut self, other: Effect) {
        self.balance -= other.balance;
        self.cuts -= other.cuts;
        self.parted -= other.parted;
    }
}

impl Partition {
    /// One group of `elements`, at least one, that no row covers.
    pub(super) fn new(elements: usize) -> Self {
        let all = Group {
            size: elements as u64,
            suspicious: false,
        };
        Partition {
            labels: vec![0; elements],
            groups: vec![all],
            pairs: all.size * (all.size - 1),
            dark: Some(0),
            covered: vec![0],
            ..Partition::default()
        }
    }

    /// Takes over the groups of another, but no labels.
    pub(super) fn copy_groups(&mut self, other: &Partition) {
        self.labels.resize(other.labels.len(), 0);
        self.groups.clone_from(&other.groups);
        self.covered.resize(other.groups.len(), 0);
        self.suspicious = other.suspicious;
        self.pairs = other.pairs;
        self.dark = other.dark;
    }

    /// What a row of these starts, of `weights` elements each, would do; elements it covers anew.
    pub(super) fn cut(&mut self, starts: &[u32], weights: &[u32]) -> (Effect, u64) {
        self.count_covered(starts, weights);
        let (mut effect, mut new) = (Effect::default(), 0);
        for group in self.touched.drain(..) {
            let covered = std::mem::take(&mut self.covered[group as usize]);
            effect += self.groups[group as usize].effect(covered);
            if Some(group) == self.dark {
                new = covered;
            }
        }
        (effect, new)
    }

    /// Cuts the groups; the covered part of each gets the next number. A `failing` row becomes `S`.
    pub(super) fn refine(&mut self, starts: &[u32], weights: &[u32], failing: bool) {
        self.count_covered(starts, weights);
        self.parents.clear();
        self.part_of.resize(self.groups.len(), 0);
        for group in self.touched.drain(..) {
            let covered = std::mem::take(&mut self.covered[group as usize]);
            let whole = self.groups[group as usize];
            let part = if covered < whole.size {
                self.pairs -= 2 * covered * (whole.size - covered);
                self.groups[group as usize].size -= covered;
                self.groups.push(Group {
                    size: covered,
                    suspicious: false,
                });
                self.parents.push(group);
                self.groups.len() as u32 - 1
            } else {
                self.dark = self.dark.filter(|&dark| dark != group);
                group
            };
            self.part_of[group as usize] = part;
            let suspicious = &mut self.groups[part as usize].suspicious;
            let before = std::mem::replace(suspicious, failing || whole.suspicious);
            self.suspicious += usize::from(*suspicious) - usize::from(before);
        }
        self.covered.resize(self.groups.len(), 0);
        for &start in starts {
            let label = &mut self.labels[start as usize];
            *label = self.part_of[*label as usize];
        }
    }

    fn count_covered(&mut self, starts: &[u32], weights: &[u32]) {
        for &start in starts {
            let group = self.labels[start as usize];
            let covered = &mut self.covered[group as usize];
            if *covered == 0 {
                self.touched.push(group);
            }
            *covered += u64::from(weights[start as usize]);
        }
    }
}
