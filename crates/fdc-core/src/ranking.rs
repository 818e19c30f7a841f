//! From counts to places: scores of lines, methods or files, ranked with an explicit tie policy.

use crate::coverage::{Coverage, UnitColumns};
use crate::formula::Formula;
use crate::named::Named;
use crate::spectrum::{MethodId, Spectrum};
use crate::tally::Tally;

/// What is ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Methods with at least one element.
    Method,
    /// Elements.
    Line,
    /// Files (classes where no path is known) with at least one element.
    File,
}

impl Named for Level {
    const TABLE: &'static [(Self, &'static str, &'static str)] = &[
        (Level::Method, "method", "Methods and functions"),
        (Level::Line, "line", "Source lines"),
        (
            Level::File,
            "file",
            "Files (classes where no path is known)",
        ),
    ];
}

/// How line scores are combined into those of methods and files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// The largest line score.
    Max,
    /// The mean over lines.
    Mean,
    /// The sum over lines.
    Sum,
}

impl Named for Aggregate {
    const TABLE: &'static [(Self, &'static str, &'static str)] = &[
        (Aggregate::Max, "max", "The largest line score"),
        (Aggregate::Mean, "mean", "The mean line score"),
        (Aggregate::Sum, "sum", "The sum of line scores"),
    ];
}

/// The place of units with equal scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TiePolicy {
    /// The worst place of the tie: three tied firsts are all at 3.
    Max,
    /// The best place of the tie.
    Min,
    /// The mean place of the tie.
    Average,
    /// The expected place of the tie's first faulty unit if the tie is read in random order; with
    /// no faulty unit known in it, that of any one unit (the mean place).
    Expected,
}

impl Named for TiePolicy {
    const TABLE: &'static [(Self, &'static str, &'static str)] = &[
        (TiePolicy::Max, "max", "The worst place of the tie"),
        (TiePolicy::Min, "min", "The best place of the tie"),
        (TiePolicy::Average, "average", "The mean place of the tie"),
        (
            TiePolicy::Expected,
            "expected",
            "The expected place of the tie's first faulty method",
        ),
    ];
}

/// Everything that turns counts into places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankingOptions {
    /// The suspiciousness of a line.
    pub formula: &'static Formula,
    /// Lines to methods and files.
    pub aggregate: Aggregate,
    /// Places of ties.
    pub tie: TiePolicy,
}

impl Default for RankingOptions {
    fn default() -> Self {
        RankingOptions {
            formula: Formula::default_formula(),
            aggregate: Aggregate::Max,
            tie: TiePolicy::Max,
        }
    }
}

/// Ranks one spectrum's units again and again: what does not depend on the counts is kept.
#[derive(Clone, Debug)]
pub struct Ranker {
    options: RankingOptions,
    /// The ranked units, by their numbers at their level (method, element or file).
    units: UnitColumns,
    faulty: Vec<bool>,
}

/// One line of a ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Number of the unit at its level.
    pub unit: u32,
    /// Its suspiciousness.
    pub score: f64,
    /// Its place, from 1.
    pub rank: f64,
}

/// Units by descending score; equal scores by ascending number.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The most suspicious first.
    pub places: Vec<Place>,
}

impl Ranker {
    /// A ranker of `level` for the spectrum.
    pub fn new(spectrum: &Spectrum, level: Level, options: RankingOptions) -> Self {
        let (program, coverage) = (&spectrum.program, &spectrum.coverage);
        let file = |method: u32| program.methods[method as usize].file;
        let lines = || 0..program.elements.len() as u32;
        let column = |element| coverage.column_of(element as usize);
        let units = match level {
            Level::Method => coverage.methods().clone(),
            Level::Line => UnitColumns::new(lines().map(|element| (element, column(element)))),
            Level::File => {
                let files = program.method_of().map(file);
                UnitColumns::new(files.zip(lines().map(column)))
            }
        };
        let mut faulty = vec![false; units.units().len()];
        if let Some(fault) = &spectrum.fault {
            let methods = fault.methods.iter().map(|method| method.0);
            let faults: Vec<u32> = match level {
                Level::Line => fault.elements.clone(),
                Level::Method => methods.collect(),
                Level::File => {
                    // A file counts through methods that have lines.
                    let ranked = coverage.methods().units();
                    let ranked = |method: &u32| ranked.binary_search(method).is_ok();
                    methods.filter(ranked).map(file).collect()
                }
            };
            for unit in faults {
                if let Ok(place) = units.units().binary_search(&unit) {
                    faulty[place] = true;
                }
            }
        }
        Ranker {
            options,
            units,
            faulty,
        }
    }

