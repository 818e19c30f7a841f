//! Draws every plot and the page with made-up data of realistic size, to look at:
//! `cargo run --release -p fdc-draw --features png --example look -- DIR`

use std::path::Path;

use fdc_draw::plot::critical_difference::{CriticalDifference, MeanRank};
use fdc_draw::plot::heat::{HeatMap, HeatRow};
use fdc_draw::plot::line::{LineChart, Point, Reference, Series};
use fdc_draw::{Best, Cell, Column, Fonts, Page, Svg, Table};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "report-look".to_owned());
    let dir = Path::new(&dir);
    std::fs::create_dir_all(dir)?;
    let fonts = Fonts::system()?;
    let pictures = [
        ("map-curves", map_curves(12)),
        ("map-curves-few", map_curves(4)),
        ("map-curves-some", map_curves(7)),
        ("legend", legend()),
        ("learning", learning()),
        ("critical-difference", critical_difference()),
        ("critical-difference-many", critical_difference_many()),
        ("heat-400", heat_ap()),
        ("heat-metrics", heat_ranks()),
        ("empty", LineChart::default().svg()),
    ];
    for (name, svg) in &pictures {
        std::fs::write(dir.join(format!("{name}.svg")), svg.document())?;
        std::fs::write(dir.join(format!("{name}.png")), fonts.png(svg, 1.5)?)?;
    }
    std::fs::write(dir.join("page.html"), page().html())?;
    Ok(())
}

const METRICS: [(&str, f64); 12] = [
    ("RLFDC", 0.412),
    ("FDG", 0.421),
    ("TfD", 0.371),
    ("DDU", 0.338),
    ("EntBug", 0.272),
    ("Total", 0.268),
    ("Additional", 0.301),
    ("Prox", 0.333),
    ("S3", 0.362),
    ("FLINT", 0.346),
    ("RAPTER", 0.374),
    ("Split (α = 0.3)", 0.398),
];

fn curves(lines: usize) -> LineChart {
    let series = METRICS.iter().take(lines).enumerate();
    let series = series.map(|(i, (name, end))| Series {
        name: (*name).to_owned(),
        points: (0..=10)
            .map(|x| {
                let x = f64::from(x);
                let y = 0.183 + (end - 0.183) * (1.0 - (-x / (2.0 + i as f64 * 0.2)).exp());
                let half = 0.018 + 0.001 * x;
                Point::with_band(x, y, y - half, y + half)
            })
            .collect(),
        emphasis: i == 0,
    });
    LineChart {
        title: "mAP after 0 to 10 tests, 351 bugs (95 % bootstrap intervals)".to_owned(),
        x_label: "tests added".to_owned(),
        y_label: "mean average precision".to_owned(),
        series: series.collect(),
        reference: Some(Reference {
            name: "full suite".to_owned(),
            y: 0.447,
        }),
        ..LineChart::default()
    }
}

fn map_curves(lines: usize) -> Svg {
    curves(lines).svg()
}

/// Too many lines to name each at its end.
fn legend() -> Svg {
    let chart = curves(12);
    let series = chart.series.iter().cycle().take(30).cloned().collect();
    LineChart { series, ..chart }.svg()
}

fn learning() -> Svg {
    let mut noise = Noise(7);
    let series = ["target", "double", "regular", "simple-net"]
        .iter()
        .enumerate();
    let series = series.map(|(i, name)| Series {
        name: (*name).to_owned(),
        points: (1..=300)
            .map(|x| {
                let x = f64::from(x);
                let rise = 0.62 - 0.09 * i as f64;
                let y = rise * (1.0 - (-x / 60.0).exp()) + 0.05 * (noise.next() - 0.5);
                Point::with_band(x, y, y - 0.05, y + 0.05)
            })
            .collect(),
        emphasis: i == 0,
    });
    LineChart {
        title: "Mean reward while training, mean of 10 seeds".to_owned(),
        x_label: "training version".to_owned(),
        y_label: "reward per episode".to_owned(),
        series: series.collect(),
        y_include: vec![0.0],
        ..LineChart::default()
    }
    .svg()
}

fn critical_difference() -> Svg {
    let ranks = [4.2949, 3.4031, 2.8405, 2.3390, 2.1225];
    let names = ["EntBug", "DDU", "TfD", "RLFDC", "FDG"];
    CriticalDifference {
        title: "Mean ranks by AP after ten tests, 351 bugs".to_owned(),
        entries: entries(names.into_iter().zip(ranks)),
        groups: vec![vec![3, 4]],
        critical_difference: Some(0.33),
    }
    .svg()
}

fn critical_difference_many() -> Svg {
    let ranked = METRICS
        .iter()
        .map(|(name, end)| (*name, 1.0 + (0.43 - end) * 62.0));
    CriticalDifference {
        title: "Twelve metrics with overlapping groups".to_owned(),
        entries: entries(ranked),
        groups: vec![
            vec![0, 1, 11],
            vec![2, 8, 10],
            vec![8, 9],
            vec![3, 7, 9],
            vec![4, 5],
        ],
        critical_difference: None,
    }
    .svg()
}

fn entries<'a>(ranked: impl Iterator<Item = (&'a str, f64)>) -> Vec<MeanRank> {
    ranked
        .map(|(name, mean_rank)| MeanRank {
            name: name.to_owned(),
            mean_rank,
        })
        .collect()
}

