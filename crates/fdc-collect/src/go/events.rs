//! What a test program reports with `-test.v=test2json`.
//!
//! Its own lines start with a mark that tests hardly ever print, and may follow a line that a test
//! has not ended. Everything else was printed by tests.

use std::collections::HashMap;
use std::path::Path;

use fdc_case::recording::Judgement;
use fdc_core::evidence::{FailureRecord, Frame};

use crate::{FAIL, PASS};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SeenTest {
    /// `TestX/sub`, as Go spells it.
    pub(crate) name: String,
    /// None: it did not come to its end.
    pub(crate) verdict: Option<Judgement>,
    /// The first thing it said.
    pub(crate) words: Option<String>,
    /// The last thing it said with a place: what made it fail, if it failed by `t.Error` or `t.Fatal`.
    pub(crate) report: Option<Report>,
}

/// What `t.Error` and its like print: `    price_test.go:7: got 3`, and the lines below, further in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    /// As Go tells it: the name alone, unless `-fullpath` is asked for.
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) message: String,
}

impl Report {
    const MARGIN: &str = "    ";
    const MESSAGE_LENGTH: usize = 2000;

    fn begun_by(line: &str) -> Option<Self> {
        let (file, rest) = line.strip_prefix(Self::MARGIN)?.split_once(".go:")?;
        let (number, message) = rest.split_once(':')?;
        (!file.contains(char::is_whitespace)).then_some(Report {
            file: format!("{file}.go"),
            line: number.parse().ok()?,
            message: message.trim().to_owned(),
        })
    }

    /// How the test of a package failed, by that report.
    pub(crate) fn failure(&self, package: &Path, root: &Path) -> FailureRecord {
        let file = package.join(&self.file);
        // A helper of another package is told by the name of its file alone.
        let inside = file.strip_prefix(root).ok().filter(|_| file.is_file());
        let frame = inside.map(|place| Frame {
            place: place.to_string_lossy().into_owned(),
            function: String::new(),
            line: self.line,
        });
        FailureRecord {
            message: (!self.message.is_empty()).then(|| self.message.clone()),
            frames: frame.into_iter().collect(),
            ..FailureRecord::default()
        }
    }

    fn go_on(&mut self, line: &str) {
        let room = Self::MESSAGE_LENGTH.saturating_sub(self.message.chars().count() + 1);
        if room == 0 {
            return;
        }
        if !self.message.is_empty() {
            self.message.push('\n');
        }
        self.message.extend(line.trim().chars().take(room));
    }
}

/// All tests of a run, in the order in which they began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Events {
    seen: Vec<SeenTest>,
    places: HashMap<String, usize>,
    speaker: Option<usize>,
}

/// The mark before a line of the test framework.
pub(crate) const MARK: u8 = 0x16;
const WORDS_LENGTH: usize = 300;

impl SeenTest {
    fn failed(&self) -> bool {
        matches!(self.verdict, None | Some(FAIL))
    }
}

