//! What a candidate would do to the ranking of the suspicious methods, were it to pass.

use std::ops::Range;

use fdc_core::Suite;
use fdc_core::rows::Row;

use super::features::Suspicion;

/// Weight of the tie-break: too small to turn a real difference around.
pub(super) const TIE_BREAK: f64 = 1e-9;

/// Likelihoods and progress are summed as whole numbers of this unit, so that the order of a sum does
/// not matter: candidates that do the same have the same value to the bit.
const UNIT: f64 = 1.0 / (1u64 << 48) as f64;

/// The suspicious methods by how far the chosen tests, taken to pass, have lowered them.
///
/// A method's *level* is the number of chosen tests on its least covered suspicious line. A
/// candidate lowers a method by one level if it covers all lines that are covered no more than
/// that; the places are those of the levels, worst of ties.
pub struct RankOutlook {
    /// By kind of methods: likelihood in units, number, level.
    likely: Vec<u64>,
    size: Vec<f64>,
    level: Vec<u32>,
    /// Kinds of which a column is among the least covered; neighbours with the same kinds stand
    /// together, in a stretch.
    stretches: Vec<Stretch>,
    stretch_of: Vec<u32>,
    open: Vec<u32>,
    /// Number of such columns, by kind, and in all.
    needed: Vec<u32>,
    needed_in_all: usize,
    levels: Levels,
    scratch: Scratch,
}

/// The methods by level, and the expected reciprocal rank of the fault.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    /// By level: likelihood of the methods on it, in units, and methods on it or above.
    mass: Vec<u64>,
    standing: Vec<f64>,
    /// The value as they stand.
    now: f64,
}

/// Methods that would go down a level.
#[derive(Clone, Debug, Default)]
pub(super) struct Leaving {
    /// By level: likelihood, in units, and number of those that leave it.
    by_level: Vec<(u64, f64)>,
    /// The levels that some leave.
    levels: Vec<u32>,
}

/// Neighbouring columns, up to `end`, with the kinds `open[kinds]`.
struct Stretch {
    end: u32,
    kinds: Range<usize>,
}

#[derive(Default)]
struct Scratch {
    covered: Vec<u32>,
    kinds: Vec<u32>,
    leaving: Leaving,
}

impl RankOutlook {
    /// For the suite as it is; `likely` holds a probability per suspicious method.
    pub fn new(suspicion: &Suspicion, suite: &Suite<'_>, likely: &[f64]) -> Self {
        let projection = suite.projection();
        let passes = projection.covering(suite.tests()[1..].iter().copied());
        let kinds = suspicion.columns_of_kinds().len();
        let (mut likely_kind, mut size) = (vec![0u64; kinds], vec![0.0; kinds]);
        for (&kind, &likely) in suspicion.kinds().iter().zip(likely) {
            likely_kind[kind as usize] += in_units(likely);
            size[kind as usize] += 1.0;
        }
        // Kinds by the columns they are least covered on, column by column.
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let (mut level, mut needed) = (Vec::with_capacity(kinds), Vec::with_capacity(kinds));
        for (kind, columns) in suspicion.columns_of_kinds().enumerate() {
            let passes_of = |column: &u32| passes[*column as usize];
            let least = columns.iter().map(passes_of).min().unwrap_or(0);
            let before = pairs.len();
            let lowest = columns.iter().filter(|&column| passes_of(column) == least);
            pairs.extend(lowest.map(|&column| (column, kind as u32)));
            level.push(least);
            needed.push((pairs.len() - before) as u32);
        }
        pairs.sort_unstable();
        let needed_in_all = pairs.len();
        let mut stretches: Vec<Stretch> = Vec::new();
        let (mut stretch_of, mut open) = (Vec::with_capacity(passes.len()), Vec::new());
        let mut left = &pairs[..];
        for column in 0..passes.len() as u32 {
            let own = left.iter().take_while(|pair| pair.0 == column).count();
            let kinds = left[..own].iter().map(|&(_, kind)| kind);
            left = &left[own..];
            match stretches.last_mut() {
                Some(last) if kinds.clone().eq(open[last.kinds.clone()].iter().copied()) => {
                    last.end += 1;
                }
                _ => {
                    let first = open.len();
                    open.extend(kinds);
                    stretches.push(Stretch {
                        end: column + 1,
                        kinds: first..open.len(),
                    });
                }
            }
            stretch_of.push(stretches.len() as u32 - 1);
        }

        let levels = level.iter().zip(&likely_kind).zip(&size);
        let levels = Levels::new(levels.map(|((&level, &likely), &size)| (level, likely, size)));
        RankOutlook {
            likely: likely_kind,
            size,
            level,
            stretches,
            stretch_of,
            open,
            needed,
            needed_in_all,
            scratch: Scratch {
                covered: vec![0; kinds],
                leaving: levels.nobody(),
                ..Scratch::default()
            },
            levels,
        }
    }

    /// The expected reciprocal rank of the fault once a test with this footprint has passed.
    pub fn value(&mut self, columns: Row<'_>) -> f64 {
        let progress = self.lower(columns);
        let value = self.levels.after(&mut self.scratch.leaving);
        self.scratch.leaving.clear();
        value + TIE_BREAK * progress
    }

