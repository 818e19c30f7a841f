//! Where the lines of a text went while it was edited.

use imara_diff::{Algorithm, Diff, InternedInput};

/// Lines of a text, from 1, and where they are in the text that it became.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MovedLines {
    /// Stretches that are the same in both: first line before, first line now, how many.
    same: Vec<(u32, u32, u32)>,
}

impl MovedLines {
    pub(super) fn new(before: &[String], now: &[String]) -> Self {
        let mut input: InternedInput<&str> = InternedInput::default();
        input.update_before(before.iter().map(String::as_str));
        input.update_after(now.iter().map(String::as_str));
        let diff = Diff::compute(Algorithm::Histogram, &input);
        let (mut same, mut from) = (Vec::new(), (0, 0));
        for hunk in diff.hunks() {
            same.push((from.0 + 1, from.1 + 1, hunk.before.start - from.0));
            from = (hunk.before.end, hunk.after.end);
        }
        same.push((from.0 + 1, from.1 + 1, before.len() as u32 - from.0));
        same.retain(|&(.., length)| length > 0);
        MovedLines { same }
    }

    /// Where a line is now; none if it was changed or taken out.
    pub(super) fn now(&self, before: u32) -> Option<u32> {
        let after = self.same.partition_point(|&(first, ..)| first <= before);
        let &(first, now, length) = self.same.get(after.checked_sub(1)?)?;
        (before - first < length).then(|| now + before - first)
    }

    /// Where a line was; none if it is new.
    pub(super) fn before(&self, now: u32) -> Option<u32> {
        let after = self.same.partition_point(|&(_, first, _)| first <= now);
        let &(before, first, length) = self.same.get(after.checked_sub(1)?)?;
        (now - first < length).then(|| before + now - first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(text: &str) -> Vec<String> {
        text.chars().map(String::from).collect()
    }

    fn moved(before: &str, now: &str) -> Vec<Option<u32>> {
        let moved = MovedLines::new(&lines(before), &lines(now));
        (1..=before.len() as u32)
            .map(|line| moved.now(line))
            .collect()
    }

    #[test]
    fn lines_move_with_what_is_put_in_and_taken_out_above_them() {
        assert_eq!(moved("abc", "abc"), [Some(1), Some(2), Some(3)]);
        assert_eq!(moved("abc", "xyabc"), [Some(3), Some(4), Some(5)]);
        assert_eq!(moved("abcd", "ad"), [Some(1), None, None, Some(2)]);
        assert_eq!(moved("abc", "aXc"), [Some(1), None, Some(3)]);
        assert_eq!(moved("abc", ""), [None, None, None]);
        assert_eq!(moved("", "abc"), []);
    }

    proptest! {
        #[test]
        fn a_line_that_has_a_place_stands_there_and_leads_back(
            before in "[a-f]{0,40}",
            now in "[a-f]{0,40}",
        ) {
            let (before, now) = (lines(&before), lines(&now));
            let moved = MovedLines::new(&before, &now);
            let mut last = 0;
            for line in 1..=before.len() as u32 {
                if let Some(there) = moved.now(line) {
                    prop_assert!(there > last, "the order stays");
                    last = there;
                    prop_assert_eq!(&before[line as usize - 1], &now[there as usize - 1]);
                    prop_assert_eq!(moved.before(there), Some(line));
                }
            }
            let kept = (1..=now.len() as u32).filter(|&line| moved.before(line).is_some());
            let found = (1..=before.len() as u32).filter(|&line| moved.now(line).is_some());
            prop_assert_eq!(kept.count(), found.count());
            prop_assert_eq!(moved.now(0), None);
            prop_assert_eq!(moved.before(before.len() as u32 + now.len() as u32 + 1), None);
        }
    }
}
