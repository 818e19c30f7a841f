//! Colours, dashes and markers: told apart by people who see colours differently, and in grey.

use crate::svg::{data, polyline};

/// Okabe and Ito's colours (Color Universal Design, 2008) without the yellow, which is too light
/// for a line on white, and with a grey; dark ones first.
pub(crate) const SERIES: [&str; 8] = [
    "#0072b2", "#d55e00", "#009e73", "#000000", "#b5548a", "#e69f00", "#56b4e9", "#7f7f7f",
];

/// Dash patterns; five of them, so that colour, dash and marker only repeat together after 280.
pub(crate) const DASHES: [&str; 5] = ["", "7 3", "2 2.5", "9 3 2 3", "5 2 1.5 2 1.5 2"];

/// Steps on each side of the diverging scale.
pub(crate) const STEPS: usize = 6;

/// Worse, from little to much: orange to brown. Blue and orange stay apart for every common kind
/// of colour blindness; in grey, cells for worse carry a dash.
pub(crate) const WORSE: [&str; STEPS] = [
    "#fde6cf", "#fbc894", "#f3a45a", "#e07f2c", "#bf5b0f", "#8c3c04",
];

/// Better, from little to much: blue.
pub(crate) const BETTER: [&str; STEPS] = [
    "#dbeaf6", "#b3d3ec", "#7fb5de", "#4a93cb", "#1f6fb0", "#084a8a",
];

/// Suspicion, from little to much; dark text reads on all of them.
pub(crate) const HEAT: [&str; STEPS] = [
    "#fff6ea", "#feebd2", "#fddcb0", "#fcc98a", "#fab268", "#f6964a",
];

/// No change.
pub(crate) const SAME: &str = "#f1f1f1";

/// Corners of the markers after the round one: x and y in turn, in radii.
const POLYGONS: [&[f64]; 6] = [
    &[-0.9, -0.9, 0.9, -0.9, 0.9, 0.9, -0.9, 0.9],
    &[0.0, -1.2, 1.1, 0.8, -1.1, 0.8],
    &[0.0, -1.3, 1.3, 0.0, 0.0, 1.3, -1.3, 0.0],
    &[0.0, 1.2, 1.1, -0.8, -1.1, -0.8],
    &[
        -0.4, -1.25, 0.4, -1.25, 0.4, -0.4, 1.25, -0.4, 1.25, 0.4, 0.4, 0.4, 0.4, 1.25, -0.4, 1.25,
        -0.4, 0.4, -1.25, 0.4, -1.25, -0.4, -0.4, -0.4,
    ],
    &[
        0.0, -1.3, 0.35, -0.42, 1.25, -0.4, 0.55, 0.18, 0.8, 1.1, 0.0, 0.58, -0.8, 1.1, -0.55,
        0.18, -1.25, -0.4, -0.35, -0.42,
    ],
];

/// Look of the series with this index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look(pub(crate) usize);

impl Look {
    pub(crate) fn class(self) -> String {
        format!("s{}", self.0 % SERIES.len())
    }

    pub(crate) fn colour(self) -> &'static str {
        SERIES[self.0 % SERIES.len()]
    }

    /// ` stroke-dasharray="..."`, or nothing for a solid line.
    pub(crate) fn dash(self) -> String {
        match DASHES[self.0 % DASHES.len()] {
            "" => String::new(),
            dash => format!(" stroke-dasharray=\"{dash}\""),
        }
    }

    /// The marker's outline around a point, as path data; `r` is about its radius.
    pub(crate) fn marker(self, (x, y): (f64, f64), r: f64) -> String {
        match (self.0 % (1 + POLYGONS.len())).checked_sub(1) {
            None => data(
                "M# #a# # 0 1 0 # 0a# # 0 1 0 -# 0Z",
                &[x - r, y, r, r, 2.0 * r, r, r, 2.0 * r],
            ),
            Some(shape) => {
                let corners = POLYGONS[shape].chunks(2);
                polyline(corners.map(|corner| (x + corner[0] * r, y + corner[1] * r))) + "Z"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(hex: &str) -> f64 {
        let part = |i: usize| f64::from(u8::from_str_radix(&hex[i..i + 2], 16).unwrap()) / 255.0;
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    #[test]
    fn both_halves_of_the_scale_darken_step_by_step() {
        for half in [WORSE, BETTER] {
            let mut before = luminance(SAME);
            for colour in half {
                let now = luminance(colour);
                assert!(now < before - 0.03, "{colour} is not darker");
                before = now;
            }
        }
    }

    #[test]
    fn twelve_series_share_no_combination_of_dash_and_marker() {
        let mut seen: Vec<(usize, usize)> = (0..12).map(|i| (i % DASHES.len(), i % 7)).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 12);
    }
}
