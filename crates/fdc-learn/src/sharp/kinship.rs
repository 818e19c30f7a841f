//! How alike the names of a test and a method are: tests are often named after what they test.

use std::collections::BTreeSet;

/// Words that say nothing about which code is meant.
const COMMON: [&str; 6] = ["test", "tests", "init", "clinit", "get", "set"];

/// A name taken apart: where it lives (class or file) and what it is called, as sets of words.
#[derive(Debug, Default)]
pub(super) struct Words {
    package: String,
    place: BTreeSet<String>,
    own: BTreeSet<String>,
}

impl Words {
    /// Of `pkg.Class$Inner#method(types)`, `path/file.py::Class.function`, `crate::path` and the like.
    pub(super) fn of(name: &str) -> Self {
        let plain = name.split(['(', '[']).next().unwrap_or(name);
        let (place, own) = plain
            .split_once('#')
            .or_else(|| plain.rsplit_once("::"))
            .or_else(|| plain.rsplit_once('/'))
            .or_else(|| plain.rsplit_once('.'))
            .unwrap_or(("", plain));
        // The last part of a package or folder is the class or file.
        let place = place.trim_end_matches(".py").trim_end_matches(".rs");
        let (package, place) = match place.rfind(['.', '/']) {
            Some(at) => (&place[..at], &place[at + 1..]),
            None => ("", place),
        };
        let place = place.split('$').next().unwrap_or(place);
        Words {
            package: package.to_owned(),
            place: words(place),
            own: words(own),
        }
    }

    /// Jaccard similarity of the places.
    pub(super) fn same_place(&self, other: &Words) -> f64 {
        let both = self.place.intersection(&other.place).count();
        let either = self.place.union(&other.place).count();
        both as f64 / either.max(1) as f64
    }

    /// Whether both are in one package or folder.
    pub(super) fn same_package(&self, other: &Words) -> bool {
        self.package == other.package
    }

    /// Share of this name's own words that the other has.
    pub(super) fn own_words_in(&self, other: &Words) -> f64 {
        let both = self.own.intersection(&other.own).count();
        both as f64 / self.own.len().max(1) as f64
    }
}

/// Words of an identifier in lower case: `parseHTTPDate_2` is parse, http, date, 2.
fn words(identifier: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let characters: Vec<char> = identifier.chars().collect();
    let mut word = String::new();
    for (index, &c) in characters.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| characters[before]);
        let after = characters.get(index + 1);
        let starts = match before {
            Some(before) if c.is_uppercase() => {
                !before.is_uppercase() || after.is_some_and(|after| after.is_lowercase())
            }
            Some(before) => c.is_numeric() != before.is_numeric(),
            None => false,
        };
        if starts || !c.is_alphanumeric() {
            words.insert(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    words.insert(word);
    words.retain(|word| !word.is_empty() && !COMMON.contains(&&**word));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(words: &[&str]) -> BTreeSet<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn identifiers_fall_into_words() {
        assert_eq!(
            words("parseHTTPDate_2"),
            set(&["parse", "http", "date", "2"])
        );
        assert_eq!(words("test_tiered_discount"), set(&["tiered", "discount"]));
        assert_eq!(words("TestLang747"), set(&["lang", "747"]));
    }

    #[test]
    fn a_test_is_kin_to_what_it_is_named_after() {
        let test = Words::of("org.x.math.NumberUtilsTest#testCreateNumber");
        let method = Words::of("org.x.math.NumberUtils#createNumber(java.lang.String)");
        assert_eq!(method.same_place(&test), 1.0);
        assert_eq!(method.own_words_in(&test), 1.0);
        let other = Words::of("org.x.StringUtils$Pad#left(int)");
        assert_eq!(other.same_place(&test), 1.0 / 3.0);
        assert_eq!(other.own_words_in(&test), 0.0);
        let python = Words::of("tests/test_discount.py::test_tiered[3]");
        let function = Words::of("orders/discount.py::tiered_discount");
        assert_eq!(function.same_place(&python), 1.0);
        assert_eq!(function.own_words_in(&python), 0.5);
        assert_eq!(Words::of("").same_place(&Words::of("")), 0.0);
    }
}
