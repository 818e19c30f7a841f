//! The budget's shares: by the number of methods that the failing test covers.

use std::collections::BTreeMap;

use crate::options::Budget;
use crate::summary::{LeftOutUnit, SearchSummary, UnitSummary};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) name: String,
    /// Its methods that the failing test covers.
    pub(crate) methods: u64,
    /// Its seconds or generations; at least one.
    pub(crate) amount: u64,
}

/// Rounds that a search at the level of tests has room for.
const ROUNDS: u64 = 10;
/// A round at the most.
pub(crate) const ROUND_SECONDS: f64 = 2.0;
/// And at the least: fewer are no search.
const ROUND_GENERATIONS: u64 = 5;

impl Share {
    /// How long a round takes, if the budget is in seconds.
    pub(crate) fn round_seconds(&self) -> f64 {
        (self.amount as f64 / ROUNDS as f64).min(ROUND_SECONDS)
    }

    /// How long a round takes, if the budget is in generations.
    pub(crate) fn round_generations(&self) -> u64 {
        (self.amount / ROUNDS).max(ROUND_GENERATIONS)
    }

    /// What was done with it; tests are counted later.
    pub(crate) fn summary(&self, budget: Budget, mut search: SearchSummary) -> UnitSummary {
        search.methods = self.methods;
        match budget {
            Budget::Seconds(_) => search.seconds = Some(self.amount as f64),
            Budget::Generations(_) => search.generations = Some(self.amount),
        }
        UnitSummary {
            name: self.name.clone(),
            search: Some(search),
            ..UnitSummary::default()
        }
    }
}

/// The shares of these classes or modules with their methods; whoever gets nothing is left out.
pub(crate) fn share_out(
    budget: Budget,
    units: BTreeMap<String, u64>,
    left_out: &mut Vec<LeftOutUnit>,
) -> Vec<Share> {
    let (total, unit) = match budget {
        // The tools count in whole seconds.
        Budget::Seconds(seconds) => ((seconds.round() as u64).max(1), "second"),
        Budget::Generations(generations) => (generations, "generation"),
    };
    let (shares, without) = divide(total, units);
    left_out.extend(without.into_iter().map(|name| LeftOutUnit {
        name,
        why: format!("its share of the budget is under one {unit}"),
    }));
    shares
}

/// Divides the budget, the largest share first. Those whose share is under one unit get nothing:
/// the smallest is left out, then the others are looked at again.
fn divide(total: u64, classes: BTreeMap<String, u64>) -> (Vec<Share>, Vec<String>) {
    let mut classes: Vec<(String, u64)> = classes.into_iter().collect();
    classes.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let mut sum: u64 = classes.iter().map(|(_, methods)| methods).sum();
    let mut left_out = Vec::new();
    while let Some((_, methods)) = classes.last()
        && u128::from(*methods) * u128::from(total) < u128::from(sum)
    {
        let (class, methods) = classes.pop().expect("there is a last one");
        sum -= methods;
        left_out.push(class);
    }
    left_out.reverse();
    // Whole units: the largest remainders are rounded up.
    let exact = |methods: u64| u128::from(methods) * u128::from(total);
    let sum = u128::from(sum.max(1));
    let share = |(name, methods)| Share {
        name,
        methods,
        amount: (exact(methods) / sum) as u64,
    };
    let mut shares: Vec<Share> = classes.into_iter().map(share).collect();
    let given: u64 = shares.iter().map(|share| share.amount).sum();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(exact(shares[at].methods) % sum));
    for &at in order.iter().take(total.saturating_sub(given) as usize) {
        shares[at].amount += 1;
    }
    (shares, left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divided(total: u64, classes: &[(&str, u64)]) -> (Vec<(String, u64)>, Vec<String>) {
        let classes = classes.iter().map(|(name, n)| ((*name).to_owned(), *n));
        let (shares, left_out) = divide(total, classes.collect());
        let shares = shares.into_iter().map(|share| (share.name, share.amount));
        (shares.collect(), left_out)
    }

    #[test]
    fn whole_shares_add_up_to_the_budget() {
        let (shares, left_out) = divided(10, &[("a", 1), ("b", 3), ("c", 3)]);
        let expected = [("b", 4), ("c", 4), ("a", 2)].map(|(name, n)| (name.to_owned(), n));
        assert_eq!(shares, expected);
        assert!(left_out.is_empty());
    }

    #[test]
    fn a_share_under_one_unit_goes_to_the_others() {
        let (shares, left_out) = divided(3, &[("a", 1), ("b", 1), ("c", 8), ("d", 1)]);
        assert_eq!(shares, [("c".to_owned(), 3)]);
        assert_eq!(left_out, ["a", "b", "d"]);
        // Equal classes: the last by name go first.
        let (shares, left_out) = divided(2, &[("a", 1), ("b", 1), ("c", 1)]);
        assert_eq!(shares, [("a".to_owned(), 1), ("b".to_owned(), 1)]);
        assert_eq!(left_out, ["c"]);
        assert_eq!(divided(5, &[]), (vec![], vec![]));
    }
}
