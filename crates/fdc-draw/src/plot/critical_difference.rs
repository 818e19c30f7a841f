//! Critical-difference diagram: mean ranks on an axis, bars joining what does not differ
//! (Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006).

use std::collections::BTreeSet;

use super::axis::{Axis, Ticks};
use super::drawable;
use crate::svg::{Canvas, Ink, Svg, Type, data, number};
use crate::text::counted;
use crate::typeface;

/// What to draw.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CriticalDifference {
    /// Above the diagram; may be empty.
    pub title: String,
    /// What was compared, in any order.
    pub entries: Vec<MeanRank>,
    /// Indices into `entries` of groups whose members do not differ from each other, from two on.
    /// Dots mark the members, so a bar may pass an entry that does not belong to it.
    pub groups: Vec<Vec<usize>>,
    /// Length of the ruler, where one critical difference holds for all pairs (Nemenyi).
    pub critical_difference: Option<f64>,
}

/// One of the things compared.
#[derive(Debug, Clone, PartialEq)]
pub struct MeanRank {
    /// Shown at the side.
    pub name: String,
    /// Mean rank, 1 is best.
    pub mean_rank: f64,
}

const WIDTH: f64 = 760.0;
const SIZE: f64 = 13.0;
const ROW: f64 = 24.0;
const BAR_STEP: f64 = 11.0;
const NAME_LIMIT: f64 = 190.0;

impl CriticalDifference {
    /// The picture.
    pub fn svg(&self) -> Svg {
        let mut canvas = Canvas::default();
        let rank = |&i: &usize| self.entries[i].mean_rank;
        let ranked = (0..self.entries.len()).filter(|i| drawable(rank(i)));
        let mut ranked: Vec<usize> = ranked.collect();
        ranked.sort_by(|a, b| rank(a).total_cmp(&rank(b)).then(a.cmp(b)));
        let left_out = self.entries.len() - ranked.len();
        let ranks = |f: fn(f64, f64) -> f64, start| ranked.iter().map(rank).fold(start, f);
        let low = ranks(f64::min, 1.0).floor();
        let high = ranks(f64::max, ranked.len().max(2) as f64).ceil();
        let high = if high > low { high } else { low + 1.0 };

        let title_height = if self.title.is_empty() { 8.0 } else { 40.0 };
        canvas.title(&self.title, WIDTH);
        let side = self.names_width(&ranked) + 14.0;
        let axis = Axis::new((low, high), (side + 46.0, WIDTH - side - 46.0));
        let mut y = title_height;
        if let Some(length) = self.ruler(high - low) {
            y += 26.0;
            draw_ruler(&mut canvas, &axis, low, length, y - 6.0);
        }
        y += 34.0;
        draw_axis(&mut canvas, &axis, y);

        let bars = self.bars(&axis);
        let levels = bars.iter().map(|bar| bar.level + 1).max().unwrap_or(0);
        let names_top = y + 16.0 + levels as f64 * BAR_STEP + 14.0;
        let bottom = self.draw_names(&mut canvas, &ranked, &axis, y, names_top, side);
        for bar in &bars {
            draw_bar(&mut canvas, bar, y + 14.0 + bar.level as f64 * BAR_STEP);
        }
        if ranked.is_empty() {
            let how = Type::soft(SIZE).middle();
            canvas.text(WIDTH / 2.0, names_top + 8.0, "no data", how);
        }
        let mut height = bottom.max(names_top + 20.0);
        if left_out > 0 {
            let entries = counted(left_out as u64, "entry");
            let note = format!("{entries} without a mean rank left out");
            canvas.text(14.0, height + 2.0, &note, Type::soft(10.5));
            height += 16.0;
        }
        canvas.finish(WIDTH, height, &self.title, self.description(&ranked))
    }

