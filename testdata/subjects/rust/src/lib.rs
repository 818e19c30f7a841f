//! A cart, small enough to check its coverage by hand.

pub struct Cart<T> {
    prices: Vec<T>,
}

impl<T: Copy + std::iter::Sum + PartialOrd> Cart<T> {
    pub fn new() -> Self {
        Cart { prices: Vec::new() }
    }

    pub fn add(&mut self, price: T, count: usize) -> Result<(), String> {
        if count > 3 {
            return Err(format!("{count} is too many"));
        }
        for _ in 0..count {
            self.prices.push(price);
        }
        Ok(())
    }

    pub fn total(&self) -> T {
        self.prices.iter().copied().sum()
    }
}

pub fn discounted(total: f64) -> f64 {
    let rate = |total: f64| if total > 10.0 { 0.9 } else { 1.0 };
    match total {
        total if total < 0.0 => 0.0,
        _ => total * rate(total),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        let mut cart = Cart::new();
        cart.add(5, 1).unwrap();
        assert_eq!(cart.total(), 5);
    }

    #[test]
    fn limits() {
        assert!(Cart::new().add(1.5, 4).is_err());
    }

    #[test]
    fn discounts() {
        assert_eq!(discounted(10.0), 9.0);
    }
}
