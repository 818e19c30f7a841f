//! A comparison as one page that opens offline.

use fdc_draw::text::counted;
use fdc_draw::{Fragment, Page};

use super::Comparison;
use super::changes::Changes;
use super::charts::{self, Figure};
use super::significance::{Measure, Significance};
use super::tables::{self, CurveMeasure, Digits};

/// What a page holds beside the comparison itself.
#[derive(Clone, Debug)]
pub struct Contents<'a> {
    /// The title.
    pub title: &'a str,
    /// The pictures, of [`super::charts::all`].
    pub pictures: &'a [Figure],
    /// Two metrics bug by bug.
    pub changes: Option<&'a Changes>,
    /// How acc@n is written.
    pub digits: Digits,
    /// What the reader should know about the inputs, a sentence each.
    pub notes: &'a [String],
    /// The command that makes the page again.
    pub command: &'a str,
}

/// What the measures mean, a term and a sentence on each line.
const TERMS: &str = "\
acc@n: bugs with a faulty method among the first n places; a bug with several runs (failing tests, \
seeds) counts the share of runs. Higher is better.
AP, mAP: average precision of the ranking, 1 when the faulty methods come first, and its mean over \
bugs. Higher is better.
by seed: the lowest and the highest mAP of a seed: of a training, or of an order of tests that ties are \
broken by.
area: mAP averaged over 1 to 10 added tests: the one number to compare metrics by. Higher is better.
first rank: mean place of the first faulty method. Lower is better.
wasted: faultless methods one expects to read before the first faulty one. Lower is better.
EXAM: first rank divided by the number of methods. Lower is better.
mean rank: place of the metric among the others on a bug (1 is best), averaged over bugs.
wins: share of bugs on which the metric does better than the one it is set against, ties counting half.
A12, effect: Vargha and Delaney's chance that the metric does better on some bug than the other on \
some bug; 0.5 is no effect. Where bugs are easy or hard for both it is near 0.5 even if one wins often.
95 % interval: bootstrap over bugs, of a mean or of one difference; it is not adjusted for the number \
of metrics. A difference whose interval holds 0 may be none.
p: how likely such a difference of ranks is by chance alone; adjusted for the number of pairs where \
there are more than two metrics. Ranks count on how many bugs a metric wins, not by how much.";

/// The terms that the tables of a comparison use, each with what it means.
pub fn terms(comparison: &Comparison) -> impl Iterator<Item = (&'static str, &'static str)> {
    let sizes_known = comparison.sizes_known;
    let terms = TERMS.lines().filter_map(|line| line.split_once(": "));
    let after = comparison.compared_after();
    let mut metrics = comparison.metrics.iter();
    let seeds_known = metrics.any(|own| own.map_spread(after).is_some());
    terms.filter(move |(term, _)| match *term {
        "wasted" | "EXAM" => sizes_known,
        "by seed" => seeds_known,
        _ => true,
    })
}

/// The page.
pub fn page(comparison: &Comparison, significance: &Significance, contents: &Contents) -> Page {
    let mut page = Page::new(contents.title)
        .lead(facts(comparison))
        .section("Findings")
        .paragraph(significance.verdict(comparison));
    page = match &significance.advice {
        Ok(advice) => page.paragraph(&advice.paragraph).paragraph(&advice.why),
        Err(_) => page.paragraph(significance.why_not().unwrap_or_default()),
    };
    let left_out = left_out_sentence(comparison).into_iter();
    let notes: Vec<String> = left_out.chain(contents.notes.iter().cloned()).collect();
    if !notes.is_empty() {
        page = page.list(notes);
    }
    page = page
        .table(tables::summary(comparison, contents.digits))
        .table(tables::intervals(comparison, significance));
    page = curves(page, comparison, contents);
    page = page.section("Differences");
    page = figures(page, contents, |name| name == "critical-difference");
    if comparison.metrics.len() > 1 {
        page = page.table(tables::contrasts(comparison, significance, &Measure::ALL));
    }
    if let Some(pairs) = tables::pairs(comparison, significance) {
        page = page.table(pairs);
    }
    page = page.section("Projects").table(tables::projects(comparison));
    page = page.section("Bugs");
    if let Some(changes) = contents.changes {
        page = page.paragraph(changes.sentence());
        page = page.table(changes.table(|_| true));
    }
    page = figures(page, contents, |name| name.starts_with("rank-change"));
    page.section("All numbers")
        .table(tables::accuracy(comparison, contents.digits))
        .section("What the words mean")
        .list(terms(comparison).map(|(term, meaning)| format!("{term}: {meaning}")))
        .section("How it was made")
        .code(contents.command)
}

/// The findings for the output of a notebook's cell.
pub fn cell(
    comparison: &Comparison,
    significance: &Significance,
    changes: Option<&Changes>,
    notes: &[String],
) -> Fragment {
    let mut cell = Fragment::default()
        .paragraph(significance.verdict(comparison))
        .table(&tables::summary(comparison, Digits::Rounded));
    cell = match changes {
        Some(changes) => cell
            .paragraph(changes.sentence())
            .table(&changes.table(|_| true)),
        None => cell.figure(
            &charts::curve(comparison, CurveMeasure::Map).svg(),
            facts(comparison),
        ),
    };
    let left_out = left_out_sentence(comparison).into_iter();
    left_out
        .chain(notes.iter().cloned())
        .fold(cell, Fragment::remark)
}

/// How many metrics, bugs, projects and tests.
pub fn facts(comparison: &Comparison) -> String {
    let count = |number: usize, noun: &str| counted(number as u64, noun);
    let metrics = count(comparison.metrics.len(), "metric");
    let bugs = count(comparison.bugs().len(), "bug");
    let projects = count(comparison.projects().len(), "project");
    let tests = super::tests_text(comparison.tests);
    format!("{metrics} on {bugs} of {projects}, up to {tests} added.")
}

/// How many bugs were left out, if any, and why.
pub fn left_out_sentence(comparison: &Comparison) -> Option<String> {
    let left_out = &comparison.left_out;
    let first = left_out.first()?;
    let which = match left_out.len() {
        1 => "1 bug was left out".to_owned(),
        number => format!("{number} bugs were left out"),
    };
    let bug = format!("{} {}", first.bug.subject, first.bug.version);
    let missing = first.missing.join(", ");
    Some(format!(
        "{which}: only bugs that all compared metrics have are compared ({bug} has no results of \
         {missing})."
    ))
}

fn curves(mut page: Page, comparison: &Comparison, contents: &Contents) -> Page {
    page = page.section("Test by test");
    let is_curve = |own: &&Figure| own.name == "map" || own.name.starts_with("acc-");
    let mut drawn = contents.pictures.iter().filter(is_curve);
    for measure in CurveMeasure::map_first() {
        if let Some(picture) = drawn.next() {
            page = page.figure(picture.svg.clone(), &picture.caption);
        }
        page = page.table(tables::curve(comparison, measure, contents.digits.narrow()));
    }
    page
}

fn figures(mut page: Page, contents: &Contents, keep: impl Fn(&str) -> bool) -> Page {
    let pictures = contents.pictures.iter();
    for picture in pictures.filter(|picture| keep(&picture.name)) {
        page = page.figure(picture.svg.clone(), &picture.caption);
    }
    page
}
