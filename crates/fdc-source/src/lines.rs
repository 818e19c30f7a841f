//! Sets of line numbers.

use std::ops::Range;

/// A set of line numbers, kept as runs: ascending, neither empty nor touching.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LineSet {
    runs: Vec<Range<u32>>,
}

impl LineSet {
    /// Whether there is no line in it.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.runs.iter().map(|run| run.len()).sum()
    }

    /// The runs.
    pub fn runs(&self) -> &[Range<u32>] {
        &self.runs
    }

    /// The lines, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.runs.iter().cloned().flatten()
    }

    /// The first line.
    pub fn first(&self) -> Option<u32> {
        self.runs.first().map(|run| run.start)
    }

    /// The last line.
    pub fn last(&self) -> Option<u32> {
        self.runs.last().map(|run| run.end - 1)
    }

    /// Whether the line is in it.
    pub fn contains(&self, line: u32) -> bool {
        let at = self.runs.partition_point(|run| run.end <= line);
        self.runs.get(at).is_some_and(|run| run.contains(&line))
    }

    /// Whether all lines of the other are in it.
    pub fn contains_all(&self, other: &LineSet) -> bool {
        other.runs.iter().all(|run| {
            let at = self.runs.partition_point(|own| own.end <= run.start);
            let own = self.runs.get(at);
            own.is_some_and(|own| own.start <= run.start && run.end <= own.end)
        })
    }
}

impl Extend<Range<u32>> for LineSet {
    fn extend<I: IntoIterator<Item = Range<u32>>>(&mut self, runs: I) {
        *self = self.runs.drain(..).chain(runs).collect();
    }
}

impl FromIterator<Range<u32>> for LineSet {
    fn from_iter<I: IntoIterator<Item = Range<u32>>>(runs: I) -> Self {
        let mut given: Vec<_> = runs.into_iter().filter(|run| !run.is_empty()).collect();
        given.sort_unstable_by_key(|run| run.start);
        let mut runs: Vec<Range<u32>> = Vec::with_capacity(given.len());
        for run in given {
            match runs.last_mut() {
                Some(last) if last.end >= run.start => last.end = last.end.max(run.end),
                _ => runs.push(run),
            }
        }
        runs.shrink_to_fit();
        LineSet { runs }
    }
}

impl FromIterator<u32> for LineSet {
    fn from_iter<I: IntoIterator<Item = u32>>(lines: I) -> Self {
        // Lines mostly ascend, so most join the run before them.
        let mut runs: Vec<Range<u32>> = Vec::new();
        for line in lines.into_iter().filter(|&line| line < u32::MAX) {
            match runs.last_mut() {
                Some(last) if last.end == line => last.end += 1,
                Some(last) if last.contains(&line) => {}
                _ => runs.push(line..line + 1),
            }
        }
        runs.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_line_set_is_a_set(
            a in proptest::collection::vec(1u32..60, 0..40),
            b in proptest::collection::vec(1u32..60, 0..40),
        ) {
            let set = |lines: &[u32]| lines.iter().copied().collect::<LineSet>();
            let mut naive: BTreeSet<u32> = a.iter().copied().collect();
            let mut ours = set(&a);
            prop_assert_eq!(ours.iter().collect::<Vec<_>>(), naive.iter().copied().collect::<Vec<_>>());
            let other: BTreeSet<u32> = b.iter().copied().collect();
            prop_assert_eq!(ours.contains_all(&set(&b)), naive.is_superset(&other));
            naive.extend(&other);
            ours.extend(set(&b).runs().iter().cloned());
            prop_assert_eq!(ours.len(), naive.len());
            prop_assert_eq!((ours.first(), ours.last()), (naive.first().copied(), naive.last().copied()));
            prop_assert!((0..70).all(|line| ours.contains(line) == naive.contains(&line)));
            prop_assert!(ours.runs().windows(2).all(|pair| pair[0].end < pair[1].start));
        }
    }
}
