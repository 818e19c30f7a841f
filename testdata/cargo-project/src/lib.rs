//! A till: prices, discounts and receipts. Made to be measured, not to be used.

pub mod basket;

/// Called with several types: its copies count for these lines.
pub fn largest<T: PartialOrd + Copy>(items: &[T]) -> Option<T> {
    let mut best = *items.first()?;
    for &item in items {
        if item > best {
            best = item;
        }
    }
    Some(best)
}

macro_rules! percent {
    ($value:expr, $share:expr) => {
        $value * $share / 100
    };
}

pub fn discounted(cents: i64, share: i64) -> i64 {
    if share > 100 {
        panic!("a discount of {share} %");
    }
    cents - percent!(cents, share)
}

/// Only compiled if the flags from cargo's configuration are in force.
#[cfg(till_flag)]
pub fn flagged() -> bool {
    true
}

pub fn forever() {
    loop {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

pub fn give_up(how: &str) -> i32 {
    match how {
        "abort" => std::process::abort(),
        "exit" => std::process::exit(0),
        "overflow" => deep(1),
        _ => 0,
    }
}

#[allow(unconditional_recursion)]
fn deep(depth: u64) -> i32 {
    let page = std::hint::black_box([depth; 512]);
    deep(page[0] + 1) + page[1] as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_of_numbers() {
        assert_eq!(largest(&[1, 3, 2]), Some(3));
    }

    #[test]
    fn largest_of_letters_needs_no_swap() {
        assert_eq!(largest(&['z', 'a']), Some('z'));
    }

    #[test]
    fn a_discount_is_taken_off() {
        assert_eq!(discounted(200, 25), 150);
    }

    #[test]
    #[should_panic(expected = "a discount of 101 %")]
    fn too_large_a_discount_is_refused() {
        discounted(200, 101);
    }

    #[test]
    fn flags_stay_in_force() {
        assert!(flagged());
    }

    #[test]
    #[ignore = "takes a year"]
    fn slow() {
        assert_eq!(largest::<u8>(&[]), None);
    }
}
