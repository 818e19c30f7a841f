//! Picks the test that fits the data, says why, runs it, and writes the
//! paragraph for an article, in the manner of autorank (S. Herbold, *Autorank:
//! a Python package for automated ranking of classifiers*, JOSS 5, 2020).
//!
//! Only rank tests are offered. Scores of fault localisation are bounded,
//! skewed and full of ties, so a test of normality would decide nothing, and
//! Demšar (JMLR 7, 2006) recommends ranks for such data in any case.

use super::ALPHA;
use super::effect::{A12, wins};
use super::error::Result;
use super::friedman::{Friedman, ImanDavenport, Ties};
use super::groups::HomogeneousGroups;
use super::matrix::ScoreMatrix;
use super::pairs::PairTable;
use super::posthoc::{self, Adjustment};
use super::ranks::RankTable;
use super::wilcoxon::{EXACT_PAIRS, SignedRank};

/// Rule for ties, and the words of the paragraph. Blocks are bugs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdviceOptions<'a> {
    /// The rule for ties in Friedman's test.
    pub ties: Ties,
    /// The adjustment to use in place of the strongest possible one.
    pub adjustment: Option<Adjustment>,
    /// What the scores are, as in "by their *average precision*".
    pub measure: &'a str,
}

/// The test that was picked and everything it found.
#[derive(Clone, Debug, PartialEq)]
pub struct StatisticalAdvice {
    /// Why this test: one or two sentences.
    pub why: String,
    /// What the test found.
    pub finding: Finding,
    /// One paragraph for an article.
    pub paragraph: String,
}

/// What the test found.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// Two metrics: Wilcoxon's signed-rank test.
    Two(Two),
    /// More: Friedman, Iman–Davenport and a post hoc test.
    Many(Many),
}

/// Results for two metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct Two {
    /// The signed-rank test.
    pub test: SignedRank,
    /// The share of bugs on which the first metric beats the second, ties counting half.
    pub wins: f64,
    /// The first metric's values against the second's.
    pub effect: A12,
    /// Whether p is at most the level.
    pub differ: bool,
}

/// Results for three or more metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct Many {
    /// In the order of the metrics; 1 is the best.
    pub mean_ranks: Vec<f64>,
    /// Whether any metric differs.
    pub friedman: Friedman,
    /// The same, less conservative.
    pub iman_davenport: ImanDavenport,
    /// None when Iman–Davenport finds no difference: pairs are then not tested.
    pub pairs: Option<Pairs>,
}

/// The post hoc test of [`Many`].
#[derive(Clone, Debug, PartialEq)]
pub struct Pairs {
    /// How p-values are adjusted for the number of pairs.
    pub adjustment: Adjustment,
    /// Before that.
    pub raw: PairTable,
    /// After that.
    pub adjusted: PairTable,
    /// Metrics that do not differ.
    pub groups: HomogeneousGroups,
}

/// Picks and runs the test for a matrix of at least two blocks.
pub fn advise(scores: &ScoreMatrix, options: AdviceOptions<'_>) -> Result<StatisticalAdvice> {
    if scores.metrics() == 2 {
        advise_two(scores, options)
    } else {
        advise_many(scores, options)
    }
}

/// A p-value for running text: four decimals, or two significant digits below
/// 0.001, or "p < 2.2e-16" below the bound that R prints.
pub fn p_text(p: f64) -> String {
    match p {
        ..2.2e-16 => "p < 2.2e-16".to_owned(),
        ..0.001 => format!("p = {p:.1e}"),
        _ => format!("p = {p:.4}"),
    }
}

fn advise_two(scores: &ScoreMatrix, options: AdviceOptions<'_>) -> Result<StatisticalAdvice> {
    let (x, y) = (scores.column(0), scores.column(1));
    let test = SignedRank::new(&x, &y)?;
    let (wins, effect) = (wins(&x, &y)?, A12::of(&x, &y)?);
    let differ = test.p <= ALPHA;
    let kind = match test.z {
        Some(_) => "the normal approximation with corrections for ties and continuity",
        None => "the exact distribution",
    };
    let reason = match (test.z, test.zeros, test.tied) {
        (None, ..) => "few pairs without ties or equal values".to_owned(),
        (Some(_), 0, 0) => format!("more than {EXACT_PAIRS} pairs"),
        (Some(_), zeros, tied) => {
            format!("{zeros} equal pairs (left out) and {tied} tied differences")
        }
    };
    let why = format!(
        "Two metrics were measured on the same bugs, so the values come in pairs and Wilcoxon's \
         signed-rank test fits; it does not assume normality. Its p-value comes from {kind}: {reason}."
    );
    let [a, b] = [&scores.names()[0], &scores.names()[1]];
    let bugs = scores.blocks();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / bugs as f64;
    let higher = x.iter().zip(&y).filter(|(x, y)| x > y).count();
    let paragraph = format!(
        "We compared {a} and {b} by their {} over {bugs} bugs. Wilcoxon's signed-rank test with \
         {kind} finds {} difference at the {} level (R+ = {}, R- = {}, {}{}). {a} is higher on \
         {higher} bugs, lower on {} and equal on {}; the means are {:.4} and {:.4}. {a} wins \
         {:.0} % of the bugs, ties counting half; Vargha and Delaney's A12 is {:.2}, a {} effect.",
        options.measure,
        if differ { "a" } else { "no" },
        ALPHA,
        test.r_plus,
        test.r_minus,
        test.z.map_or(String::new(), |z| format!("z = {z:.2}, ")),
        p_text(test.p),
        bugs - higher - test.zeros,
        test.zeros,
        mean(&x),
        mean(&y),
        100.0 * wins,
        effect.value(),
        effect.magnitude(),
    );
    Ok(StatisticalAdvice {
        why,
        finding: Finding::Two(Two {
            test,
            wins,
            effect,
            differ,
        }),
        paragraph,
    })
}

