//! A comparison for programs: schemas/compare.schema.json.

use fdc_core::Named as _;
use fdc_core::spectrum::Bug;
use fdc_study::comparison::Comparison;
use fdc_study::comparison::changes::{Changes, Direction};
use fdc_study::comparison::significance::{Contrast, Significance};
use fdc_study::measures::{ACC_AT, At, MetricValues, Spread};
use fdc_study::stats::ALPHA;
use fdc_study::stats::advice::{Finding, Many, Two};
use serde_json::{Map, Value, json};

use super::View;
use crate::output::score_json;

impl View<'_> {
    pub(super) fn document(&self) -> Value {
        let (reply, arguments) = (self.reply, self.arguments);
        let comparison = &reply.comparison;
        let inputs = arguments.results.iter();
        let left_out = comparison.left_out.iter().map(|left| {
            let mut value = bug(&left.bug);
            value["missing"] = json!(left.missing);
            value
        });
        let mut document = json!({
            "schema": 1,
            "inputs": inputs.map(|path| path.display().to_string()).collect::<Vec<_>>(),
            "notes": reply.notes,
            "metrics": names(comparison),
            "tests": comparison.tests,
            "bugs": comparison.bugs().len(),
            "left_out": left_out.collect::<Vec<_>>(),
            "all": scope(comparison),
            "statistics": statistics(comparison, &reply.significance),
        });
        if arguments.by_project {
            let projects = comparison.projects();
            let parts = projects.keys().map(|project| {
                let part = comparison.of_project(project);
                json!({"project": project, "bugs": part.bugs().len(), "metrics": scope(&part)})
            });
            document["projects"] = parts.collect();
        }
        if let Some(changes) = &reply.changes {
            document["changes"] = changes_json(changes);
        }
        document
    }
}

/// Every metric's values over the bugs of a comparison.
fn scope(comparison: &Comparison) -> Value {
    let metric = |metric: &MetricValues| {
        let points = comparison.points().into_iter().map(|at| {
            let total = metric.total(at);
            let mut point = Map::new();
            let tests = match at {
                At::Tests(tests) => json!(tests),
                At::Full => json!("full"),
            };
            point.insert("tests".into(), tests);
            for (n, value) in ACC_AT.iter().zip(total.acc) {
                point.insert(format!("acc@{n}"), json!(value));
            }
            point.insert("mAP".into(), json!(total.ap));
            point.insert("first_rank".into(), json!(total.first_rank));
            let known = |value: f64| comparison.sizes_known.then_some(value);
            point.insert("wasted".into(), json!(known(total.wasted)));
            point.insert("exam".into(), json!(known(total.exam)));
            Value::from(point)
        });
        let mut value = json!({
            "metric": metric.metric,
            "area": metric.area(),
            "points": points.collect::<Vec<_>>(),
        });
        if let Some(spread) = metric.map_spread(comparison.compared_after()) {
            let Spread { low, high, seeds } = spread;
            value["by_seed"] = json!({"seeds": seeds, "low": low, "high": high});
        }
        value
    };
    comparison.metrics.iter().map(metric).collect()
}

fn statistics(comparison: &Comparison, significance: &Significance) -> Value {
    let names = names(comparison);
    let metrics = names.iter().enumerate().map(|(place, name)| {
        let estimate = &significance.estimates[place];
        json!({
            "metric": name,
            "mAP": estimate.map,
            "area": estimate.area,
            "contrast": significance.contrasts[place].as_ref().map(contrast),
        })
    });
    let mut value = json!({
        "measure": significance.measure.name(),
        "after": comparison.compared_after(),
        "alpha": ALPHA,
        "against": names[significance.against],
        "metrics": metrics.collect::<Vec<_>>(),
    });
    match &significance.advice {
        Ok(advice) => {
            value["why"] = json!(advice.why);
            value["paragraph"] = json!(advice.paragraph);
            value["test"] = match &advice.finding {
                Finding::Two(found) => two(found),
                Finding::Many(found) => many(&names, found),
            };
        }
        Err(_) => value["why"] = json!(significance.why_not()),
    }
    value
}

fn two(found: &Two) -> Value {
    json!({
        "name": "wilcoxon",
        "pairs": found.test.pairs,
        "zeros": found.test.zeros,
        "r_plus": found.test.r_plus,
        "r_minus": found.test.r_minus,
        "z": found.test.z,
        "p": found.test.p,
        "wins": found.wins,
        "a12": found.effect.value(),
        "differ": found.differ,
    })
}

fn many(names: &[&str], found: &Many) -> Value {
    let ranks = names.iter().zip(&found.mean_ranks);
    let ranks = ranks.map(|(&name, &rank)| (name.to_owned(), json!(rank)));
    let posthoc = found.pairs.as_ref().map(|pairs| {
        let bar = |bar: &Vec<usize>| bar.iter().map(|&place| names[place]).collect::<Vec<_>>();
        let pair = |(a, b, p)| {
            json!({"a": names[a], "b": names[b], "p": p, "p_adjusted": pairs.adjusted.get(a, b)})
        };
        json!({
            "adjustment": pairs.adjustment.name(),
            "pairs": pairs.raw.iter().map(pair).collect::<Vec<_>>(),
            "not_different": pairs.groups.bars.iter().map(bar).collect::<Vec<_>>(),
        })
    });
    json!({
        "name": "friedman",
        "ties": found.friedman.ties.name(),
        "mean_ranks": ranks.collect::<Map<_, _>>(),
        "chi_square": found.friedman.chi_square,
        "df": found.friedman.df,
        "p": found.friedman.p,
        "iman_davenport": {
            "f": score_json(found.iman_davenport.f),
            "df1": found.iman_davenport.df1,
            "df2": found.iman_davenport.df2,
            "p": found.iman_davenport.p,
        },
        "posthoc": posthoc,
    })
}

fn contrast(contrast: &Contrast) -> Value {
    json!({
        "mAP": contrast.map,
        "area": contrast.area,
        "wins": contrast.wins,
        "a12": contrast.effect.value(),
        "effect": contrast.effect.magnitude(),
        "p": contrast.p,
    })
}

fn changes_json(changes: &Changes) -> Value {
    let bugs = changes.bugs.iter().map(|change| {
        let mut value = bug(&change.bug);
        value["ap"] = json!(change.ap);
        value["ap_gain"] = json!(change.ap_gain());
        value["first_rank"] = json!(change.first_rank);
        value["rank_change"] = json!(change.rank_change());
        value
    });
    json!({
        "from": changes.from,
        "to": changes.to,
        "after": changes.tests,
        "better": changes.count(Direction::Better),
        "worse": changes.count(Direction::Worse),
        "equal": changes.count(Direction::Equal),
        "bugs": bugs.collect::<Vec<_>>(),
    })
}

fn names(comparison: &Comparison) -> Vec<&str> {
    let metrics = comparison.metrics.iter();
    metrics.map(|metric| &*metric.metric).collect()
}

fn bug(bug: &Bug) -> Value {
    json!({"subject": bug.subject, "version": bug.version})
}
