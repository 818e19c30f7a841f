//! What a test program reports with `-test.v=test2json`.
//!
//! Its own lines start with a mark that tests hardly ever print, and may follow a line that a test
//! has not ended. Everything else was printed by tests.

use std::collections::HashMap;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// `--- PASS`
    Pass,
    /// `--- FAIL`
    Fail,
    /// `--- SKIP`
    Skip,
}

/// A test or subtest that began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// `TestX/sub`, as Go spells it.
    pub name: String,
    /// None: it did not come to its end.
    pub verdict: Option<Verdict>,
    /// The first thing it said.
    pub words: Option<String>,
}

/// All tests of a run, in the order in which they began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    seen: Vec<Seen>,
    places: HashMap<String, usize>,
    speaker: Option<usize>,
}

/// The mark before a line of the test framework.
pub const MARK: u8 = 0x16;
const WORDS_LENGTH: usize = 300;

impl Events {
    /// From all that a test program printed.
    pub fn of(output: &[u8]) -> Self {
        let mut events = Events::default();
        for line in output.split(|&byte| byte == b'\n') {
            let mut parts = line.split(|&byte| byte == MARK);
            if let Some(said) = parts.next() {
                events.hear(&String::from_utf8_lossy(said));
            }
            for part in parts {
                events.take(&String::from_utf8_lossy(part));
            }
        }
        events
    }

    /// All that began.
    pub fn seen(&self) -> &[Seen] {
        &self.seen
    }

    /// A test by its name.
    pub fn test(&self, name: &str) -> Option<&Seen> {
        self.places.get(name).map(|&place| &self.seen[place])
    }

    /// Adds what was seen in another run; what failed in any of them failed.
    pub fn join(&mut self, other: &Events) {
        for seen in &other.seen {
            match self.places.get(&seen.name) {
                None => {
                    self.places.insert(seen.name.clone(), self.seen.len());
                    self.seen.push(seen.clone());
                }
                Some(&place) if self.seen[place].verdict.is_some() => {
                    if seen.verdict == Some(Verdict::Fail) {
                        self.seen[place] = seen.clone();
                    }
                }
                Some(_) => {}
            }
        }
    }

    /// Whether another test that began belongs to this one.
    pub fn has_parts(&self, name: &str) -> bool {
        self.seen.iter().any(|other| is_part(&other.name, name))
    }

    /// The tests that stand for all: those without parts, and those that failed by themselves
    /// though none of their parts did.
    pub fn standing(&self) -> Vec<&Seen> {
        // Sorted so that a test is followed by its parts: '/' must come before all others.
        let mut order: Vec<&Seen> = self.seen.iter().collect();
        order.sort_by(|a, b| a.name.split('/').cmp(b.name.split('/')));
        let mut standing = Vec::new();
        for (at, test) in order.iter().enumerate() {
            let parts = order[at + 1..]
                .iter()
                .take_while(|other| is_part(&other.name, &test.name));
            let mut leaf = true;
            let mut blamed = false;
            for part in parts {
                leaf = false;
                blamed |= matches!(part.verdict, None | Some(Verdict::Fail));
            }
            let failed = matches!(test.verdict, None | Some(Verdict::Fail));
            if leaf || (failed && !blamed) {
                standing.push(*test);
            }
        }
        standing
    }

    fn take(&mut self, line: &str) {
        const BEGINNINGS: [(&str, Option<Verdict>); 7] = [
            ("=== RUN ", None),
            ("=== NAME ", None),
            ("=== CONT ", None),
            ("=== PAUSE ", None),
            ("--- PASS: ", Some(Verdict::Pass)),
            ("--- FAIL: ", Some(Verdict::Fail)),
            ("--- SKIP: ", Some(Verdict::Skip)),
        ];
        let line = line.trim_end_matches('\r');
        let found = BEGINNINGS
            .iter()
            .find_map(|(start, verdict)| Some((line.strip_prefix(start)?, *verdict)));
        let Some((rest, verdict)) = found else {
            return;
        };
        let rest = rest.trim_start();
        let name = match verdict {
            Some(_) => rest.rsplit_once(" (").map_or(rest, |(name, _)| name),
            None => rest,
        };
        if name.is_empty() {
            self.speaker = None;
            return;
        }
        let place = match self.places.get(name) {
            Some(&place) => place,
            None => {
                let place = self.seen.len();
                self.places.insert(name.to_owned(), place);
                self.seen.push(Seen {
                    name: name.to_owned(),
                    ..Seen::default()
                });
                place
            }
        };
        self.speaker = Some(place);
        if verdict.is_some() {
            self.seen[place].verdict = verdict;
        }
    }