impl Events {
    pub(crate) fn of(output: &[u8]) -> Self {
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

    pub(crate) fn count(&self) -> usize {
        self.seen.len()
    }

    pub(crate) fn test(&self, name: &str) -> Option<&SeenTest> {
        self.places.get(name).map(|&place| &self.seen[place])
    }

    /// Adds what was seen in another run; what failed in any of them failed.
    pub(crate) fn join(&mut self, other: &Events) {
        for seen in &other.seen {
            match self.places.get(&seen.name) {
                None => drop(self.add(seen.clone())),
                Some(&place) => {
                    let known = &mut self.seen[place];
                    if known.verdict.is_some() && seen.verdict == Some(FAIL) {
                        *known = seen.clone();
                    }
                }
            }
        }
    }

    /// Whether another test that began belongs to this one.
    pub(crate) fn has_parts(&self, name: &str) -> bool {
        self.seen.iter().any(|other| is_part(&other.name, name))
    }

    /// The tests that stand for all: those without parts, and those that failed though no part did.
    pub(crate) fn standing(&self) -> Vec<&SeenTest> {
        // Sorted so that a test is followed by its parts: '/' must come before all others.
        let mut order: Vec<&SeenTest> = self.seen.iter().collect();
        order.sort_by(|a, b| a.name.split('/').cmp(b.name.split('/')));
        let stands = |&(at, test): &(usize, &&SeenTest)| {
            let after = order[at + 1..].iter();
            let mut parts = after.take_while(|other| is_part(&other.name, &test.name));
            match parts.next() {
                None => true,
                Some(first) => test.failed() && !(first.failed() || parts.any(|p| p.failed())),
            }
        };
        let standing = order.iter().enumerate().filter(stands);
        standing.map(|(_, test)| *test).collect()
    }

    fn add(&mut self, seen: SeenTest) -> usize {
        let place = self.seen.len();
        self.places.insert(seen.name.clone(), place);
        self.seen.push(seen);
        place
    }

    fn take(&mut self, line: &str) {
        const BEGINNINGS: [(&str, Option<Judgement>); 7] = [
            ("=== RUN ", None),
            ("=== NAME ", None),
            ("=== CONT ", None),
            ("=== PAUSE ", None),
            ("--- PASS: ", Some(PASS)),
            ("--- FAIL: ", Some(FAIL)),
            ("--- SKIP: ", Some(Judgement::Skipped)),
        ];
        let line = line.trim_end_matches('\r');
        let mut known = BEGINNINGS.iter();
        let found = known.find_map(|(start, says)| Some((line.strip_prefix(start)?, *says)));
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
        let known = self.places.get(name).copied();
        let place = known.unwrap_or_else(|| {
            let name = name.to_owned();
            self.add(SeenTest {
                name,
                ..SeenTest::default()
            })
        });
        self.speaker = Some(place);
        if verdict.is_some() {
            self.seen[place].verdict = verdict;
        }
    }

    fn hear(&mut self, said: &str) {
        let Some(place) = self.speaker else { return };
        let SeenTest { words, report, .. } = &mut self.seen[place];
        match (Report::begun_by(said), &mut *report) {
            (Some(begun), _) => *report = Some(begun),
            (None, Some(report)) if said.starts_with(&Report::MARGIN.repeat(2)) => {
                report.go_on(said);
            }
            _ => {}
        }
        let said = said.trim();
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
fn is_part(part: &str, whole: &str) -> bool {
    let rest = part.strip_prefix(whole);
    rest.is_some_and(|rest| rest.starts_with('/'))
}

/// The `-test.run` that chooses a test, its parts, and nothing else.
pub(crate) fn pattern(name: &str) -> String {
    let escaped = |element: &str| {
        let mut pattern = String::new();
        for c in element.chars() {
            pattern.extend(r"\.+*?()|[]{}^$".contains(c).then_some('\\'));
            pattern.push(c);
        }
        format!("^{pattern}$")
    };
    name.split('/').map(escaped).collect::<Vec<_>>().join("/")
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
            .seen
            .iter()
            .map(|seen| (seen.name.as_str(), seen.verdict, seen.words.as_deref()))
            .collect();
        let expected = [
            ("TestA", Some(FAIL), None),
            ("TestA/one", Some(FAIL), Some("loose words")),
            (
                "TestA/one_more (x)",
                Some(PASS),
                Some("a_test.go:5: Error: not equal"),
            ),
            ("TestB", Some(FAIL), Some("b_test.go:9: by itself")),
            ("TestB/part", Some(Judgement::Skipped), None),
            ("TestC", None, None),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn the_last_report_with_a_place_is_kept_with_all_its_lines() {
        let output = "\x16=== RUN   TestA\n    a_test.go:3: trying\n    a_test.go:5: \n        \tError:  no\n\
            \n        \tTest:  A\nb.go:7: loose\n\x16--- FAIL: TestA (0.00s)\n";
        let events = Events::of(output.as_bytes());
        let expected = Report {
            file: "a_test.go".into(),
            line: 5,
            message: "Error:  no\nTest:  A".into(),
        };
        assert_eq!(events.seen[0].report, Some(expected));
        let long = format!(
            "\x16=== RUN   TestA\n    a.go:5: x\n        {}\n",
            "y".repeat(9999)
        );
        let events = Events::of(long.as_bytes());
        let report = events.seen[0].report.as_ref().unwrap();
        assert_eq!(report.message.len(), Report::MESSAGE_LENGTH);
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
