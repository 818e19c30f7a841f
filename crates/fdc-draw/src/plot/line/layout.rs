//! Where everything in a line chart goes, and drawing it there.

use super::super::axis::{Axis, Ticks, extent};
use super::super::drawable;
use super::{LineChart, Point, band, is_placed, left_out_note};
use crate::palette::Look;
use crate::svg::{Canvas, Ink, Svg, Type, data, number, polyline};
use crate::typeface;

const WIDTH: f64 = 760.0;
const PLOT_HEIGHT: f64 = 330.0;
const NAME_SIZE: f64 = 12.0;
const NAME_STEP: f64 = 16.0;
const NAME_LIMIT: f64 = 180.0;
/// Distance between the intervals shown at the right of the plot.
const END_STEP: f64 = 6.0;
/// Length of the piece of line shown with a name.
const SAMPLE: f64 = 26.0;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Intervals {
    /// A shaded ribbon around each line, for up to four.
    Ribbon,
    /// A whisker at every point, moved sideways a little to be seen; for up to seven short lines.
    Whisker,
    /// Only the last point's interval of each series, side by side at the right of the plot.
    End,
}

/// A name at the right of the plot: where it belongs and where it ended up.
struct EndName<'a> {
    name: &'a str,
    /// None for the reference.
    look: Option<Look>,
    emphasis: bool,
    /// The line's end in pixels.
    end: (f64, f64),
    y: f64,
}

pub(super) struct Layout<'a> {
    chart: &'a LineChart,
    x: Axis,
    y: Axis,
    x_ticks: Vec<(f64, String)>,
    y_ticks: Vec<(f64, String)>,
    left: f64,
    right: f64,
    /// Width of the room for intervals between the plot and the names.
    strip: f64,
    top: f64,
    bottom: f64,
    /// Names at the line ends, or none when a legend is used.
    names: Vec<EndName<'a>>,
    intervals: Intervals,
    /// Distance between the marks of neighbouring series at one x, in pixels.
    dodge: f64,
}

impl<'a> Layout<'a> {
    pub(super) fn of(chart: &'a LineChart) -> Self {
        let points = chart.series.iter().flat_map(|s| &s.points);
        let placed: Vec<&Point> = points.filter(|p| is_placed(p)).collect();
        let xs = extent(placed.iter().map(|p| p.x));
        let whole = placed.iter().all(|p| p.x.fract() == 0.0 && p.x.abs() < 1e9);
        let longest = chart.series.iter().map(|s| s.points.len()).max();
        let longest = longest.unwrap_or(0);
        let intervals = match chart.series.len() {
            _ if !placed.iter().any(|p| band(p).is_some()) => Intervals::Ribbon,
            0..=4 => Intervals::Ribbon,
            5..=7 if longest <= 25 => Intervals::Whisker,
            _ => Intervals::End,
        };
        let bands = chart.series.iter().flat_map(|series| {
            let last = series.points.iter().rposition(is_placed);
            let shown = move |i: &usize| intervals != Intervals::End || Some(*i) == last;
            let points = series.points.iter().enumerate();
            let points = points.filter(move |(i, p)| is_placed(p) && shown(i));
            points.filter_map(|(_, p)| band(p))
        });
        let own = placed.iter().map(|p| p.y);
        let own = own.chain(bands.flat_map(|(low, high)| [low, high]));
        let included = chart.y_include.iter().copied().filter(|v| drawable(*v));
        let others = included.chain(chart.placed_reference().map(|r| r.y));
        let ys = padded(extent(own.chain(others)));
        let y_ticks = Ticks::inside(ys, 8, false).each();

        let tick_width = typeface::widest(y_ticks.iter().map(|(_, text)| &**text), 11.0);
        let left = 14.0 + if chart.y_label.is_empty() { 0.0 } else { 18.0 } + tick_width + 10.0;
        let top = if chart.title.is_empty() { 18.0 } else { 44.0 };
        let bottom = top + PLOT_HEIGHT;

        let rows = chart.series.len() + usize::from(chart.placed_reference().is_some());
        let at_ends = rows as f64 * NAME_STEP <= PLOT_HEIGHT + NAME_STEP;
        let names = chart.series.iter().map(|s| &*s.name);
        let names = names.chain(chart.placed_reference().map(|r| &*r.name));
        let names_width = typeface::widest(names, NAME_SIZE).min(NAME_LIMIT);
        let mut strip = 0.0;
        if intervals == Intervals::End {
            strip = (chart.series.len() + 1) as f64 * END_STEP;
        }
        let right = match at_ends {
            true => WIDTH - names_width - SAMPLE - 44.0 - strip,
            false => WIDTH - 20.0 - strip,
        };

        let mut dodge = 0.0;
        if intervals == Intervals::Whisker {
            let gap = (right - left) / longest.max(2) as f64;
            dodge = (gap * 0.62 / (chart.series.len() - 1) as f64).min(5.0);
        }
        // Room for the marks moved sideways at the first and last x.
        let inset = 8.0 + dodge * chart.series.len().saturating_sub(1) as f64 / 2.0;
        let mut layout = Layout {
            chart,
            x: Axis::new(xs, (left + inset, right - inset)),
            y: Axis::new(ys, (bottom, top)),
            x_ticks: Ticks::inside(xs, 12, whole).each(),
            y_ticks,
            left,
            right,
            top,
            bottom,
            names: Vec::new(),
            intervals,
            strip,
            dodge,
        };
        if at_ends {
            layout.names = layout.end_names();
        }
        layout
    }