    fn names_width(&self, ranked: &[usize]) -> f64 {
        let names = ranked.iter().map(|&i| &*self.entries[i].name);
        let names = typeface::widest(names, SIZE).min(NAME_LIMIT);
        names + typeface::width("00.00", SIZE - 1.0) + 10.0
    }

    /// The ruler's length, if it fits on the axis.
    fn ruler(&self, room: f64) -> Option<f64> {
        self.critical_difference
            .filter(|&length| length > 0.0 && length <= room)
    }

    /// Names on both sides, the better half on the left; no leader lines cross. The lowest y used.
    fn draw_names(
        &self,
        canvas: &mut Canvas,
        ranked: &[usize],
        axis: &Axis,
        axis_y: f64,
        top: f64,
        side: f64,
    ) -> f64 {
        let (better, worse) = ranked.split_at(ranked.len().div_ceil(2));
        let mut bottom = top;
        let mut draw = |row: usize, i: usize, on_left: bool| {
            let entry = &self.entries[i];
            let x = axis.place(entry.mean_rank);
            let y = top + row as f64 * ROW;
            bottom = bottom.max(y + 20.0);
            let edge = if on_left { side } else { WIDTH - side };
            let path = data("M# #V#H#", &[x, axis_y, y, edge]);
            let Ink { class, colour } = Ink::AXIS;
            let how = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1\"");
            canvas.path(class, &path, &how);
            let rank = format!("{:.2}", entry.mean_rank);
            let name = typeface::fit(&entry.name, SIZE, NAME_LIMIT);
            let (rank_type, name_type) = (Type::soft(10.5), Type::text(SIZE));
            if on_left {
                canvas.text(edge + 4.0, y - 4.0, &rank, rank_type);
                canvas.text(edge - 8.0, y + 4.5, &name, name_type.end());
            } else {
                canvas.text(edge - 4.0, y - 4.0, &rank, rank_type.end());
                canvas.text(edge + 8.0, y + 4.5, &name, name_type);
            }
        };
        for (row, &i) in better.iter().enumerate() {
            draw(row, i, true);
        }
        for (row, &i) in worse.iter().rev().enumerate() {
            draw(row, i, false);
        }
        bottom
    }

    /// The bars of groups with at least two members, each on the first level where it is free.
    fn bars(&self, axis: &Axis) -> Vec<Bar> {
        let bar = |group: &Vec<usize>| {
            let members: BTreeSet<&usize> = group.iter().collect();
            let members = members.iter().filter_map(|&&i| self.entries.get(i));
            let placed = members.filter(|entry| drawable(entry.mean_rank));
            let mut dots: Vec<f64> = placed.map(|e| axis.place(e.mean_rank)).collect();
            dots.sort_by(f64::total_cmp);
            (dots.len() > 1).then_some(Bar { dots, level: 0 })
        };
        let mut bars: Vec<Bar> = self.groups.iter().filter_map(bar).collect();
        bars.sort_by(|a, b| {
            let ends = |bar: &Bar| (bar.dots[0], bar.dots[bar.dots.len() - 1]);
            let (a, b) = (ends(a), ends(b));
            a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1))
        });
        bars.dedup_by(|a, b| a.dots == b.dots);
        let mut ends: Vec<f64> = Vec::new();
        for bar in &mut bars {
            let (start, end) = (bar.dots[0], bar.dots[bar.dots.len() - 1]);
            let free = ends.iter().position(|&used| used + 14.0 < start);
            bar.level = free.unwrap_or(ends.len());
            ends.resize(ends.len().max(bar.level + 1), end);
            ends[bar.level] = end;
        }
        bars
    }

    fn description(&self, ranked: &[usize]) -> String {
        let entries = counted(ranked.len() as u64, "entry");
        let mut text = format!("Mean ranks of {entries}, best first:");
        for &i in ranked {
            let MeanRank { name, mean_rank } = &self.entries[i];
            text += &format!(" {name} {mean_rank:.2};");
        }
        for group in self.groups.iter().filter(|group| group.len() > 1) {
            let members = group.iter().filter_map(|&i| self.entries.get(i));
            let names: Vec<&str> = members.map(|entry| &*entry.name).collect();
            text += &format!(" no difference among {};", names.join(", "));
        }
        text.pop();
        text + "."
    }
}

