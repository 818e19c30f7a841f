//! Rectangles cut from a rectangle, as square as the order allows.

use std::fmt;

use crate::svg::number;

/// A rectangle, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Area {
    pub(super) fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Area {
            x,
            y,
            width,
            height,
        }
    }

    /// In square pixels.
    pub(super) fn size(&self) -> f64 {
        self.width * self.height
    }

    /// Smaller by a margin on every side, never less than nothing.
    pub(super) fn within(&self, margin: f64) -> Area {
        let margin = margin.min(self.width / 2.0).min(self.height / 2.0);
        let (width, height) = (self.width - 2.0 * margin, self.height - 2.0 * margin);
        Area::new(self.x + margin, self.y + margin, width, height)
    }

    /// The strip at the top, and what is left below it.
    pub(super) fn cut_top(&self, height: f64) -> (Area, Area) {
        let height = height.min(self.height);
        let top = Area { height, ..*self };
        let below = Area {
            y: self.y + height,
            height: self.height - height,
            ..*self
        };
        (top, below)
    }

    /// One part per size, areas in proportion, in the order given, from the top left: rows along
    /// the shorter side, each as long as its rectangles get squarer (Bruls, Huizing, van Wijk 2000,
    /// Squarified treemaps; their sizes descend, these are as ranked). Sizes are positive.
    pub(super) fn parts(self, sizes: &[f64]) -> Vec<Area> {
        let mut parts = Vec::with_capacity(sizes.len());
        let mut rest = self;
        let mut left: f64 = sizes.iter().sum();
        let mut start = 0;
        while start < sizes.len() {
            let scale = rest.size() / left;
            let side = rest.width.min(rest.height);
            let mut end = start + 1;
            let mut worst = roughness(&sizes[start..end], scale, side);
            while end < sizes.len() {
                let longer = roughness(&sizes[start..=end], scale, side);
                if longer > worst {
                    break;
                }
                worst = longer;
                end += 1;
            }
            let row = &sizes[start..end];
            let sum: f64 = row.iter().sum();
            // The last row takes what is there, so that rounding leaves no gap.
            let share = if end == sizes.len() { 1.0 } else { sum / left };
            rest = rest.cut_row(row, sum, share, &mut parts);
            left -= sum;
            start = end;
        }
        parts
    }

    /// Puts a row along the shorter side; what is left.
    fn cut_row(self, row: &[f64], sum: f64, share: f64, parts: &mut Vec<Area>) -> Area {
        if self.width < self.height {
            let first = parts.len();
            let rest = self.turned().cut_row(row, sum, share, parts);
            for part in &mut parts[first..] {
                *part = part.turned();
            }
            return rest.turned();
        }
        let width = share * self.width;
        let mut before = 0.0;
        for size in row {
            let from = self.height * (before / sum);
            let to = (self.height * ((before + size) / sum)).min(self.height);
            parts.push(Area::new(self.x, self.y + from, width, to - from));
            before += size;
        }
        Area {
            x: self.x + width,
            width: self.width - width,
            ..self
        }
    }

    /// Mirrored, so that its shorter side is the other one.
    fn turned(self) -> Area {
        Area::new(self.y, self.x, self.height, self.width)
    }
}

/// As attributes of an SVG element.
impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, width, height] = [self.x, self.y, self.width, self.height].map(number);
        let place = format!("x=\"{x}\" y=\"{y}\"");
        write!(f, "{place} width=\"{width}\" height=\"{height}\"")
    }
}

/// How far the worst rectangle of a row is from a square: 1 or more.
fn roughness(row: &[f64], scale: f64, side: f64) -> f64 {
    let sum: f64 = row.iter().sum::<f64>() * scale;
    let largest = row.iter().copied().fold(0.0, f64::max) * scale;
    let smallest = row.iter().copied().fold(f64::INFINITY, f64::min) * scale;
    let square = side * side;
    (square * largest / (sum * sum)).max(sum * sum / (square * smallest))
}