fn bugs(columns: usize, mut value: impl FnMut(usize, usize) -> f64) -> Vec<HeatRow> {
    let projects = [
        ("Chart", 26),
        ("Closure", 133),
        ("Lang", 65),
        ("Math", 106),
        ("Mockito", 38),
        ("Time", 27),
    ];
    let mut rows = Vec::new();
    for (project, size) in projects {
        for bug in 1..=size {
            let values = (0..columns).map(|c| value(rows.len(), c)).collect();
            rows.push(HeatRow {
                group: project.to_owned(),
                name: bug.to_string(),
                values,
            });
        }
    }
    rows
}

fn heat_ap() -> Svg {
    let mut noise = Noise(3);
    let mut level = 0.0;
    HeatMap {
        title: "Change of the average rank against the start, RLFDC".to_owned(),
        row_noun: "bug",
        column_label: "tests added".to_owned(),
        value_label: "change of rank (fewer is better)".to_owned(),
        columns: (0..=10).map(|c| c.to_string()).collect(),
        rows: bugs(11, |r, c| {
            if c == 0 {
                level = 0.0;
            } else if noise.next() < 0.35 {
                level += (noise.next() - 0.33) * 0.5;
            }
            let missing = r % 97 == 5 && c > 5;
            if missing {
                f64::NAN
            } else {
                f64::clamp(-level, -1.0, 1.0)
            }
        }),
    }
    .svg()
}

fn heat_ranks() -> Svg {
    let mut noise = Noise(5);
    let mut rows = bugs(METRICS.len(), |_, c| {
        let change: f64 = (noise.next() - 0.62 + c as f64 * 0.02) * 9.0;
        (change.signum() * change.abs().exp())
            .trunc()
            .clamp(-900.0, 900.0)
    });
    rows.truncate(70);
    HeatMap {
        title: "Change of the first faulty method's rank after ten tests".to_owned(),
        row_noun: "bug",
        column_label: "metric".to_owned(),
        value_label: "change of rank (fewer is better)".to_owned(),
        columns: METRICS.iter().map(|(name, _)| (*name).to_owned()).collect(),
        rows,
    }
    .svg()
}

fn page() -> Page {
    let mut table = Table::new(
        "Accuracy after ten tests",
        vec![
            Column::text("metric"),
            Column::number("acc@1").best(Best::Highest),
            Column::number("mAP").best(Best::Highest),
            Column::number("mean rank").best(Best::Lowest),
            Column::number("p (Bergmann–Hommel)"),
        ],
    );
    for (i, (name, end)) in METRICS.iter().enumerate() {
        let p = if i == 0 {
            f64::NAN
        } else {
            0.0697 / (i * i * i) as f64
        };
        table = table.row(vec![
            Cell::text(*name),
            Cell::decimals((end * 351.0 * 0.7).round(), 0),
            Cell::decimals(*end, 4),
            Cell::decimals(1.0 + (0.43 - end) * 62.0, 2),
            Cell::number(
                p,
                if p.is_nan() {
                    "–".to_owned()
                } else {
                    format!("{p:.1e}")
                },
            ),
        ]);
    }
    let mut bugs = Table::new(
        "Bugs that changed most",
        vec![
            Column::text("bug"),
            Column::number("AP before"),
            Column::number("AP after").best(Best::Highest),
        ],
    );
    for i in [10, 2, 1, 33, 4] {
        let before = 1.0 / f64::from(i);
        bugs = bugs.row(vec![
            Cell::text(format!("Lang-{i}")),
            Cell::decimals(before, 3),
            Cell::decimals(before / 2.0 + 0.3, 3),
        ]);
    }
    bugs = bugs.row(vec![
        Cell::text("<script>alert(1)</script>\"'&\u{202e}gnp"),
        Cell::decimals(f64::NAN, 3),
        Cell::decimals(0.5, 3),
    ]);
    Page::new("RQ1: which metric finds the fault with the fewest tests?")
        .lead("Human-written tests, 351 bugs of six projects, one seed; made-up numbers to look at.")
        .section("Findings")
        .paragraph("Friedman's test without tie correction rejects that all metrics are equal (χ² = 431.24, Iman–Davenport F = 155.16, p < 2.2e-16). RLFDC and FDG do not differ at 0.05 (p = 0.0697); both differ from the others.")
        .list(["Blocks are bugs; values are the AP after ten tests.", "Intervals are bootstrap percentiles, clustered by bug."])
        .section("Accuracy")
        .table(table)
        .figure(map_curves(12), "mAP after each added test, with 95 % intervals.")
        .section("Mean ranks")
        .figure(critical_difference(), "Mean ranks; a bar joins metrics that do not differ at 0.05.")
        .section("Bugs")
        .table(bugs)
        .figure(heat_ap(), "Change of AP of each bug. Point at a row for its values.")
        .section("Training")
        .figure(learning(), "Learning curves of the four variants.")
        .section("How it was made")
        .code("fdc study studies/rq1.toml --data ../shared\nfdc compare results/rq1 --html report.html")
}

/// Made-up numbers in 0..1 that are the same in every run.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1u64 << 24) as f64
    }
}
