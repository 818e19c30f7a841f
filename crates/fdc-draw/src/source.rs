//! Source with the heat of its lines. Plain data in; [`crate::Page`] shows it, and a terminal can
//! with the same [`HeatScale`], [`MARKS`] and [`hottest_stretch`].

use std::ops::RangeInclusive;

use crate::escape;
use crate::highlight::{Syntax, SyntaxRun};
use crate::text::{shortened, untabbed};

/// Steps of heat that are told apart.
pub const STEPS: usize = 6;

/// A sign per step, so that heat reads without colours. Step 0: measured, but not on the scale.
pub const MARKS: [char; STEPS + 1] = ['·', '▁', '▂', '▃', '▅', '▆', '█'];

/// Longest line that a page shows, in characters; generated code has lines of megabytes.
const LONGEST: usize = 400;

/// A source file, as far as it is shown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SourceListing {
    /// What links name it by: unique on the page, letters, digits and `-`.
    pub id: String,
    /// The heading, the file's path.
    pub path: String,
    /// What the reader should know, such as that the file changed.
    pub notes: Vec<String>,
    /// The parts shown, ascending.
    pub stretches: Vec<Stretch>,
}

/// Lines that follow each other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stretch {
    /// The lines, ascending.
    pub lines: Vec<SourceLine>,
}

/// A source line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SourceLine {
    /// From 1.
    pub number: u32,
    /// As it stands in the file, without the line end.
    pub text: String,
    /// None where the line was not measured.
    pub mark: Option<LineMark>,
    /// Headings above the line: what begins here.
    pub headings: Vec<String>,
    /// What its stretches are; empty where it is not known.
    pub syntax: Vec<SyntaxRun>,
}

/// What is known of a line that was measured.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LineMark {
    /// Its score.
    pub score: f64,
    /// Its step on the [`HeatScale`], 0 to [`STEPS`].
    pub step: usize,
    /// Why, for a tool tip.
    pub words: String,
}

/// From scores, whose range depends on the formula, to heat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeatScale {
    low: f64,
    high: f64,
    /// The heat of `high`: less than 1 if there are infinite scores above it.
    top: f64,
}

impl HeatScale {
    /// For the scores of all lines on it. Zero is the cold end, unless there are negative scores.
    pub fn of(scores: impl IntoIterator<Item = f64>) -> Self {
        let mut scale = HeatScale {
            low: 0.0,
            high: f64::NEG_INFINITY,
            top: 1.0,
        };
        for score in scores {
            if score.is_finite() {
                scale.low = scale.low.min(score);
                scale.high = scale.high.max(score);
            } else if score > 0.0 {
                scale.top = (STEPS - 1) as f64 / STEPS as f64;
            }
        }
        scale
    }

    /// The heat of a score, 0 to 1.
    pub fn share(&self, score: f64) -> f64 {
        if score == f64::INFINITY {
            1.0
        } else if score >= self.high {
            self.top
        } else if score > self.low {
            self.top * (score / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0)
        } else {
            0.0
        }
    }

    /// [`Self::share`] in steps, 1 to [`STEPS`].
    pub fn step(&self, score: f64) -> usize {
        ((self.share(score) * STEPS as f64).ceil() as usize).clamp(1, STEPS)
    }
}

impl SourceListing {
    /// Where a link to the line goes, `#` left out.
    pub fn anchor(&self, line: u32) -> String {
        format!("{}-{line}", self.id)
    }

    /// Whether the line is among those shown.
    pub fn shows(&self, line: u32) -> bool {
        let mut lines = self.stretches.iter().flat_map(|stretch| &stretch.lines);
        lines.any(|shown| shown.number == line)
    }

    pub(crate) fn write(&self, out: &mut String) {
        let (id, path) = (escape::xml(&self.id), escape::xml(&self.path));
        *out += &format!("<h3 id=\"{id}\"><code>{path}</code></h3>\n");
        for note in &self.notes {
            *out += &format!("<p class=\"remark\">{}</p>\n", escape::xml(note));
        }
        *out += &format!(
            "<div class=\"scroll\" role=\"region\" aria-label=\"Source of {path}\" tabindex=\"0\">\n\
             <table class=\"source\">\n<thead>\n<tr><th scope=\"col\">line</th><th scope=\"col\">score</th>\
             <th scope=\"col\">source</th></tr>\n</thead>\n"
        );
        for stretch in &self.stretches {
            out.push_str("<tbody>\n");
            for line in &stretch.lines {
                self.write_line(out, line);
            }
            out.push_str("</tbody>\n");
        }
        out.push_str("</table>\n</div>\n");
    }

    fn write_line(&self, out: &mut String, line: &SourceLine) {
        for heading in &line.headings {
            let heading = escape::xml(heading);
            *out += &format!("<tr><th scope=\"rowgroup\" colspan=\"3\">{heading}</th></tr>\n");
        }
        let id = escape::xml(&self.anchor(line.number));
        let number = line.number;
        let class = |kind: Syntax| match kind.class() {
            "" => String::new(),
            class => format!("class=\"{class}\""),
        };
        let text = coloured(line, class);
        let code = format!("<td><code>{text}</code></td></tr>\n");
        match &line.mark {
            None => {
                let hidden = "<span class=\"hidden\">not measured</span>";
                *out += &format!("<tr id=\"{id}\"><td>{number}</td><td>{hidden}</td>");
            }
            Some(mark) => {
                let (step, score) = (mark.step.min(STEPS), mark.score);
                let (sign, words) = (MARKS[step], escape::xml(&mark.words));
                *out += &format!(
                    "<tr id=\"{id}\" class=\"q{step}\" title=\"{words}\"><td>{number}</td>\
                     <td>{score:.3} <span aria-hidden=\"true\">{sign}</span></td>"
                );
            }
        }
        *out += &code;
    }
}

