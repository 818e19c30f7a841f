//! Heat map of changes: hundreds of rows, brought together in groups and wrapped into columns.

mod cells;

use self::cells::{Shade, Shapes};
use super::axis::minus;
use super::drawable;
use crate::palette::STEPS;
use crate::svg::{Canvas, Svg, Type, number};
use crate::text::counted;
use crate::{escape, typeface};

/// What to draw. Colours tell better (blue) from worse (orange); cells for worse also carry a
/// dash, so that they differ in grey.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeatMap {
    /// Above the map; may be empty.
    pub title: String,
    /// What the columns are, e.g. `tests added`.
    pub column_label: String,
    /// What the values are, e.g. `change of AP`.
    pub value_label: String,
    /// One name a column.
    pub columns: Vec<String>,
    /// What a row is.
    pub row_noun: &'static str,
    /// The rows; those of one group are brought together, otherwise the order is kept.
    pub rows: Vec<HeatRow>,
    /// Which sign is good.
    pub better: Better,
    /// How values spread over the colours.
    pub spread: Spread,
    /// The value of the strongest colour; values beyond it get the same. The largest absolute
    /// value unless given.
    pub limit: Option<f64>,
}

/// A row of changes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeatRow {
    /// What it belongs to.
    pub group: String,
    /// Its name within its group.
    pub name: String,
    /// One value a column; `None`, a missing one, or one that is not finite: an empty cell.
    pub values: Vec<Option<f64>>,
}

/// Which sign is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Better {
    /// Positive values are improvements (change of AP).
    #[default]
    Positive,
    /// Negative values are improvements (change of rank).
    Negative,
}

/// How values spread over the colours. Zero, and only zero, is neutral.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spread {
    /// Equal steps.
    #[default]
    Linear,
    /// Steps that grow, for changes from 1 to 1,000.
    Log,
}

/// A line of a panel.
#[derive(Debug, Clone, PartialEq)]
enum PanelLine<'a> {
    Group {
        name: &'a str,
        size: usize,
        continued: bool,
    },
    Row(&'a HeatRow),
}

const WIDTH_LIMIT: f64 = 900.0;
const MARGIN: f64 = 14.0;
const GAP: f64 = 22.0;
const GROUP_HEIGHT: f64 = 19.0;

impl HeatMap {
    /// The picture. Its size depends on the number of rows and columns.
    pub fn svg(&self) -> Svg {
        let mut canvas = Canvas::default();
        let limit = self.strongest();
        let (cell, name_size) = match self.rows.len() {
            0..=120 => ((17.0, 13.0), 10.0),
            _ => ((12.0, 8.5), 7.5),
        };
        let names = self.rows.iter().map(|row| &row.name);
        let name_width = typeface::widest(names, name_size).clamp(12.0, 110.0);
        let panel_width = name_width + 5.0 + self.columns.len().max(1) as f64 * cell.0;
        let across = (((WIDTH_LIMIT - 2.0 * MARGIN + GAP) / (panel_width + GAP)) as usize).max(1);
        let panels = self.panels(across);

        let legend_width = 2.0 * STEPS as f64 * 20.0 + 20.0 + 130.0;
        let width = (panels.len() as f64 * (panel_width + GAP) - GAP)
            .max(legend_width)
            .max(420.0)
            + 2.0 * MARGIN;
        let mut y = if self.title.is_empty() { 12.0 } else { 42.0 };
        canvas.title(&self.title, width);
        y = self.draw_legend(&mut canvas, y, limit) + 16.0;
        let (header, upright) = self.header_height(cell.0);
        if !self.column_label.is_empty() {
            let label = typeface::fit(&self.column_label, 11.0, width - 2.0 * MARGIN);
            let x = MARGIN + name_width + 5.0;
            canvas.text(x, y + 8.0, &label, Type::soft(11.0));
            y += 15.0;
        }

        let mut shapes = Shapes::default();
        let mut bottom = y + header;
        for (p, lines) in panels.iter().enumerate() {
            let x = MARGIN + p as f64 * (panel_width + GAP);
            let cells_x = x + name_width + 5.0;
            self.draw_header(&mut canvas, (cells_x, y), header, cell.0, upright);
            let mut row_y = y + header + 4.0;
            for line in lines {
                match line {
                    PanelLine::Group {
                        name,
                        size,
                        continued,
                    } => {
                        let text = if *continued {
                            format!("{name} (continued)")
                        } else {
                            format!("{name} ({size})")
                        };
                        let text = typeface::fit(&text, 11.0, panel_width);
                        let how = Type::text(11.0).bold();
                        canvas.text(x, row_y + GROUP_HEIGHT - 6.0, &text, how);
                        row_y += GROUP_HEIGHT;
                    }
                    PanelLine::Row(row) => {
                        let name = typeface::fit(&row.name, name_size, name_width);
                        let how = Type::soft(name_size).end();
                        let base = row_y + cell.1 / 2.0 + name_size * 0.36;
                        canvas.text(cells_x - 5.0, base, &name, how);
                        self.shade_row(&mut shapes, row, (cells_x, row_y), cell, limit);
                        row_y += cell.1;
                    }
                }
            }
            bottom = bottom.max(row_y);
        }
        shapes.draw(&mut canvas);
        if self.rows.is_empty() {
            let how = Type::soft(13.0);
            canvas.text(MARGIN, bottom + 14.0, "no data", how);
            bottom += 20.0;
        }
        let description = self.description(limit);
        canvas.finish(width, bottom + 14.0, &self.title, description)
    }

