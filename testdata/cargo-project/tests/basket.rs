use till::basket::Basket;

fn basket(prices: &[i64]) -> Basket {
    let mut basket = Basket::default();
    for &cents in prices {
        basket.add(cents);
    }
    basket
}

#[test]
fn nothing_costs_nothing() {
    assert!(basket(&[]).is_empty());
    assert_eq!(basket(&[]).total(), 0);
}

#[test]
fn two_things_cost_their_sum() {
    assert_eq!(basket(&[100, 50]).total(), 150);
}

#[test]
fn three_things_cost_their_sum() {
    assert_eq!(basket(&[100, 50, 25]).total(), 175);
}
