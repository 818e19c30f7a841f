//! The memory of past picks that learning draws from.

use rand_core::Rng;

use super::random::below;

/// A ring: once full, the newest takes the oldest one's place.
#[derive(Clone, Debug)]
pub(super) struct Ring<T> {
    items: Vec<T>,
    size: usize,
    /// Where the next one goes.
    next: usize,
}

impl<T: Copy> Ring<T> {
    pub(super) fn new(size: usize) -> Self {
        Ring {
            items: Vec::new(),
            size,
            next: 0,
        }
    }

    pub(super) fn push(&mut self, item: T) {
        if self.items.len() < self.size {
            self.items.push(item);
        } else {
            self.items[self.next] = item;
        }
        self.next = (self.next + 1) % self.size;
    }

    /// So many, drawn with replacement.
    pub(super) fn draw(&self, count: usize, rng: &mut impl Rng) -> Vec<T> {
        (0..count)
            .map(|_| self.items[below(rng, self.items.len())])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rlfdc::random::generator;

    #[test]
    fn the_newest_takes_the_oldest_ones_place() {
        let mut ring = Ring::new(4);
        for item in 0..11 {
            ring.push(item);
            let mut kept = ring.items.clone();
            kept.sort_unstable();
            let expected: Vec<i32> = ((item - 3).max(0)..=item).collect();
            assert_eq!(kept, expected);
        }
    }

    #[test]
    fn draws_reach_every_item_again_and_again_and_nothing_else() {
        let mut ring = Ring::new(5);
        (0..8).for_each(|item| ring.push(item));
        let drawn = ring.draw(1000, &mut generator(1, 1));
        let counts = [3, 4, 5, 6, 7].map(|item| drawn.iter().filter(|&&d| d == item).count());
        assert_eq!(counts.iter().sum::<usize>(), 1000);
        assert!(counts.iter().all(|&count| count > 150), "{counts:?}");
    }
}