    /// Value of the strongest colour.
    fn strongest(&self) -> f64 {
        let largest = self
            .rows
            .iter()
            .flat_map(|row| (0..self.columns.len()).filter_map(|c| row.value(c)))
            .fold(0.0f64, |largest, value| largest.max(value.abs()));
        match self.limit {
            Some(limit) if limit > 0.0 && drawable(limit) => limit,
            _ if largest > 0.0 => largest,
            _ => 1.0,
        }
    }

    fn shade(&self, value: f64, limit: f64) -> Shade {
        if value == 0.0 {
            return Shade::Same;
        }
        let size = value.abs();
        let step = (0..STEPS - 1)
            .find(|&step| size <= self.edge(step + 1, limit) * (1.0 + 1e-12))
            .unwrap_or(STEPS - 1);
        let good = match self.better {
            Better::Positive => value > 0.0,
            Better::Negative => value < 0.0,
        };
        if good {
            Shade::Better(step)
        } else {
            Shade::Worse(step)
        }
    }

    /// Upper end of the colours below step `step`, as an absolute value.
    fn edge(&self, step: usize, limit: f64) -> f64 {
        let share = step as f64 / STEPS as f64;
        match self.spread {
            Spread::Linear => limit * share,
            Spread::Log => (limit.ln_1p() * share).exp_m1(),
        }
    }

