//! The coloured cells of a heat map.

use crate::palette::{BETTER, SAME, STEPS, WORSE};
use crate::svg::{Canvas, Ink, data};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shade {
    Same,
    /// Step from 0 (little) to `STEPS - 1`.
    Better(usize),
    Worse(usize),
}

impl Shade {
    /// The shade of a change, where the strongest colour stands for changes of `limit` and more.
    pub(super) fn of(value: f64, limit: f64) -> Shade {
        let size = value.abs();
        let step = (0..STEPS - 1)
            .find(|&step| size <= Shade::edge(step + 1, limit) * (1.0 + 1e-12))
            .unwrap_or(STEPS - 1);
        match value {
            0.0 => Shade::Same,
            ..0.0 => Shade::Better(step),
            _ => Shade::Worse(step),
        }
    }

    /// Upper end of the colours below step `step`, as an absolute value.
    pub(super) fn edge(step: usize, limit: f64) -> f64 {
        let share = step as f64 / STEPS as f64;
        (limit.ln_1p() * share).exp_m1()
    }

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
        let (w, h) = (w - 1.0, h - 1.0);
        let path = data("M# #h#v#h-#z", &[x, y, w, h, w]);
        match self.cells.iter_mut().find(|(known, _)| *known == shade) {
            Some((_, all)) => all.push_str(&path),
            None => self.cells.push((shade, path)),
        }
        if let Shade::Worse(step) = shade {
            let dark = usize::from(step >= STEPS / 2);
            self.dashes[dark] += &data("M# #h#", &[x + w * 0.28, y + h / 2.0, w * 0.44]);
        }
    }

    pub(super) fn missing(&mut self, (x, y): (f64, f64), (w, h): (f64, f64)) {
        let (cx, cy) = (x + (w - 1.0) / 2.0, y + (h - 1.0) / 2.0);
        self.missing += &data("M# #h1v1h-1z", &[cx - 0.5, cy - 0.5]);
    }

    pub(super) fn draw(&self, canvas: &mut Canvas) {
        for (shade, path) in &self.cells {
            let class = format!("fill {}", shade.class());
            canvas.path(&class, path, &format!("fill=\"{}\"", shade.colour()));
        }
        for (dark, path) in self.dashes.iter().enumerate() {
            if !path.is_empty() {
                let (class, colour) = [("dash-light", "#7a3b00"), ("dash-dark", "#ffffff")][dark];
                let how = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.1\"");
                canvas.path(class, path, &how);
            }
        }
        if !self.missing.is_empty() {
            let how = format!("fill=\"{}\"", Ink::SOFT.colour);
            canvas.path("fill soft", &self.missing, &how);
        }
        if !self.tips.is_empty() {
            canvas.raw(self.tips.trim_end());
        }
    }
}