    /// What passing would do, in words.
    pub fn words(&mut self, columns: Row<'_>) -> String {
        let before = self.levels.now;
        let after = self.value(columns);
        self.lower(columns);
        let leaving = self.scratch.leaving.by_level.iter();
        let (likelihood, lowered) =
            leaving.fold((0, 0.0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
        self.scratch.leaving.clear();
        if lowered == 0.0 {
            return "if it passes, no suspect falls".to_owned();
        }
        format!(
            "if it passes, {lowered} of {} suspects fall, which hold the fault with a probability \
             of {:.0} %; the expected place of the fault goes from {:.1} to {:.1}",
            self.size.iter().sum::<f64>(),
            100.0 * likelihood as f64 * UNIT,
            1.0 / before,
            1.0 / after,
        )
    }

    /// Notes the methods that a passing test on these columns lowers, by level; which share of the least
    /// covered lines, kind by kind, it covers.
    fn lower(&mut self, columns: Row<'_>) -> f64 {
        let scratch = &mut self.scratch;
        columns.for_each_range(|run| {
            let mut start = run.start;
            for stretch in &self.stretches[self.stretch_of[start as usize] as usize..] {
                let end = stretch.end.min(run.end);
                for &kind in &self.open[stretch.kinds.clone()] {
                    let covered = &mut scratch.covered[kind as usize];
                    if *covered == 0 {
                        scratch.kinds.push(kind);
                    }
                    *covered += end - start;
                }
                if end == run.end {
                    return;
                }
                start = end;
            }
        });
        let mut progress = 0;
        for kind in scratch.kinds.drain(..) {
            let kind = kind as usize;
            let covered = std::mem::take(&mut scratch.covered[kind]);
            progress += covered;
            if covered == self.needed[kind] {
                let (likely, size) = (self.likely[kind], self.size[kind]);
                scratch.leaving.note(self.level[kind], likely, size);
            }
        }
        progress_of(progress, self.needed_in_all)
    }
}

impl Levels {
    /// Of methods: level, likelihood in units, number.
    pub(super) fn new(methods: impl Iterator<Item = (u32, u64, f64)> + Clone) -> Self {
        let highest = methods.clone().map(|(level, ..)| level).max();
        let levels = highest.map_or(0, |highest| highest as usize) + 2;
        let (mut mass, mut standing) = (vec![0; levels], vec![0.0; levels]);
        for (level, likely, size) in methods {
            mass[level as usize] += likely;
            standing[level as usize] += size;
        }
        for level in 1..levels {
            standing[level] += standing[level - 1];
        }
        let levels = mass.iter().zip(&standing);
        Levels {
            now: levels.map(|(&mass, &place)| expected(mass, place)).sum(),
            mass,
            standing,
        }
    }

    /// To note methods in.
    pub(super) fn nobody(&self) -> Leaving {
        Leaving {
            by_level: vec![(0, 0.0); self.mass.len()],
            levels: Vec::new(),
        }
    }

    /// The value once the noted methods have gone down.
    pub(super) fn after(&self, leaving: &mut Leaving) -> f64 {
        leaving.levels.sort_unstable();
        let mut value = self.now;
        let mut before = None;
        for &level in &leaving.levels {
            if before.is_some_and(|before: u32| before + 1 < level) {
                value += self.change(before.map_or(0, |before| before + 1), leaving);
            }
            value += self.change(level, leaving);
            before = Some(level);
        }
        if let Some(before) = before {
            value += self.change(before + 1, leaving);
        }
        value
    }

    /// What a level contributes once the noted methods have gone down, less what it does now.
    fn change(&self, level: u32, leaving: &Leaving) -> f64 {
        let level = level as usize;
        let (mass, standing) = (self.mass[level], self.standing[level]);
        let (gone_mass, gone) = leaving.by_level[level];
        let above = level.checked_sub(1);
        let come = above.map_or(0, |above| leaving.by_level[above].0);
        expected(mass - gone_mass + come, standing - gone) - expected(mass, standing)
    }
}

impl Leaving {
    /// Methods of a level: their likelihood, in units, and number.
    pub(super) fn note(&mut self, level: u32, likely: u64, size: f64) {
        let own = &mut self.by_level[level as usize];
        if own.1 == 0.0 {
            self.levels.push(level);
        }
        own.0 += likely;
        own.1 += size;
    }

    fn clear(&mut self) {
        for level in self.levels.drain(..) {
            self.by_level[level as usize] = (0, 0.0);
        }
    }
}

/// A likelihood as a whole number.
pub(super) fn in_units(likely: f64) -> u64 {
    (likely / UNIT) as u64
}

/// The share of the least covered lines that are covered.
pub(super) fn progress_of(covered: u32, needed: usize) -> f64 {
    f64::from(covered) / needed.max(1) as f64
}

/// Likelihood (in units) over place; no method there, nothing.
fn expected(mass: u64, place: f64) -> f64 {
    if place == 0.0 {
        0.0
    } else {
        mass as f64 * UNIT / place
    }
}

#[cfg(test)]
mod tests {
    use fdc_core::Coverage;
    use fdc_core::coverage::TestId;
    use fdc_core::rows::Rows;

    use super::*;

    /// One method that every test runs to another depth.
    #[test]
    fn neighbouring_lines_of_a_method_are_looked_at_together() {
        let mut rows = Rows::new(1000);
        for depth in 1..=1000 {
            rows.push(std::iter::once(0..depth)).unwrap();
        }
        let coverage = Coverage::with_methods(rows, [0; 1000]);
        let mut suite = Suite::new(&coverage, TestId(999));
        let suspicion = Suspicion::new(&suite);
        let stretches =
            |suite: &Suite<'_>| RankOutlook::new(&suspicion, suite, &[1.0]).stretches.len();
        assert_eq!(stretches(&suite), 1);
        suite.add(TestId(299));
        assert_eq!(stretches(&suite), 2);
    }
}
