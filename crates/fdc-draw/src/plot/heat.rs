//! Heat map of changes: hundreds of rows, brought together in groups and wrapped into columns.

mod cells;

use self::cells::{Shade, Shapes};
use super::axis::minus;
use super::drawable;
use crate::palette::STEPS;
use crate::svg::{Canvas, Svg, Type, number};
use crate::text::counted;
use crate::{escape, typeface};

/// What to draw: changes for which fewer is better, such as those of a rank. Colours tell better
/// (blue) from worse (orange); cells for worse also carry a dash, so that they differ in grey. Steps
/// of colour grow, for changes from 1 to 1,000; zero, and only zero, is neutral.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeatMap {
    /// Above the map; may be empty.
    pub title: String,
    /// What the columns are, e.g. `metric`.
    pub column_label: String,
    /// What the values are, e.g. `change of rank`.
    pub value_label: String,
    /// One name a column.
    pub columns: Vec<String>,
    /// What a row is.
    pub row_noun: &'static str,
    /// The rows; those of one group are brought together, otherwise the order is kept.
    pub rows: Vec<HeatRow>,
}

/// A row of changes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeatRow {
    /// What it belongs to.
    pub group: String,
    /// Its name within its group.
    pub name: String,
    /// One value a column; a missing one, or one that is not finite: an empty cell.
    pub values: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq)]
enum PanelLine<'a> {
    Heading(String),
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
        let names = self.rows.iter().map(|row| &*row.name);
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
                    PanelLine::Heading(text) => {
                        let text = typeface::fit(text, 11.0, panel_width);
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
            canvas.text(MARGIN, bottom + 14.0, "no data", Type::soft(13.0));
            bottom += 20.0;
        }
        let description = self.description();
        canvas.finish(width, bottom + 14.0, &self.title, description)
    }

    /// Value of the strongest colour.
    fn strongest(&self) -> f64 {
        let values = |row| (0..self.columns.len()).filter_map(move |c| HeatRow::value(row, c));
        let largest = self.rows.iter().flat_map(values).map(f64::abs);
        match largest.fold(0.0, f64::max) {
            0.0 => 1.0,
            largest => largest,
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
        let mut panels: Vec<Vec<PanelLine>> = Vec::new();
        let mut panel = Vec::new();
        let mut used = 0;
        for (name, rows) in &groups {
            for (i, row) in rows.iter().enumerate() {
                // A heading needs two lines' room and at least two rows below it.
                let full = used >= height || (i == 0 && used + 4 > height);
                if full && panels.len() + 1 < wanted {
                    panels.push(std::mem::take(&mut panel));
                    used = 0;
                }
                if !name.trim().is_empty() && (i == 0 || used == 0) {
                    panel.push(PanelLine::Heading(match i {
                        0 => format!("{name} ({})", rows.len()),
                        _ => format!("{name} (continued)"),
                    }));
                    used += 2;
                }
                panel.push(PanelLine::Row(row));
                used += 1;
            }
        }
        panels.push(panel);
        panels
    }

    /// Height of the column names, and whether they stand upright for want of width.
    fn header_height(&self, cell_width: f64) -> (f64, bool) {
        let names = self.columns.iter().map(String::as_str);
        let widest = typeface::widest(names, HEADER_SIZE);
        match widest <= cell_width + 1.0 {
            true => (12.0, false),
            false => (widest.min(120.0) + 4.0, true),
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
                    shapes.cell(Shade::of(value, limit), place, cell);
                    spoken.push(signed(value));
                }
                None => {
                    shapes.missing(place, cell);
                    spoken.push("–".to_owned());
                }
            }
        }
        let name = escape::xml(format!("{} {}", row.group, row.name).trim());
        let spoken = escape::xml(&spoken.join("  "));
        let width = cell.0 * self.columns.len() as f64;
        let [x, y, width, height] = [x, y, width, cell.1].map(number);
        shapes.tips += &format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"#000000\" fill-opacity=\"0\"><title>{name}: {spoken}</title></rect>\n"
        );
    }

    /// The scale in words and colours; gives the lowest y used.
    fn draw_legend(&self, canvas: &mut Canvas, y: f64, limit: f64) -> f64 {
        let how = Type::soft(10.5);
        let label = typeface::fit(&self.value_label, 12.0, 380.0);
        canvas.text(MARGIN, y + 8.0, &label, Type::text(12.0));
        let alone = self.value_label.is_empty();
        let y = y + if alone { 0.0 } else { 18.0 };
        canvas.text(MARGIN, y + 9.0, "worse", how);
        let x = MARGIN + typeface::width("worse", 10.5) + 8.0;
        let cell = (20.0, 12.0);
        let mut shapes = Shapes::default();
        let shades = Shade::all();
        for (i, shade) in shades.iter().enumerate() {
            shapes.cell(*shade, (x + i as f64 * cell.0, y), cell);
        }
        shapes.draw(canvas);
        let end = x + shades.len() as f64 * cell.0;
        canvas.text(end + 8.0, y + 9.0, "better", how);
        let base = y + cell.1 + 11.0;
        let middle = x + (STEPS as f64 + 0.5) * cell.0;
        canvas.text(middle, base, "0", how.middle());
        for step in [STEPS / 3, 2 * STEPS / 3, STEPS] {
            let value = Shade::edge(step, limit);
            let away = (step as f64 + 0.5) * cell.0;
            canvas.text(middle - away, base, &signed(value), how.middle());
            canvas.text(middle + away, base, &signed(-value), how.middle());
        }
        base + 4.0
    }

    fn description(&self) -> String {
        let values = &self.value_label;
        let rows = counted(self.rows.len() as u64, self.row_noun);
        let columns = counted(self.columns.len() as u64, "column");
        let mut text = format!("Heat map of {values} for {rows} and {columns}.");
        if let Some((name, before)) = self.columns.split_last() {
            let last = || self.rows.iter().filter_map(|row| row.value(before.len()));
            let better = last().filter(|&value| value < 0.0).count();
            let same = last().filter(|&value| value == 0.0).count();
            let worse = last().filter(|&value| value > 0.0).count();
            text += &format!(
                " In the last column ({name}) {better} are better, {same} the same, {worse} worse."
            );
        }
        text
    }
}