    /// Group headings and rows, cut into columns of about the same height.
    fn panels(&self, across: usize) -> Vec<Vec<PanelLine<'_>>> {
        let mut groups: Vec<(&str, Vec<&HeatRow>)> = Vec::new();
        for row in &self.rows {
            match groups.iter_mut().find(|(name, _)| *name == row.group) {
                Some((_, rows)) => rows.push(row),
                None => groups.push((&row.group, vec![row])),
            }
        }
        let wanted = self.rows.len().div_ceil(45).clamp(1, across);
        let lines = self.rows.len() + 2 * groups.len() + wanted;
        let height = lines.div_ceil(wanted).max(1);
        let mut panels: Vec<Vec<PanelLine>> = vec![Vec::new()];
        let mut used = 0;
        for (name, rows) in &groups {
            for (i, row) in rows.iter().enumerate() {
                // A heading needs two lines' room and at least two rows below it.
                let full = used >= height || (i == 0 && used + 4 > height);
                if full && panels.len() < wanted {
                    panels.push(Vec::new());
                    used = 0;
                }
                let named = !name.trim().is_empty();
                if named && (i == 0 || used == 0) {
                    let (size, continued) = (rows.len(), i > 0);
                    if let Some(panel) = panels.last_mut() {
                        panel.push(PanelLine::Group {
                            name,
                            size,
                            continued,
                        });
                    }
                    used += 2;
                }
                if let Some(panel) = panels.last_mut() {
                    panel.push(PanelLine::Row(row));
                }
                used += 1;
            }
        }
        panels
    }

    /// Height of the column names, and whether they stand upright for want of width.
    fn header_height(&self, cell_width: f64) -> (f64, bool) {
        let widest = typeface::widest(&self.columns, HEADER_SIZE);
        if widest <= cell_width + 1.0 {
            (12.0, false)
        } else {
            (widest.min(120.0) + 4.0, true)
        }
    }

    fn draw_header(
        &self,
        canvas: &mut Canvas,
        (x, y): (f64, f64),
        height: f64,
        cell: f64,
        upright: bool,
    ) {
        let how = Type::soft(HEADER_SIZE);
        for (c, name) in self.columns.iter().enumerate() {
            let middle = x + (c as f64 + 0.5) * cell;
            if upright {
                let name = typeface::fit(name, HEADER_SIZE, height);
                canvas.text(middle + 3.0, y + height, &name, how.upright());
            } else {
                canvas.text(middle, y + height, name, how.middle());
            }
        }
    }

    fn shade_row(
        &self,
        shapes: &mut Shapes,
        row: &HeatRow,
        (x, y): (f64, f64),
        cell: (f64, f64),
        limit: f64,
    ) {
        let mut spoken: Vec<String> = Vec::new();
        for c in 0..self.columns.len() {
            let place = (x + c as f64 * cell.0, y);
            match row.value(c) {
                Some(value) => {
                    shapes.cell(self.shade(value, limit), place, cell);
                    spoken.push(signed(value));
                }
                None => {
                    shapes.missing(place, cell);
                    spoken.push("–".to_owned());
                }
            }
        }
        let name = [row.group.as_str(), row.name.as_str()].join(" ");
        shapes.tips.push_str(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#000000\" fill-opacity=\"0\"><title>{}: {}</title></rect>\n",
            number(x),
            number(y),
            number(cell.0 * self.columns.len() as f64),
            number(cell.1),
            escape::xml(name.trim()),
            escape::xml(&spoken.join("  "))
        ));
    }

    /// The scale in words and colours; gives the lowest y used.
    fn draw_legend(&self, canvas: &mut Canvas, y: f64, limit: f64) -> f64 {
        let how = Type::soft(10.5);
        let label = typeface::fit(&self.value_label, 12.0, 380.0);
        canvas.text(MARGIN, y + 8.0, &label, Type::text(12.0));
        let y = if self.value_label.is_empty() {
            y
        } else {
            y + 18.0
        };
        let worse = typeface::width("worse", 10.5);
        canvas.text(MARGIN, y + 9.0, "worse", how);
        let x = MARGIN + worse + 8.0;
        let cell = (20.0, 12.0);
        let mut shapes = Shapes::default();
        let shades = Shade::all();
        for (i, shade) in shades.iter().enumerate() {
            shapes.cell(*shade, (x + i as f64 * cell.0, y), cell);
        }
        shapes.draw(canvas);
        let end = x + shades.len() as f64 * cell.0;
        canvas.text(end + 8.0, y + 9.0, "better", how);
        let sign = match self.better {
            Better::Positive => 1.0,
            Better::Negative => -1.0,
        };
        let base = y + cell.1 + 11.0;
        let middle = x + (STEPS as f64 + 0.5) * cell.0;
        canvas.text(middle, base, "0", how.middle());
        for step in [STEPS / 3, 2 * STEPS / 3, STEPS] {
            let value = self.edge(step, limit);
            let away = (step as f64 + 0.5) * cell.0;
            let beyond = step == STEPS && self.limit.is_some();
            for (x, value) in [
                (middle - away, -sign * value),
                (middle + away, sign * value),
            ] {
                let mark = match beyond {
                    false => "",
                    true if value > 0.0 => "≥",
                    true => "≤",
                };
                canvas.text(x, base, &format!("{mark}{}", signed(value)), how.middle());
            }
        }
        base + 4.0
    }

    fn description(&self, limit: f64) -> String {
        let last = self.columns.len().wrapping_sub(1);
        let mut tally = [0usize; 3];
        for row in &self.rows {
            if let Some(value) = row.value(last).filter(|_| !self.columns.is_empty()) {
                match self.shade(value, limit) {
                    Shade::Better(_) => tally[0] += 1,
                    Shade::Same => tally[1] += 1,
                    Shade::Worse(_) => tally[2] += 1,
                }
            }
        }
        let mut text = format!(
            "Heat map of {} for {} and {}.",
            self.value_label,
            counted(self.rows.len() as u64, self.row_noun),
            counted(self.columns.len() as u64, "column")
        );
        if let Some(name) = self.columns.last() {
            text.push_str(&format!(
                " In the last column ({name}) {} are better, {} the same, {} worse.",
                tally[0], tally[1], tally[2]
            ));
        }
        text
    }
}

