//! The tables of a comparison, as data for a terminal, CSV, Markdown, LaTeX or HTML.

mod differences;

pub use differences::{contrasts, intervals, pairs};

use fdc_draw::{Best, Cell, Column, Table};

use super::Comparison;
use crate::measures::{ACC_AT, At, MetricValues, Spread, Values};

/// How acc@n and mAP are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Digits {
    /// As in the paper: acc@n rounded half to even, mAP with four digits.
    #[default]
    Rounded,
    /// Narrow: acc@n as in the paper, mAP with three digits.
    Short,
    /// Up to six decimals: a bug's share of acc@n is a fraction where it has several runs.
    Exact,
}

impl Digits {
    /// For tables with a column per number of tests.
    pub fn narrow(self) -> Self {
        match self {
            Digits::Rounded | Digits::Short => Digits::Short,
            Digits::Exact => Digits::Exact,
        }
    }
}

/// One number per metric and point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveMeasure {
    /// acc@n: the place in [`ACC_AT`].
    Acc(usize),
    /// Mean average precision.
    Map,
}

impl CurveMeasure {
    /// All of them, in the order of the tables.
    pub const ALL: [CurveMeasure; 5] = [
        CurveMeasure::Acc(0),
        CurveMeasure::Acc(1),
        CurveMeasure::Acc(2),
        CurveMeasure::Acc(3),
        CurveMeasure::Map,
    ];

    /// All of them, with mAP before the accuracies.
    pub(super) fn map_first() -> [CurveMeasure; 5] {
        let mut all = Self::ALL;
        all.rotate_right(1);
        all
    }

    /// `acc@1`, `mAP`.
    pub fn name(self) -> String {
        match self {
            CurveMeasure::Acc(place) => format!("acc@{}", ACC_AT[place]),
            CurveMeasure::Map => "mAP".to_owned(),
        }
    }

    /// The value.
    pub fn of(self, values: &Values) -> f64 {
        match self {
            CurveMeasure::Acc(place) => values.acc[place],
            CurveMeasure::Map => values.ap,
        }
    }

    fn cell(self, values: &Values, digits: Digits) -> Cell {
        let value = self.of(values);
        let text = match (self, digits) {
            (CurveMeasure::Acc(_), Digits::Rounded | Digits::Short) => {
                format!("{:.0}", half_to_even(value))
            }
            (CurveMeasure::Map, Digits::Rounded) => format!("{value:.4}"),
            (CurveMeasure::Map, Digits::Short) => format!("{value:.3}"),
            (_, Digits::Exact) => exact(value),
        };
        Cell::number(value, text)
    }
}

/// `metric,tests,acc@1,acc@3,acc@5,acc@10,mAP`, per metric and number of tests, the full pool last.
pub fn accuracy(comparison: &Comparison, digits: Digits) -> Table {
    let mut columns = vec![Column::text("metric"), Column::number("tests")];
    columns.extend(CurveMeasure::ALL.map(|curve| Column::number(curve.name())));
    let title = format!("acc@n and mAP on {} bugs", comparison.bugs().len());
    let mut table = Table::new(title, columns);
    for metric in &comparison.metrics {
        for at in metric.points() {
            let total = metric.total(at);
            let mut row = vec![Cell::text(metric.metric.clone()), point_cell(at)];
            row.extend(CurveMeasure::ALL.map(|curve| curve.cell(&total, digits)));
            table = table.row(row);
        }
    }
    table
}

/// [`accuracy`] with the project in front: every project by name, then `all`.
pub fn accuracy_by_project(comparison: &Comparison, digits: Digits) -> Table {
    let mut table = accuracy(comparison, digits);
    let all = std::mem::take(&mut table.rows);
    table.columns.insert(0, Column::text("project"));
    let projects = comparison.projects();
    let parts = projects.keys().map(|project| {
        let part = accuracy(&comparison.of_project(project), digits);
        ((*project).to_owned(), part.rows)
    });
    for (project, rows) in parts.chain([("all".to_owned(), all)]) {
        table.rows.extend(rows.into_iter().map(|mut row| {
            row.insert(0, Cell::text(project.clone()));
            row
        }));
    }
    table
}

/// Every measure after ten tests, the best area first.
pub fn summary(comparison: &Comparison, digits: Digits) -> Table {
    let best = |name: &str, best| Column::number(name).best(best);
    let mut columns = vec![Column::text("metric"), best("area", Best::Highest)];
    let curves = CurveMeasure::map_first();
    columns.extend(curves.map(|curve| best(&curve.name(), Best::Highest)));
    let spread = |metric: &MetricValues| metric.map_spread(comparison.compared_after());
    let spreads = comparison.metrics.iter().any(|own| spread(own).is_some());
    if spreads {
        columns.insert(3, Column::text("by seed"));
    }
    columns.push(best("first rank", Best::Lowest));
    if comparison.sizes_known {
        columns.push(best("wasted", Best::Lowest));
        columns.push(best("EXAM", Best::Lowest));
    }
    let after = comparison.compared_after_text();
    let bugs = comparison.bugs().len();
    let mut table = Table::new(format!("After {after}, {bugs} bugs"), columns);
    for place in comparison.by_area() {
        let metric = &comparison.metrics[place];
        let total = metric.total(At::Tests(comparison.compared_after()));
        let mut row = vec![
            Cell::text(metric.metric.clone()),
            Cell::decimals(metric.area(), 4),
        ];
        row.extend(curves.map(|curve| curve.cell(&total, digits)));
        if spreads {
            row.insert(
                3,
                Cell::text(spread(metric).map_or("–".into(), spread_text)),
            );
        }
        row.push(Cell::decimals(total.first_rank, 1));
        if comparison.sizes_known {
            row.push(Cell::decimals(total.wasted, 1));
            row.push(Cell::decimals(total.exam, 4));
        }
        table = table.row(row);
    }
    table
}