fn advise_many(scores: &ScoreMatrix, options: AdviceOptions<'_>) -> Result<StatisticalAdvice> {
    let ranks = RankTable::new(scores);
    let friedman = Friedman::new(&ranks, options.ties)?;
    let iman_davenport = ImanDavenport::new(&friedman);
    let strongest = Adjustment::strongest(scores.metrics());
    let adjustment = options.adjustment.unwrap_or(strongest);
    let pairs = || {
        let raw = posthoc::raw_p_values(&ranks);
        let adjusted = adjustment.adjust(&raw)?;
        Ok(Pairs {
            adjustment,
            groups: HomogeneousGroups::new(&ranks.means, &adjusted),
            raw,
            adjusted,
        })
    };
    let differ = iman_davenport.p <= ALPHA;
    let pairs = differ.then(pairs).transpose()?;
    let many = Many {
        mean_ranks: ranks.means,
        friedman,
        iman_davenport,
        pairs,
    };
    Ok(StatisticalAdvice {
        why: many_why(scores, adjustment, options),
        paragraph: many_paragraph(scores, &many, options),
        finding: Finding::Many(many),
    })
}

fn many_why(scores: &ScoreMatrix, adjustment: Adjustment, options: AdviceOptions<'_>) -> String {
    let most = super::bergmann::MAX_METRICS;
    let choice = match (options.adjustment, adjustment) {
        (Some(_), _) => "as asked for".to_owned(),
        (None, Adjustment::BergmannHommel) => {
            format!("the most powerful exact procedure, feasible for up to {most} metrics")
        }
        (None, _) => {
            format!("since Bergmann and Hommel's is only enumerated for up to {most} metrics")
        }
    };
    format!(
        "{} metrics were measured on the same bugs, so Friedman's rank test fits; it does not assume \
         normality. Iman and Davenport's form is used because the chi-square form is too \
         conservative. Pairs are compared by mean ranks with {} adjustment, {choice}.",
        scores.metrics(),
        adjustment.display_name(),
    )
}

fn many_paragraph(scores: &ScoreMatrix, many: &Many, options: AdviceOptions<'_>) -> String {
    let names = scores.names();
    let (friedman, f) = (&many.friedman, &many.iman_davenport);
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&a, &b| many.mean_ranks[a].total_cmp(&many.mean_ranks[b]));
    let rank = |&m: &usize| format!("{} {:.2}", names[m], many.mean_ranks[m]);
    let ranked: Vec<String> = order.iter().map(rank).collect();
    let ties = match friedman.ties {
        Ties::Ignored => "without",
        Ties::Corrected => "with",
    };
    let (verdict, pairs) = match &many.pairs {
        Some(pairs) => ("finds that they differ", pairs_text(names, pairs)),
        None => (
            "finds no difference between them",
            "Pairs were therefore not compared.".to_owned(),
        ),
    };
    format!(
        "We compared {} metrics ({}) by their {} over {} bugs. Friedman's test ({ties} correction \
         for ties) in Iman and Davenport's form {verdict} at the {} level (chi-square({}) = {:.2}, \
         F({}, {}) = {:.2}, {}). The mean ranks, 1 being best, are {}. {pairs}",
        names.len(),
        list(names),
        options.measure,
        scores.blocks(),
        ALPHA,
        friedman.df,
        friedman.chi_square,
        f.df1,
        f.df2,
        f.f,
        p_text(f.p),
        list(&ranked),
    )
}

/// Pairs that do not differ are listed with their p-values up to this number, above it as the
/// groups of the critical-difference diagram: nobody reads a hundred.
const ALIKE_LISTED: usize = 10;