struct Bar {
    /// Pixels of the members, ascending.
    dots: Vec<f64>,
    level: usize,
}

fn draw_axis(canvas: &mut Canvas, axis: &Axis, y: f64) {
    let (start, end) = (axis.place(axis.low), axis.place(axis.high));
    canvas.line((start, y), (end, y), Ink::AXIS, 1.2);
    let ticks = Ticks::inside((axis.low, axis.high), 12, true).each();
    for (value, text) in &ticks {
        let x = axis.place(*value);
        canvas.line((x, y - 6.0), (x, y), Ink::AXIS, 1.2);
        canvas.text(x, y - 11.0, text, Type::soft(11.5).middle());
    }
    if ticks.len() <= 12 {
        for pair in ticks.windows(2) {
            let x = axis.place((pair[0].0 + pair[1].0) / 2.0);
            canvas.line((x, y - 3.5), (x, y), Ink::AXIS, 0.8);
        }
    }
    canvas.text(start - 12.0, y - 11.0, "best", Type::soft(10.5).end());
    canvas.text(end + 12.0, y - 11.0, "worst", Type::soft(10.5));
}

fn draw_ruler(canvas: &mut Canvas, axis: &Axis, low: f64, length: f64, y: f64) {
    let (start, end) = (axis.place(low), axis.place(low + length));
    canvas.line((start, y), (end, y), Ink::TEXT, 1.6);
    for x in [start, end] {
        canvas.line((x, y - 4.0), (x, y + 4.0), Ink::TEXT, 1.6);
    }
    let text = format!("CD = {length:.2}");
    canvas.text(end + 8.0, y + 4.0, &text, Type::text(11.5));
}

fn draw_bar(canvas: &mut Canvas, bar: &Bar, y: f64) {
    let (start, end) = (bar.dots[0], bar.dots[bar.dots.len() - 1]);
    let path = data("M# #H#", &[start - 3.0, y, end + 3.0]);
    let Ink { class, colour } = Ink::TEXT;
    let how =
        format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"4.5\" stroke-linecap=\"round\"");
    canvas.path(class, &path, &how);
    for &x in &bar.dots {
        let [x, y] = [x, y].map(number);
        canvas.raw(&format!(
            "<circle class=\"dot\" cx=\"{x}\" cy=\"{y}\" r=\"1.5\" fill=\"#ffffff\"/>"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagram(ranks: &[f64], groups: Vec<Vec<usize>>) -> CriticalDifference {
        CriticalDifference {
            entries: ranks
                .iter()
                .enumerate()
                .map(|(i, &mean_rank)| MeanRank {
                    name: format!("m{i}"),
                    mean_rank,
                })
                .collect(),
            groups,
            ..CriticalDifference::default()
        }
    }

    #[test]
    fn overlapping_bars_lie_on_different_levels() {
        let chart = diagram(
            &[1.2, 1.8, 2.9, 4.1],
            vec![vec![0, 1], vec![1, 2], vec![2, 3, 9]],
        );
        let bars = chart.bars(&Axis::new((1.0, 4.0), (100.0, 700.0)));
        let levels: Vec<usize> = bars.iter().map(|bar| bar.level).collect();
        assert_eq!(levels, [0, 1, 0]);
    }

    #[test]
    fn the_description_names_best_first_and_the_groups() {
        let text = diagram(&[2.0, 1.0], vec![vec![0, 1]]).svg();
        assert_eq!(
            text.description,
            "Mean ranks of 2 entries, best first: m1 1.00; m0 2.00; no difference among m0, m1."
        );
    }
}