/// The line with its stretches marked up by an attribute each, tabs as blanks, too long ones cut off.
pub(crate) fn coloured<T: AsRef<str>>(
    line: &SourceLine,
    attribute: impl Fn(Syntax) -> T,
) -> String {
    let text = shortened(&untabbed(&line.text), LONGEST);
    // Where characters were replaced, stretches would not fit.
    if line.syntax.is_empty() || text != line.text {
        return escape::xml(&text);
    }
    let mut rest = text.as_str();
    let mut out = String::new();
    for (kind, length) in &line.syntax {
        let Some((piece, after)) = rest.split_at_checked(*length) else {
            break;
        };
        let (attribute, piece) = (attribute(*kind), escape::xml(piece));
        match attribute.as_ref() {
            "" => out += &piece,
            attribute => out += &format!("<span {attribute}>{piece}</span>"),
        }
        rest = after;
    }
    out + &escape::xml(rest)
}

/// The `count` lines in a row within `span` that hold a hottest line and the most heat; of equals,
/// those with the hottest line nearest to the middle, then the earliest.
pub fn hottest_stretch(
    span: RangeInclusive<u32>,
    count: u32,
    heat: impl Fn(u32) -> f64,
) -> RangeInclusive<u32> {
    let (first, last) = (*span.start(), *span.end());
    let count = count.max(1);
    if first > last || last - first < count {
        return span;
    }
    let heats: Vec<f64> = span.map(heat).collect();
    let mut hottest = 0;
    for (index, &heat) in heats.iter().enumerate() {
        if heat > heats[hottest] {
            hottest = index;
        }
    }
    let width = count as usize;
    let starts = hottest.saturating_sub(width - 1)..=hottest.min(heats.len() - width);
    // Squares: one hot line is worth more than many lukewarm ones.
    let worth = |start: usize| -> f64 { heats[start..start + width].iter().map(|h| h * h).sum() };
    let off_middle = |start: usize| (2 * hottest).abs_diff(2 * start + width - 1);
    let better = |a: &usize, b: &usize| {
        let by_worth = worth(*a).total_cmp(&worth(*b));
        by_worth.then_with(|| (off_middle(*b), b).cmp(&(off_middle(*a), a)))
    };
    let start = starts.max_by(better).unwrap_or(0) as u32;
    first + start..=first + start + count - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_score_is_hottest_and_zero_is_cold() {
        let scale = HeatScale::of([0.1, 0.35, 0.7]);
        assert_eq!(scale.step(0.7), STEPS);
        assert_eq!(scale.step(0.35), 3);
        assert_eq!(scale.step(0.0), 1, "the cold end is on the scale");
        assert_eq!(HeatScale::of([0.5, 0.5]).step(0.5), STEPS, "all equal");
    }

    #[test]
    fn infinite_and_negative_scores_have_their_heat() {
        let infinite = HeatScale::of([1.0, f64::INFINITY]);
        assert_eq!(infinite.step(f64::INFINITY), STEPS);
        assert_eq!(infinite.step(1.0), STEPS - 1);
        let negative = HeatScale::of([-9.0, -3.0]);
        assert_eq!((negative.step(-9.0), negative.step(-3.0)), (1, STEPS));
        assert_eq!(negative.step(-6.0), 3);
        for scores in [&[][..], &[f64::NAN], &[f64::MIN, f64::MAX], &[-0.0, 0.0]] {
            let scale = HeatScale::of(scores.iter().copied());
            for score in [f64::NAN, f64::NEG_INFINITY, f64::MIN, 0.0, f64::MAX] {
                assert!(
                    (1..=STEPS).contains(&scale.step(score)),
                    "{scores:?} {score}"
                );
            }
        }
    }

    #[test]
    fn the_stretch_holds_the_hottest_line_and_as_much_heat_as_fits() {
        let heat = |hot: &'static [(u32, f64)]| {
            move |line: u32| hot.iter().find(|h| h.0 == line).map_or(0.0, |h| h.1)
        };
        assert_eq!(hottest_stretch(5..=8, 12, heat(&[])), 5..=8, "all fits");
        let two = heat(&[(10, 0.5), (13, 1.0), (30, 0.9), (31, 0.9), (32, 0.9)]);
        assert_eq!(hottest_stretch(1..=40, 5, two), 10..=14);
        assert_eq!(hottest_stretch(1..=40, 5, heat(&[(20, 1.0)])), 18..=22);
        assert_eq!(hottest_stretch(1..=40, 5, heat(&[(40, 1.0)])), 36..=40);
        assert_eq!(hottest_stretch(1..=40, 0, heat(&[(7, 1.0)])), 7..=7);
    }
}