/// `0.354 to 0.408`.
fn spread_text(spread: Spread) -> String {
    format!("{:.3} to {:.3}", spread.low, spread.high)
}

/// One measure after each number of tests and with all, a row per metric, the best area first.
pub fn curve(comparison: &Comparison, curve: CurveMeasure, digits: Digits) -> Table {
    let points = comparison.points();
    let mut columns = vec![Column::text("metric")];
    columns.extend(points.iter().map(|at| match at {
        At::Tests(0) | At::Full => Column::number(at.to_string()),
        At::Tests(_) => Column::number(at.to_string()).best(Best::Highest),
    }));
    let title = format!("{} by number of tests added", curve.name());
    let mut table = Table::new(title, columns);
    for place in comparison.by_area() {
        let metric = &comparison.metrics[place];
        let mut row = vec![Cell::text(metric.metric.clone())];
        let cells = points.iter().map(|&at| metric.total(at));
        row.extend(cells.map(|total| curve.cell(&total, digits)));
        table = table.row(row);
    }
    table
}

/// Area by project, the best of all first.
pub fn projects(comparison: &Comparison) -> Table {
    let projects = comparison.projects();
    let mut columns = vec![Column::text("metric")];
    let all = [("all", comparison.bugs().len())];
    let named = projects.iter().map(|(project, bugs)| (*project, *bugs));
    let named = named
        .chain(all)
        .map(|(name, bugs)| format!("{name} ({bugs})"));
    columns.extend(named.map(|name| Column::number(name).best(Best::Highest)));
    let parts = projects.keys().map(|name| comparison.of_project(name));
    let parts: Vec<Comparison> = parts.collect();
    let mut table = Table::new("Area by project (number of bugs)", columns);
    for place in comparison.by_area() {
        let mut row = vec![Cell::text(comparison.metrics[place].metric.clone())];
        let scopes = parts.iter().chain([comparison]);
        row.extend(scopes.map(|scope| Cell::decimals(scope.metrics[place].area(), 4)));
        table = table.row(row);
    }
    table
}

/// `full` sorts last.
fn point_cell(at: At) -> Cell {
    let place = match at {
        At::Tests(tests) => tests as f64,
        At::Full => f64::INFINITY,
    };
    Cell::number(place, at.to_string())
}

/// Columns by their names, those of numbers with a `>` before it.
pub(crate) fn columns<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Vec<Column> {
    let column = |name: S| match name.as_ref().strip_prefix('>') {
        Some(name) => Column::number(name),
        None => Column::text(name.as_ref()),
    };
    names.into_iter().map(column).collect()
}

/// As the paper rounds. Sums of thirds may miss a half by the last digits: these are rounded first.
pub fn half_to_even(value: f64) -> f64 {
    ((value * 1e9).round() / 1e9).round_ties_even()
}

/// Up to six decimals, without zeros at the end.
fn exact(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::tests::run;
    use super::*;

    #[test]
    fn halves_go_to_the_even_neighbour_even_when_summed_from_thirds() {
        assert_eq!(half_to_even(2.5), 2.0);
        assert_eq!(half_to_even(3.5), 4.0);
        assert_eq!(half_to_even(1.0 / 6.0 + 1.0 / 3.0), 0.0);
        assert_eq!(half_to_even(2.5 + 1e-13), 2.0);
    }

    #[test]
    fn the_csv_has_the_documented_columns_and_the_full_pool_last() {
        let runs = [run("a", 1, &[4.0, 2.0]), run("a", 1, &[4.0, 1.0])];
        let comparison = Comparison::of_runs(&runs).unwrap();
        assert_eq!(
            accuracy(&comparison, Digits::Rounded).csv(),
            "metric,tests,acc@1,acc@3,acc@5,acc@10,mAP\n\
             a,0,0,0,1,1,0.2500\n\
             a,1,0,1,1,1,0.7500\n\
             a,full,1,1,1,1,1.0000\n"
        );
        assert_eq!(
            accuracy(&comparison, Digits::Exact).csv(),
            "metric,tests,acc@1,acc@3,acc@5,acc@10,mAP\n\
             a,0,0,0,1,1,0.25\n\
             a,1,0.5,1,1,1,0.75\n\
             a,full,1,1,1,1,1\n"
        );
        let by_project = accuracy_by_project(&comparison, Digits::Rounded).csv();
        assert!(by_project.starts_with("project,metric,tests,"));
        assert!(by_project.contains("\nLang,a,1,") && by_project.contains("\nall,a,full,"));
    }
}