    pub(super) fn draw(&self) -> Svg {
        let chart = self.chart;
        let mut canvas = Canvas::default();
        canvas.title(&chart.title, WIDTH);
        self.draw_axes(&mut canvas);
        if let Some(reference) = chart.placed_reference() {
            let [x1, x2, y] = [self.left, self.right, self.y.place(reference.y)].map(number);
            let Ink { class, colour } = Ink::SOFT;
            canvas.raw(&format!(
                "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y}\" x2=\"{x2}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"1.2\" stroke-dasharray=\"1.5 3\"/>"
            ));
        }
        // Emphasised lines last, on top.
        let mut order: Vec<usize> = (0..chart.series.len()).collect();
        order.sort_by_key(|&i| chart.series[i].emphasis);
        if self.intervals != Intervals::End {
            for &i in &order {
                self.draw_intervals(&mut canvas, i);
            }
        }
        for &i in &order {
            self.draw_line(&mut canvas, i);
        }
        if chart.series.iter().all(|s| !s.points.iter().any(is_placed)) {
            let (x, y) = (self.left + self.right, self.top + self.bottom);
            let how = Type::soft(13.0).middle();
            canvas.text(x / 2.0, y / 2.0, "no data", how);
        }
        let mut height = self.bottom + if chart.x_label.is_empty() { 30.0 } else { 50.0 };
        if self.names.is_empty() {
            height = self.draw_legend(&mut canvas, height);
        } else {
            self.draw_names(&mut canvas);
            let lowest = self.names.iter().map(|n| n.y).fold(0.0, f64::max);
            height = height.max(lowest + 14.0);
        }
        if self.intervals == Intervals::End {
            self.draw_end_intervals(&mut canvas);
        }
        let left_out = chart.left_out();
        if left_out > 0 {
            let note = left_out_note(left_out);
            canvas.text(self.left, height + 4.0, &note, Type::soft(10.5));
            height += 16.0;
        }
        canvas.finish(WIDTH, height, &chart.title, chart.description(left_out))
    }