    /// Number of ranked units.
    pub fn unit_count(&self) -> usize {
        self.units.units().len()
    }

    /// Scores of the ranked units, in ascending order of their numbers.
    pub fn scores(&self, tally: &Tally, coverage: &Coverage) -> Vec<f64> {
        let of_columns: Vec<f64> = (0..coverage.column_count())
            .map(|column| self.options.formula.value(tally.counts(column)))
            .collect();
        let aggregate = |lines: &[(u32, u32)]| match self.options.aggregate {
            Aggregate::Max => lines
                .iter()
                .map(|&(column, _)| of_columns[column as usize])
                .fold(f64::NEG_INFINITY, f64::max),
            Aggregate::Sum => sum(&by_value(lines, &of_columns)),
            Aggregate::Mean => {
                let mut lines = by_value(lines, &of_columns);
                let unit = lines.iter().fold(0, |unit, &(_, count)| gcd(unit, count));
                lines.iter_mut().for_each(|(_, count)| *count /= unit);
                let count: u64 = lines.iter().map(|&(_, count)| count).sum();
                sum(&lines) / count as f64
            }
        };
        self.units.iter().map(aggregate).collect()
    }

    /// The whole ranking.
    pub fn ranking(&self, tally: &Tally, coverage: &Coverage) -> Ranking {
        self.by_score(&self.scores(tally, coverage))
    }

    /// The ranked units, by their numbers, ascending.
    pub fn units(&self) -> &[u32] {
        self.units.units()
    }

    /// The whole ranking by scores from elsewhere, in the order of [`Self::units`].
    pub fn by_score(&self, scores: &[f64]) -> Ranking {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        let mut places = Vec::with_capacity(order.len());
        for tie in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
            let faulty = tie.iter().filter(|&&unit| self.faulty[unit]).count();
            let rank = self.place_in_tie(places.len(), tie.len(), faulty);
            places.extend(tie.iter().map(|&unit| Place {
                unit: self.units.units()[unit],
                score: scores[unit],
                rank,
            }));
        }
        Ranking { places }
    }

    /// The place of one unit, by its number at its level; `None` if it is not ranked. `scores` are
    /// those of [`Self::scores`]. Cheaper than a whole ranking.
    pub fn place(&self, scores: &[f64], unit: u32) -> Option<f64> {
        let index = self.units.units().binary_search(&unit).ok()?;
        let (above, tied, faulty) = self.standing(scores, scores[index]);
        Some(self.place_in_tie(above, tied, faulty))
    }

    /// How many units are above a score, and at it; how many of these are faulty.
    fn standing(&self, scores: &[f64], score: f64) -> (usize, usize, usize) {
        let (mut above, mut tied, mut tied_faulty) = (0, 0, 0);
        for (&value, &faulty) in scores.iter().zip(&self.faulty) {
            above += usize::from(value > score);
            tied += usize::from(value == score);
            tied_faulty += usize::from(value == score && faulty);
        }
        (above, tied, tied_faulty)
    }

    /// Places of several methods after the tests in the tally.
    pub fn places(&self, tally: &Tally, coverage: &Coverage, methods: &[MethodId]) -> Vec<f64> {
        let scores = self.scores(tally, coverage);
        let places = methods.iter().map(|method| self.place(&scores, method.0));
        places.flatten().collect()
    }

    /// Expected number of units without a fault that are read before the first faulty one, ties in
    /// random order; 0 where no faulty unit is ranked.
    pub fn wasted_effort(&self, scores: &[f64]) -> f64 {
        let faulty = scores.iter().zip(&self.faulty);
        let faulty = faulty.filter_map(|(&score, &faulty)| faulty.then_some(score));
        let Some(first) = faulty.max_by(f64::total_cmp) else {
            return 0.0;
        };
        let (above, tied, faulty) = self.standing(scores, first);
        above as f64 + (tied - faulty) as f64 / (faulty as f64 + 1.0)
    }

    fn place_in_tie(&self, above: usize, tied: usize, faulty: usize) -> f64 {
        let (above, tied) = (above as f64, tied as f64);
        match self.options.tie {
            TiePolicy::Max => above + tied,
            TiePolicy::Min => above + 1.0,
            TiePolicy::Average => above + (tied + 1.0) / 2.0,
            TiePolicy::Expected => above + (tied + 1.0) / (faulty.max(1) as f64 + 1.0),
        }
    }
}