    fn hear(&mut self, said: &str) {
        let said = said.trim();
        let Some(place) = self.speaker else { return };
        let words = &mut self.seen[place].words;
        // A place alone is followed by what was found there.
        let only_place = |words: &str| words.ends_with(".go:") || words.ends_with(':');
        match words {
            _ if said.is_empty() => {}
            None => *words = Some(said.chars().take(WORDS_LENGTH).collect()),
            Some(words) if only_place(words) && words.len() < WORDS_LENGTH => {
                words.push(' ');
                words.extend(said.chars().take(WORDS_LENGTH));
            }
            Some(_) => {}
        }
    }
}

/// Whether `part` is a subtest of `whole`.
pub fn is_part(part: &str, whole: &str) -> bool {
    part.strip_prefix(whole)
        .is_some_and(|rest| rest.starts_with('/'))
}

/// The `-test.run` that chooses a test, its parts, and nothing else.
pub fn pattern(name: &str) -> String {
    let mut pattern = String::new();
    for (at, element) in name.split('/').enumerate() {
        if at > 0 {
            pattern.push('/');
        }
        pattern.push('^');
        for c in element.chars() {
            if r"\.+*?()|[]{}^$".contains(c) {
                pattern.push('\\');
            }
            pattern.push(c);
        }
        pattern.push('$');
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\x16=== RUN   TestA\n\
        \x16=== RUN   TestA/one\n\
        loose words\x16--- FAIL: TestA/one (0.00s)\n\
        \x16=== NAME  TestA\n\
        \x16=== RUN   TestA/one_more (x)\n    a_test.go:5: \n        Error: not equal\n\
        \x16--- PASS: TestA/one_more (x) (0.00s)\n\
        \x16--- FAIL: TestA (0.01s)\n\
        \x16=== NAME  \n\
        nobody's words\n\
        \x16=== RUN   TestB\n\
        \x16=== RUN   TestB/part\n\
        \x16--- SKIP: TestB/part (0.00s)\n\
        \x16=== NAME  TestB\n    b_test.go:9: by itself\n\
        \x16--- FAIL: TestB (0.01s)\n\
        \x16=== RUN   TestC\n";

    #[test]
    fn lines_of_the_framework_are_told_from_words_of_tests() {
        let events = Events::of(OUTPUT.as_bytes());
        let seen: Vec<_> = events
            .seen()
            .iter()
            .map(|seen| (seen.name.as_str(), seen.verdict, seen.words.as_deref()))
            .collect();
        let expected = [
            ("TestA", Some(Verdict::Fail), None),
            ("TestA/one", Some(Verdict::Fail), Some("loose words")),
            (
                "TestA/one_more (x)",
                Some(Verdict::Pass),
                Some("a_test.go:5: Error: not equal"),
            ),
            ("TestB", Some(Verdict::Fail), Some("b_test.go:9: by itself")),
            ("TestB/part", Some(Verdict::Skip), None),
            ("TestC", None, None),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_test_stands_for_itself_if_its_parts_do_not_explain_its_failure() {
        let events = Events::of(OUTPUT.as_bytes());
        let standing: Vec<_> = events.standing().iter().map(|seen| &*seen.name).collect();
        let expected = [
            "TestA/one",
            "TestA/one_more (x)",
            "TestB",
            "TestB/part",
            "TestC",
        ];
        assert_eq!(standing, expected);
    }

    #[test]
    fn odd_names_are_chosen_literally() {
        assert_eq!(
            pattern(r"TestX/a.b|c[1]/\x00"),
            r"^TestX$/^a\.b\|c\[1\]$/^\\x00$"
        );
    }
}
