//! Tables of what the statistics say.

use fdc_draw::{Best, Cell, Column, Table};

use super::super::Comparison;
use super::super::significance::{Estimate, Measure, Significance};
use super::columns;
use crate::stats::ALPHA;
use crate::stats::advice::p_text;
use crate::stats::bootstrap::Interval;
use crate::stats::effect::{A12, wins};

/// mAP and area with their intervals, the best area first.
pub fn intervals(comparison: &Comparison, significance: &Significance) -> Table {
    let after = comparison.compared_after_text();
    let caption =
        format!("Area and mAP after {after} with 95 % bootstrap intervals (bugs drawn anew)");
    let mut heads = columns(["metric"]);
    for name in ["area", "mAP"] {
        heads.push(Column::number(name).best(Best::Highest));
        heads.push(Column::text("95 % interval"));
    }
    let mut table = Table::new(caption, heads);
    for place in comparison.by_area() {
        let Estimate { map, area } = &significance.estimates[place];
        let mut row = vec![Cell::text(comparison.metrics[place].metric.clone())];
        for Interval {
            estimate,
            low,
            high,
        } in [area, map]
        {
            row.push(Cell::decimals(*estimate, 4));
            row.push(Cell::text(format!("{low:.4} to {high:.4}")));
        }
        table = table.row(row);
    }
    table
}

/// Every metric against one: mean rank, differences of these measures with intervals, effect size,
/// p-value; the best mean rank (or area) first.
pub fn contrasts(comparison: &Comparison, found: &Significance, measures: &[Measure]) -> Table {
    let name = |place: usize| comparison.metrics[place].metric.clone();
    let against = found.against;
    let many = found.many();
    let mut heads = columns(["metric"]);
    if many.is_some() {
        heads.push(Column::number("mean rank").best(Best::Lowest));
    }
    for measure in measures {
        let name = match measure {
            Measure::Ap => "mAP diff.",
            Measure::Area => "area diff.",
        };
        heads.extend([Column::number(name), Column::text("95 % interval")]);
    }
    heads.extend(columns([">wins", ">A12", "effect", ">p"]));
    let caption = format!(
        "Each metric against {}: difference from it, how often it is beaten, p",
        name(against)
    );
    let mut table = Table::new(caption, heads);
    let mut order = comparison.by_area();
    if let Some(many) = many {
        order.sort_by(|&a, &b| many.mean_ranks[a].total_cmp(&many.mean_ranks[b]));
    }
    for place in order {
        let mut row = vec![Cell::text(name(place))];
        row.extend(many.map(|many| Cell::decimals(many.mean_ranks[place], 2)));
        match &found.contrasts[place] {
            Some(contrast) => {
                for measure in measures {
                    let Interval {
                        estimate,
                        low,
                        high,
                    } = contrast.difference(*measure);
                    row.push(Cell::number(*estimate, format!("{estimate:+.4}")));
                    row.push(Cell::text(format!("{low:+.4} to {high:+.4}")));
                }
                row.push(Cell::decimals(contrast.wins, 2));
                row.push(Cell::decimals(contrast.effect.value(), 2));
                row.push(Cell::text(contrast.effect.magnitude()));
                row.push(contrast.p.map_or(Cell::text("–"), p_cell));
            }
            None => row.resize(table.columns.len(), Cell::text("–")),
        }
        table = table.row(row);
    }
    table
}

/// Every pair of more than two metrics: raw and adjusted p-value, effect size; if tested.
pub fn pairs(comparison: &Comparison, significance: &Significance) -> Option<Table> {
    let pairs = significance.many()?.pairs.as_ref()?;
    let mut table = Table::new(
        format!("All pairs, {} adjustment", pairs.adjustment.display_name()),
        columns([
            "metric",
            "other",
            ">p, raw",
            ">p, adjusted",
            &format!("differ at {ALPHA}"),
            ">wins",
            ">A12",
        ]),
    );
    let after = comparison.compared_after();
    let column = |place| comparison.column(place, |bug| significance.measure.of(bug, after));
    let columns: Vec<Vec<f64>> = (0..comparison.metrics.len()).map(column).collect();
    let order = &pairs.groups.order;
    for (index, &a) in order.iter().enumerate() {
        for &b in &order[index + 1..] {
            let [x, y] = [a, b].map(|place| &columns[place]);
            let effect = A12::of(x, y).map_or(f64::NAN, A12::value);
            let adjusted = pairs.adjusted.get(a, b);
            table = table.row(vec![
                Cell::text(comparison.metrics[a].metric.clone()),
                Cell::text(comparison.metrics[b].metric.clone()),
                p_cell(pairs.raw.get(a, b)),
                p_cell(adjusted),
                Cell::text(["no", "yes"][usize::from(adjusted <= ALPHA)]),
                Cell::decimals(wins(x, y).unwrap_or(f64::NAN), 2),
                Cell::decimals(effect, 2),
            ]);
        }
    }
    Some(table)
}

fn p_cell(p: f64) -> Cell {
    let text = p_text(p);
    let text = text.trim_start_matches("p = ");
    Cell::number(p, text.trim_start_matches("p "))
}
