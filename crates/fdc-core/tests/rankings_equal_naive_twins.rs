//! Formulas, tallies and rankings give what their definitions say: every score and every place,
//! with every formula, level, aggregate and tie policy, equals that of a naive twin.

mod naive;

use std::collections::BTreeMap;

use fdc_core::formula::FORMULAS;
use fdc_core::ranking::{Ranker, RankingOptions};
use fdc_core::spectrum::MethodId;
use fdc_core::tally::Counts;
use fdc_core::{Aggregate, Formula, Level, Selection, Spectrum, TiePolicy};
use naive::cases::{Belief, Case, cases, id};
use naive::formulas::FORMULA_TWINS;
use naive::places::{Unit, lines, place, units};
use naive::{Chosen, close};
use proptest::prelude::*;

const LEVELS: [Level; 3] = [Level::Method, Level::Line, Level::File];
const AGGREGATES: [Aggregate; 3] = [Aggregate::Max, Aggregate::Mean, Aggregate::Sum];
const TIES: [TiePolicy; 4] = [
    TiePolicy::Max,
    TiePolicy::Min,
    TiePolicy::Average,
    TiePolicy::Expected,
];

#[test]
fn every_formula_of_the_table_has_a_twin() {
    let names: Vec<&str> = FORMULA_TWINS.iter().map(|&(name, _)| name).collect();
    assert_eq!(
        FORMULAS
            .iter()
            .map(|formula| formula.name)
            .collect::<Vec<_>>(),
        names
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn formulas_equal_their_twins_on_the_counts_of_every_element(case in cases()) {
        let spectrum = case.spectrum();
        for belief in [Belief::Certain, Belief::Doubtful] {
            let (run, chosen) = everything(&case, &spectrum, belief);
            for element in 0..case.elements() {
                let found = run.tally().counts(spectrum.coverage.column_of(element) as usize);
                let naive = chosen.counts(element);
                for &(name, twin) in FORMULA_TWINS {
                    let (found, naive) = (Formula::named(name).unwrap().value(found), twin(naive));
                    let same = match belief {
                        Belief::Certain => found == naive,
                        Belief::Doubtful => close(found, naive),
                    };
                    prop_assert!(same, "{}: {} {}", name, found, naive);
                }
            }
        }
    }

    #[test]
    fn scores_are_those_of_the_twins(case in cases()) {
        each_ranking(&case, Belief::Certain, |case, ranked| {
            let naive = units(case, &ranked.of_lines, ranked.level, ranked.options.aggregate);
            for (naive, &found) in naive.iter().zip(&ranked.scores) {
                let same = match ranked.options.aggregate {
                    Aggregate::Max => naive.score == found,
                    Aggregate::Mean | Aggregate::Sum => close(naive.score, found),
                };
                prop_assert!(same, "{:?}: {} {}", ranked.options, naive.score, found);
            }
            Ok(())
        })?;
    }

    #[test]
    fn scores_from_doubtful_verdicts_are_those_of_the_twins(case in cases()) {
        each_ranking(&case, Belief::Doubtful, |case, ranked| {
            let naive = units(case, &ranked.of_lines, ranked.level, ranked.options.aggregate);
            prop_assert_eq!(naive.len(), ranked.scores.len());
            for (naive, &found) in naive.iter().zip(&ranked.scores) {
                prop_assert!(close(naive.score, found), "{:?}: {} {}", ranked.options, naive.score, found);
            }
            Ok(())
        })?;
    }

    #[test]
    fn every_tie_policy_gives_the_naive_places_of_the_scores(case in cases()) {
        each_ranking(&case, Belief::Certain, |case, ranked| {
            let units = ranked.units(case);
            for tie in TIES {
                let options = RankingOptions { tie, ..ranked.options };
                let ranker = Ranker::new(ranked.spectrum, ranked.level, options);
                prop_assert_eq!(ranker.unit_count(), units.len());
                let coverage = &ranked.spectrum.coverage;
                let places = ranker.ranking(ranked.run.tally(), coverage).places;
                prop_assert_eq!(places.len(), units.len());
                prop_assert!(places.is_sorted_by(|a, b| a.score >= b.score));
                for unit in &units {
                    let found = places.iter().find(|place| place.unit == unit.number).unwrap();
                    let naive = place(&units, *unit, tie);
                    prop_assert_eq!(found.score, unit.score);
                    prop_assert!(close(found.rank, naive), "{:?}: {} {}", options, found.rank, naive);
                    prop_assert_eq!(ranker.place(&ranked.scores, unit.number), Some(found.rank));
                }
                if ranked.level == Level::Method {
                    let methods: Vec<MethodId> = (0..8).map(MethodId).collect();
                    let found = ranker.places(ranked.run.tally(), coverage, &methods);
                    let naive: Vec<f64> = units.iter().map(|unit| place(&units, *unit, tie)).collect();
                    prop_assert_eq!(found.len(), naive.len(), "no elements, no place");
                    prop_assert!(found.iter().zip(naive).all(|(&found, naive)| close(found, naive)));
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn equal_scores_are_listed_by_number(case in cases()) {
        each_ranking(&case, Belief::Certain, |case, ranked| {
            let mut order = ranked.units(case);
            order.sort_by(|a, b| b.score.partial_cmp(&a.score).unwrap().then(a.number.cmp(&b.number)));
            let ranker = Ranker::new(ranked.spectrum, ranked.level, ranked.options);
            let ranking = ranker.ranking(ranked.run.tally(), &ranked.spectrum.coverage);
            let listed: Vec<u32> = ranking.places.iter().map(|place| place.unit).collect();
            let order: Vec<u32> = order.iter().map(|unit| unit.number).collect();
            prop_assert_eq!(listed, order, "{:?}", ranked.options);
            Ok(())
        })?;
    }

    /// Rounding breaks no tie: units with the same line scores have one sum, and units with the
    /// same line scores in the same proportions have one mean.
    #[test]
    fn units_with_alike_lines_have_equal_scores(case in cases()) {
        each_ranking(&case, Belief::Certain, |case, ranked| {
            let mut first: BTreeMap<Vec<(u64, usize)>, f64> = BTreeMap::new();
            for (lines, &score) in lines(case, ranked.level).values().zip(&ranked.scores) {
                let mut of_unit: BTreeMap<u64, usize> = BTreeMap::new();
                for &line in lines {
                    *of_unit.entry((ranked.of_lines[line] + 0.0).to_bits()).or_default() += 1;
                }
                let unit = match ranked.options.aggregate {
                    Aggregate::Mean => of_unit.values().copied().fold(0, gcd),
                    Aggregate::Max | Aggregate::Sum => 1,
                };
                let shape = of_unit.into_iter().map(|(score, count)| (score, count / unit)).collect();
                let alike = *first.entry(shape).or_insert(score);
                prop_assert_eq!(alike, score, "{:?}", ranked.options);
            }
            Ok(())
        })?;
    }
}

/// One way to rank a case, with what came out.
struct Ranked<'a> {
    spectrum: &'a Spectrum,
    run: &'a Selection<'a>,
    level: Level,
    options: RankingOptions,
    /// The twin's scores of lines.
    of_lines: Vec<f64>,
    scores: Vec<f64>,
}

impl Ranked<'_> {
    /// The units with the scores that came out.
    fn units(&self, case: &Case) -> Vec<Unit> {
        let units = units(case, &self.of_lines, self.level, self.options.aggregate);
        let scored = units.into_iter().zip(&self.scores);
        scored
            .map(|(unit, &score)| Unit { score, ..unit })
            .collect()
    }
}

/// Every formula, level and aggregate, over all tests of the case.
fn each_ranking(
    case: &Case,
    belief: Belief,
    check: impl Fn(&Case, &Ranked<'_>) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let spectrum = case.spectrum();
    let (run, chosen) = everything(case, &spectrum, belief);
    let counts: Vec<Counts> = (0..case.elements())
        .map(|element| chosen.counts(element))
        .collect();
    for &(name, twin) in FORMULA_TWINS {
        for (level, aggregate) in LEVELS.into_iter().flat_map(|l| AGGREGATES.map(|a| (l, a))) {
            let formula = Formula::named(name).unwrap();
            let options = RankingOptions {
                formula,
                aggregate,
                tie: TiePolicy::Max,
            };
            let ranker = Ranker::new(&spectrum, level, options);
            check(
                case,
                &Ranked {
                    spectrum: &spectrum,
                    run: &run,
                    level,
                    options,
                    of_lines: counts.iter().map(|&counts| twin(counts)).collect(),
                    scores: ranker.scores(run.tally(), &spectrum.coverage),
                },
            )?;
        }
    }
    Ok(())
}

/// All tests of the case, after its first failing one.
fn everything<'a>(
    case: &'a Case,
    spectrum: &'a Spectrum,
    belief: Belief,
) -> (Selection<'a>, Chosen<'a>) {
    let f = case.failing()[0];
    let mut run = Selection::new(spectrum, id(f));
    let mut chosen = Chosen::new(&case.covers, case.elements(), f);
    for test in (0..case.covers.len()).filter(|&test| test != f) {
        run.add(id(test), case.verdict(test, belief));
        chosen.add(test, case.verdict(test, belief));
    }
    (run, chosen)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
