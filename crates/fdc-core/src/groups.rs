//! Ambiguity groups: the partition of the columns by what the suite so far says about them.
//! Kept by partition refinement, so adding a test costs its own row, never the matrix.

use crate::rows::Row;

/// A partition of weighted columns, refined row by row. Starts as one group of everything.
#[derive(Clone, Debug)]
pub struct Groups {
    /// Columns, those of one group side by side.
    order: Vec<u32>,
    /// Where in `order` a column stands.
    place: Vec<u32>,
    group_of: Vec<u32>,
    groups: Vec<Group>,
    touched: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Group {
    start: u32,
    end: u32,
    /// Columns moved to the front in the refinement under way.
    moved: u32,
    /// Elements (weighted columns) in the group.
    size: u64,
}

/// One group was cut in two: `part` is new and holds what the row covers, `rest` keeps its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// The group that was cut; now the part not covered.
    pub rest: u32,
    /// The new group: the part covered.
    pub part: u32,
}

impl Groups {
    /// One group of all columns, `weights[c]` elements each. No columns: no group.
    pub fn new(weights: &[u32]) -> Self {
        let width = u32::try_from(weights.len()).expect("columns are numbered with 32 bits");
        let all = Group {
            start: 0,
            end: width,
            moved: 0,
            size: weights.iter().map(|&w| u64::from(w)).sum(),
        };
        Groups {
            order: (0..width).collect(),
            place: (0..width).collect(),
            group_of: vec![0; weights.len()],
            groups: if width == 0 { vec![] } else { vec![all] },
            touched: Vec::new(),
        }
    }

    /// Number of groups.
    pub fn count(&self) -> usize {
        self.groups.len()
    }

    /// Elements in a group.
    pub fn size(&self, group: u32) -> u64 {
        self.groups[group as usize].size
    }

    /// Sizes of all groups, by group number.
    pub fn sizes(&self) -> impl Iterator<Item = u64> + '_ {
        self.groups.iter().map(|group| group.size)
    }

    /// The group of every column.
    pub fn labels(&self) -> &[u32] {
        &self.group_of
    }

    /// The columns of a group, in no particular but a repeatable order.
    pub fn columns(&self, group: u32) -> &[u32] {
        let group = &self.groups[group as usize];
        &self.order[group.start as usize..group.end as usize]
    }

    /// Cuts every group that `row` covers in part. Returns the cuts, in order of first touch.
    pub fn refine(&mut self, row: Row<'_>, weights: &[u32]) -> Vec<Split> {
        row.for_each(|column| self.move_to_front(column));
        let touched = std::mem::take(&mut self.touched);
        let mut splits = Vec::new();
        for &rest in &touched {
            let group = &mut self.groups[rest as usize];
            let (start, moved) = (group.start, std::mem::take(&mut group.moved));
            if moved == group.end - start {
                continue;
            }
            let part = self.groups.len() as u32;
            let mut size = 0;
            for &column in &self.order[start as usize..(start + moved) as usize] {
                self.group_of[column as usize] = part;
                size += u64::from(weights[column as usize]);
            }
            let group = &mut self.groups[rest as usize];
            group.start += moved;
            group.size -= size;
            self.groups.push(Group {
                start,
                end: start + moved,
                moved: 0,
                size,
            });
            splits.push(Split { rest, part });
        }
        self.touched = touched;
        self.touched.clear();
        splits
    }

    fn move_to_front(&mut self, column: u32) {
        let number = self.group_of[column as usize];
        let group = &mut self.groups[number as usize];
        if group.moved == 0 {
            self.touched.push(number);
        }
        let front = group.start + group.moved;
        group.moved += 1;
        let here = self.place[column as usize];
        let other = self.order[front as usize];
        self.order.swap(front as usize, here as usize);
        self.place[column as usize] = front;
        self.place[other as usize] = here;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Rows;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn refinement_equals_grouping_by_whole_columns(
            width in 1usize..40,
            bits in proptest::collection::vec(proptest::collection::vec(any::<bool>(), 40), 1..12),
        ) {
            let weights: Vec<u32> = (0..width as u32).map(|c| 1 + c % 3).collect();
            let mut groups = Groups::new(&weights);
            let mut patterns = vec![Vec::new(); width];
            let mut rows = Rows::new(width as u32);
            for (index, bits) in bits.iter().enumerate() {
                let columns = (0..width as u32).filter(|&c| bits[c as usize]);
                rows.push_columns(columns).unwrap();
                let before = groups.count();
                let splits = groups.refine(rows.row(index), &weights);
                prop_assert_eq!(before + splits.len(), groups.count());
                for column in 0..width {
                    patterns[column].push(bits[column]);
                }
                let mut naive: BTreeMap<&Vec<bool>, Vec<u32>> = BTreeMap::new();
                for (column, pattern) in patterns.iter().enumerate() {
                    naive.entry(pattern).or_default().push(column as u32);
                }
                prop_assert_eq!(naive.len(), groups.count());
                for members in naive.values() {
                    let label = groups.labels()[members[0] as usize];
                    let mut columns = groups.columns(label).to_vec();
                    columns.sort_unstable();
                    prop_assert_eq!(&columns, members);
                    let size: u64 = members.iter().map(|&c| u64::from(weights[c as usize])).sum();
                    prop_assert_eq!(groups.size(label), size);
                }
            }
        }
    }

    #[test]
    fn more_than_65536_groups_do_not_wrap() {
        let width = 70_000u32;
        let weights = vec![1; width as usize];
        let mut groups = Groups::new(&weights);
        let mut rows = Rows::new(width);
        for bit in 0..17 {
            rows.push_columns((0..width).filter(|c| c >> bit & 1 == 1))
                .unwrap();
            groups.refine(rows.row(bit), &weights);
        }
        assert_eq!(groups.count(), width as usize);
    }
}