impl HeatRow {
    fn value(&self, column: usize) -> Option<f64> {
        let value = self.values.get(column).copied().flatten();
        value.filter(|v| drawable(*v))
    }
}

const HEADER_SIZE: f64 = 9.5;

/// A change with its sign, to three digits.
fn signed(value: f64) -> String {
    let size = value.abs();
    let digits = if size >= 10.0 || size.fract() == 0.0 {
        0
    } else if size >= 1.0 {
        1
    } else {
        2
    };
    let text = if size >= 1e6 {
        format!("{value:+.1e}")
    } else if size > 0.0 && size < 0.01 {
        format!("{value:+.0e}")
    } else {
        format!("{value:+.digits$}")
    };
    if size == 0.0 {
        "0".to_owned()
    } else {
        minus(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(values: &[f64]) -> HeatMap {
        HeatMap {
            columns: vec!["a".to_owned()],
            rows: values
                .iter()
                .map(|v| HeatRow {
                    values: vec![Some(*v)],
                    ..HeatRow::default()
                })
                .collect(),
            ..HeatMap::default()
        }
    }

    #[test]
    fn only_zero_is_neutral_and_the_sign_decides() {
        let map = map(&[1.0]);
        assert_eq!(map.shade(0.0, 1.0), Shade::Same);
        assert_eq!(map.shade(1e-9, 1.0), Shade::Better(0));
        assert_eq!(map.shade(-1.0, 1.0), Shade::Worse(STEPS - 1));
        assert_eq!(map.shade(0.5, 1.0), Shade::Better(2));
        assert_eq!(map.shade(7.0, 1.0), Shade::Better(STEPS - 1));
    }

    #[test]
    fn fewer_ranks_can_be_the_better_side() {
        let map = HeatMap {
            better: Better::Negative,
            spread: Spread::Log,
            ..map(&[])
        };
        assert_eq!(map.shade(-1.0, 1000.0), Shade::Better(0));
        assert_eq!(map.shade(1000.0, 1000.0), Shade::Worse(STEPS - 1));
    }

    #[test]
    fn every_row_lands_in_exactly_one_panel() {
        let mut map = map(&[0.0; 400]);
        for (i, row) in map.rows.iter_mut().enumerate() {
            row.group = format!("g{}", i % 7);
            row.name = i.to_string();
        }
        let panels = map.panels(4);
        assert_eq!(panels.len(), 4);
        let mut seen: Vec<&str> = panels
            .iter()
            .flatten()
            .filter_map(|line| match line {
                PanelLine::Row(row) => Some(row.name.as_str()),
                PanelLine::Group { .. } => None,
            })
            .collect();
        seen.sort_by_key(|name| name.parse::<usize>().unwrap());
        assert_eq!(seen.len(), 400);
        seen.dedup();
        assert_eq!(seen.len(), 400);
    }

    #[test]
    fn changes_are_written_with_a_sign() {
        assert_eq!(signed(0.0), "0");
        assert_eq!(signed(-0.25), "−0.25");
        assert_eq!(signed(12.0), "+12");
        assert_eq!(signed(1234.5), "+1234");
    }
}
