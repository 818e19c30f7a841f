/// Things to buy, in cents.
#[derive(Default)]
pub struct Basket {
    prices: Vec<i64>,
}

impl Basket {
    pub fn add(&mut self, cents: i64) {
        self.prices.push(cents);
    }

    /// Wrong on purpose: three or more things cost a cent less.
    pub fn total(&self) -> i64 {
        let sum: i64 = self.prices.iter().sum();
        if self.prices.len() > 2 {
            return sum - 1;
        }
        sum
    }

    pub fn is_empty(&self) -> bool {
        self.prices.is_empty()
    }
}
