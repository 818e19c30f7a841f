//! How alike the names of a test and a method are: tests are often named after what they test.

/// Words that say nothing about which code is meant.
const COMMON: [Word; 6] = [
    Word::of("test"),
    Word::of("tests"),
    Word::of("init"),
    Word::of("clinit"),
    Word::of("get"),
    Word::of("set"),
];

/// A name taken apart: where it lives (class or file) and what it is called, as sets of words.
#[derive(Debug)]
pub(super) struct Words {
    package: String,
    place: Vec<Word>,
    own: Vec<Word>,
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
        let both = shared(&self.place, &other.place);
        let either = self.place.len() + other.place.len() - both;
        both as f64 / either.max(1) as f64
    }

    /// Whether both are in one package or folder.
    pub(super) fn same_package(&self, other: &Words) -> bool {
        self.package == other.package
    }

    /// Share of this name's own words that the other has.
    pub(super) fn own_words_in(&self, other: &Words) -> f64 {
        let both = shared(&self.own, &other.own);
        both as f64 / self.own.len().max(1) as f64
    }
}

/// Words of an identifier in lower case, ascending: `parseHTTPDate_2` is parse, http, date, 2.
fn words(identifier: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word = Word::EMPTY;
    let mut before: Option<char> = None;
    let mut characters = identifier.chars().peekable();
    while let Some(c) = characters.next() {
        let starts = match before {
            Some(before) if c.is_uppercase() => {
                let after = characters.peek();
                !before.is_uppercase() || after.is_some_and(|after| after.is_lowercase())
            }
            Some(before) => c.is_numeric() != before.is_numeric(),
            None => false,
        };
        if starts || !c.is_alphanumeric() {
            words.push(std::mem::replace(&mut word, Word::EMPTY));
        }
        if c.is_alphanumeric() {
            c.to_lowercase().for_each(|c| word = word.and(c));
        }
        before = Some(c);
    }
    words.push(word);
    words.retain(|word| *word != Word::EMPTY && !COMMON.contains(word));
    words.sort_unstable();
    words.dedup();
    words
}

/// A word, as a hash of its characters (FNV-1a over 64 bits): only whether two are the same matters,
/// and a name's words are made for every method of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Word(u64);

impl Word {
    const EMPTY: Word = Word(0xcbf2_9ce4_8422_2325);

    const fn and(self, next: char) -> Self {
        Word((self.0 ^ next as u64).wrapping_mul(0x0000_0100_0000_01b3))
    }

    const fn of(ascii: &str) -> Self {
        let (mut word, mut at) = (Word::EMPTY, 0);
        while at < ascii.len() {
            word = word.and(ascii.as_bytes()[at] as char);
            at += 1;
        }
        word
    }
}

/// How many words both have.
fn shared(a: &[Word], b: &[Word]) -> usize {
    a.iter()
        .filter(|word| b.binary_search(word).is_ok())
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(words: &[&str]) -> Vec<Word> {
        let mut words: Vec<Word> = words.iter().map(|&word| Word::of(word)).collect();
        words.sort_unstable();
        words
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
