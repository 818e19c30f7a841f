//! Line chart: measures after 0..10 tests with their intervals, and learning curves.

mod layout;

use self::layout::Layout;
use super::drawable;
use crate::svg::Svg;
use crate::text::counted;

/// What to draw. Series are told apart by colour, dash and marker in the order given.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LineChart {
    /// Above the plot; may be empty.
    pub title: String,
    /// Below the horizontal axis.
    pub x_label: String,
    /// Beside the vertical axis.
    pub y_label: String,
    /// The lines.
    pub series: Vec<Series>,
    /// A horizontal line to compare with, e.g. the value of the full suite.
    pub reference: Option<Reference>,
    /// Values that the vertical axis must include, e.g. 0.
    pub y_include: Vec<f64>,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Shown beside its end or in the legend.
    pub name: String,
    /// The points, joined in this order; a point that is not finite interrupts the line.
    pub points: Vec<Point>,
    /// Drawn stronger than the others.
    pub emphasis: bool,
}

/// A point with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Place on the horizontal axis.
    pub x: f64,
    /// Value.
    pub y: f64,
    /// Lower and upper end of the interval, if there is one.
    pub band: Option<(f64, f64)>,
}

impl Point {
    /// A point without an interval.
    pub fn new(x: f64, y: f64) -> Self {
        Point { x, y, band: None }
    }

    /// A point with an interval.
    pub fn with_band(x: f64, y: f64, low: f64, high: f64) -> Self {
        let band = Some((low, high));
        Point { x, y, band }
    }
}

/// A horizontal line across the plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// Named at its right end.
    pub name: String,
    /// Where it is.
    pub y: f64,
}

impl LineChart {
    /// The picture.
    pub fn svg(&self) -> Svg {
        Layout::of(self).draw()
    }

    fn description(&self, left_out: usize) -> String {
        let (x, y) = (&self.x_label, &self.y_label);
        let lines = counted(self.series.len() as u64, "line");
        let mut text = format!("Line chart of {y} against {x}, {lines}.");
        for Series { name, points, .. } in &self.series {
            let mut placed = points.iter().filter(|p| is_placed(p));
            let at = |point: &Point| format!("{} at {}", short(point.y), short(point.x));
            text += &match placed.next() {
                Some(first) => {
                    let last = placed.next_back().unwrap_or(first);
                    format!(" {name}: {} to {}.", at(first), at(last))
                }
                None => format!(" {name}: no data."),
            };
        }
        if let Some(reference) = self.placed_reference() {
            text += &format!(" {}: {}.", reference.name, short(reference.y));
        }
        if left_out > 0 {
            text += &format!(" {}", left_out_note(left_out));
        }
        text
    }

    fn placed_reference(&self) -> Option<&Reference> {
        self.reference.as_ref().filter(|r| drawable(r.y))
    }

    fn left_out(&self) -> usize {
        let points = self.series.iter().flat_map(|s| &s.points);
        points.filter(|p| !is_placed(p)).count()
            + usize::from(self.reference.is_some() && self.placed_reference().is_none())
    }
}

fn is_placed(point: &Point) -> bool {
    drawable(point.x) && drawable(point.y)
}

/// The interval, lower end first, if it can be drawn.
fn band(point: &Point) -> Option<(f64, f64)> {
    let (low, high) = point.band?;
    (drawable(low) && drawable(high)).then(|| (low.min(high), low.max(high)))
}

fn short(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        let text = format!("{value:.4}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.2e}")
    }
}

fn left_out_note(number: usize) -> String {
    let points = counted(number as u64, "point");
    format!("{points} without a finite value left out")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_interrupts_the_line() {
        let chart = LineChart {
            series: vec![Series {
                points: [1.0, 2.0, f64::NAN, 4.0, 5.0]
                    .iter()
                    .enumerate()
                    .map(|(i, y)| Point::new(i as f64, *y))
                    .collect(),
                ..Series::default()
            }],
            ..LineChart::default()
        };
        let svg = chart.svg().document();
        assert!(svg.contains("1 point without a finite value left out"));
        let line = svg.lines().find(|l| l.contains("stroke-linejoin")).unwrap();
        assert_eq!(line.matches('M').count(), 2, "{line}");
    }
}
