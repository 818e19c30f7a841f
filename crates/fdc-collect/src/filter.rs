//! Which tests are meant: `--only` and `--exclude`, with `*` and `?`.

/// Patterns over test identities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Keep tests that match any of these; empty: all.
    pub only: Vec<String>,
    /// Leave out tests that match any of these.
    pub exclude: Vec<String>,
}

impl Filter {
    /// Whether the test is meant.
    pub fn keeps(&self, test: &str) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, test));
        (self.only.is_empty() || any(&self.only)) && !any(&self.exclude)
    }

    /// Whether all tests are meant.
    pub fn is_empty(&self) -> bool {
        self.only.is_empty() && self.exclude.is_empty()
    }
}

/// Whether a pattern matches: all of a name if it has `*` (any characters) or `?` (one), else a part.
pub fn matches(pattern: &str, name: &str) -> bool {
    if !pattern.contains(['*', '?']) {
        return name.contains(pattern);
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    // Where to try again: after the last `*`, with one more character given to it.
    let mut again: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                again = Some((p + 1, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match again {
                Some((after, taken)) => {
                    again = Some((after, taken + 1));
                    (p, n) = (after, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_word_matches_inside_and_a_pattern_the_whole() {
        for (pattern, name, expected) in [
            ("upper", "tests/test_a.py::test_upper[1]", true),
            ("lower", "tests/test_a.py::test_upper[1]", false),
            ("*upper", "test_upper", true),
            ("*upper", "test_upper[1]", false),
            ("*upper*", "test_upper[1]", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-b-b-d", false),
            ("t?st", "test", true),
            ("t?st", "tst", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} on {name}");
        }
    }

    #[test]
    fn excluded_tests_are_out_even_if_they_are_asked_for() {
        let filter = Filter {
            only: vec!["a".into(), "b".into()],
            exclude: vec!["ab".into()],
        };
        let kept: Vec<&str> = ["a", "b", "ab", "c"]
            .into_iter()
            .filter(|test| filter.keeps(test))
            .collect();
        assert_eq!(kept, ["a", "b"]);
    }
}
