//! The budget's shares: by the number of methods that the failing test covers.

use std::collections::BTreeMap;

/// What a class or module gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The class or module under test.
    pub class: String,
    /// Its methods that the failing test covers.
    pub methods: u64,
    /// Its seconds or generations; at least one.
    pub units: u64,
}

/// Divides the budget, the largest share first. Classes whose share is under one unit get nothing:
/// the smallest is left out, then the others are looked at again.
pub fn divide(total: u64, classes: BTreeMap<String, u64>) -> (Vec<Share>, Vec<String>) {
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
    let mut shares: Vec<Share> = classes
        .into_iter()
        .map(|(class, methods)| Share {
            class,
            methods,
            units: (exact(methods) / sum) as u64,
        })
        .collect();
    let given: u64 = shares.iter().map(|share| share.units).sum();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(exact(shares[at].methods) % sum));
    for &at in order.iter().take(total.saturating_sub(given) as usize) {
        shares[at].units += 1;
    }
    (shares, left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divided(total: u64, classes: &[(&str, u64)]) -> (Vec<(String, u64)>, Vec<String>) {
        let classes = classes.iter().map(|(name, n)| ((*name).to_owned(), *n));
        let (shares, left_out) = divide(total, classes.collect());
        let shares = shares.into_iter().map(|share| (share.class, share.units));
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