    fn draw_axes(&self, canvas: &mut Canvas) {
        let tick = Type::soft(11.0);
        for (value, text) in &self.y_ticks {
            let y = self.y.place(*value);
            canvas.line((self.left, y), (self.right, y), Ink::GRID, 1.0);
            canvas.text(self.left - 7.0, y + 4.0, text, tick.end());
        }
        let bottom = self.bottom;
        canvas.line((self.left, bottom), (self.right, bottom), Ink::AXIS, 1.0);
        for (value, text) in &self.x_ticks {
            let x = self.x.place(*value);
            canvas.line((x, bottom), (x, bottom + 4.0), Ink::AXIS, 1.0);
            canvas.text(x, bottom + 17.0, text, tick.middle());
        }
        let name = Type::text(12.0).middle();
        let middle = (self.left + self.right) / 2.0;
        let label = typeface::fit(&self.chart.x_label, 12.0, self.right - self.left);
        canvas.text(middle, bottom + 38.0, &label, name);
        let middle = (self.top + bottom) / 2.0;
        let label = typeface::fit(&self.chart.y_label, 12.0, PLOT_HEIGHT);
        canvas.text(24.0, middle, &label, name.upright());
    }

    /// Where a point of series `i` is drawn.
    fn place(&self, i: usize, point: &Point) -> (f64, f64) {
        let centre = (self.chart.series.len() as f64 - 1.0) / 2.0;
        let x = self.x.place(point.x) + (i as f64 - centre) * self.dodge;
        (x, self.y.place(point.y))
    }

    fn draw_intervals(&self, canvas: &mut Canvas, i: usize) {
        let series = &self.chart.series[i];
        let ribbon = self.intervals == Intervals::Ribbon;
        let mut path = String::new();
        for run in runs(&series.points, |p| is_placed(p) && band(p).is_some()) {
            let ends = run.iter().filter_map(|p| {
                let (low, high) = band(p)?;
                Some((self.place(i, p).0, self.y.place(low), self.y.place(high)))
            });
            if ribbon && run.len() > 1 {
                let there = ends.clone().map(|(x, _, high)| (x, high));
                let back = ends.rev().map(|(x, low, _)| (x, low));
                path += &(polyline(there.chain(back)) + "Z");
            } else {
                path.extend(ends.map(|(x, low, high)| data("M# #V#", &[x, low, high])));
            }
        }
        if path.is_empty() {
            return;
        }
        let (class, colour) = (Look(i).class(), Look(i).colour());
        let opacity = if series.emphasis { 0.17 } else { 0.11 };
        if ribbon {
            canvas.path(&format!("fill {class}"), &path, &format!("fill=\"{colour}\" fill-opacity=\"{opacity}\" stroke=\"{colour}\" stroke-opacity=\"0.3\" stroke-width=\"0.75\""));
        } else {
            let how = format!(
                "fill=\"none\" stroke=\"{colour}\" stroke-opacity=\"0.55\" stroke-width=\"1.2\""
            );
            canvas.path(&class, &path, &how);
        }
    }