/// Which pairs differ, from the best metric down, and which do not.
fn pairs_text(names: &[String], pairs: &Pairs) -> String {
    let (adjusted, order) = (&pairs.adjusted, &pairs.groups.order);
    let named = |metrics: &[usize]| {
        let names: Vec<String> = metrics.iter().map(|&m| names[m].clone()).collect();
        list(&names)
    };
    let (mut better, mut alike) = (Vec::new(), Vec::new());
    for (place, &m) in order.iter().enumerate() {
        let below = order[place + 1..].iter().copied();
        let (beaten, equal): (Vec<usize>, Vec<usize>) =
            below.partition(|&other| adjusted.get(m, other) <= ALPHA);
        alike.extend(equal.iter().map(|&other| {
            let p = p_text(adjusted.get(m, other));
            format!("{} and {} ({p})", names[m], names[other])
        }));
        if !beaten.is_empty() {
            better.push(format!("{} is better than {}", names[m], named(&beaten)));
        }
    }
    let adjustment = match pairs.adjustment {
        Adjustment::Unadjusted => "without adjustment".to_owned(),
        method => format!("after {} adjustment", method.display_name()),
    };
    let total = adjusted.values().len();
    let differing = total - alike.len();
    let mut text = format!("Of the {total} pairs, {differing} differ {adjustment}");
    if !better.is_empty() {
        text += &format!(": {}", better.join("; "));
    }
    if alike.len() > ALIKE_LISTED {
        let bars: Vec<String> = pairs.groups.bars.iter().map(|bar| named(bar)).collect();
        text += ". No difference was found among ";
        text += &bars.join(", nor among ");
        let pair = |&(a, b): &(usize, usize)| format!("{} and {}", names[a], names[b]);
        let others: Vec<String> = pairs.groups.unjoined.iter().map(pair).collect();
        if !others.is_empty() {
            text += &format!(", nor between {}", others.join(", between "));
        }
    } else if let [init @ .., last] = &alike[..] {
        text += ". No difference was found between ";
        text += &init.join(", between ");
        let alone = init.is_empty();
        text += if alone { "" } else { ", nor between " };
        text += last;
    }
    text + "."
}

/// "a", "a and b", "a, b and c".
pub fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: AdviceOptions<'_> = AdviceOptions {
        ties: Ties::Ignored,
        adjustment: None,
        measure: "average precision after ten tests",
    };

    #[test]
    fn p_values_are_written_as_articles_do() {
        assert_eq!(p_text(0.06971), "p = 0.0697");
        assert_eq!(p_text(1.0), "p = 1.0000");
        assert_eq!(p_text(0.000_123), "p = 1.2e-4");
        assert_eq!(p_text(1e-110), "p < 2.2e-16");
    }

    #[test]
    fn lists_end_in_and() {
        let names = ["a", "b", "c"].map(String::from);
        assert_eq!(list(&names), "a, b and c");
        assert_eq!(list(&names[..1]), "a");
    }

    #[test]
    fn two_metrics_get_wilcoxon() {
        let rows: Vec<[f64; 2]> = (1..=12).map(|i| [f64::from(i) * 0.11, 0.01]).collect();
        let scores = ScoreMatrix::new(["new", "old"], rows).unwrap();
        let advice = advise(&scores, OPTIONS).unwrap();
        let Finding::Two(two) = &advice.finding else {
            panic!("expected a pair");
        };
        assert!(two.differ && two.test.z.is_none());
        assert_eq!(
            advice.paragraph,
            "We compared new and old by their average precision after ten tests over 12 bugs. \
             Wilcoxon's signed-rank test with the exact distribution finds a difference at the \
             0.05 level (R+ = 78, R- = 0, p = 4.9e-4). new is higher on 12 bugs, lower on 0 and \
             equal on 0; the means are 0.7150 and 0.0100. new wins 100 % of the bugs, ties \
             counting half; Vargha and Delaney's A12 is 1.00, a large effect."
        );
        assert!(advice.why.contains("few pairs without ties"));
    }

    #[test]
    fn no_omnibus_difference_means_no_pairwise_tests() {
        let rows = [[1.0, 2.0, 3.0], [3.0, 1.0, 2.0], [2.0, 3.0, 1.0]];
        let scores = ScoreMatrix::new(["a", "b", "c"], rows).unwrap();
        let advice = advise(&scores, OPTIONS).unwrap();
        assert!(
            advice
                .paragraph
                .contains("finds no difference between them")
        );
        assert!(matches!(
            advice.finding,
            Finding::Many(Many { pairs: None, .. })
        ));
    }

    #[test]
    fn ten_metrics_get_shaffer_and_say_why() {
        let rows: Vec<Vec<f64>> = (0..30)
            .map(|b| {
                (0..10)
                    .map(|m| f64::from(m * 3 + (b * (m + 1)) % 7))
                    .collect()
            })
            .collect();
        let names: Vec<String> = (0..10).map(|m| format!("m{m}")).collect();
        let scores = ScoreMatrix::new(names, rows).unwrap();
        let advice = advise(&scores, OPTIONS).unwrap();
        let Finding::Many(Many {
            pairs: Some(pairs), ..
        }) = &advice.finding
        else {
            panic!("expected pairs");
        };
        assert_eq!(pairs.adjustment, Adjustment::Shaffer);
        assert!(advice.why.contains("only enumerated for up to 9 metrics"));
    }
}
