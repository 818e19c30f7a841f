//! Which bugs got better or worse from one metric to another, and by how much.

use fdc_core::spectrum::Bug;
use fdc_draw::text::quantity;
use fdc_draw::{Cell, Column, Table};

use super::Comparison;
use crate::measures::At;

/// Two metrics, bug by bug.
#[derive(Clone, Debug, PartialEq)]
pub struct Changes {
    /// The metric compared with.
    pub from: String,
    /// The metric compared.
    pub to: String,
    /// Added tests.
    pub tests: usize,
    /// All bugs, the largest gain of AP first; equal ones by gain of rank, then by bug.
    pub bugs: Vec<Change>,
}

/// One bug under two metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The bug.
    pub bug: Bug,
    /// Average precision: from, to.
    pub ap: [f64; 2],
    /// Rank of the first faulty method: from, to; means over the bug's runs.
    pub first_rank: [f64; 2],
}

/// How a bug changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// A higher AP.
    Better,
    /// A lower AP.
    Worse,
    /// The same AP, but for rounding.
    Equal,
}

/// Values that should be equal differ by rounding only: sums of fractions, in another order.
const ROUNDING: f64 = 1e-12;

impl Change {
    /// AP gained: positive is better.
    pub fn ap_gain(&self) -> f64 {
        self.ap[1] - self.ap[0]
    }

    /// Change of the first rank: negative is better.
    pub fn rank_change(&self) -> f64 {
        self.first_rank[1] - self.first_rank[0]
    }

    /// By AP.
    pub fn direction(&self) -> Direction {
        match self.ap_gain() {
            gain if gain > ROUNDING => Direction::Better,
            gain if gain < -ROUNDING => Direction::Worse,
            _ => Direction::Equal,
        }
    }
}

impl Changes {
    /// From one metric of a comparison to another.
    pub fn between(comparison: &Comparison, from: usize, to: usize) -> Self {
        let tests = comparison.compared_after();
        let at = At::Tests(tests);
        let (before, after) = (&comparison.metrics[from], &comparison.metrics[to]);
        let pairs = before.bugs.iter().zip(after.bugs.values());
        let changes = pairs.map(|((bug, before), after)| Change {
            bug: bug.clone(),
            ap: [before, after].map(|own| own.at(at).ap),
            first_rank: [before, after].map(|own| own.at(at).first_rank),
        });
        let mut bugs: Vec<Change> = changes.collect();
        let gain = |change: &Change| (change.ap_gain() / ROUNDING).round();
        bugs.sort_by(|a, b| {
            (gain(b).total_cmp(&gain(a)))
                .then_with(|| a.rank_change().total_cmp(&b.rank_change()))
                .then_with(|| a.bug.cmp(&b.bug))
        });
        Changes {
            from: before.metric.clone(),
            to: after.metric.clone(),
            tests,
            bugs,
        }
    }

    /// How many bugs changed so.
    pub fn count(&self, direction: Direction) -> usize {
        let same = |change: &&Change| change.direction() == direction;
        self.bugs.iter().filter(same).count()
    }

    /// The counts in a sentence.
    pub fn sentence(&self) -> String {
        let gain: f64 = self.bugs.iter().map(Change::ap_gain).sum::<f64>() / self.bugs.len() as f64;
        let directions = [Direction::Better, Direction::Worse, Direction::Equal];
        let [better, worse, equal] = directions.map(|direction| self.count(direction));
        let (from, to, tests) = (&self.from, &self.to, super::tests_text(self.tests));
        format!(
            "From {from} to {to}, after {tests}: {better} of {} bugs got better, {worse} worse, \
             {equal} stayed equal; AP changed by {gain:+.4} on average.",
            self.bugs.len()
        )
    }

    /// A row per bug that `keep` holds of.
    pub fn table(&self, keep: impl Fn(&Change) -> bool) -> Table {
        let tests = super::tests_text(self.tests);
        let (from, to) = (&self.from, &self.to);
        let mut heads = vec![Column::text("bug")];
        for (what, change) in [("AP", "AP gain"), ("rank", "rank change")] {
            heads.extend([from, to].map(|metric| Column::number(format!("{what} {metric}"))));
            heads.push(Column::number(change));
        }
        let mut table = Table::new(format!("From {from} to {to}, after {tests}"), heads);
        let rank = |rank: f64| Cell::number(rank, quantity(rank));
        for change in self.bugs.iter().filter(|change| keep(change)) {
            let equal = change.direction() == Direction::Equal;
            let gain = if equal { 0.0 } else { change.ap_gain() };
            let moved = change.rank_change();
            let moved = if moved.abs() < ROUNDING { 0.0 } else { moved };
            let decimals = if moved.fract() == 0.0 { 0 } else { 2 };
            table = table.row(vec![
                Cell::text(format!("{} {}", change.bug.subject, change.bug.version)),
                Cell::decimals(change.ap[0], 4),
                Cell::decimals(change.ap[1], 4),
                Cell::number(gain, signed(gain, 4)),
                rank(change.first_rank[0]),
                rank(change.first_rank[1]),
                Cell::number(moved, signed(moved, decimals)),
            ]);
        }
        table
    }
}

fn signed(value: f64, decimals: usize) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else {
        format!("{value:+.decimals$}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::run;
    use super::*;

    #[test]
    fn bugs_are_sorted_by_gain_and_counted() {
        let runs = [
            run("a", 1, &[8.0, 4.0]),
            run("a", 2, &[8.0, 4.0]),
            run("a", 3, &[8.0, 1.0]),
            run("b", 1, &[8.0, 4.0]),
            run("b", 2, &[8.0, 1.0]),
            run("b", 3, &[8.0, 2.0]),
        ];
        let comparison = Comparison::of_runs(&runs).unwrap();
        let changes = Changes::between(&comparison, 0, 1);
        let order: Vec<u32> = changes
            .bugs
            .iter()
            .map(|change| change.bug.version)
            .collect();
        assert_eq!(order, [2, 1, 3]);
        assert_eq!(
            changes.sentence(),
            "From a to b, after one test: 1 of 3 bugs got better, 1 worse, 1 stayed equal; AP \
             changed by +0.0833 on average."
        );
        assert_eq!(
            changes.table(|_| true).csv(),
            "bug,AP a,AP b,AP gain,rank a,rank b,rank change\n\
             Lang 2,0.2500,1.0000,+0.7500,4,1,-3\n\
             Lang 1,0.2500,0.2500,0,4,4,0\n\
             Lang 3,1.0000,0.5000,-0.5000,1,2,+1\n"
        );
    }
}