    /// The last intervals side by side, in the order of the names.
    fn draw_end_intervals(&self, canvas: &mut Canvas) {
        let series = self.chart.series.iter().enumerate();
        let ends = series
            .filter_map(|(i, series)| Some((i, series.points.iter().rfind(|p| is_placed(p))?)));
        let mut ends: Vec<(usize, &Point)> = ends.collect();
        ends.sort_by(|a, b| b.1.y.total_cmp(&a.1.y));
        for (slot, (i, point)) in ends.iter().enumerate() {
            let Some((low, high)) = band(point) else {
                continue;
            };
            let look = Look(*i);
            let x = self.right + (slot + 1) as f64 * END_STEP;
            let path = data("M# #V#", &[x, self.y.place(low), self.y.place(high)]);
            let colour = look.colour();
            let how = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"");
            canvas.path(&look.class(), &path, &how);
            mark(canvas, look, &look.marker((x, self.y.place(point.y)), 2.7));
        }
        let middle = self.right + self.strip / 2.0;
        let how = Type::soft(10.0).middle();
        canvas.text(middle, self.bottom + 17.0, "intervals", how);
        canvas.text(middle, self.bottom + 29.0, "at the end", how);
    }

    fn draw_line(&self, canvas: &mut Canvas, i: usize) {
        let series = &self.chart.series[i];
        let look = Look(i);
        let runs = runs(&series.points, is_placed);
        let path = runs.map(|run| polyline(run.iter().map(|p| self.place(i, p))));
        let path: String = path.collect();
        if path.is_empty() {
            return;
        }
        let many = series.points.len() > 25;
        let width = match (series.emphasis, many) {
            (true, _) => 2.6,
            (false, true) => 1.3,
            (false, false) => 1.6,
        };
        let (colour, dash) = (look.colour(), look.dash());
        let how = format!(
            "fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{dash}"
        );
        canvas.path(&look.class(), &path, &how);
        let placed: Vec<&Point> = series.points.iter().filter(|p| is_placed(p)).collect();
        // On long lines only some points are marked, at other places for each series.
        let step = if many { placed.len().div_ceil(8) } else { 1 };
        let offset = (i * step / self.chart.series.len().max(1)) % step;
        let radius = if series.emphasis { 4.2 } else { 3.3 };
        let marked = placed.iter().skip(offset).step_by(step);
        let marks = marked.map(|p| look.marker(self.place(i, p), radius));
        mark(canvas, look, &marks.collect::<String>());
    }

    /// Every line with its end, the reference last.
    fn keys(&self) -> Vec<EndName<'a>> {
        let series = self.chart.series.iter().enumerate().map(|(i, series)| {
            let end = series.points.iter().rfind(|p| is_placed(p));
            let end = end.map_or((self.right, self.bottom), |p| self.place(i, p));
            (&series.name, Some(Look(i)), series.emphasis, end)
        });
        let reference = self.chart.placed_reference().map(|reference| {
            let end = (self.right, self.y.place(reference.y));
            (&reference.name, None, false, end)
        });
        let keys = series.chain(reference);
        keys.map(|(name, look, emphasis, end)| EndName {
            name,
            look,
            emphasis,
            end,
            y: end.1,
        })
        .collect()
    }

    /// Those, one below the other without touching.
    fn end_names(&self) -> Vec<EndName<'a>> {
        let mut names = self.keys();
        names.sort_by(|a, b| a.y.total_cmp(&b.y));
        let wanted: Vec<f64> = names.iter().map(|n| n.y).collect();
        let spread = spread(&wanted, NAME_STEP, self.top - 4.0, self.bottom + 12.0);
        for (name, y) in names.iter_mut().zip(spread) {
            name.y = y;
        }
        names
    }

    fn draw_names(&self, canvas: &mut Canvas) {
        let edge = self.right + self.strip;
        let x = edge + 22.0;
        for name in &self.names {
            // Leader from the line's end to the name.
            let (end, level) = name.end;
            let from = self.right.min(end + 7.0).max(end);
            let corners = [(from, level), (edge + 3.0, level), (x - 4.0, name.y)];
            let how = "fill=\"none\" stroke=\"#a8a8a8\" stroke-width=\"0.75\"";
            canvas.path("leader", &polyline(corners.into_iter()), how);
            self.draw_key(canvas, (x, name.y), name);
        }
    }

    /// A piece of the line and its name, starting at `(x, y)`.
    fn draw_key(&self, canvas: &mut Canvas, (x, y): (f64, f64), name: &EndName) {
        let (class, colour, dash) = match name.look {
            Some(look) => (look.class(), look.colour(), look.dash()),
            None => {
                let Ink { class, colour } = Ink::SOFT;
                let dash = " stroke-dasharray=\"1.5 3\"";
                (class.to_owned(), colour, dash.to_owned())
            }
        };
        let width = if name.emphasis { 2.6 } else { 1.6 };
        let how = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"{dash}");
        canvas.path(&class, &data("M# #h#", &[x, y, SAMPLE]), &how);
        if let Some(look) = name.look {
            mark(canvas, look, &look.marker((x + SAMPLE / 2.0, y), 3.3));
        }
        let shown = typeface::fit(name.name, NAME_SIZE, NAME_LIMIT);
        let how = Type::text(NAME_SIZE);
        let how = if name.emphasis { how.bold() } else { how };
        canvas.text(x + SAMPLE + 6.0, y + 4.2, &shown, how);
    }

    /// Names in columns below the plot; gives the height used.
    fn draw_legend(&self, canvas: &mut Canvas, top: f64) -> f64 {
        let keys = self.keys();
        if keys.is_empty() {
            return top;
        }
        let widest = typeface::widest(keys.iter().map(|key| key.name), NAME_SIZE);
        let column = SAMPLE + 6.0 + widest.min(NAME_LIMIT) + 22.0;
        let columns = (((WIDTH - self.left - 14.0) / column).floor() as usize).max(1);
        let rows = keys.len().div_ceil(columns);
        for (i, key) in keys.iter().enumerate() {
            let x = self.left + (i / rows) as f64 * column;
            let y = top + 10.0 + (i % rows) as f64 * 17.0;
            self.draw_key(canvas, (x, y), key);
        }
        top + 10.0 + rows as f64 * 17.0
    }
}