impl HeatRow {
    fn value(&self, column: usize) -> Option<f64> {
        self.values.get(column).copied().filter(|v| drawable(*v))
    }
}

const HEADER_SIZE: f64 = 9.5;

/// A change with its sign, to three digits.
fn signed(value: f64) -> String {
    let size = value.abs();
    minus(&match size {
        0.0 => "0".to_owned(),
        1e6.. => format!("{value:+.1e}"),
        ..0.01 => format!("{value:+.0e}"),
        10.0.. => format!("{value:+.0}"),
        _ if size.fract() == 0.0 => format!("{value:+.0}"),
        1.0.. => format!("{value:+.1}"),
        _ => format!("{value:+.2}"),
    })
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
                    values: vec![*v],
                    ..HeatRow::default()
                })
                .collect(),
            ..HeatMap::default()
        }
    }

    #[test]
    fn only_zero_is_neutral_and_the_sign_decides() {
        assert_eq!(Shade::of(0.0, 1.0), Shade::Same);
        assert_eq!(Shade::of(-1e-9, 1.0), Shade::Better(0));
        assert_eq!(Shade::of(1.0, 1.0), Shade::Worse(STEPS - 1));
        assert_eq!(Shade::of(-0.4, 1.0), Shade::Better(2));
        assert_eq!(Shade::of(-1.0, 1000.0), Shade::Better(0));
        assert_eq!(Shade::of(1000.0, 1000.0), Shade::Worse(STEPS - 1));
        assert_eq!(Shade::of(-7.0, 1.0), Shade::Better(STEPS - 1));
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
                PanelLine::Heading(_) => None,
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
