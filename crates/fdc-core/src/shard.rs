//! A part of some work, for several machines: which of `of` parts, and what belongs to it. Everything is
//! assigned by its own name alone, so that it stays in its part whatever else comes and goes.

use std::fmt;
use std::str::FromStr;

/// Part `number` of `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    /// From 1.
    number: u32,
    of: u32,
}

/// More parts than anybody has machines for; a typing error makes no file of this size.
const MOST: u32 = 10_000;

impl Default for Shard {
    fn default() -> Self {
        Shard::WHOLE
    }
}

impl Shard {
    /// Everything.
    pub const WHOLE: Shard = Shard { number: 1, of: 1 };

    /// Which part, from 1.
    pub fn number(self) -> u32 {
        self.number
    }

    /// How many parts there are.
    pub fn of(self) -> u32 {
        self.of
    }

    /// Whether everything belongs to it.
    pub fn is_whole(self) -> bool {
        self.of == 1
    }

    /// All parts of a division into as many.
    pub fn siblings(self) -> impl Iterator<Item = Shard> {
        let of = self.of;
        (1..=of).map(move |number| Shard { number, of })
    }

    /// Whether what is called so belongs to the part.
    pub fn holds(self, name: &str) -> bool {
        fnv1a(name) % self.of == self.number - 1
    }

    /// Part `number` (from 0) of `of` parts of this part, counted over everything: its number, from 0,
    /// and how many such parts there are.
    pub fn divided(self, number: u32, of: u32) -> (u32, u32) {
        (self.number - 1 + self.of * number, self.of * of)
    }
}

/// `2/4`.
impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| {
            let number: u32 = number.parse().ok()?;
            Some((number, of.parse().ok()?))
        });
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) && of <= MOST => {
                Ok(Shard { number, of })
            }
            Some((_, of)) if of > MOST => Err(format!("at most {MOST} parts, found {of}")),
            Some((number, of)) => Err(format!("there is no part {number} of {of}")),
            None => Err("expected K/N, such as 1/4 for the first of four parts".to_owned()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// FNV-1a over 32 bits (Fowler, Noll, Vo), as the pytest plug-in and the Java agent have it.
fn fnv1a(text: &str) -> u32 {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    text.bytes().fold(0x811c_9dc5, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        // http://www.isthe.com/chongo/src/fnv/test_fnv.c
        assert_eq!(fnv1a(""), 0x811c_9dc5);
        assert_eq!(fnv1a("a"), 0xe40c_292c);
        assert_eq!(fnv1a("foobar"), 0xbf9c_f968);
    }

    #[test]
    fn everything_is_in_one_part_and_stays_there() {
        let shard: Shard = "1/7".parse().unwrap();
        for test in 0..200 {
            let name = format!("test {test}");
            let holding = shard.siblings().filter(|part| part.holds(&name));
            assert_eq!(holding.count(), 1, "{name}");
            assert!(Shard::WHOLE.holds(&name));
        }
    }

    #[test]
    fn parts_of_a_part_divide_it() {
        let shard: Shard = "2/3".parse().unwrap();
        for test in 0..200 {
            let name = format!("test {test}");
            let inner = (0..4).map(|number| shard.divided(number, 4));
            let holding = inner.filter(|&(number, of)| fnv1a(&name) % of == number);
            assert_eq!(holding.count(), usize::from(shard.holds(&name)), "{name}");
        }
    }

    #[test]
    fn what_is_no_part_is_told() {
        let told = |text: &str| text.parse::<Shard>().unwrap_err();
        assert_eq!(told("0/4"), "there is no part 0 of 4");
        assert_eq!(told("5/4"), "there is no part 5 of 4");
        assert_eq!(told("1/0"), "there is no part 1 of 0");
        assert_eq!(told("1/99999"), "at most 10000 parts, found 99999");
        assert!(told("half").starts_with("expected K/N"));
        assert_eq!("3/4".parse::<Shard>().unwrap().to_string(), "3/4");
    }
}
