//! Structure of each picture: what must be in it, and where.

use fdc_draw::plot::critical_difference::{CriticalDifference, MeanRank};
use fdc_draw::plot::heat::{HeatMap, HeatRow};
use fdc_draw::plot::line::{LineChart, Point, Reference, Series};

fn series(name: &str, ys: &[f64]) -> Series {
    Series {
        name: name.to_owned(),
        points: ys
            .iter()
            .enumerate()
            .map(|(x, &y)| Point::with_band(x as f64, y, y - 0.1, y + 0.1))
            .collect(),
        emphasis: false,
    }
}

/// `(x, y, text)` of every label.
fn labels(svg: &str) -> Vec<(f64, f64, String)> {
    let attribute = |line: &str, name: &str| -> f64 {
        let start = line.find(&format!(" {name}=\"")).unwrap() + name.len() + 3;
        let rest = &line[start..];
        rest[..rest.find('"').unwrap()].parse().unwrap()
    };
    svg.lines()
        .filter(|line| line.starts_with("<text"))
        .map(|line| {
            let text = &line[line.find('>').unwrap() + 1..line.rfind("</text>").unwrap()];
            (attribute(line, "x"), attribute(line, "y"), text.to_owned())
        })
        .collect()
}

#[test]
fn names_of_lines_that_end_together_do_not_overlap() {
    for lines in [2, 7, 12, 20] {
        let chart = LineChart {
            series: (0..lines)
                .map(|i| series(&format!("metric {i}"), &[0.1, 0.4]))
                .collect(),
            reference: Some(Reference {
                name: "full suite".to_owned(),
                y: 0.4,
            }),
            ..LineChart::default()
        };
        let all = labels(&chart.svg().document());
        let mut ys: Vec<f64> = all
            .iter()
            .filter(|(_, _, text)| text.starts_with("metric") || text == "full suite")
            .map(|(_, y, _)| *y)
            .collect();
        assert_eq!(ys.len(), lines + 1);
        ys.sort_by(f64::total_cmp);
        assert!(ys.windows(2).all(|w| w[1] - w[0] > 13.0), "{ys:?}");
    }
}

#[test]
fn too_many_lines_for_the_side_get_a_legend_below() {
    let chart = LineChart {
        series: (0..40)
            .map(|i| series(&format!("m{i}"), &[0.1, 0.2]))
            .collect(),
        ..LineChart::default()
    };
    let all = labels(&chart.svg().document());
    let names: Vec<_> = all.iter().filter(|(_, _, t)| t.starts_with('m')).collect();
    assert_eq!(names.len(), 40);
    assert!(names.iter().all(|(_, y, _)| *y > 340.0));
}

#[test]
fn series_differ_without_colour() {
    let chart = LineChart {
        series: (0..5)
            .map(|i| series(&format!("m{i}"), &[0.1, 0.2]))
            .collect(),
        ..LineChart::default()
    };
    let svg = chart.svg().document();
    let mut dashes: Vec<&str> = svg
        .lines()
        .filter(|line| line.contains("stroke-linejoin"))
        .map(|line| line.split("stroke-dasharray").nth(1).unwrap_or(""))
        .collect();
    dashes.sort_unstable();
    dashes.dedup();
    assert_eq!(dashes.len(), 5);
}

#[test]
fn the_best_mean_rank_is_at_the_left_and_the_worst_at_the_right() {
    let entry = |name: &str, mean_rank| MeanRank {
        name: name.to_owned(),
        mean_rank,
    };
    let svg = CriticalDifference {
        entries: vec![
            entry("worst", 4.3),
            entry("best", 2.1),
            entry("next", 2.3),
            entry("third", 3.0),
        ],
        groups: vec![vec![1, 2]],
        critical_difference: Some(0.4),
        ..CriticalDifference::default()
    }
    .svg()
    .document();
    let all = labels(&svg);
    let at = |name: &str| all.iter().rfind(|(_, _, text)| text == name).unwrap();
    assert!(at("best").0 < 380.0 && at("next").0 < 380.0);
    assert!(at("worst").0 > 380.0 && at("third").0 > 380.0);
    assert!(at("best").1 < at("next").1 && at("worst").1 < at("third").1);
    assert!(all.iter().any(|(_, _, text)| text == "CD = 0.40"));
    assert_eq!(svg.matches("class=\"dot\"").count(), 2);
}

#[test]
fn every_bug_of_four_hundred_is_named_and_has_its_values() {
    let map = HeatMap {
        columns: (0..11).map(|c| c.to_string()).collect(),
        rows: (0..400)
            .map(|i| HeatRow {
                group: format!("project{}", i / 80),
                name: format!("bug{i}"),
                values: (0..11)
                    .map(|c| {
                        if c == 3 {
                            f64::NAN
                        } else {
                            f64::from(c) / -10.0
                        }
                    })
                    .collect(),
            })
            .collect(),
        ..HeatMap::default()
    };
    let svg = map.svg();
    let text = svg.document();
    let bugs = labels(&text)
        .iter()
        .filter(|(_, _, t)| t.starts_with("bug"))
        .count();
    assert_eq!(bugs, 400);
    assert_eq!(text.matches("<title>project").count(), 400);
    assert!(text.contains("<title>project4 bug399: 0  −0.10  −0.20  –  −0.40"));
    assert!(
        svg.width <= 960 && svg.height < 1400,
        "{} x {}",
        svg.width,
        svg.height
    );
    assert!(svg.description.contains("400 are better"));
}
