//! From regions of a source file to its lines, by the rules of `llvm-cov`.
//!
//! Regions nest. A line has run if a region that begins in it has run, or the innermost region at
//! the end of the line before. The innermost one hides those around it, so a line in the middle of
//! a branch that was not taken has not run, although the function around it has. None of this
//! depends on counts: which regions decide on a line is found once, and then asked for every test.

use super::mapping::RegionKind;

pub(crate) type Place = (u32, u32);

/// Regions at the same place are one: they come from the copies of a generic function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    /// Its first character.
    pub(crate) start: Place,
    /// Behind its last.
    pub(crate) end: Place,
    pub(crate) kind: RegionKind,
}

/// A line that can run, and the spans that decide whether it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) number: u32,
    /// Indices; the line has run if any of them has.
    pub(crate) spans: Vec<usize>,
}

/// Where a span begins, or comes to the fore again.
#[derive(Clone, Copy, Debug)]
struct Segment {
    place: Place,
    /// None: no code from here on.
    span: Option<usize>,
    begins: bool,
}

/// Puts spans into the order in which [`lines`] wants them, the outer before the inner.
pub(crate) fn sort(spans: &mut Vec<Span>) {
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end), span.kind));
    spans.dedup_by_key(|span| (span.start, span.end));
}

/// The lines of a file that can run; `spans` must be sorted and at places of their own.
pub(crate) fn lines(spans: &[Span]) -> Vec<Line> {
    let segments = segments(spans);
    let mut lines = Vec::new();
    let mut here = &segments[..];
    let mut before: Option<Segment> = None;
    let Some(first) = segments.first() else {
        return lines;
    };
    // Far from any segment every line is the same; but there may be many.
    let mut number = first.place.0;
    while !here.is_empty() {
        let count = here.iter().take_while(|s| s.place.0 == number).count();
        let (now, later) = here.split_at(count);
        lines.extend(line(number, now, before, spans));
        before = now.last().copied().or(before);
        here = later;
        number += 1;
    }
    lines
}

fn line(number: u32, here: &[Segment], before: Option<Segment>, spans: &[Span]) -> Option<Line> {
    let begun = |segment: &Segment| segment.span.filter(|_| segment.begins);
    let wrapped = before.and_then(|segment| segment.span);
    let mut deciding: Vec<usize> = here.iter().filter_map(begun).collect();
    let first = here.first();
    let skipped = first.is_some_and(|first| first.span.is_none() && first.begins);
    if deciding.is_empty() && (skipped || wrapped.is_none()) {
        return None;
    }
    deciding.retain(|&span| spans[span].kind != RegionKind::Gap);
    deciding.extend(wrapped);
    deciding.sort_unstable();
    deciding.dedup();
    Some(Line {
        number,
        spans: deciding,
    })
}

fn segments(spans: &[Span]) -> Vec<Segment> {
    let mut sweep = Sweep {
        spans,
        active: Vec::new(),
        segments: Vec::new(),
    };
    for (at, span) in spans.iter().enumerate() {
        sweep.close_until(span.start);
        let next = spans.get(at + 1);
        let begins = span.kind != RegionKind::Gap;
        if span.start == span.end {
            // Nothing inside: it never comes to the fore.
            let skipped = next.is_none() || span.kind == RegionKind::Skipped;
            let around = sweep.active.last().copied();
            let shown = (!skipped).then(|| around.unwrap_or(at));
            sweep.push(span.start, shown, begins);
            if skipped && around.is_some() {
                sweep.push(span.start, around, false);
            }
            continue;
        }
        // Of several that begin here the innermost is seen.
        if next.is_none_or(|next| next.start != span.start) {
            sweep.push(span.start, Some(at), begins);
        }
        sweep.active.push(at);
    }
    let all = std::mem::take(&mut sweep.active);
    sweep.close(all, None);
    sweep.segments
}

struct Sweep<'s> {
    spans: &'s [Span],
    /// Spans that have begun and not ended, in the order of their begins.
    active: Vec<usize>,
    segments: Vec<Segment>,
}

impl Sweep<'_> {
    fn push(&mut self, place: Place, span: Option<usize>, begins: bool) {
        let counts = |&span: &usize| self.spans[span].kind != RegionKind::Skipped;
        self.segments.push(Segment {
            place,
            span: span.filter(counts),
            begins,
        });
    }

    fn end(&self, span: usize) -> Place {
        self.spans[span].end
    }

    /// Ends what ends before `place` or there.
    fn close_until(&mut self, place: Place) {
        let active = std::mem::take(&mut self.active);
        let ended = |&span: &usize| self.end(span) <= place;
        let (ended, active): (Vec<usize>, Vec<usize>) = active.into_iter().partition(ended);
        self.active = active;
        self.close(ended, Some(place));
    }

    /// Where one of these ends, the one that ends next comes to the fore; last, the active one.
    fn close(&mut self, mut ended: Vec<usize>, until: Option<Place>) {
        ended.sort_by_key(|&span| self.end(span));
        let Some(&last) = ended.last() else {
            return;
        };
        for (at, pair) in ended.windows(2).enumerate() {
            let (place, next) = (self.end(pair[0]), self.end(pair[1]));
            if Some(place) == until {
                break;
            }
            if place != next {
                let after = ended[at + 1..].iter();
                let together = after.take_while(|&&span| self.end(span) == next);
                self.push(place, together.last().copied(), false);
            }
        }
        let place = self.end(last);
        if Some(place) != until {
            self.push(place, self.active.last().copied(), false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: Place, end: Place) -> Span {
        Span {
            start,
            end,
            kind: RegionKind::Code,
        }
    }

    fn decided(spans: &[Span]) -> Vec<(u32, Vec<usize>)> {
        let line = |line: Line| (line.number, line.spans);
        lines(spans).into_iter().map(line).collect()
    }

    #[test]
    fn a_branch_hides_the_function_around_it() {
        // fn f() {          1
        //     if c {        2
        //         a();      3
        //         b();      4
        //     }             5
        // }                 6
        let mut spans = vec![span((2, 10), (5, 6)), span((1, 1), (6, 2))];
        sort(&mut spans);
        let expected = [
            (1, vec![0]),
            (2, vec![0, 1]),
            (3, vec![1]),
            (4, vec![1]),
            (5, vec![1]),
            (6, vec![0]),
        ];
        assert_eq!(decided(&spans), expected);
    }

    #[test]
    fn lines_between_functions_cannot_run() {
        let spans = [span((1, 1), (2, 2)), span((5, 1), (5, 9))];
        let expected = [(1, vec![0]), (2, vec![0]), (5, vec![1])];
        assert_eq!(decided(&spans), expected);
    }

    #[test]
    fn copies_of_a_function_are_one() {
        let mut spans = vec![
            span((1, 1), (2, 2)),
            span((1, 1), (2, 2)),
            Span {
                kind: RegionKind::Gap,
                ..span((1, 1), (2, 2))
            },
        ];
        sort(&mut spans);
        assert_eq!(spans, [span((1, 1), (2, 2))]);
    }

    #[test]
    fn of_spans_that_begin_together_the_inner_one_is_seen() {
        let spans = [span((1, 1), (3, 1)), span((1, 1), (1, 9))];
        let expected = [(1, vec![1]), (2, vec![0]), (3, vec![0])];
        assert_eq!(decided(&spans), expected);
    }

    #[test]
    fn a_span_without_a_character_still_makes_its_line_one_that_can_run() {
        let spans = [span((1, 5), (1, 5)), span((2, 1), (2, 4))];
        assert_eq!(decided(&spans), [(1, vec![0]), (2, vec![0, 1])]);
    }
}