impl Ranking {
    /// Number of units that share the highest score.
    pub fn tied_at_top(&self) -> usize {
        let Some(first) = self.places.first() else {
            return 0;
        };
        let tied = self.places.iter();
        tied.take_while(|place| place.score == first.score).count()
    }
}

/// Distinct scores, ascending, and how many lines have each: sums of them break no tie by rounding.
fn by_value(lines: &[(u32, u32)], of_columns: &[f64]) -> Vec<(f64, u64)> {
    let of_line = |&(column, lines): &(u32, u32)| (of_columns[column as usize], u64::from(lines));
    let mut values: Vec<(f64, u64)> = lines.iter().map(of_line).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    values.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
    values
}

fn sum(lines: &[(f64, u64)]) -> f64 {
    let of_lines = |&(value, lines): &(f64, u64)| value * lines as f64;
    lines.iter().map(of_lines).sum()
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::TestId;
    use crate::rows::Rows;
    use crate::spectrum::{Fault, Outcome, ProgramBuilder, Test};

    /// Methods a (2 lines), b, c, d (1 each); t0 fails and covers a1 b c, t1 passes and covers a1 a2 b.
    fn spectrum() -> Spectrum {
        let mut program = ProgramBuilder::default();
        for (method, line) in [("a", 1), ("a", 2), ("b", 3), ("c", 4), ("d", 5)] {
            let method = program.method(method, || "file".into());
            program.element(method, line, None);
        }
        program.method("without lines", || "file".into());
        let mut rows = Rows::new(5);
        rows.push_columns([0, 2, 3]).unwrap();
        rows.push_columns([0, 1, 2]).unwrap();
        let test = |name: &str, outcome| Test {
            name: name.into(),
            outcome: Some(outcome),
            ..Test::default()
        };
        let tests = vec![test("t0", Outcome::Fail), test("t1", Outcome::Pass)];
        let fault = Fault {
            methods: vec![MethodId(1), MethodId(4)],
            elements: vec![],
            is_mutant: false,
        };
        Spectrum::new(None, program.finish(), tests, rows, Some(fault)).unwrap()
    }

    fn ranks(tie: TiePolicy, aggregate: Aggregate) -> Vec<(u32, f64)> {
        let spectrum = spectrum();
        let mut tally = Tally::new(&spectrum.coverage);
        for test in [TestId(0), TestId(1)] {
            let verdict = spectrum.test(test).verdict().unwrap();
            tally.add(&spectrum.coverage, test, verdict);
        }
        let options = RankingOptions {
            tie,
            aggregate,
            ..RankingOptions::default()
        };
        let ranker = Ranker::new(&spectrum, Level::Method, options);
        let ranking = ranker.ranking(&tally, &spectrum.coverage);
        let scores = ranker.scores(&tally, &spectrum.coverage);
        for place in &ranking.places {
            assert_eq!(ranker.place(&scores, place.unit), Some(place.rank));
        }
        assert_eq!(ranker.place(&scores, 4), None, "no lines, no place");
        ranking.places.iter().map(|p| (p.unit, p.rank)).collect()
    }

    #[test]
    fn ties_take_the_place_their_policy_says() {
        let of = |tie| ranks(tie, Aggregate::Max);
        assert_eq!(of(TiePolicy::Max), [(2, 1.0), (0, 3.0), (1, 3.0), (3, 4.0)]);
        assert_eq!(of(TiePolicy::Min), [(2, 1.0), (0, 2.0), (1, 2.0), (3, 4.0)]);
        assert_eq!(
            of(TiePolicy::Average),
            [(2, 1.0), (0, 2.5), (1, 2.5), (3, 4.0)]
        );
        assert_eq!(
            of(TiePolicy::Expected),
            [(2, 1.0), (0, 2.5), (1, 2.5), (3, 4.0)]
        );
    }

    #[test]
    fn the_mean_counts_lines() {
        let ranks = ranks(TiePolicy::Max, Aggregate::Mean);
        assert_eq!(ranks, [(2, 1.0), (1, 2.0), (0, 3.0), (3, 4.0)]);
    }

    #[test]
    fn two_faulty_units_in_a_tie_of_three_are_met_at_four_thirds() {
        let ranker = Ranker {
            options: RankingOptions {
                tie: TiePolicy::Expected,
                ..RankingOptions::default()
            },
            units: UnitColumns::new([(0, 0), (1, 0), (2, 0)].into_iter()),
            faulty: vec![true, true, false],
        };
        assert_eq!(ranker.place(&[1.0, 1.0, 1.0], 0), Some(4.0 / 3.0));
    }
}
