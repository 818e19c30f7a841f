//! The coloured cells of a heat map.

use crate::palette::{BETTER, SAME, STEPS, WORSE};
use crate::svg::{Canvas, Ink, number};

/// What a cell shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shade {
    Same,
    /// Step from 0 (little) to `STEPS - 1`.
    Better(usize),
    Worse(usize),
}

impl Shade {
    pub(super) fn all() -> Vec<Shade> {
        let worse = (0..STEPS).rev().map(Shade::Worse);
        let better = (0..STEPS).map(Shade::Better);
        worse.chain([Shade::Same]).chain(better).collect()
    }

    fn class(self) -> String {
        match self {
            Shade::Same => "h0".to_owned(),
            Shade::Better(step) => format!("hb{}", step + 1),
            Shade::Worse(step) => format!("hw{}", step + 1),
        }
    }

    fn colour(self) -> &'static str {
        match self {
            Shade::Same => SAME,
            Shade::Better(step) => BETTER[step],
            Shade::Worse(step) => WORSE[step],
        }
    }
}

/// Path data, one path for each shade: thousands of cells stay a small file.
#[derive(Default)]
pub(super) struct Shapes {
    cells: Vec<(Shade, String)>,
    /// Dashes on light and on dark cells for worse.
    dashes: [String; 2],
    missing: String,
    /// Whole elements that show a row's values when pointed at.
    pub(super) tips: String,
}

impl Shapes {
    pub(super) fn cell(&mut self, shade: Shade, (x, y): (f64, f64), (w, h): (f64, f64)) {
        let path = format!(
            "M{} {}h{}v{}h-{2}z",
            number(x),
            number(y),
            number(w - 1.0),
            number(h - 1.0)
        );
        match self.cells.iter_mut().find(|(known, _)| *known == shade) {
            Some((_, all)) => all.push_str(&path),
            None => self.cells.push((shade, path)),
        }
        if let Shade::Worse(step) = shade {
            let dark = usize::from(step >= STEPS / 2);
            self.dashes[dark].push_str(&format!(
                "M{} {}h{}",
                number(x + (w - 1.0) * 0.28),
                number(y + (h - 1.0) / 2.0),
                number((w - 1.0) * 0.44)
            ));
        }
    }

    pub(super) fn missing(&mut self, (x, y): (f64, f64), (w, h): (f64, f64)) {
        let (cx, cy) = (x + (w - 1.0) / 2.0, y + (h - 1.0) / 2.0);
        self.missing.push_str(&format!(
            "M{} {}h1v1h-1z",
            number(cx - 0.5),
            number(cy - 0.5)
        ));
    }

    pub(super) fn draw(&self, canvas: &mut Canvas) {
        for (shade, path) in &self.cells {
            let (class, colour) = (shade.class(), shade.colour());
            canvas.raw(&format!(
                "<path class=\"fill {class}\" d=\"{path}\" fill=\"{colour}\"/>"
            ));
        }
        for (dark, path) in self.dashes.iter().enumerate() {
            if !path.is_empty() {
                let (class, colour) = [("dash-light", "#7a3b00"), ("dash-dark", "#ffffff")][dark];
                canvas.raw(&format!(
                    "<path class=\"{class}\" d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.1\"/>"
                ));
            }
        }
        if !self.missing.is_empty() {
            canvas.raw(&format!(
                "<path class=\"fill soft\" d=\"{}\" fill=\"{}\"/>",
                self.missing,
                Ink::Soft.colour()
            ));
        }
        if !self.tips.is_empty() {
            canvas.raw(self.tips.trim_end());
        }
    }
}