/// Places at least `step` apart inside `low..high` where there is room, each as near as possible
/// to the wanted one and in the same order (`wanted` ascends).
fn spread(wanted: &[f64], step: f64, low: f64, high: f64) -> Vec<f64> {
    // Pool neighbours that would collide and centre each pool (isotonic regression).
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (i, y) in wanted.iter().enumerate() {
        let mut pool = (y - i as f64 * step, 1);
        while let Some(&(mean, size)) = pools.last() {
            if mean < pool.0 {
                break;
            }
            let total = size + pool.1;
            let sum = mean * size as f64 + pool.0 * pool.1 as f64;
            pool = (sum / total as f64, total);
            pools.pop();
        }
        pools.push(pool);
    }
    let room = (high - low - wanted.len().saturating_sub(1) as f64 * step).max(0.0);
    let start = |&(mean, size): &(f64, usize)| vec![mean.clamp(low, low + room); size];
    let placed = pools.iter().flat_map(start).enumerate();
    placed.map(|(i, start)| start + i as f64 * step).collect()
}

/// A little room beyond the values, but none below zero where nothing is.
fn padded((low, high): (f64, f64)) -> (f64, f64) {
    let room = (high - low) * 0.04;
    let floor = if low >= 0.0 { 0.0 } else { f64::NEG_INFINITY };
    ((low - room).max(floor), high + room)
}

/// Maximal stretches of points that satisfy the condition.
fn runs<'p>(
    points: &'p [Point],
    good: impl Fn(&Point) -> bool + 'p,
) -> impl Iterator<Item = &'p [Point]> {
    let runs = points.split(move |p| !good(p));
    runs.filter(|run| !run.is_empty())
}

fn mark(canvas: &mut Canvas, look: Look, path: &str) {
    let (class, colour) = (look.class(), look.colour());
    let how = format!("fill=\"{colour}\" stroke=\"#ffffff\" stroke-width=\"0.8\"");
    canvas.path(&format!("mark {class}"), path, &how);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_order_and_distance() {
        let y = spread(&[10.0, 11.0, 12.0, 80.0], 16.0, 0.0, 100.0);
        assert!(y.windows(2).all(|w| w[1] - w[0] >= 16.0 - 1e-9), "{y:?}");
        assert_eq!(y[3], 80.0);
        assert!(y[0] >= 0.0);
        let packed = spread(&[99.0; 5], 16.0, 0.0, 100.0);
        assert!(packed[4] <= 100.0 + 1e-9, "{packed:?}");
    }
}
